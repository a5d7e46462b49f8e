import type { TokenSource } from './tokens.ts'
import { errorOf, TrackerError, unreachable } from './tracker-error.ts'

export interface TrackerOptions {
  /** The address of the REST host, such as `http://localhost:5100`. */
  readonly address: string
  /** Without one, only what needs no token can be called, such as reading an invitation. */
  readonly token?: TokenSource
  /** How often a request is sent again after it got no answer, or the host was busy; 3 unless given. */
  readonly retries?: number
  /** Decides instead of the rules of `retries`: the milliseconds to wait before the next try, or undefined to throw the error. */
  readonly retryAfter?: (error: TrackerError, request: Sent, tries: number) => number | undefined
  /** Changes every error of a request before it is thrown, such as its language. */
  readonly mapError?: (error: TrackerError) => TrackerError
  /** False: a POST gets no generated key, and is not sent again. */
  readonly idempotencyKeys?: boolean
  /** The default for all calls. */
  readonly withinMilliseconds?: number
  readonly fetch?: typeof fetch
  /** Waits before another try; for tests, and for programs that show the wait. */
  readonly pause?: (milliseconds: number, signal?: AbortSignal) => Promise<void>
}

export interface RequestOptions {
  readonly signal?: AbortSignal | undefined
  /** Gives one try up after so long; 30 seconds unless given, and never for Infinity. */
  readonly withinMilliseconds?: number
  /** Overrides the client's own number. */
  readonly retries?: number
  /** The key of a POST; generated unless given. */
  readonly idempotencyKey?: string
  /** ETags that the rows must still have. */
  readonly ifMatch?: string
  readonly headers?: Readonly<Record<string, string>>
}

export interface Sent extends RequestOptions {
  readonly method: string
  /** The path, including its query. */
  readonly path: string
  readonly body?: unknown
}

/** Sends a request, with a token, and reads its answer, as often as is safe; errors are thrown. */
export type Send = <Answer>(request: Sent, read: (response: Response) => Promise<Answer>) => Promise<Answer>

/** An answer that is no JSON, such as a table of comma-separated values, is returned as text. */
// biome-ignore lint/suspicious/noExplicitAny: an answer is what came over the network
export const asJson = (response: Response): Promise<any> =>
  response.headers.get('content-type')?.startsWith('application/json') ? response.json() : response.text()

/** Longer than any statement of the host may take. */
const patienceMilliseconds = 30_000
const retriesByDefault = 3
/** When the host asks for a longer wait than this, the error is thrown at once. */
const retryAfterSecondsMax = 30

export function createSend(options: TrackerOptions): Send {
  const { token, pause = pauseFor } = options
  const tokenFor = async (rejected?: string) => (typeof token === 'function' ? token(rejected) : token)

  /** A token that expired in flight is replaced once. */
  async function sendWithToken(request: Sent): Promise<Response> {
    const bearer = await tokenFor()
    const response = await sendOnce(options, request, bearer)
    if (response.status !== 401) return response
    const newer = await tokenFor(bearer)
    if (newer === bearer) return response
    await response.body?.cancel()
    return sendOnce(options, request, newer)
  }

  return async (given, read) => {
    const request = withKey(given, options)
    for (let tries = 0; ; tries += 1) {
      try {
        const response = await sendWithToken(request)
        if (!response.ok) throw await errorOf(response)
        return await read(response).catch(rejectHalf(request))
      } catch (error) {
        await pause(waitOrThrow(error, request, tries, options), request.signal)
      }
    }
  }
}

/** The milliseconds until the next try; without one, the error is thrown. */
function waitOrThrow(error: unknown, request: Sent, tries: number, options: TrackerOptions): number {
  if (!(error instanceof TrackerError)) throw error
  const { retries = options.retries ?? retriesByDefault } = request
  const { retryAfter = safeWait, mapError } = options
  const wait = tries < retries ? retryAfter(error, request, tries) : undefined
  if (wait === undefined) throw mapError?.(error) ?? error
  return wait
}

/** A response that breaks off counts as none. */
const rejectHalf =
  ({ signal }: Sent) =>
  (error: unknown): never => {
    signal?.throwIfAborted()
    throw unreachable(error)
  }

/** Every try has the same key, so that the host executes the request once. */
const withKey = (request: Sent, { idempotencyKeys = true }: TrackerOptions): Sent =>
  request.method === 'POST' && idempotencyKeys
    ? { ...request, idempotencyKey: request.idempotencyKey ?? crypto.randomUUID() }
    : request

async function sendOnce(
  { address, fetch: send = fetch, withinMilliseconds: within = patienceMilliseconds }: TrackerOptions,
  request: Sent,
  bearer: string | undefined,
): Promise<Response> {
  const { method, path, body, signal, withinMilliseconds = within } = request
  signal?.throwIfAborted()
  try {
    return await send(`${address.replace(/\/$/, '')}${path}`, {
      method,
      headers: headersOf(request, bearer),
      signal: limited(signal, withinMilliseconds),
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
  } catch (error) {
    return rejectHalf(request)(error)
  }
}

const headersOf = ({ body, idempotencyKey, ifMatch, headers }: Sent, bearer: string | undefined) => ({
  ...(bearer !== undefined && { authorization: `Bearer ${bearer}` }),
  ...(body !== undefined && { 'content-type': 'application/json' }),
  ...(idempotencyKey !== undefined && { 'idempotency-key': idempotencyKey }),
  ...(ifMatch !== undefined && { 'if-match': ifMatch }),
  ...headers,
})

/** A try ends when the caller aborts, or after its time limit, if it has one. */
function limited(signal: AbortSignal | undefined, milliseconds: number): AbortSignal | null {
  if (milliseconds === Number.POSITIVE_INFINITY) return signal ?? null
  const timeout = AbortSignal.timeout(milliseconds)
  return signal ? AbortSignal.any([signal, timeout]) : timeout
}

/** The host was not reached, or a proxy reports that it is down. */
const passing: ReadonlySet<number> = new Set([0, 502, 503, 504])

/** Another try follows where it may help and cannot do the same twice, and not before the host allows it. */
function safeWait({ status, retryAfterSeconds }: TrackerError, request: Sent, tries: number) {
  const isRepeatable = request.method === 'GET' || request.idempotencyKey !== undefined
  // The host answers 429 before it does anything.
  if (status !== 429 && !(isRepeatable && passing.has(status))) return undefined
  if (retryAfterSeconds === undefined) return backoffMilliseconds(tries)
  return retryAfterSeconds > retryAfterSecondsMax ? undefined : retryAfterSeconds * 1000
}

/** Grows with each try, and is randomized, so that many clients do not return at the same time. */
export const backoffMilliseconds = (tries: number): number =>
  Math.min(20_000, 200 * 2 ** tries) * (0.5 + Math.random() / 2)

export function pauseFor(milliseconds: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer)
      reject(signal?.reason)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop)
      resolve()
    }, milliseconds)
    if (signal?.aborted) stop()
    else signal?.addEventListener('abort', stop, { once: true })
  })
}
