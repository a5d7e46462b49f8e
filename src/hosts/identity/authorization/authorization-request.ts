import { hasConsentSql } from '../../../auth/access-token.ts'
import { timestamp } from '../../../db/columns.ts'
import { type Sql, sql } from '../../../db/sql.ts'
import { type Language, supportedLanguage } from '../../../model/language.ts'
import { loginCharactersMax } from '../../../model/text.ts'
import {
  type Identity,
  invalidRequest,
  OAuthError,
  parseParameters,
  type RawParameters,
  requireParameter,
  requireShortState,
  type SingleParameters,
  singleParameters,
} from '../core/endpoint.ts'
import {
  AuthorizationError,
  isImplicit,
  type ReplyTo,
  type ResponseMode,
  reportErrorsToClient,
  responseModes,
} from '../core/redirects.ts'
import type { ActiveSession } from '../core/sessions.ts'
import {
  scopes as allScopes,
  type Client,
  type Clients,
  redirectUrlsOf,
  splitScope,
} from '../values/clients.ts'

/** A valid authorization request: RFC 6749 (4.1.1) with PKCE and OpenID Connect Core (3.1.2.1). */
export interface AuthorizationRequest {
  readonly client: Client
  readonly clientId: string
  readonly replyTo: ReplyTo
  readonly redirectUri: string
  readonly nonce: string | undefined
  readonly scopes: readonly string[]
  /** Undefined only if a client with a secret does not use PKCE. */
  readonly codeChallenge: string | undefined
  readonly prompts: ReadonlySet<Prompt>
  readonly maxAgeSeconds: number | undefined
  readonly idTokenHint: string | undefined
  readonly loginHint: string | undefined
  /** The supported language that the client requested. */
  readonly language: Language | undefined
  /** The parameters to encrypt. They are parsed again when the user returns. */
  readonly parameters: SingleParameters
}

function parseAuthorizationRequest(clients: Clients, raw: RawParameters): AuthorizationRequest {
  const single = singleParameters(raw)
  const client = requireClient(clients, single)
  const redirectUri = requireRedirectUri(client, single)
  requireShortState(single)
  // Up to here, no valid redirect URI is known, so errors are shown to the user. From here on, they are sent
  // to the client.
  const replyTo = replyToOf(client, redirectUri, single)
  return reportErrorsToClient(replyTo, () => {
    const parameters = parseParameters(raw)
    rejectRequestObjects(parameters)
    requireCodeFlow(parameters)
    requireResponseMode(client, parameters)
    return {
      client,
      clientId: client.id,
      replyTo,
      redirectUri,
      nonce: parameters.nonce,
      scopes: requireScopes(client, parameters),
      codeChallenge: parseCodeChallenge(client, parameters),
      prompts: parsePrompts(parameters),
      maxAgeSeconds: parseMaxAge(parameters),
      idTokenHint: parameters.id_token_hint,
      loginHint: truncatedHint(parameters),
      language: replyTo.language,
      parameters: parametersToSeal(parameters),
    }
  })
}

function requireClient(clients: Clients, parameters: SingleParameters): Client {
  const client = clients.get(requireParameter(parameters, 'client_id'))
  if (!client) throw new OAuthError('invalid_client', 'The client is unknown.')
  return client
}

/**
 * Compares the URLs as exact text (RFC 9700, 4.1.3): more lenient comparisons have been exploited to steal
 * codes.
 */
function requireRedirectUri(client: Client, parameters: SingleParameters): string {
  const redirectUri = requireParameter(parameters, 'redirect_uri')
  if (!client.redirectUris.includes(redirectUri))
    throw invalidRequest('redirect_uri is not registered for the client.')
  return redirectUri
}

const replyToOf = (
  client: Client,
  redirectUri: string,
  {
    state,
    response_type: responseType = '',
    response_mode: requestedMode,
    ui_locales: locales,
  }: SingleParameters,
): ReplyTo => ({
  redirectUri,
  state,
  redirectUrls: redirectUrlsOf(client),
  language: supportedLanguage(locales),
  // Responses to the implicit types, including errors, are sent in the fragment (RFC 6749, 4.2.2.1).
  mode:
    allowedModes(client).find((mode) => mode === requestedMode) ??
    (isImplicit(responseType) ? 'fragment' : 'query'),
})

/**
 * The web client has no registration and may name only the default mode, `query`. Errors of a request with an
 * implicit type are still sent in the fragment.
 */
const allowedModes = ({ registration }: Client): readonly ResponseMode[] =>
  registration ? responseModes : []

/**
 * Rejects the parameters of OpenID Connect Core, 6 and 7.2.1: ignoring them would grant something other than
 * what was requested.
 */
