import { TrackerError } from '#tracker-client'
import type { Connect } from './api.ts'

export type Connection = 'connecting' | 'live' | 'reconnecting' | 'offline' | 'closed'

export interface LiveListener<Value> {
  onValue(value: Value): void
  onConnection(connection: Connection): void
  /** It was rejected permanently and is not retried. */
  onProblem(problem: Error): unknown
}

/**
 * Keeps an answer live until the returned function is called: after an outage, after the token's end, after the device slept. A
 * hidden page releases its connection, because a browser has six per host for all its tabs.
 */
export function openLive<Value>(connect: Connect<Value>, listener: LiveListener<Value>): () => void {
  const closed = new AbortController()
  void run(connect, listener, closed.signal)
  return () => closed.abort()
}

async function run<Value>(
  connect: Connect<Value>,
  listener: LiveListener<Value>,
  closed: AbortSignal,
): Promise<void> {
  let lastEventId = ''
  let failures = 0
  const show = (id: string, value: Value) => {
    lastEventId = id
    failures = 0
    listener.onConnection('live')
    listener.onValue(value)
  }
  listener.onConnection('connecting')
  while (!closed.aborted) {
    await untilVisible(closed)
    const problem = await withLiveSlot<unknown>((hasSlot) =>
      hasSlot ? follow(connect, lastEventId, closed, show) : look(connect, closed, show),
    ).catch((error: unknown) => error)
    if (closed.aborted) return
    if (problem === looked) {
      await untilEvent([[window, 'offline']], closed, pollMilliseconds)
      continue
    }
    // After the end of a session, the user signs in again.
    if (problem instanceof TrackerError && problem.isFinal) {
      listener.onConnection('closed')
      listener.onProblem(problem)
      return
    }
    if (document.hidden) continue
    listener.onConnection(navigator.onLine ? 'reconnecting' : 'offline')
    await pause(failures, closed)
    failures += 1
  }
}

/** A page hidden for a shorter time keeps its connection. */
const hiddenMilliseconds = 15_000
const backoffMilliseconds = [250, 1000, 2000, 5000, 10_000, 20_000]

/** A listing without a connection of its own is polled this often. */
const pollMilliseconds = 3000
const looked = Symbol('looked')

type Show<Value> = (id: string, value: Value) => void

/** Reads the current answer without keeping the connection. */
async function look<Value>(
  connect: Connect<Value>,
  closed: AbortSignal,
  show: Show<Value>,
): Promise<typeof looked | undefined> {
  const enough = new AbortController()
  let isFound = false
  const showFirst = (id: string, value: Value) => {
    isFound = true
    show(id, value)
    enough.abort()
  }
  // Reads from the beginning: after a known number, nothing would arrive until something changes.
  await follow(connect, '', AbortSignal.any([closed, enough.signal]), showFirst).catch((error: unknown) => {
    if (!isFound) throw error
  })
  return isFound ? looked : undefined
}

/** One connection, as long as the page is visible and the network is there. */
async function follow<Value>(
  connect: Connect<Value>,
  lastEventId: string,
  closed: AbortSignal,
  show: Show<Value>,
): Promise<void> {
  if (closed.aborted) return
  const left = new AbortController()
  const leave = () => left.abort()
  const hiding = createTimer(leave, hiddenMilliseconds)
  const onVisibility = () => (document.hidden ? hiding.start() : hiding.stop())
  document.addEventListener('visibilitychange', onVisibility)
  addEventListener('offline', leave)
  closed.addEventListener('abort', leave)
  try {
    for await (const { id, answer } of connect({ lastEventId, signal: left.signal })) show(id, answer)
  } finally {
    hiding.stop()
    document.removeEventListener('visibilitychange', onVisibility)
    removeEventListener('offline', leave)
    closed.removeEventListener('abort', leave)
  }
}

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

/** Waits until the next retry; it ends early when the network returns. */
async function pause(failures: number, closed: AbortSignal): Promise<void> {
  const longest = backoffMilliseconds[Math.min(failures, backoffMilliseconds.length - 1)] ?? 0
  // Randomized, so that not all clients reconnect to a restarted server at the same time.
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

/** Some of the six connections that a browser has per host for all its windows; the others are left for reads and writes. */
const slots = ['tracker.live.1', 'tracker.live.2', 'tracker.live.3', 'tracker.live.4']

/** Runs with one of the long-lived connections, held until the end; or without, while other windows have all of them. */
async function withLiveSlot<Value>(run: (hasSlot: boolean) => Promise<Value>): Promise<Value> {
  for (const slot of slots) {
    const result = await navigator.locks.request(slot, { ifAvailable: true }, async (lock) =>
      lock === null ? undefined : { value: await run(true) },
    )
    if (result !== undefined) return result.value
  }
  return run(false)
}
