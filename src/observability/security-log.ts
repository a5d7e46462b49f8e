import { createHmac, randomBytes } from 'node:crypto'
import type { Caller } from '../model/caller.ts'
import type { LogWriter } from '../model/limit-log-lines.ts'

/** All events; `docs/security-events.md` explains each. */
const levels = {
  'sign-in': 'info',
  'lockout-begun': 'warn',
  'password-changed': 'info',
  'session-ended': 'info',
  'outside-refused': 'warn',
  'identity-connected': 'info',
  'identity-disconnected': 'info',
  'refresh-replayed': 'warn',
  'token-refused': 'warn',
  'token-revoked': 'info',
  consent: 'info',
  'token-made': 'info',
  'token-ended': 'info',
  'link-made': 'info',
  'link-used': 'info',
  'mail-asked': 'info',
  'mail-sent': 'info',
  'client-refused': 'warn',
  'client-changed': 'info',
  'account-changed': 'info',
  'factor-changed': 'info',
  'passkey-copied': 'warn',
  'administrator-changed': 'info',
  'keys-changed': 'warn',
  'requests-refused': 'warn',
} as const satisfies Readonly<Record<string, 'info' | 'warn'>>

export type SecurityEventName = keyof typeof levels

export interface SecurityEvent {
  readonly event: SecurityEventName
  /** The outcome of the event, or its cause. */
  readonly outcome?: string
  /** The account it is about. */
  readonly account?: string | undefined
  /** The account that caused it, if it is another one. */
  readonly by?: string | undefined
  /** A login that no account has: it may be a password typed into the wrong field, so it is never written unhashed. */
  readonly unknownLogin?: string | undefined
  readonly client?: string | undefined
  readonly session?: string | undefined
  /** The external provider, by its id in the settings. */
  readonly provider?: string | undefined
  /** The personal access token it is about. */
  readonly token?: string | undefined
  readonly address?: string | undefined
  readonly requestId?: string | undefined
  /** The number of events since the last line, where lines are sampled. */
  readonly count?: number
}

export type SecurityLog = (event: SecurityEvent) => void

/** Clients can cause these events without an accepted token, as often as they send requests. */
const causedByUnauthenticated: ReadonlySet<SecurityEventName> = new Set([
  'sign-in',
  'lockout-begun',
  'outside-refused',
  'refresh-replayed',
  'token-refused',
  'link-used',
  'mail-asked',
  'client-refused',
  'passkey-copied',
  'requests-refused',
])

export interface SecurityLogTarget {
  readonly info: LogWriter['info']
  readonly warn: LogWriter['warn']
  readonly rateLimited: Pick<LogWriter, 'info' | 'warn'>
}

/** One login always gives the same value while this process runs, but the login cannot be found by a dictionary attack. */
const loginKey = randomBytes(32)

/** Writes one line for each event, at the level of a warning or of information. */
export const createSecurityLog =
  (log: SecurityLogTarget): SecurityLog =>
  ({ event, unknownLogin, ...details }) => {
    const lines = causedByUnauthenticated.has(event) ? log.rateLimited : log
    lines[levels[event]](
      {
        security: event,
        ...details,
        ...(unknownLogin !== undefined && { loginHash: hashOf(unknownLogin) }),
      },
      'A security event.',
    )
  }

/** The caller and the source, for events about the caller's own account. */
export const callerDetails = ({ id, origin }: Caller) => ({
  account: id,
  client: origin?.clientId,
  session: origin?.sessionId,
  address: origin?.address,
  requestId: origin?.requestId,
})

const hashOf = (login: string): string =>
  createHmac('sha256', loginKey).update(login.trim().toLowerCase()).digest('hex').slice(0, 16)

/** A flood of requests must not become a flood of lines. */
const sampledMilliseconds = 1000

/** Records rejections by a limiter: at most one line a second, with the count since the line before. */
export function createRejectionLog(
  log: SecurityLog,
  now: () => number = Date.now,
): (origin: { readonly address: string; readonly requestId?: string }) => void {
  let writtenAt = Number.NEGATIVE_INFINITY
  let count = 0
  return ({ address, requestId }) => {
    count += 1
    if (now() < writtenAt + sampledMilliseconds) return
    log({ event: 'requests-refused', address, requestId, count })
    writtenAt = now()
    count = 0
  }
}

interface Countable {
  readonly event: string
  readonly outcome?: string
}

export interface EventCount {
  readonly event: string
  readonly outcome: string
  count: number
}

export interface CountedEvents<Event> {
  log(event: Event): void
  counts(): Iterable<Readonly<EventCount>>
}

/** Returns the same log, which also counts by event and outcome, such as successful, failed and locked-out sign-ins. */
export function countEvents<Event extends Countable>(log: (event: Event) => void): CountedEvents<Event> {
  const counts = new Map<string, EventCount>()
  return {
    log(event) {
      const { event: name, outcome = '' } = event
      const key = `${name} ${outcome}`
      const counted = counts.get(key) ?? { event: name, outcome, count: 0 }
      counted.count += 1
      counts.set(key, counted)
      log(event)
    },
    counts: () => counts.values(),
  }
}
