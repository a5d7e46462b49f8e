import { SessionEnded } from '../session/session.ts'
import type { Page } from './api.ts'
import { ApiProblem } from './api-problem.ts'
import type { Send } from './send.ts'

export type Connection = 'connecting' | 'live' | 'reconnecting' | 'offline' | 'closed'

export interface LiveListing<Row> {
  /** A list route with its query. */
  readonly path: string
  onPage(page: Page<Row>): void
  onConnection(connection: Connection): void
  /** The listing was rejected permanently and is not retried. */
  onProblem(problem: Error): unknown
}

/**
 * Keeps a live listing open until the returned function is called: after an outage, after the token's end, after the device
 * slept. A hidden page releases its connection, because a browser has six per host for all its tabs.
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

/** Twice as long as the server's heartbeat of 15 s, and a little more. */
const silenceMilliseconds = 35_000
/** A page hidden for a shorter time keeps its connection. */
const hiddenMilliseconds = 15_000
const backoffMilliseconds = [250, 1000, 2000, 5000, 10_000, 20_000]

/** A listing without a connection of its own is polled this often. */
const lookMilliseconds = 3000
const looked = Symbol('looked')

/** Reads the current page without keeping the connection. */
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
  // Reads from the beginning: after a known number, nothing would arrive until something changes.
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

/** Errors that a retry would not change. After the end of a session the user signs in again. */
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

export interface StreamEvent {
  readonly id: string
  readonly data: string
}

/**
 * The events of a `text/event-stream` body; an EventSource cannot send a token. `onBytes` is called for everything that arrives,
 * including heartbeats.
 */
export async function* readEvents(
  body: ReadableStream<Uint8Array<ArrayBuffer>>,
  onBytes: () => void,
): AsyncGenerator<StreamEvent> {
  let text = ''
  for await (const chunk of body.pipeThrough(new TextDecoderStream())) {
    onBytes()
    text = (text + chunk).replaceAll('\r\n', '\n')
    const blocks = text.split('\n\n')
    text = blocks.pop() ?? ''
    for (const block of blocks) {
      const event = eventIn(block)
      if (event !== undefined) yield event
    }
  }
}

function eventIn(block: string): StreamEvent | undefined {
  let id = ''
  const data: string[] = []
  for (const line of block.split('\n')) {
    const [, field, value = ''] = /^(\w+):? ?(.*)$/.exec(line) ?? []
    if (field === 'id') id = value
    if (field === 'data') data.push(value)
  }
  return data.length > 0 ? { id, data: data.join('\n') } : undefined
}
