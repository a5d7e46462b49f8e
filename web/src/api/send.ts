import { type Signal, signal } from '@preact/signals'
import { type Session, SessionEnded } from '../session/session.ts'
import { problemOf, unreachable } from './api-problem.ts'

export interface Request {
  readonly method?: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  /** From the root of the interface, with its query. */
  readonly path: string
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
  readonly signal?: AbortSignal | undefined
  /** Off where a 429 is an answer to show, such as a lockout. */
  readonly waitsWhenBusy?: boolean
}

export type Send = (request: Request) => Promise<Response>

export interface Sender {
  readonly send: Send
  /** When the interface will be asked again after a 429; for telling the person. */
  readonly busyUntil: Signal<number | undefined>
  /** Whether the last request was answered at all. */
  readonly isReached: Signal<boolean>
}

/** Sends with the caller's token. A refused token is renewed once, a busy server waited for; other refusals are thrown. */
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
    // An answer to what was asked before the network was lost tells nothing of now.
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

/** How often it waits for a busy server; then the person is shown the refusal. */
const attemptsMax = 3
/** The interface counts by the minute; a longer wait is a lockout. */
const busySecondsMax = 60
const busySecondsDefault = 5

/** Renewing fails when the session is over, or because the provider cannot be reached. */
const tellOutage = (error: unknown): never => {
  throw error instanceof SessionEnded ? error : unreachable()
}

async function pause(milliseconds: number, until: Signal<number | undefined>): Promise<void> {
  until.value = Math.max(until.value ?? 0, Date.now() + milliseconds)
  await new Promise((resolve) => setTimeout(resolve, milliseconds))
  if (until.value !== undefined && until.value <= Date.now()) until.value = undefined
}
