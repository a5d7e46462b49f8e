import { readEvents } from './read-stream.ts'
import { backoffMilliseconds, pauseFor, type Send, type TrackerOptions } from './send.ts'
import { TrackerError } from './tracker-error.ts'

export interface LiveOptions {
  /** Ends the iteration. */
  readonly signal?: AbortSignal | undefined
  /** Called when the connection is lost, before it is reopened. */
  readonly onReconnect?: (reason: unknown) => void
  /** Without a message for this time, the connection counts as lost; 35 seconds by default. */
  readonly silenceMilliseconds?: number
}

export interface ConnectionOptions extends Omit<LiveOptions, 'onReconnect'> {
  /** The id of the last known event. A list under `/ext` is only sent if it has changed since. */
  readonly lastEventId?: string
  /** Called when the host has accepted the connection, which may be long before the first answer. */
  readonly onOpen?: () => void
}

export interface LiveAnswer<Answer> {
  readonly id: string
  readonly answer: Answer
}

/** A little more than two heartbeats of the host, which are 15 seconds apart. */
const silenceMillisecondsByDefault = 35_000

/**
 * Yields the host's answer now, and again after every change, until the loop is left. A connection that is
 * lost or silent is reopened, with a new token if the old one has expired. A slow consumer gets the newest
 * answer and skips those in between.
 */
export async function* follow<Answer>(
  send: Send,
  path: string,
  options: LiveOptions,
  pause: TrackerOptions['pause'],
): AsyncGenerator<Answer, void> {
  for await (const { data } of followEvents(send, path, options, pause)) yield JSON.parse(data) as Answer
}

/** Yields the answers of one connection, until it ends or is lost. */
export async function* connectOnce<Answer>(
  send: Send,
  path: string,
  options: ConnectionOptions,
): AsyncGenerator<LiveAnswer<Answer>, void> {
  for await (const { id, data } of readConnection(send, path, options))
    if (data !== undefined) yield { id, answer: JSON.parse(data) }
}

/** Yields the events of a stream. A lost connection is replaced by one that resumes after the last event. */
export async function* followEvents(
  send: Send,
  path: string,
  options: LiveOptions,
  pause: TrackerOptions['pause'] = pauseFor,
): AsyncGenerator<{ readonly id: string; readonly data: string }, void> {
  const { signal, onReconnect } = options
  const progress: Progress = { lastId: '', failures: 0 }
  while (!signal?.aborted) {
    const reason = yield* readUntilLost(send, path, progress, options)
    if (signal?.aborted) return
    if (reason instanceof TrackerError && reason.isFinal) throw reason
    onReconnect?.(reason)
    // An abort rejects the pause, and the loop then ends.
    await pause(backoffMilliseconds(progress.failures), signal).catch(() => undefined)
    progress.failures += 1
  }
}

interface Progress {
  lastId: string
  /** Failures since the last heartbeat or event. */
  failures: number
}

/** Yields the events of one connection. Returns the error with which it was lost, or undefined if it has ended. */
async function* readUntilLost(send: Send, path: string, progress: Progress, options: LiveOptions) {
  try {
    for await (const { id, data } of readConnection(send, path, {
      ...options,
      lastEventId: progress.lastId,
    })) {
      progress.lastId = id || progress.lastId
      progress.failures = 0
      if (data !== undefined) yield { id, data }
    }
    return undefined
  } catch (error) {
    return error
  }
}

/** Yields the events of one connection, until it ends or is silent. */
async function* readConnection(
  send: Send,
  path: string,
  { signal, lastEventId, onOpen, silenceMilliseconds = silenceMillisecondsByDefault }: ConnectionOptions,
) {
  const connection = new AbortController()
  const stop = () => connection.abort()
  signal?.addEventListener('abort', stop)
  const watchdog = createWatchdog(stop, silenceMilliseconds)
  try {
    const request = {
      method: 'GET',
      path,
      // The watchdog limits the wait for each event instead, because a stream has no end.
      withinMilliseconds: Number.POSITIVE_INFINITY,
      signal: connection.signal,
      headers: { accept: 'text/event-stream', ...(lastEventId && { 'last-event-id': lastEventId }) },
    }
    const response = await send(request, async (opened) => opened)
    if (response.body === null) return
    onOpen?.()
    for await (const event of readEvents(response.body)) {
      // The consumer may take any time to process an event.
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
