import type { Change, ConnectionOptions, LiveAnswer, Tracker } from '#tracker-client'
import type { ResourceName } from './api.ts'
import { openLive } from './live.ts'

/** Several changes within this time are reported once. */
const debounceMilliseconds = 250

/**
 * Reports the resources of a project that were changed by any user, over one connection. Each connection begins with a report of all
 * of them, because changes may have been missed before it was open.
 */
export function followProject(
  tracker: Tracker,
  projectId: string,
  resources: readonly ResourceName[],
  onChange: (name: ResourceName) => void,
): () => void {
  const changed = new Set<string>()
  let timer: ReturnType<typeof setTimeout> | undefined
  const report = () => {
    timer = undefined
    const names = resources.filter((name) => changed.has(name))
    changed.clear()
    for (const name of names) onChange(name)
  }
  const query = { projectId, resource: resources.join(), after: 'now' }
  const close = openLive((options) => withStart(tracker, query, options), {
    onValue(change) {
      for (const name of change === undefined ? resources : [change.resource]) changed.add(name)
      timer ??= setTimeout(report, debounceMilliseconds)
    },
    onConnection: () => undefined,
    // The lists themselves show why they cannot be read.
    onProblem: () => undefined,
  })
  return () => {
    close()
    clearTimeout(timer)
  }
}

/** Yields undefined as soon as the connection is open, then each change. */
async function* withStart(
  tracker: Tracker,
  query: { readonly projectId: string; readonly resource: string; readonly after: string },
  { signal, onOpen }: ConnectionOptions,
): AsyncGenerator<LiveAnswer<Change | undefined>, void> {
  const opened = Promise.withResolvers<void>()
  const changes = tracker.connect(
    'GET /ext/changes',
    { query },
    {
      signal,
      onOpen() {
        onOpen?.()
        opened.resolve()
      },
    },
  )
  let next = changes.next()
  // It fails later if the consumer leaves first.
  next.catch(() => undefined)
  await Promise.race([opened.promise, next])
  yield { id: '', answer: undefined }
  for (let { done, value } = await next; !done && value; { done, value } = await next) {
    // A stream sends single changes; the type of the answer is that of a page.
    yield value as unknown as LiveAnswer<Change>
    next = changes.next()
  }
}
