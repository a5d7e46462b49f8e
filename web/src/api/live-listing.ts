import { SessionEnded } from '../session/session.ts'
import type { Page } from './api.ts'
import { ApiProblem } from './api-problem.ts'
import { withLiveSlot } from './live-slots.ts'
import { readEvents } from './read-events.ts'
import type { Send } from './send.ts'

export type Connection = 'connecting' | 'live' | 'reconnecting' | 'offline' | 'closed'

export interface LiveListing<Row> {
  /** A list route with its query. */
  readonly path: string
  onPage(page: Page<Row>): void
  onConnection(connection: Connection): void
  /** The listing was refused for good: no further try is made. */
  onProblem(problem: Error): unknown
}

/**
 * Keeps a live listing open until the returned function is called: after an outage, after the token's end, after the
 * device slept. A hidden page gives its connection back, because a browser has six to a host for all its tabs.
 */
export function openLiveListing<Row>(send: Send, listing: LiveListing<Row>): () => void {
  const closed = new AbortController()
  void run(send, listing, closed.signal)
  return () => closed.abort()
}

async function run<Row>(send: Send, listing: LiveListing<Row>, closed: AbortSignal): Promise<void> {
  let lastId = ''
  let failures = 0
  const onEvent = (id: string) => {
    lastId = id
    failures = 0
  }
  listing.onConnection('connecting')
  while (!closed.aborted) {
    await untilVisible(closed)
    const problem = await withLiveSlot<unknown>((hasSlot) =>
      hasSlot ? follow(send, listing, lastId, closed, onEvent) : look(send, listing, closed, onEvent),
    ).catch((error: unknown) => error)
    if (closed.aborted) return
    if (problem === looked) {
      await untilEvent([[window, 'offline']], closed, lookMilliseconds)
      continue
    }
    if (isFinal(problem)) {
      listing.onConnection('closed')
      listing.onProblem(problem)
      return
    }
    if (document.hidden) continue
    listing.onConnection(navigator.onLine ? 'reconnecting' : 'offline')
    await pause(failures, closed)
    failures += 1
  }
}

/** Longer than the server's heartbeat of 15 s, twice. */
const silenceMilliseconds = 35_000
/** A page hidden for a shorter time keeps its connection. */
const hiddenMilliseconds = 15_000
const backoffMilliseconds = [250, 1000, 2000, 5000, 10_000, 20_000]

/** Without a connection of its own a listing is looked at so often. */
const lookMilliseconds = 3000
const looked = Symbol('looked')

/** The page as it is now, without keeping the connection. */
async function look<Row>(
  send: Send,
  listing: LiveListing<Row>,
  closed: AbortSignal,
  onEvent: (id: string) => void,
): Promise<typeof looked | undefined> {
  const enough = new AbortController()
  let isFound = false
  const onPage = (page: Page<Row>) => {
    isFound = true
    listing.onPage(page)
    enough.abort()
  }
  // From the beginning: after a number that is known, nothing would come until something changes.
  await follow(send, { ...listing, onPage }, '', AbortSignal.any([closed, enough.signal]), onEvent).catch(
    (error: unknown) => {
      if (!isFound) throw error
    },
  )
  return isFound ? looked : undefined
}

async function follow<Row>(
  send: Send,
  { path, onPage, onConnection }: LiveListing<Row>,
  lastId: string,
  closed: AbortSignal,
  onEvent: (id: string) => void,
): Promise<void> {
  if (closed.aborted) return
  const given = new AbortController()
  const stop = () => given.abort()
  const watchdog = createTimer(stop, silenceMilliseconds)
  const hiding = createTimer(stop, hiddenMilliseconds)
  const onVisibility = () => (document.hidden ? hiding.start() : hiding.stop())
  document.addEventListener('visibilitychange', onVisibility)
  addEventListener('offline', stop)
  closed.addEventListener('abort', stop)
  try {
    watchdog.start()
    const headers = { accept: 'text/event-stream', ...(lastId && { 'last-event-id': lastId }) }
    const response = await send({ path, headers, signal: given.signal })
    if (response.body === null) return
    for await (const { id, data } of readEvents(response.body, watchdog.start)) {
      onEvent(id)
      onConnection('live')
      onPage(JSON.parse(data).result)
    }
  } finally {
    stop()
    watchdog.stop()
    hiding.stop()
    document.removeEventListener('visibilitychange', onVisibility)
    removeEventListener('offline', stop)
    closed.removeEventListener('abort', stop)
  }
}

/** Refusals that asking again would not change. After the end of a session the person signs in again. */
const isFinal = (error: unknown): error is Error =>
  error instanceof SessionEnded ||
  (error instanceof ApiProblem && error.status >= 400 && error.status < 500 && error.status !== 429)

function createTimer(run: () => void, milliseconds: number) {
  let timer: ReturnType<typeof setTimeout> | undefined
  const stop = () => clearTimeout(timer)
  const start = () => {
    stop()
    timer = setTimeout(run, milliseconds)
  }
  return { start, stop }
}

function untilVisible(closed: AbortSignal): Promise<void> | undefined {
  return document.hidden ? untilEvent([[document, 'visibilitychange']], closed) : undefined
}

/** Until the next try; sooner when the network comes back. */
async function pause(failures: number, closed: AbortSignal): Promise<void> {
  const longest = backoffMilliseconds[Math.min(failures, backoffMilliseconds.length - 1)] ?? 0
  // Spread at random, so that not all clients ask a restarted server at the same moment.
  const milliseconds = longest * (0.75 + Math.random() / 2)
  await untilEvent([[window, 'online']], closed, navigator.onLine ? milliseconds : undefined)
}

function untilEvent(
  events: readonly (readonly [EventTarget, string])[],
  closed: AbortSignal,
  milliseconds?: number,
): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const over = new AbortController()
  for (const [target, name] of [...events, [closed, 'abort'] as const])
    target.addEventListener(name, () => resolve(), { signal: over.signal })
  const timer = milliseconds === undefined ? undefined : setTimeout(resolve, milliseconds)
  return promise.finally(() => {
    over.abort()
    clearTimeout(timer)
  })
}
