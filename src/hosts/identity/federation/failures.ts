import * as client from 'openid-client'
import type { Call } from '../core/endpoint.ts'
import type { Identity } from '../core/identity.ts'
import { type OutsideProvider, OutsideUnreachable } from '../core/providers.ts'

/** Why somebody whom the provider knows has no sign-in here; each has its sentence on the page. */
export type ArrivalRefusal = 'no account' | 'account closed' | 'login taken' | 'too many identities'

/** Why a way by a provider ended without a sign-in: what the page says, and the log. */
export type OutsideRefusal =
  | ArrivalRefusal
  | 'unreachable'
  | 'refused there'
  | 'code refused'
  | 'wrong answer'
  | 'not asked again'
  | 'too many attempts'
  | 'unknown attempt'
  | 'other session'
  | 'connected elsewhere'

/** The provider is at fault, or who signs in there; never this host. */
export class OutsideFailure extends Error {
  readonly refusal: OutsideRefusal
  readonly retryAfterSeconds: number | undefined

  constructor(refusal: OutsideRefusal, reason: string, retryAfterSeconds?: number) {
    super(reason)
    this.refusal = refusal
    this.retryAfterSeconds = retryAfterSeconds
  }
}

/** Every failure of these steps is one between the provider and this host: they use nothing else. */
export async function askProvider<Result>(steps: () => Promise<Result>): Promise<Result> {
  try {
    return await steps()
  } catch (error) {
    if (error instanceof OutsideFailure) throw error
    throw new OutsideFailure(refusalOf(error), reasonOf(error as Error))
  }
}

function refusalOf(error: unknown): OutsideRefusal {
  if (error instanceof client.AuthorizationResponseError) return 'refused there'
  if (error instanceof client.ResponseBodyError) return 'code refused'
  const { cause, code } = error as { cause?: unknown; code?: unknown }
  const isUnreachable = [error, cause].some((one) => one instanceof OutsideUnreachable)
  return isUnreachable || unreachableCodes.has(code) ? 'unreachable' : 'wrong answer'
}

const unreachableCodes: ReadonlySet<unknown> = new Set(['OAUTH_TIMEOUT', 'OAUTH_RESPONSE_IS_NOT_CONFORM'])

const reasonCharactersMax = 300

/** Its own words, without the answer itself, which has tokens in it. */
function reasonOf(error: Error): string {
  const { error: word } = error as { error?: unknown }
  const cause = error.cause instanceof Error ? `: ${error.cause.message}` : ''
  return `${error.message}${cause}${typeof word === 'string' ? ` (${word})` : ''}`.slice(
    0,
    reasonCharactersMax,
  )
}

interface RefusalDetails {
  readonly failure?: OutsideFailure
  readonly account?: string | undefined
}

export function noteRefusal(
  { securityLog, log }: Identity,
  { id: provider }: Pick<OutsideProvider, 'id'>,
  { address, requestId }: Call,
  outcome: OutsideRefusal,
  { failure, account }: RefusalDetails = {},
): void {
  securityLog({ event: 'outside-refused', outcome, provider, account, address, requestId })
  // For the people who run the service: the person who signs in sees no difference between a wrong secret and a wrong clock.
  const lines = log.ofStrangers
  if (failure)
    lines.warn({ provider, reason: failure.message }, 'A provider could not be used for a sign-in.')
}
