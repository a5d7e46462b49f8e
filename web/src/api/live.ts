import { type ConnectionOptions, TrackerError } from '#tracker-client'
import type { Connect } from './api.ts'

export type Connection = 'connecting' | 'live' | 'reconnecting' | 'offline' | 'closed'

interface LiveListener<Value> {
  onValue(value: Value): void
  onConnection(connection: Connection): void
  /** Called when the listing was rejected permanently and is not retried. */
  onProblem(problem: Error): unknown
}

/**
 * Follows an answer until the returned function is called. It reconnects after an outage, an expired
 * token, or sleep of the device. A hidden page releases its connection, because a browser has only six per
 * host for all its tabs.
 */
export function openLive<Value>(connect: Connect<Value>, listener: LiveListener<Value>): () => void {
  const closed = new AbortController()
  void keepOpen(connect, listener, closed.signal)
  return () => closed.abort()
}

async function keepOpen<Value>(
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
  // The server does not resend an answer that has not changed since the last connection.
  const onOpen = () => {
    if (lastEventId !== '') listener.onConnection('live')
  }
  listener.onConnection('connecting')
  while (!closed.aborted) {
    await untilVisible(closed)
    const outcome = await withLiveSlot<unknown>((hasSlot) =>
      hasSlot ? follow(connect, { lastEventId, onOpen }, closed, show) : poll(connect, closed, show),
    ).catch((error: unknown) => error)
    if (closed.aborted) return
    if (outcome === polled) {
      // Going offline ends the wait, so that the next attempt reports it.
      await untilEvent(window, 'offline', closed, pollMilliseconds)
      continue
    }
    // A final error is not retried. If the session has ended, the user signs in again.
    if (outcome instanceof TrackerError && outcome.isFinal) {
      listener.onConnection('closed')
      listener.onProblem(outcome)
      return
    }
    if (document.hidden) continue
    listener.onConnection(navigator.onLine ? 'reconnecting' : 'offline')
    await waitForRetry(failures, closed)
    failures += 1
  }
}

/** A page hidden for a shorter time keeps its connection. */
const hiddenMilliseconds = 15_000
const backoffMilliseconds = [250, 1000, 2000, 5000, 10_000, 20_000]

/** The interval at which a listing without a slot is read. */
const pollMilliseconds = 3000
/** The outcome of a successful poll, which is no reason to reconnect. */
const polled = Symbol('polled')

type Show<Value> = (id: string, value: Value) => void

/** Reads the current answer without keeping the connection. */
async function poll<Value>(
  connect: Connect<Value>,
  closed: AbortSignal,
  show: Show<Value>,
): Promise<typeof polled | undefined> {
  const firstValue = new AbortController()
  let isReceived = false
  const showFirst = (id: string, value: Value) => {
    isReceived = true
    show(id, value)
    firstValue.abort()
  }
  // The id of the last event is left out, because with it nothing would arrive until the next change.
  await follow(connect, {}, AbortSignal.any([closed, firstValue.signal]), showFirst).catch(
    (error: unknown) => {
      if (!isReceived) throw error
    },
  )
  return isReceived ? polled : undefined
}

/** Holds one connection as long as the page is visible and the device is online. */
async function follow<Value>(
  connect: Connect<Value>,
  options: Pick<ConnectionOptions, 'lastEventId' | 'onOpen'>,
  closed: AbortSignal,
  show: Show<Value>,
): Promise<void> {
  if (closed.aborted) return
  const controller = new AbortController()
  const abort = () => controller.abort()
  const hiddenTimer = createTimer(abort, hiddenMilliseconds)
  const onVisibility = () => (document.hidden ? hiddenTimer.start() : hiddenTimer.stop())
  document.addEventListener('visibilitychange', onVisibility)
  addEventListener('offline', abort)
  closed.addEventListener('abort', abort)
  try {
    for await (const { id, answer } of connect({ ...options, signal: controller.signal })) show(id, answer)
  } finally {
    hiddenTimer.stop()
    document.removeEventListener('visibilitychange', onVisibility)
    removeEventListener('offline', abort)
    closed.removeEventListener('abort', abort)
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
  return document.hidden ? untilEvent(document, 'visibilitychange', closed) : undefined
}

/** Waits before the next retry; ends early when the device is online again. */
async function waitForRetry(failures: number, closed: AbortSignal): Promise<void> {
  const backoff = backoffMilliseconds[Math.min(failures, backoffMilliseconds.length - 1)] ?? 0
  // Randomized, so that not all clients reconnect to a restarted server at the same time.
  const milliseconds = backoff * (0.75 + Math.random() / 2)
  await untilEvent(window, 'online', closed, navigator.onLine ? milliseconds : undefined)
}

/** Resolves at the event, when the listing is closed, or after the time, whichever comes first. */
function untilEvent(
  target: EventTarget,
  name: string,
  closed: AbortSignal,
  milliseconds?: number,
): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const cleanup = new AbortController()
  target.addEventListener(name, () => resolve(), { signal: cleanup.signal })
  closed.addEventListener('abort', () => resolve(), { signal: cleanup.signal })
  const timer = milliseconds === undefined ? undefined : setTimeout(resolve, milliseconds)
  return promise.finally(() => {
    cleanup.abort()
    clearTimeout(timer)
  })
}

/**
 * A browser has six connections per host for all its windows. Four may be live; the others remain for reads
 * and writes.
 */
const slots = ['tracker.live.1', 'tracker.live.2', 'tracker.live.3', 'tracker.live.4']

/** Calls `run` with a slot, which is held until it ends, or without one if other windows have all slots. */
async function withLiveSlot<Value>(run: (hasSlot: boolean) => Promise<Value>): Promise<Value> {
  for (const slot of slots) {
    const result = await navigator.locks.request(slot, { ifAvailable: true }, async (lock) =>
      lock === null ? undefined : { value: await run(true) },
    )
    if (result !== undefined) return result.value
  }
  return run(false)
}
