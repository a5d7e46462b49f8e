import { events, type LiveOptions } from './live.ts'
import { queryOf } from './query-of.ts'
import type { Change, Operations } from './rest-types.ts'
import { asJson, type Send, type TrackerOptions } from './send.ts'

export type FeedQuery = Omit<Operations['GET /ext/changes']['query'], 'pageSize'>

export interface FeedEvent {
  readonly change: Change
  /** Keep it once the change is processed: as `after`, it is where the next run starts. */
  readonly cursor: string
}

/** Every change, once and in its order, from `after` on and without an end; a lost connection loses none. */
export async function* readFeed(
  send: Send,
  query: FeedQuery,
  options: LiveOptions,
  pause: TrackerOptions['pause'],
): AsyncGenerator<FeedEvent, void> {
  // Otherwise a connection that is lost before its first event would start again at a later now.
  const after = query.after === 'now' ? await newest(send, options) : query.after
  const path = `/ext/changes${queryOf({ ...query, after })}`
  for await (const { id, data } of events(send, path, options, pause))
    yield { change: JSON.parse(data) as Change, cursor: id }
}

async function newest(send: Send, { signal }: LiveOptions): Promise<string> {
  const request = { method: 'GET', path: '/ext/changes?after=now&pageSize=1', ...(signal && { signal }) }
  return (await send(request, asJson)).result.cursor
}
