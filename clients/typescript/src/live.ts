import { readEvents } from './read-events.ts'
import { backoffMilliseconds, pauseFor, type Send, type TrackerOptions } from './send.ts'
import { TrackerError } from './tracker-error.ts'

export interface LiveOptions {
  /** Ends the iteration. */
  readonly signal?: AbortSignal | undefined
  /** Called when the connection is lost and will be opened again. */
  readonly onReconnect?: (reason: unknown) => void
  /** After so long without a message the connection counts as lost; 35 seconds unless given. */
  readonly silenceMilliseconds?: number
}

export interface ConnectionOptions extends Omit<LiveOptions, 'onReconnect'> {
  /** The id of the last known event. A list under `/ext` is not sent again unless it has changed since. */
  readonly lastEventId?: string
}

export interface LiveAnswer<Answer> {
  readonly id: string
  readonly answer: Answer
}

/** Twice the host's heartbeat of 15 seconds, and a little more. */
const silenceMillisecondsByDefault = 35_000

/**
 * The host's answer now, and again after every change, until the loop is left. A connection that is lost or silent is opened
 * again, with a new token when the old one has expired. A slow reader gets the newest answer, not each one between.
 */
export async function* follow<Answer>(
  send: Send,
  path: string,
  options: LiveOptions,
  pause: TrackerOptions['pause'],
): AsyncGenerator<Answer, void> {
  for await (const { data } of events(send, path, options, pause)) yield JSON.parse(data) as Answer
}

/** The answers of one connection, until it ends or is lost. */
export async function* connectOnce<Answer>(
  send: Send,
  path: string,
  options: ConnectionOptions,
): AsyncGenerator<LiveAnswer<Answer>, void> {
  for await (const { id, data } of connect(send, path, options))
    if (data !== undefined) yield { id, answer: JSON.parse(data) }
}

/** The events of a stream, over as many connections as it takes; each resumes after the last event of the one before. */
export async function* events(
  send: Send,
  path: string,
  options: LiveOptions,
  pause: TrackerOptions['pause'] = pauseFor,
): AsyncGenerator<{ readonly id: string; readonly data: string }, void> {
  const { signal, onReconnect } = options
  const place: Place = { lastId: '', failures: 0 }
  while (!signal?.aborted) {
    const reason = yield* untilLost(send, path, place, options)
    if (signal?.aborted) return
    if (reason instanceof TrackerError && reason.isFinal) throw reason
    onReconnect?.(reason)
    await pause(backoffMilliseconds(place.failures), signal).catch(() => undefined)
    place.failures += 1
  }
}

interface Place {
  lastId: string
  /** Counted since the last heartbeat or event. */
  failures: number
}

/** The events of one connection; it returns the reason why it was lost, unless it just ended. */
async function* untilLost(send: Send, path: string, place: Place, options: LiveOptions) {
  try {
    for await (const { id, data } of connect(send, path, { ...options, lastEventId: place.lastId })) {
      place.lastId = id || place.lastId
      place.failures = 0
      if (data !== undefined) yield { id, data }
    }
    return undefined
  } catch (error) {
    return error
  }
}

/** One connection: its events, until it ends or falls silent. */
async function* connect(
  send: Send,
  path: string,
  { signal, lastEventId, silenceMilliseconds = silenceMillisecondsByDefault }: ConnectionOptions,
) {
  const connection = new AbortController()
  const stop = () => connection.abort()
  signal?.addEventListener('abort', stop)
  const watchdog = createWatchdog(stop, silenceMilliseconds)
  try {
    const request = {
      method: 'GET',
      path,
      // A stream has no end to wait for: the watchdog limits the wait for its first byte and for every later one.
      withinMilliseconds: Number.POSITIVE_INFINITY,
      signal: connection.signal,
      headers: { accept: 'text/event-stream', ...(lastEventId && { 'last-event-id': lastEventId }) },
    }
    const response = await send(request, async (opened) => opened)
    if (response.body === null) return
    for await (const event of readEvents(response.body)) {
      // The reader may take any time over an event.
      watchdog.stop()
      yield event
      watchdog.start()
    }
  } finally {
    watchdog.stop()
    signal?.removeEventListener('abort', stop)
    stop()
  }
}

function createWatchdog(onSilence: () => void, milliseconds: number) {
  let timer: ReturnType<typeof setTimeout> | undefined
  const stop = () => clearTimeout(timer)
  const start = () => {
    stop()
    timer = setTimeout(onSilence, milliseconds)
  }
  start()
  return { start, stop }
}
