import type { Language } from '../../../model/language.ts'
import { formPostPage } from '../pages/scripts.ts'
import type { Client } from '../values/clients.ts'
import type { IdentitySettings } from '../values/settings.ts'
import { type HandlerResult, type Identity, OAuthError } from './endpoint.ts'

type PageSettings = Pick<IdentitySettings, 'allowedOrigins' | 'loginPageUrl'>

/** Returns the URL of the web client's sign-in page, or of the default page if the client is unknown. */
export function signInPageUrl(
  { allowedOrigins, loginPageUrl }: PageSettings,
  redirectUri: string | undefined,
  parameters: Readonly<Record<string, string>>,
): string {
  const clientOrigin = redirectUri === undefined ? undefined : new URL(redirectUri).origin
  const isAllowed = clientOrigin !== undefined && allowedOrigins.includes(clientOrigin)
  const page = isAllowed ? `${clientOrigin}/login/` : (loginPageUrl ?? `${allowedOrigins[0]}/login/`)
  return withQuery(page, parameters)
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
  settings.isMailConfigured && settings.passwords

/** Registered clients have no sign-in page of their own, so this host has one for them. */
export const signInPageUrlFor = (
  settings: PageSettings & Pick<IdentitySettings, 'issuer'>,
  { client, redirectUri }: { readonly client: Client; readonly redirectUri: string },
  parameters: Readonly<Record<string, string>>,
): string =>
  client.registration
    ? hostPathWithQuery(settings, hostedSignInPath, parameters)
    : signInPageUrl(settings, redirectUri, parameters)

/** The origin of this host's pages, as browsers send it with their posts. */
export const hostOrigin = ({ issuer }: Pick<IdentitySettings, 'issuer'>): string => new URL(issuer).origin

/** Returns a path of this host for its own pages. A proxy may serve the host under a path. */
export const hostPath = ({ issuer }: Pick<IdentitySettings, 'issuer'>, path: string): string =>
  `${new URL(issuer).pathname.replace(/\/$/, '')}${path}`

/** Returns a relative URL. With another host name, the browser would not send the cookie. */
export const hostPathWithQuery = (
  settings: Pick<IdentitySettings, 'issuer'>,
  path: string,
  parameters: Readonly<Record<string, string>>,
): string => `${hostPath(settings, path)}?${new URLSearchParams(parameters)}`

/** Returns the URL of the page shown after a sign-out without a redirect. */
export function signedOutUrl(
  settings: Pick<IdentitySettings, 'issuer'>,
  { isAddressUnknown, language }: { isAddressUnknown?: boolean | undefined; language?: Language | undefined },
): string {
  const parameters = {
    ...(isAddressUnknown && { reason: unregisteredAddressReason }),
    ...(language && { ui_locales: language }),
  }
  return Object.keys(parameters).length === 0
    ? hostPath(settings, signedOutPath)
    : hostPathWithQuery(settings, signedOutPath, parameters)
}

/** The value of `reason` if the requested address is not registered. */
export const unregisteredAddressReason = 'address'

export function withQuery(base: string, parameters: Readonly<Record<string, string>>): string {
  const url = new URL(base)
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value)
  return url.href
}

/** An error that could not be sent to the client. `/api/account/error` returns it. */
export interface ReportedError {
  readonly error: string
  readonly errorDescription: string
}

/** The page fetches the error as soon as it is loaded. */
const reportMilliseconds = 60 * 60_000

/** Returns the URL of the sign-in page, with the sealed error that the page can fetch. */
export function errorPageUrl({ settings, seals, now }: Identity, { code, message }: OAuthError): string {
  const report: ReportedError = { error: code, errorDescription: message }
  return signInPageUrl(settings, undefined, {
    errorId: seals.seal('errorId', report, now() + reportMilliseconds),
  })
}

/** The URL and mode with which a client gets the response to its authorization request. */
export interface ReplyTo {
  readonly redirectUri: string
  readonly state: string | undefined
  readonly mode: ResponseMode
  readonly redirectUrls: readonly string[]
  readonly language: Language | undefined
}

/** OAuth 2.0 Multiple Response Type Encoding Practices, 2.1, and OAuth 2.0 Form Post Response Mode. */
export const responseModes = ['query', 'fragment', 'form_post'] as const

export type ResponseMode = (typeof responseModes)[number]

/** An error that can be sent to the client, by redirecting the browser back to it. */
export class AuthorizationError extends Error {
  readonly replyTo: ReplyTo
  readonly reason: OAuthError

  constructor(replyTo: ReplyTo, reason: OAuthError) {
    super(reason.message)
    this.name = 'AuthorizationError'
    this.replyTo = replyTo
    this.reason = reason
  }
}

/**
 * Runs the steps. If they reject the request, the error is sent to the client instead of being shown to the
 * user.
 */
export function reportErrorsToClient<Result>(replyTo: ReplyTo, steps: () => Result): Result {
  try {
    return steps()
  } catch (error) {
    throw error instanceof OAuthError ? new AuthorizationError(replyTo, error) : error
  }
}

export const isImplicit = (responseType: string): boolean => /(^| )(id_)?token( |$)/.test(responseType)

/**
 * Sends a response to the client by redirecting the browser. It includes the issuer, so that no client
 * mistakes one provider's response for another's (RFC 9207).
 */
export function respondToClient(
  { redirectUri, state, mode, redirectUrls, language }: ReplyTo,
  issuer: string,
  response: Readonly<Record<string, string>>,
): HandlerResult {
  const fields = { ...response, ...(state !== undefined && { state }), iss: issuer }
  if (mode === 'form_post') return { page: formPostPage(redirectUri, fields, redirectUrls), language }
  const url = new URL(redirectUri)
  const parameters = mode === 'fragment' ? new URLSearchParams() : url.searchParams
  for (const [name, value] of Object.entries(fields)) parameters.set(name, value)
  if (mode === 'fragment') url.hash = parameters.toString()
  return { redirectTo: url.href }
}
