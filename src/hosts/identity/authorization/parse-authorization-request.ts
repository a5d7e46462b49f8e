import { type Language, languageAmong } from '../../../model/language.ts'
import { loginCharactersMax } from '../../../model/text.ts'
import {
  type GivenParameters,
  type Parameters,
  parseParameters,
  parseSingle,
  requireParameter,
  requireShortState,
} from '../core/endpoint.ts'
import { addressesOf, scopes as allScopes, type Client, type Clients, splitScope } from '../values/clients.ts'
import { invalidRequest, OAuthError } from '../values/oauth-error.ts'
import {
  isImplicit,
  type ReplyTo,
  type ResponseMode,
  rejectedToClient,
  responseModes,
} from './answer-client.ts'

/** A valid authorization request: RFC 6749 (4.1.1) with PKCE and OpenID Connect Core (3.1.2.1). */
export interface AuthorizationRequest {
  readonly client: Client
  readonly clientId: string
  readonly replyTo: ReplyTo
  readonly redirectUri: string
  readonly nonce: string | undefined
  readonly scopes: readonly string[]
  /** Only a client with a secret may omit it. */
  readonly codeChallenge: string | undefined
  readonly prompts: ReadonlySet<Prompt>
  readonly maxAgeSeconds: number | undefined
  readonly idTokenHint: string | undefined
  /** The login that the client expects. It is only a suggestion, truncated to the longest possible login. */
  readonly loginHint: string | undefined
  /** The supported language that the client requested. */
  readonly language: Language | undefined
  /** The original parameters, which are parsed again when the user comes back. */
  readonly parameters: Parameters
}

export function parseAuthorizationRequest(clients: Clients, given: GivenParameters): AuthorizationRequest {
  const single = parseSingle(given)
  const client = requireClient(clients, single)
  const redirectUri = requireRedirectUri(client, single)
  requireShortState(single)
  // So far the client is unknown, so errors are shown to the user; from here on they are sent to the client.
  const replyTo = replyToOf(client, redirectUri, single)
  return rejectedToClient(replyTo, () => {
    const parameters = parseParameters(given)
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
      loginHint: hintOf(parameters),
      language: replyTo.language,
      parameters: requireShort(parameters),
    }
  })
}

function requireClient(clients: Clients, parameters: Parameters): Client {
  const client = clients.get(requireParameter(parameters, 'client_id'))
  if (!client) throw new OAuthError('invalid_client', 'The client is unknown.')
  return client
}

/** Compared as exact text (RFC 9700, 4.1.3): more lenient comparisons have been exploited to steal codes. */
function requireRedirectUri(client: Client, parameters: Parameters): string {
  const redirectUri = requireParameter(parameters, 'redirect_uri')
  if (!client.redirectUris.includes(redirectUri))
    throw invalidRequest('redirect_uri is not registered for the client.')
  return redirectUri
}

const replyToOf = (
  client: Client,
  redirectUri: string,
  { state, response_type: responseType = '', response_mode: wanted, ui_locales: locales }: Parameters,
): ReplyTo => ({
  redirectUri,
  state,
  addresses: addressesOf(client),
  language: languageAmong(locales),
  // Responses to the implicit types, including errors, are sent in the fragment (RFC 6749, 4.2.2.1).
  mode: modesOf(client).find((mode) => mode === wanted) ?? (isImplicit(responseType) ? 'fragment' : 'query'),
})

/**
 * The contract's client cannot choose a mode. Errors of an implicit type are sent in the fragment, whatever
 * mode is requested.
 */
const modesOf = ({ registration }: Client): readonly ResponseMode[] => (registration ? responseModes : [])

/**
 * OpenID Connect Core, 6 and Registration, 2.1.1: ignoring them would grant something other than what was
 * requested.
 */