function rejectRequestObjects(parameters: SingleParameters): void {
  if (parameters.request !== undefined)
    throw new OAuthError('request_not_supported', 'request is not supported.')
  if (parameters.request_uri !== undefined)
    throw new OAuthError('request_uri_not_supported', 'request_uri is not supported.')
  if (parameters.registration !== undefined)
    throw new OAuthError('registration_not_supported', 'registration is not supported.')
}

/** The implicit types are recognized, but no client may use them. */
function requireCodeFlow(parameters: SingleParameters): void {
  const responseType = requireParameter(parameters, 'response_type')
  if (responseType === 'code') return
  if (implicitTypes.has(responseType.split(' ').sort().join(' ')))
    throw new OAuthError('unauthorized_client', 'The client may use response_type code only.')
  throw new OAuthError('unsupported_response_type', 'response_type must be code.')
}

const implicitTypes: ReadonlySet<string> = new Set(['id_token', 'token', 'id_token token'])

function requireResponseMode(
  { registration }: Client,
  { response_mode: requestedMode }: SingleParameters,
): void {
  const allowed: readonly string[] = registration ? responseModes : ['query']
  if (requestedMode !== undefined && !allowed.includes(requestedMode))
    throw invalidRequest(`response_mode must be ${allowed.join(', ')}.`)
}

function requireScopes(client: Client, parameters: SingleParameters): readonly string[] {
  const requested = splitScope(parameters.scope ?? '')
  if (requested.length === 0) throw new OAuthError('invalid_scope', 'scope is required.')
  // OpenID Connect Core, 3.1.2.1: unknown scopes should be ignored. The web client gets an error instead, so
  // that its mistakes are noticed.
  const granted = client.registration ? requested.filter((scope) => client.scopes.includes(scope)) : requested
  if (granted.length === 0 || granted.some((scope) => !client.scopes.includes(scope)))
    throw new OAuthError('invalid_scope', `scope can have ${client.scopes.join(', ')}.`)
  // Scopes are returned in a fixed order, so that equal grants have equal text.
  return allScopes.filter((scope) => granted.includes(scope))
}

/** Requires the method S256. The default `plain` (RFC 7636, 4.3) protects nothing. */
function parseCodeChallenge({ registration }: Client, parameters: SingleParameters): string | undefined {
  const hasChallenge =
    parameters.code_challenge !== undefined || parameters.code_challenge_method !== undefined
  if (registration?.requiresPkce === false && !hasChallenge) return undefined
  const codeChallenge = parameters.code_challenge
  // Many libraries send no challenge by default, and show their users only this message.
  if (codeChallenge === undefined)
    throw invalidRequest('code_challenge is required: enable PKCE (S256) in the client.')
  if (parameters.code_challenge_method !== 'S256') throw invalidRequest('code_challenge_method must be S256.')
  if (!codeChallengePattern.test(codeChallenge))
    throw invalidRequest('code_challenge must be the base64url form of a SHA-256.')
  return codeChallenge
}

const codeChallengePattern = /^[\w-]{43}$/

/** A hint is only a suggestion, so a hint that is too long is truncated, not rejected. */
const truncatedHint = ({ login_hint: hint }: SingleParameters): string | undefined =>
  hint?.slice(0, loginCharactersMax)

/** A sealed request has to fit into a URL; common proxies accept 8 KB. */
const requestBytesMax = 5000

/** Selects what is sealed while the request waits for a sign-in. */
function parametersToSeal(parameters: SingleParameters): SingleParameters {
  const selected: SingleParameters = {
    ...Object.fromEntries(unchangedParameters.map((name) => [name, parameters[name]])),
    login_hint: truncatedHint(parameters),
    // Only the language of the pages is kept.
    ui_locales: supportedLanguage(parameters.ui_locales),
  }
  if (Buffer.byteLength(JSON.stringify(selected)) > requestBytesMax)
    throw invalidRequest('The authorization request is too long.')
  return selected
}

const unchangedParameters = [
  'client_id',
  'redirect_uri',
  'response_type',
  'response_mode',
  'scope',
  'state',
  'nonce',
  'code_challenge',
  'code_challenge_method',
  'prompt',
  'max_age',
  'id_token_hint',
]

const prompts = ['none', 'login', 'consent', 'select_account'] as const

type Prompt = (typeof prompts)[number]

/** `none` permits no page, so it excludes all other values (OpenID Connect Core, 3.1.2.1). */
function parsePrompts({ prompt = '' }: SingleParameters): ReadonlySet<Prompt> {
  const values = new Set(prompt.split(' ').filter((value) => value !== ''))
  const supported = prompts.filter((name) => values.has(name))
  if (supported.length < values.size) throw invalidRequest(`prompt can have ${prompts.join(', ')}.`)
  if (values.has('none') && values.size > 1) throw invalidRequest('prompt none excludes every other prompt.')
  return new Set(supported)
}

function parseMaxAge({ max_age: maxAge }: SingleParameters): number | undefined {
  if (maxAge === undefined) return undefined
  if (!maxAgePattern.test(maxAge)) throw invalidRequest('max_age must be a whole number of seconds.')
  return Number(maxAge)
}

