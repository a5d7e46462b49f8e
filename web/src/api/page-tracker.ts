import { effect, type ReadonlySignal, type Signal, signal, untracked } from '@preact/signals'
import { openTracker, type Tracker, type TrackerError, type TrackerOptions } from '#tracker-client'
import { requestTimeout } from '../session/configuration.ts'
import { ProviderError, unansweredCode } from '../session/provider.ts'
import { type Session, SessionEndedError } from '../session/session.ts'
import { outageError, translateError } from './problems.ts'

export interface PageTracker {
  readonly tracker: Tracker
  /** Returns a client for one upload. It reports the fraction that was sent, from 0 to 1. */
  openUploadClient(onProgress: (progress: number) => void): Pick<Tracker, 'upload'>
  /** The time of the next retry after a 429, to show it to the user. */
  readonly busyUntil: Signal<number | undefined>
  /** True if the last request got a response. */
  readonly isReachable: Signal<boolean>
  /** The number of reads that have waited long for a response. */
  readonly slowReads: Signal<number>
}

/**
 * Opens the client for the user's session. It retries when the server is busy. A 401 despite a new token
 * ends the session.
 */
export function openPageTracker(apiUrl: string, session: Session): PageTracker {
  const { fetch, ...network } = watchNetwork(apiUrl)
  const { isReachable } = network
  const busyUntil = signal<number | undefined>(undefined)
  const options: TrackerOptions = {
    ...commonOptions,
    address: apiUrl,
    fetch,
    retries: busyRetriesMax,
    retryAfter: retryDelayOf,
    token: (rejected) =>
      (rejected === undefined ? session.accessToken() : session.renewToken(rejected)).catch((error) => {
        if (error instanceof ProviderError && error.code === unansweredCode) isReachable.value = false
        return throwOutage(error)
      }),
    mapError(error) {
      if (error instanceof SessionEndedError) return error
      if (error.status !== 401) return translateError(error)
      session.end()
      return new SessionEndedError()
    },
    async pause(milliseconds) {
      busyUntil.value = Math.max(busyUntil.value ?? 0, Date.now() + milliseconds)
      await new Promise((resolve) => setTimeout(resolve, milliseconds))
      if (busyUntil.value !== undefined && busyUntil.value <= Date.now()) busyUntil.value = undefined
    },
  }
  return {
    tracker: openTracker(options),
    openUploadClient: (onProgress) => openTracker({ ...options, fetch: fetchWithProgress(onProgress) }),
    busyUntil,
    ...network,
  }
}

/** Sends with XMLHttpRequest, because `fetch` does not report how much of a body was sent. */
const fetchWithProgress =
  (onProgress: (progress: number) => void): typeof fetch =>
  (url, { method = 'GET', headers, body, signal } = {}) =>
    new Promise((resolve, reject) => {
      const request = new XMLHttpRequest()
      request.open(method, String(url))
      new Headers(headers).forEach((value, name) => {
        request.setRequestHeader(name, value)
      })
      request.upload.onprogress = ({ loaded, total }) => onProgress(loaded / Math.max(total, 1))
      request.onload = () =>
        resolve(new Response(request.responseText, { status: request.status, headers: headersOf(request) }))
      // `fetch` also rejects with a TypeError if the server cannot be reached.
      request.onerror = () => reject(new TypeError())
      request.onabort = () => reject(signal?.reason)
      signal?.addEventListener('abort', () => request.abort(), { once: true })
      request.send(body as XMLHttpRequestBodyInit)
    })

const headersOf = (request: XMLHttpRequest): [string, string][] =>
  request
    .getAllResponseHeaders()
    .split('\r\n')
    .flatMap((line) => {
      const [, name, value] = /^([^:]+): (.*)$/.exec(line) ?? []
      return name === undefined || value === undefined ? [] : [[name, value]]
    })

/** Opens a client without a session, for the pages of invitation and password links. */
export const openGuestTracker = (apiUrl: string): Tracker =>
  openTracker({ ...commonOptions, address: apiUrl, retries: 0, mapError: translateError })

/**
 * Requests have no time limit, because networks may be slow, and no idempotency keys, because forms create
 * the ids of their records.
 */
const commonOptions = {
  withinMilliseconds: Number.POSITIVE_INFINITY,
  idempotencyKeys: false,
} satisfies Partial<TrackerOptions>

/** The user sees that the server is busy after this many retries. */
const busyRetriesMax = 2
/** Rate limits are per minute. A longer wait is a lockout, so the request is not retried. */
const busySecondsMax = 60
const busySecondsDefault = 5

/** Only a busy server is retried here. Screens show an outage, and reload when it has ended. */
function retryDelayOf({ status, retryAfterSeconds = busySecondsDefault }: TrackerError) {
  return status === 429 && retryAfterSeconds <= busySecondsMax ? retryAfterSeconds * 1000 : undefined
}

/** Renewing a token fails if the session has ended, or if the provider cannot be reached. */
const throwOutage = (error: unknown): never => {
  throw error instanceof SessionEndedError ? error : outageError(error)
}

/** The REST host lets some requests above its rate limit wait, up to a minute, before it rejects others. */
const slowMilliseconds = 4000

function watchNetwork(
  address: string,
): Pick<PageTracker, 'isReachable' | 'slowReads'> & { readonly fetch: typeof fetch } {
  const isReachable = signal(true)
  const slowReads = signal(0)
  let outages = 0
  addEventListener('offline', () => {
    outages += 1
    isReachable.value = false
  })
  const watchedFetch: typeof fetch = async (url, init) => {
    const outagesBefore = outages
    let slow = 0
    const timer = setTimeout(() => {
      slow = init?.method === 'GET' ? 1 : 0
      slowReads.value += slow
    }, slowMilliseconds)
    const response = await fetch(url, init)
      .catch((error: unknown) => {
        if (!init?.signal?.aborted) isReachable.value = false
        throw error
      })
      .finally(() => {
        clearTimeout(timer)
        slowReads.value -= slow
      })
    // A response to a request from before the outage says nothing about the present.
    if (outages === outagesBefore) isReachable.value = true
    return response
  }
  effect(() => {
    if (isReachable.value) return undefined
    return pollUntilReached(() => watchedFetch(`${address}/healthz`, { signal: requestTimeout() }))
  })
  return { fetch: watchedFetch, isReachable, slowReads }
}

/** The interval grows with each attempt. */
const pollMilliseconds = [3000, 5000, 10_000, 20_000]

/** Polls until the returned function is called, because screens that show kept values send no requests. */
function pollUntilReached(request: () => Promise<unknown>): () => void {
  let attempts = 0
  let timer: ReturnType<typeof setTimeout> | undefined
  const requestNow = () => void request().catch(() => undefined)
  const wait = () => {
    const milliseconds = pollMilliseconds[Math.min(attempts, pollMilliseconds.length - 1)]
    attempts += 1
    timer = setTimeout(() => {
      if (!document.hidden) requestNow()
      wait()
    }, milliseconds)
  }
  wait()
  addEventListener('online', requestNow)
  document.addEventListener('visibilitychange', requestNow)
  return () => {
    clearTimeout(timer)
    removeEventListener('online', requestNow)
    document.removeEventListener('visibilitychange', requestNow)
  }
}

/** Calls `run` whenever the server can be reached again. */
export function onReturn(isReachable: ReadonlySignal<boolean>, run: () => void): void {
  let wasReachable = isReachable.peek()
  effect(() => {
    const isBack = isReachable.value && !wasReachable
    wasReachable = isReachable.value
    if (isBack) untracked(run)
  })
}
