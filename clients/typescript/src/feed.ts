import { followEvents, type LiveOptions } from './live.ts'
import type { Change, Operations } from './rest-types.ts'
import { asJson, queryString, type Send, type TrackerOptions } from './send.ts'

export type FeedQuery = Omit<Operations['GET /ext/changes']['query'], 'pageSize'>

export interface FeedEvent {
  readonly change: Change
  /** Store it when the change is processed. The next run passes it as `after`. */
  readonly cursor: string
}

/**
 * Yields every change after the cursor `after` once and in order, until the signal aborts. A lost connection
 * is replaced by one that misses no change.
 */
export async function* readFeed(
  send: Send,
  query: FeedQuery,
  options: LiveOptions,
  pause: TrackerOptions['pause'],
): AsyncGenerator<FeedEvent, void> {
  // `now` is resolved once. Otherwise a connection that is lost before its first event would resume at a
  // later now.
  const after = query.after === 'now' ? await findNewestCursor(send, options) : query.after
  if (options.signal?.aborted) return
  const path = `/ext/changes${queryString({ ...query, after })}`
  for await (const { id, data } of followEvents(send, path, options, pause))
    yield { change: JSON.parse(data) as Change, cursor: id }
}

/** Returns undefined if the signal was aborted, which ends an iteration and is no error. */
async function findNewestCursor(send: Send, { signal }: LiveOptions): Promise<string | undefined> {
  const request = { method: 'GET', path: '/ext/changes?after=now&pageSize=1', signal }
  try {
    const { result }: { readonly result: { readonly cursor: string } } = await send(request, asJson)
    return result.cursor
  } catch (error) {
    if (signal?.aborted) return undefined
    throw error
  }
}
