import { readEvents } from './read-events.ts'
import { backoffMilliseconds, pauseFor, type Send, type TrackerOptions } from './send.ts'
import { TrackerError } from './tracker-error.ts'

export interface LiveOptions {
  /** Ends the iteration. */
  readonly signal?: AbortSignal
  /** Told when the connection is lost and will be opened again. */
  readonly onReconnect?: (reason: unknown) => void
  /** How long nothing may be heard before the connection counts as lost; 35 seconds unless given. */
  readonly silenceMilliseconds?: number
}

/** Longer than the host's heartbeat of 15 s, twice. */
const silenceMillisecondsByDefault = 35_000

/**
 * What the host answers now, and again after every change, until the loop is left. A connection that is lost or silent is
 * opened again, with a new token where the old one has ended. Anyone who is slow gets the newest, not everything between.
 */
export async function* follow<Answer>(
  send: Send,
  path: string,
  options: LiveOptions,
  pause: TrackerOptions['pause'] = pauseFor,
): AsyncGenerator<Answer, void> {
  const { signal, onReconnect } = options
  let lastId = ''
  let failures = 0
  while (!signal?.aborted) {
    try {
      for await (const { id, data } of connect(send, path, lastId, options)) {
        lastId = id
        failures = 0
        yield JSON.parse(data) as Answer
      }
      onReconnect?.(undefined)
    } catch (error) {
      if (signal?.aborted) return
      if (isFinal(error)) throw error
      onReconnect?.(error)
    }
    await pause(backoffMilliseconds(failures), signal).catch(() => undefined)
    failures += 1
  }
}

/** One connection: its events, until it ends or falls silent. */
async function* connect(
  send: Send,
  path: string,
  lastId: string,
  { signal, silenceMilliseconds = silenceMillisecondsByDefault }: LiveOptions,
) {
  const connection = new AbortController()
  const stop = () => connection.abort()
  signal?.addEventListener('abort', stop)
  const watchdog = createWatchdog(stop, silenceMilliseconds)
  try {
    const request = {
      method: 'GET',
      path,
      // A stream has no end to be waited for: the watchdog looks after its first byte as after any later one.
      withinMilliseconds: Number.POSITIVE_INFINITY,
      signal: connection.signal,
      headers: { accept: 'text/event-stream', ...(lastId && { 'last-event-id': lastId }) },
    }
    const response = await send(request, async (opened) => opened)
    if (response.body === null) return
    for await (const event of readEvents(response.body)) {
      // Not while the loop is busy with what it got.
      watchdog.stop()
      if (event) yield event
      watchdog.start()
    }
  } finally {
    watchdog.stop()
    signal?.removeEventListener('abort', stop)
    stop()
  }
}

/** Asking again would be refused again. */
const isFinal = (error: unknown): boolean =>
  error instanceof TrackerError && error.status >= 400 && error.status < 500 && error.status !== 429

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