/** Nine digits are 31 years. A larger value would have no effect. */
const maxAgePattern = /^\d{1,9}$/

/**
 * An authorization request that waits for a sign-in. It passes through the browser encrypted, and never
 * contains the user. Otherwise an attacker could send a victim to the sign-in page with the attacker's
 * request and receive the victim's code.
 */
export interface PendingRequest {
  readonly request: AuthorizationRequest
  /**
   * The time when the request was first received. A later sign-in satisfies `prompt=login` and any `max_age`.
   */
  readonly since: number
  /** The browser's session at the time of the request. It ends once another account signs in. */
  readonly sessionId?: string | undefined
  /** The account that consented to this very request. */
  readonly allowedBy?: string | undefined
}

/** A browser may return it to a newer version of this host, so its property names must not change. */
interface SealedRequest extends Omit<PendingRequest, 'request'> {
  readonly parameters: SingleParameters
}

/** A sign-in page left open overnight still works in the morning. */
const pendingMilliseconds = 24 * 60 * 60_000

export const sealPendingRequest = (
  { seals }: Identity,
  { request: { parameters }, ...others }: PendingRequest,
): string =>
  seals.seal(
    'authRequest',
    { parameters, ...others } satisfies SealedRequest,
    others.since + pendingMilliseconds,
  )

/** Parses a new request, or opens a sealed request that returns from the sign-in page. */
export async function receivePendingRequest(
  identity: Identity,
  parameters: RawParameters,
): Promise<PendingRequest | undefined> {
  const { authRequest } = singleParameters(parameters)
  if (authRequest !== undefined) return openPendingRequest(identity, authRequest)
  return { request: parseAuthorizationRequest(identity.clients, parameters), since: identity.now() }
}

/**
 * Opens a sealed request and parses it again, because clients and origins may have changed. Returns undefined
 * if it has expired or is no longer valid.
 */
export async function openPendingRequest(
  { seals, clients }: Identity,
  text: string | undefined,
): Promise<PendingRequest | undefined> {
  const sealed = text === undefined ? undefined : await seals.open<SealedRequest>('authRequest', text)
  if (!sealed) return undefined
  try {
    const { parameters, ...others } = sealed
    return { ...others, request: parseAuthorizationRequest(clients, parameters) }
  } catch (error) {
    if (error instanceof OAuthError || error instanceof AuthorizationError) return undefined
    throw error
  }
}

const needsConsent = ({ registration }: Client): boolean => registration?.isFirstParty === false

/**
 * The condition that the client, as currently registered, may get tokens with this scope. The query must
 * alias the user's row as `account`.
 */
export const isScopeAllowed = (client: Client, scope: Sql): Sql =>
  needsConsent(client) ? hasConsentSql(sql`${client.id}`, sql`string_to_array(${scope}, ' ')`) : sql`true`

/**
 * True if any program on the device can pretend to be the client, by listening at its loopback address or
 * registering its scheme. Such a program could use the consent that was given to the client, so the user is
 * asked each time (RFC 8252, 8.6).
 */
export function canBeImpersonated({ client, redirectUri }: AuthorizationRequest): boolean {
  const { protocol, hostname } = new URL(redirectUri)
  return client.secretHash === undefined && (!/^https?:$/.test(protocol) || loopbackPattern.test(hostname))
}

const loopbackPattern = /^(127\.[\d.]+|\[::1\]|(.+\.)?localhost)$/

/** True if the user has allowed everything the client requests. First-party clients need no consent. */
export async function hasConsented(
  { database }: Identity,
  { request, allowedBy }: PendingRequest,
  { accountId }: ActiveSession,
): Promise<boolean> {
  const { client, scopes, prompts } = request
  if (!needsConsent(client)) return true
  // If the user must be asked, earlier consent does not count.
  const mustAnswer = prompts.has('consent') || canBeImpersonated(request)
  if (mustAnswer && allowedBy !== accountId) return false
  const [consent] = await database.query(sql`
    select from consents where user_id = ${accountId} and client_id = ${client.id}
      and ${scopes}::text[] <@ string_to_array(scope, ' ')`)
  return consent !== undefined
}

/**
 * Stores consent in a single statement, so that two tabs that consent concurrently do not overwrite each
 * other.
 */
export async function grantConsent(
  { database, now }: Identity,
  { request: { clientId, scopes } }: PendingRequest,
  { accountId }: ActiveSession,
): Promise<void> {
  await database.transaction((transaction) =>
    transaction.query(sql`
      insert into consents as existing (user_id, client_id, scope, granted_at)
      values (${accountId}, ${clientId}, ${scopes.join(' ')}, ${timestamp(now())})
      on conflict (user_id, client_id)
      do update set granted_at = excluded.granted_at, scope = words_of_both(existing.scope, excluded.scope)`),
  )
}