function rejectRequestObjects(parameters: Parameters): void {
  if (parameters.request !== undefined)
    throw new OAuthError('request_not_supported', 'request is not supported.')
  if (parameters.request_uri !== undefined)
    throw new OAuthError('request_uri_not_supported', 'request_uri is not supported.')
  if (parameters.registration !== undefined)
    throw new OAuthError('registration_not_supported', 'registration is not supported.')
}

/** The implicit types are recognized, but no client may use them. */
function requireCodeFlow(parameters: Parameters): void {
  const responseType = requireParameter(parameters, 'response_type')
  if (responseType === 'code') return
  if (implicitTypes.has(responseType.split(' ').sort().join(' ')))
    throw new OAuthError('unauthorized_client', 'The client may use response_type code only.')
  throw new OAuthError('unsupported_response_type', 'response_type must be code.')
}

const implicitTypes: ReadonlySet<string> = new Set(['id_token', 'token', 'id_token token'])

function requireResponseMode({ registration }: Client, { response_mode: wanted }: Parameters): void {
  const known: readonly string[] = registration ? responseModes : ['query']
  if (wanted !== undefined && !known.includes(wanted))
    throw invalidRequest(`response_mode must be ${known.join(', ')}.`)
}

function requireScopes(client: Client, parameters: Parameters): readonly string[] {
  const asked = splitScope(parameters.scope ?? '')
  if (asked.length === 0) throw new OAuthError('invalid_scope', 'scope is required.')
  // OpenID Connect Core, 3.1.2.1: unknown scopes should be ignored. The web client gets an error for its
  // mistake instead.
  const requested = client.registration ? asked.filter((scope) => client.scopes.includes(scope)) : asked
  if (requested.length === 0 || requested.some((scope) => !client.scopes.includes(scope)))
    throw new OAuthError('invalid_scope', `scope can have ${client.scopes.join(', ')}.`)
  // Scopes are returned in a fixed order, so that equal grants have equal text.
  return allScopes.filter((scope) => requested.includes(scope))
}

/** RFC 7636, 4.3: without a method it would be `plain`, which protects nothing. */
function parseCodeChallenge({ registration }: Client, parameters: Parameters): string | undefined {
  const isAsked = parameters.code_challenge !== undefined || parameters.code_challenge_method !== undefined
  if (registration?.requiresPkce === false && !isAsked) return undefined
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

/** A suggestion only: a hint longer than any login is truncated, not rejected. */
const hintOf = ({ login_hint: hint }: Parameters): string | undefined => hint?.slice(0, loginCharactersMax)

/** A sealed request still has to fit into an address; common proxies accept 8 KB. */
const requestBytesMax = 5000

function requireShort(parameters: Parameters): Parameters {
  const kept: Parameters = {
    ...Object.fromEntries(rememberedNames.map((name) => [name, parameters[name]])),
    login_hint: hintOf(parameters),
    // If several are named, one is kept.
    ui_locales: languageAmong(parameters.ui_locales),
  }
  if (Buffer.byteLength(JSON.stringify(kept)) > requestBytesMax)
    throw invalidRequest('The authorization request is too long.')
  return kept
}

const rememberedNames = [
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

/**
 * OpenID Connect Core, 3.1.2.1: with `none` no page may be shown, so it cannot be combined with other values.
 */
function parsePrompts({ prompt = '' }: Parameters): ReadonlySet<Prompt> {
  const words = new Set(prompt.split(' ').filter((word) => word !== ''))
  const known = prompts.filter((name) => words.has(name))
  if (known.length < words.size) throw invalidRequest(`prompt can have ${prompts.join(', ')}.`)
  if (words.has('none') && words.size > 1) throw invalidRequest('prompt none excludes every other prompt.')
  return new Set(known)
}

function parseMaxAge({ max_age: maxAge }: Parameters): number | undefined {
  if (maxAge === undefined) return undefined
  if (!maxAgePattern.test(maxAge)) throw invalidRequest('max_age must be a whole number of seconds.')
  return Number(maxAge)
}

/** Up to thirty years; a larger value would have no effect. */
const maxAgePattern = /^\d{1,9}$/
