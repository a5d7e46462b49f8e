import * as client from 'openid-client'
import type { Call, Identity } from '../core/endpoint.ts'
import { type ExternalProvider, ProviderUnreachableError } from '../core/providers.ts'
import { hostPathWithQuery } from '../core/redirects.ts'
import type { PageTemplate } from '../pages/page.ts'
import { type Html, html, type Translate } from '../pages/texts.ts'
import type { ProviderSettings } from '../values/settings.ts'

/** The reasons why a user whom the provider has authenticated is not signed in here. */
export type AccountFailure = 'no account' | 'account closed' | 'login taken' | 'too many identities'

/**
 * The reasons why a sign-in at a provider failed, for the page and the security log. The values are
 * documented outcomes.
 */
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
 * Runs steps that call the provider, and converts their errors to a `FederationError`. The steps must do
 * nothing else, because a bug would look like an error of the provider.
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
  const isUnreachable = [error, cause].some((value) => value instanceof ProviderUnreachableError)
  return isUnreachable || unreachableCodes.has(code) ? 'unreachable' : 'wrong answer'
}

const unreachableCodes: ReadonlySet<unknown> = new Set(['OAUTH_TIMEOUT', 'OAUTH_RESPONSE_IS_NOT_CONFORM'])

const reasonCharactersMax = 300

/** Returns the error's message without the response, because that contains tokens. */
function reasonOf(error: Error): string {
  const { error: errorCode } = error as { error?: unknown }
  const cause = error.cause instanceof Error ? `: ${error.cause.message}` : ''
  const code = typeof errorCode === 'string' ? ` (${errorCode})` : ''
  return `${error.message}${cause}${code}`.slice(0, reasonCharactersMax)
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
  // The page for the user does not distinguish a wrong secret from a wrong clock, but the log does.
  if (failure)
    log.rateLimited.warn({ provider, reason: failure.message }, 'A provider could not be used for a sign-in.')
}

/** The target of the link on the page: the sign-in page, or a page of the web client. */
type ReturnTarget = { readonly authRequest: string } | { readonly returnTo: string }

/** The message for each failure; details are only in the log. */
const messages: Readonly<Record<FailureKind, (t: Translate, provider: string) => Html>> = {
  unreachable: (t, provider) => t('{provider} cannot be reached right now. Try again later.', { provider }),
  'refused there': (t, provider) => t('{provider} did not sign you in.', { provider }),
  'code refused': (t, provider) => t('{provider} did not confirm your sign-in. Try again.', { provider }),
  'wrong answer': (t, provider) =>
    t('The response from {provider} is invalid, so you were not signed in. Try again.', { provider }),
  'not asked again': (t, provider) =>
    t(
      'You have to sign in again, but {provider} did not confirm that you did. Sign out there first, or use another way to sign in.',
      { provider },
    ),
  'too many attempts': (t) =>
    t('Too many sign-ins from your network address are in progress. Try again in 15 minutes.'),
  'unknown attempt': (t) => t('This sign-in was started in another browser or has already been used.'),
  'no account': (t, provider) =>
    t(
      'No account here is connected to your {provider} account. If you have one here, sign in another way and connect it on the My account page. Otherwise ask an administrator.',
      { provider },
    ),
  'account closed': (t) => t('Your account here is closed. Ask an administrator.'),
  'login taken': (t, provider) =>
    t(
      'There is already an account with your email address here. Sign in to it another way, and connect it to {provider} on the My account page.',
      { provider },
    ),
  'too many identities': (t) =>
    t('Your account has reached the limit of connected accounts. Disconnect one first.'),
  'other session': (t) => t('Another user has signed in on this browser in the meantime. Start again.'),
  'connected elsewhere': (t, provider) =>
    t('This {provider} account is already connected to another account here.', { provider }),
}

/** The status is 400 unless listed here. */
const statuses: Partial<Readonly<Record<FailureKind, number>>> = {
  'no account': 403,
  'account closed': 403,
  'login taken': 403,
  'too many attempts': 429,
}

export const failurePage = (
  { settings }: Pick<Identity, 'settings'>,
  { name }: Pick<ProviderSettings, 'name'>,
  kind: FailureKind,
  back: ReturnTarget,
  retryAfterSeconds?: number,
): PageTemplate => {
  const url =
    'returnTo' in back
      ? back.returnTo
      : hostPathWithQuery(settings, '/api/account/login-page', { authRequest: back.authRequest })
  return (t) => ({
    title: t('Signing in with {provider} failed', { provider: name }),
    status: statuses[kind] ?? 400,
    ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
    content: html`<p role="alert">${messages[kind](t, name)}</p>
<p><a href="${url}">${t('Back')}</a></p>`,
  })
}
