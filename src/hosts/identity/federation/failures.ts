import * as client from 'openid-client'
import type { Call } from '../core/endpoint.ts'
import type { Identity } from '../core/identity.ts'
import { type ExternalProvider, ProviderUnreachableError } from '../core/providers.ts'

/**
 * The reasons why a user whom the provider has authenticated is not signed in here.
 */
export type AccountFailure = 'no account' | 'account closed' | 'login taken' | 'too many identities'

/** The reasons why a sign-in at a provider failed, for the page and the security log. Their texts are documented outcomes. */
export type FailureKind =
  | AccountFailure
  | 'unreachable'
  | 'refused there'
  | 'code refused'
  | 'wrong answer'
  | 'not asked again'
  | 'too many attempts'
  | 'unknown attempt'
  | 'other session'
  | 'connected elsewhere'

/** A sign-in failed because of the provider or the user, never because of a bug in this host. */
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
 * Runs steps that call the provider, and turns each of their errors into a `FederationError`. The steps must do
 * nothing else, because a bug would look like a failure of the provider.
 */
export async function callProvider<Result>(steps: () => Promise<Result>): Promise<Result> {
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

/** Returns the error's message without the response, because that contains tokens. */
function reasonOf(error: Error): string {
  const { error: errorCode } = error as { error?: unknown }
  const cause = error.cause instanceof Error ? `: ${error.cause.message}` : ''
  return `${error.message}${cause}${typeof errorCode === 'string' ? ` (${errorCode})` : ''}`.slice(
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
  // The log helps operators: the user's page does not tell a wrong secret from a wrong clock.
  if (failure)
    log.ofUnauthenticated.warn(
      { provider, reason: failure.message },
      'A provider could not be used for a sign-in.',
    )
}
