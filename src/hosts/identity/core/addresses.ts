import type { Language } from '../../../model/language.ts'
import type { Client } from '../values/clients.ts'
import type { OAuthError } from '../values/oauth-error.ts'
import type { IdentitySettings } from '../values/settings.ts'
import type { Identity } from './identity.ts'

type PageSettings = Pick<IdentitySettings, 'allowedOrigins' | 'loginPageUrl'>

/** Returns the sign-in page of the requesting client, or the first one if the client is unknown. */
export function signInPage(
  { allowedOrigins, loginPageUrl }: PageSettings,
  redirectUri: string | undefined,
  parameters: Readonly<Record<string, string>>,
): string {
  const asking = redirectUri === undefined ? undefined : new URL(redirectUri).origin
  const isAllowed = asking !== undefined && allowedOrigins.includes(asking)
  const page = isAllowed ? `${asking}/login/` : (loginPageUrl ?? `${allowedOrigins[0]}/login/`)
  return withParameters(page, parameters)
}

/** The paths of this host's own pages to which several endpoints redirect. */
export const hostedSignInPath = '/ext/sign-in'
export const hostedSignOutPath = '/ext/sign-out'
export const signedOutPath = '/ext/signed-out'
export const secondStepPath = '/ext/second-step'
export const setUpPath = '/ext/set-up'
export const passkeyPath = '/ext/passkey'
export const consentPath = '/ext/consent'
export const forgotPasswordPath = '/ext/forgot-password'

/** True if a reset link can be mailed. */
export const canResetPassword = ({ settings }: Pick<Identity, 'settings'>): boolean =>
  settings.mail && settings.passwords

/** Registered clients have no sign-in page of their own: theirs is on this host. */
export const signInPageFor = (
  settings: PageSettings & Pick<IdentitySettings, 'issuer'>,
  { client, redirectUri }: { readonly client: Client; readonly redirectUri: string },
  parameters: Readonly<Record<string, string>>,
): string =>
  client.registration
    ? onThisHost(settings, hostedSignInPath, parameters)
    : signInPage(settings, redirectUri, parameters)

/** The origin of this host's pages, as browsers send it with their posts. */
export const ownOrigin = ({ issuer }: Pick<IdentitySettings, 'issuer'>): string => new URL(issuer).origin

/** Returns a path of this host as its own pages refer to it. */
export const ownAddress = ({ issuer }: Pick<IdentitySettings, 'issuer'>, path: string): string =>
  `${new URL(issuer).pathname.replace(/\/$/, '')}${path}`

/**
 * Returns another endpoint of this host, under the host name that the browser used: a different name would
 * lose the cookie.
 */
export const onThisHost = (
  settings: Pick<IdentitySettings, 'issuer'>,
  path: string,
  parameters: Readonly<Record<string, string>>,
): string => `${ownAddress(settings, path)}?${new URLSearchParams(parameters)}`

/** Returns the page shown after a sign-out without a redirect of its own. */
export function signedOutAddress(
  settings: Pick<IdentitySettings, 'issuer'>,
  { isAddressUnknown, language }: { isAddressUnknown?: boolean | undefined; language?: Language | undefined },
): string {
  const parameters = {
    ...(isAddressUnknown && { reason: unknownAddress }),
    ...(language && { ui_locales: language }),
  }
  return Object.keys(parameters).length === 0
    ? ownAddress(settings, signedOutPath)
    : onThisHost(settings, signedOutPath, parameters)
}

/** The reason shown if the requested address was not registered. */
export const unknownAddress = 'address'

export function withParameters(address: string, parameters: Readonly<Record<string, string>>): string {
  const url = new URL(address)
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value)
  return url.href
}

/** The response of `/api/account/error` about a request whose error could not be sent to its client. */
export interface ReportedError {
  readonly error: string
  readonly errorDescription: string
}

/** The page fetches the error as soon as it is loaded. */
const reportedMilliseconds = 60 * 60_000

/** Redirects the browser to the sign-in page, which can fetch the error. */
export function reportError({ settings, seals, now }: Identity, { code, message }: OAuthError): string {
  const report: ReportedError = { error: code, errorDescription: message }
  return signInPage(settings, undefined, {
    errorId: seals.seal('errorId', report, now() + reportedMilliseconds),
  })
}
