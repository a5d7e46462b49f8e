import * as client from 'openid-client'
import type { Call } from '../core/endpoint.ts'
import type { Identity } from '../core/identity.ts'
import { type ExternalProvider, ProviderUnreachableError } from '../core/providers.ts'

/**
 * The reasons why a user authenticated by the provider is not signed in here; each has its own message on the
 * page.
 */
export type ArrivalFailure = 'no account' | 'account closed' | 'login taken' | 'too many identities'

/** The reasons why a sign-in at a provider failed, for the page and the log. */
export type FailureKind =
  | ArrivalFailure
  | 'unreachable'
  | 'refused there'
  | 'code refused'
  | 'wrong answer'
  | 'not asked again'
  | 'too many attempts'
  | 'unknown attempt'
  | 'other session'
  | 'connected elsewhere'

/** A failure of the provider or of its user, never of this host. */
export class FederationError extends Error {
  readonly kind: FailureKind
  readonly retryAfterSeconds: number | undefined

  constructor(kind: FailureKind, reason: string, retryAfterSeconds?: number) {
    super(reason)
    this.kind = kind
    this.retryAfterSeconds = retryAfterSeconds
  }
}

/**
 * Maps every failure of these steps to one between the provider and this host; the steps must do nothing
 * else.
 */
export async function askProvider<Result>(steps: () => Promise<Result>): Promise<Result> {
  try {
    return await steps()
  } catch (error) {
    if (error instanceof FederationError) throw error
    throw new FederationError(kindOf(error), reasonOf(error as Error))
  }
}

function kindOf(error: unknown): FailureKind {
  if (error instanceof client.AuthorizationResponseError) return 'refused there'
  if (error instanceof client.ResponseBodyError) return 'code refused'
  const { cause, code } = error as { cause?: unknown; code?: unknown }
  const isUnreachable = [error, cause].some((one) => one instanceof ProviderUnreachableError)
  return isUnreachable || unreachableCodes.has(code) ? 'unreachable' : 'wrong answer'
}

const unreachableCodes: ReadonlySet<unknown> = new Set(['OAUTH_TIMEOUT', 'OAUTH_RESPONSE_IS_NOT_CONFORM'])

const reasonCharactersMax = 300

/** The error's own message, without the response itself, which contains tokens. */
function reasonOf(error: Error): string {
  const { error: word } = error as { error?: unknown }
  const cause = error.cause instanceof Error ? `: ${error.cause.message}` : ''
  return `${error.message}${cause}${typeof word === 'string' ? ` (${word})` : ''}`.slice(
    0,
    reasonCharactersMax,
  )
}

interface FailureDetails {
  readonly failure?: FederationError
  readonly account?: string | undefined
}

export function recordFailure(
  { securityLog, log }: Identity,
  { id: provider }: Pick<ExternalProvider, 'id'>,
  { address, requestId }: Call,
  outcome: FailureKind,
  { failure, account }: FailureDetails = {},
): void {
  securityLog({ event: 'outside-refused', outcome, provider, account, address, requestId })
  // Written for operators: to the user a wrong secret and a wrong clock look the same.
  const lines = log.ofUnauthenticated
  if (failure)
    lines.warn({ provider, reason: failure.message }, 'A provider could not be used for a sign-in.')
}
