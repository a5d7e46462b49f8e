import { createHmac, randomBytes } from 'node:crypto'
import type { LogWriter } from '../model/budget.ts'
import type { Caller } from '../model/caller.ts'

/** The level of each event. `docs/security-events.md` explains them. */
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
  readonly account?: string | undefined
  /** The account that caused the event. It may be the same one. */
  readonly by?: string | undefined
  /**
   * The typed login, if no account has it. Only its hash is logged, because it may be a password in the wrong
   * field.
   */
  readonly typedLogin?: string | undefined
  readonly client?: string | undefined
  readonly session?: string | undefined
  /** The external provider, by its id in the settings. */
  readonly provider?: string | undefined
  /** The id of the personal access token that the event is about. */
  readonly token?: string | undefined
  readonly address?: string | undefined
  readonly requestId?: string | undefined
  /** The number of events since the previous line, if not every event has its own. */
  readonly count?: number
}

export type SecurityLog = (event: SecurityEvent) => void

/** Events that clients can cause as often as they like, without a valid token. Their lines are limited. */
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

/**
 * The key of login hashes. It is random, so that logins cannot be guessed from the log. The process keeps it,
 * so that equal logins have equal hashes.
 */
const loginKey = randomBytes(32)

/** Writes a line for each event. */
export const createSecurityLog =
  (log: SecurityLogTarget): SecurityLog =>
  ({ event, typedLogin, ...details }) => {
    const lines = causedByUnauthenticated.has(event) ? log.rateLimited : log
    lines[levels[event]](
      {
        security: event,
        ...details,
        ...(typedLogin !== undefined && { loginHash: hashOf(typedLogin) }),
      },
      'A security event.',
    )
  }

/** Returns the properties of an event about the account of the caller. */
export const callerDetails = ({ id, origin }: Caller) => ({
  account: id,
  client: origin?.clientId,
  session: origin?.sessionId,
  address: origin?.address,
  requestId: origin?.requestId,
})

const hashOf = (login: string): string =>
  createHmac('sha256', loginKey).update(login.trim().toLowerCase()).digest('hex').slice(0, 16)

/** The pause between lines, so that a flood of requests does not become a flood of lines. */
const lineIntervalMilliseconds = 1000

/** Logs rejections by a rate limiter, at most one line per second, with the number of rejections. */
export function createRejectionLog(
  log: SecurityLog,
  now: () => number = Date.now,
): (origin: { readonly address: string; readonly requestId?: string }) => void {
  let writtenAt = Number.NEGATIVE_INFINITY
  let count = 0
  return ({ address, requestId }) => {
    count += 1
    if (now() < writtenAt + lineIntervalMilliseconds) return
    log({ event: 'requests-refused', address, requestId, count })
    writtenAt = now()
    count = 0
  }
}

interface EventCount {
  readonly event: SecurityEventName
  readonly outcome: string
  count: number
}

export interface CountedEvents {
  readonly log: SecurityLog
  counts(): Iterable<Readonly<EventCount>>
}

/** Returns a log that also counts its events by name and outcome, for metrics. */
export function countEvents(log: SecurityLog): CountedEvents {
  const counts = new Map<string, EventCount>()
  return {
    log(details) {
      const { event, outcome = '' } = details
      const key = `${event} ${outcome}`
      const counted = counts.get(key) ?? { event, outcome, count: 0 }
      counted.count += 1
      counts.set(key, counted)
      log(details)
    },
    counts: () => counts.values(),
  }
}
