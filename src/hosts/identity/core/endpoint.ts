import type { IncomingHttpHeaders } from 'node:http'
import type { Administrators } from '../../../accounts/administrators.ts'
import type { Lockouts } from '../../../accounts/lockouts.ts'
import type { Passwords } from '../../../accounts/passwords.ts'
import type { Database } from '../../../db/database.ts'
import type { Log } from '../../../http/log.ts'
import type { Operation as HttpOperation, Schema } from '../../../http/openapi.ts'
import type { RequestOrigin } from '../../../model/caller.ts'
import type { Language } from '../../../model/language.ts'
import type { SecurityLog } from '../../../observability/security-log.ts'
import type { Seals } from '../keys/seals.ts'
import type { SecretBox } from '../keys/secret-box.ts'
import type { SigningKeys } from '../keys/signing-keys.ts'
import type { PageTemplate } from '../pages/page.ts'
import type { Clients } from '../values/clients.ts'
import type { IdentitySettings } from '../values/settings.ts'
import type { ExternalProvider, ExternalProviders } from './providers.ts'

/** The context of every endpoint. */
export interface Identity {
  readonly settings: IdentitySettings
  readonly database: Database
  readonly passwords: Passwords
  readonly lockouts: Lockouts
  readonly administrators: Administrators
  readonly clients: Clients
  readonly providers: ExternalProviders
  readonly signingKeys: SigningKeys
  readonly seals: Seals
  /** Encrypts stored second factors. */
  readonly factorBox: SecretBox
  /** Epoch milliseconds. */
  readonly now: () => number
  readonly log: Log
  readonly securityLog: SecurityLog
}

/** An operation of the OpenAPI document. Its parameters are in a query or a form. */
export interface Operation extends HttpOperation {
  readonly method: 'GET' | 'POST'
  readonly security?: readonly Schema[]
  /** The JSON response. Without it, the browser is redirected or gets `page`. */
  readonly response?: Schema
  /** True for a POST request whose parameters are in the query. The body is ignored. */
  readonly readsQueryOnly?: true
  /** The page that is shown if the browser is not redirected. */
  readonly page?: string
  /** The components of the document to which the response refers. */
  readonly schemas?: Readonly<Record<string, Schema>>
}

/** An endpoint. Its route and its documentation are created from this declaration. */
export interface Endpoint extends Operation {
  /** Called once, when the host starts. */
  readonly createHandler: (identity: Identity) => Handler
}

/** An endpoint that each provider in the settings has at a path of its own. */
export interface ProviderEndpoint extends Operation {
  readonly pathOf: (providerId: string) => string
  readonly createHandler: (identity: Identity, provider: ExternalProvider) => Handler
}

export interface Route extends Operation {
  readonly handle: Handler
}

/** The parts of a request that a handler needs. */
export interface Call extends RequestOrigin {
  readonly method: Operation['method']
  /** The query of a GET request, or the form of a POST request. */
  readonly parameters: RawParameters
  readonly headers: IncomingHttpHeaders
}

export type HandlerResult =
  | { readonly body: unknown; readonly maxAgeSeconds?: number; readonly status?: number }
  | { readonly redirectTo: string; readonly cookie?: string | undefined }
  | {
      readonly page: PageTemplate
      /** The language that the client requested. If absent, the browser's is used. */
      readonly language?: Language | undefined
      readonly cookie?: string | undefined
    }

export type Handler = (call: Call) => Promise<HandlerResult>

/** A received query or form. The value of a repeated key is an array. */
export type RawParameters = Readonly<Record<string, string | readonly string[] | undefined>>

/** Each parameter occurs once and is not empty. */
export type SingleParameters = Readonly<Record<string, string | undefined>>

/**
 * A parameter without a value counts as not sent, and no parameter may be repeated (RFC 6749, 3.1 and 3.2).
 */
export function parseParameters(raw: RawParameters): SingleParameters {
  const repeated = Object.keys(raw).find((name) => typeof raw[name] !== 'string')
  if (repeated !== undefined) throw invalidRequest(`${printable(repeated)} must be sent once.`)
  return singleParameters(raw)
}

/** Returns the parameters that occur once. Steps that must not fail ignore repeated parameters. */
export function singleParameters(raw: RawParameters): SingleParameters {
  const entries = Object.entries(raw).filter(([, value]) => typeof value === 'string' && value !== '')
  // Without a prototype, a lookup cannot find inherited properties such as `constructor`.
  return Object.assign(Object.create(null), Object.fromEntries(entries))
}

export function requireParameter(parameters: SingleParameters, name: string): string {
  const value = parameters[name]
  if (value === undefined) throw invalidRequest(`${name} is required.`)
  return value
}

/** The state is returned in a URL; common proxies accept 8 KB. */
const stateCharactersMax = 6000

/** Must be called before any response that includes the state, including errors. */
export function requireShortState({ state = '' }: SingleParameters): void {
  if (new URLSearchParams({ state }).toString().length > stateCharactersMax)
    throw invalidRequest('state is too long.')
}

/**
 * Makes a name safe for an error description, which may not contain quotes and backslashes (RFC 6749, 5.2).
 */
const printable = (name: string): string => name.slice(0, 64).replace(/[^\w.-]/g, '?')

/**
 * The error codes that this host uses, from RFC 6749 (4.1.2.1, 5.2), RFC 6750 (3.1), RFC 7009 (2.2.1), RFC
 * 9470 (3) and OpenID Connect Core (3.1.2.6).
 */
type OAuthErrorCode =
  | 'invalid_request'
  | 'invalid_client'
  | 'invalid_grant'
  | 'invalid_scope'
  | 'invalid_token'
  | 'insufficient_scope'
  | 'insufficient_user_authentication'
  | 'unauthorized_client'
  | 'unsupported_grant_type'
  | 'unsupported_response_type'
  | 'unsupported_token_type'
  | 'login_required'
  | 'consent_required'
  | 'access_denied'
  | 'request_not_supported'
  | 'request_uri_not_supported'
  | 'registration_not_supported'

/** An error as defined by OAuth. The error envelope includes its code and description. */
export class OAuthError extends Error {
  readonly code: OAuthErrorCode
  /** The `WWW-Authenticate` challenge, if the standard requires one. */
  readonly challenge: string | undefined

  constructor(code: OAuthErrorCode, description: string, challenge?: string) {
    super(description)
    this.name = 'OAuthError'
    this.code = code
    this.challenge = challenge
  }
}

export const invalidRequest = (description: string) => new OAuthError('invalid_request', description)

export const invalidGrant = (description: string) => new OAuthError('invalid_grant', description)

/** The status for all other codes is 400 (RFC 6749, 5.2). */
const oauthStatuses: Partial<Record<OAuthErrorCode, number>> = {
  invalid_client: 401,
  invalid_token: 401,
  insufficient_user_authentication: 401,
  insufficient_scope: 403,
}

export const oauthStatusOf = (code: OAuthErrorCode): number => oauthStatuses[code] ?? 400

/** Returns the OAuth code for an error that the server itself sends, such as one of the rate limiter. */
export function oauthCodeOf(status: number): string {
  if (status === 429 || status === 503) return 'temporarily_unavailable'
  return status >= 500 ? 'server_error' : 'invalid_request'
}
