import { type Signal, signal } from '@preact/signals'
import { type Session, SessionEnded } from '../session/session.ts'
import { problemOf, unreachable } from './api-problem.ts'

export interface Request {
  readonly method?: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  /** The path from the root of the API, with its query. */
  readonly path: string
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
  readonly signal?: AbortSignal | undefined
  /** Switched off where a 429 has to be shown, such as a lockout. */
  readonly waitsWhenBusy?: boolean
}

export type Send = (request: Request) => Promise<Response>

export interface Sender {
  readonly send: Send
  /** The time of the next retry after a 429, to show it to the user. */
  readonly busyUntil: Signal<number | undefined>
  /** True if the last request got a response. */
  readonly isReached: Signal<boolean>
}

/** Sends with the caller's token. A rejected token is renewed once, and a busy server is retried; other errors are thrown. */
export function createSender(apiUrl: string, session: Session): Sender {
  const busyUntil = signal<number | undefined>(undefined)
  const isReached = signal(true)
  let networksLost = 0
  addEventListener('offline', () => {
    networksLost += 1
    isReached.value = false
  })
  const attempt = async (request: Request, token: string) => {
    const { method = 'GET', path, body, headers, signal: abort } = request
    const lostBefore = networksLost
    const response = await fetch(apiUrl + path, {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      ...(abort !== undefined && { signal: abort }),
    }).catch((error: unknown) => {
      if (abort?.aborted) throw error
      isReached.value = false
      throw unreachable()
    })
    // A response to a request from before the outage says nothing about the present.
    if (networksLost === lostBefore) isReached.value = true
    return response
  }
  const authorized = async (request: Request) => {
    const token = await session.accessToken().catch(tellOutage)
    const response = await attempt(request, token)
    if (response.status !== 401) return response
    const again = await attempt(request, await session.renewedToken(token).catch(tellOutage))
    if (again.status !== 401) return again
    session.end()
    throw new SessionEnded()
  }
  const send: Send = async (request) => {
    for (let attempts = 1; ; attempts += 1) {
      const response = await authorized(request)
      if (response.ok) return response
      const problem = await problemOf(response)
      const seconds = problem.retryAfterSeconds ?? busySecondsDefault
      const waits = response.status === 429 && (request.waitsWhenBusy ?? true)
      if (!waits || attempts >= attemptsMax || seconds > busySecondsMax) throw problem
      await pause(seconds * 1000, busyUntil)
    }
  }
  return { send, busyUntil, isReached }
}

/** The number of retries for a busy server; then the user sees the error. */
const attemptsMax = 3
/** The API counts by the minute; a longer wait is a lockout. */
const busySecondsMax = 60
const busySecondsDefault = 5

/** Renewing fails when the session has ended, or because the provider cannot be reached. */
const tellOutage = (error: unknown): never => {
  throw error instanceof SessionEnded ? error : unreachable()
}

async function pause(milliseconds: number, until: Signal<number | undefined>): Promise<void> {
  until.value = Math.max(until.value ?? 0, Date.now() + milliseconds)
  await new Promise((resolve) => setTimeout(resolve, milliseconds))
  if (until.value !== undefined && until.value <= Date.now()) until.value = undefined
}
