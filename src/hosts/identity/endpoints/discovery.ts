import { signingAlgorithms } from '../../../auth/access-token.ts'
import { languages } from '../../../model/language.ts'
import type { Endpoint, Identity } from '../core/endpoint.ts'
import { hostUrl, jsonResponse, text } from '../core/operation-parts.ts'
import { responseModes } from '../core/redirects.ts'
import { contractScopes, grantTypes, scopes } from '../values/clients.ts'

/** Clients and hosts may cache the documents for this long. */
const maxAgeSeconds = 5 * 60

const metadata = jsonResponse('Discovery', {
  type: 'object',
  required: ['issuer', 'authorization_endpoint', 'token_endpoint', 'jwks_uri'],
  properties: {
    issuer: hostUrl('The value of `iss` in tokens.', ''),
    authorization_endpoint: hostUrl('Browsers are redirected here to sign in.', '/connect/authorize'),
    token_endpoint: hostUrl('Exchanges codes and refresh tokens for tokens.', '/connect/token'),
    userinfo_endpoint: hostUrl('Returns the claims of the signed-in account.', '/connect/userinfo'),
    end_session_endpoint: hostUrl('Browsers are redirected here to sign out.', '/connect/endsession'),
    revocation_endpoint: hostUrl('Revokes tokens.', '/connect/revocation'),
    introspection_endpoint: hostUrl('Describes tokens to clients with a secret.', '/connect/introspect'),
    jwks_uri: hostUrl('Returns the public keys.', '/.well-known/openid-configuration/jwks'),
  },
  additionalProperties: true,
})

/** OpenID Connect Discovery 1.0, 3. The contract lists the implicit grant although no client may use it. */
export const getDiscovery: Endpoint = {
  id: 'GetDiscovery',
  tag: 'Provider',
  summary: 'Returns the discovery document (OpenID Connect Discovery).',
  description: 'It has the endpoints, scopes and algorithms. Clients read it once and cache it.',
  method: 'GET',
  path: '/.well-known/openid-configuration',
  ...metadata,
  errors: [],
  createHandler(identity) {
    const implicit = {
      response_types_supported: ['code', 'token', 'id_token', 'id_token token'],
      grant_types_supported: [...grantTypes, 'implicit'],
    }
    return async () => ({ body: { ...metadataOf(identity), ...implicit }, maxAgeSeconds })
  },
}

/** RFC 7517, 5: public keys only. */
export const getKeys: Endpoint = {
  id: 'GetKeys',
  tag: 'Provider',
  summary: 'Returns the public keys that verify tokens.',
  description:
    'A JSON Web Key Set. A replaced key stays in it while tokens that it signed are valid. Cache the set, and read it again when a token names a key that is not in it.',
  method: 'GET',
  path: '/.well-known/openid-configuration/jwks',
  ...jsonResponse('KeySet', {
    type: 'object',
    required: ['keys'],
    properties: {
      keys: {
        type: 'array',
        items: {
          type: 'object',
          required: ['kty', 'n', 'e', 'kid', 'alg', 'use'],
          properties: {
            kty: text('The kind of key.', 'RSA'),
            n: text('The modulus, in base64url.'),
            e: text('The exponent, in base64url.', 'AQAB'),
            kid: text('The id of the key, which the header of a token names.'),
            alg: text('The signature algorithm.', 'RS256'),
            use: text('The purpose.', 'sig'),
          },
        },
        description: 'The keys with which tokens may be signed.',
      },
    },
  }),
  errors: [],
  createHandler:
    ({ signingKeys }) =>
    async () => ({ body: { keys: signingKeys.all().map(({ jwk }) => jwk) }, maxAgeSeconds }),
}

/** RFC 8414, 2: lists only what is supported. */
export const getServerMetadata: Endpoint = {
  id: 'GetServerMetadata',
  tag: 'Provider',
  summary: 'Returns the metadata of the authorization server (RFC 8414).',
  description:
    'Equals the discovery document without the implicit grant, which no client may use, and with `ui_locales_supported`. Includes the capabilities of registered clients only while there are such clients.',
  method: 'GET',
  path: '/.well-known/oauth-authorization-server',
  ...metadata,
  errors: [],
  createHandler: (identity) => async () => ({
    body: { ...metadataOf(identity), ui_locales_supported: languages },
    maxAgeSeconds,
  }),
}

const contractClaims = ['sub', 'sid', 'name', 'auth_time', 'iss', 'aud', 'exp', 'iat', 'nonce']
const registeredClientClaims = ['preferred_username', 'email', 'email_verified', 'amr', 'acr']

function metadataOf({ settings: { issuer }, clients }: Identity) {
  // Without registered clients, the discovery document equals the document of the contract.
  const hasRegisteredClients = [...clients.values()].some(({ registration }) => registration !== undefined)
  const usedAlgorithms = new Set([...clients.values()].map(({ signingAlgorithm }) => signingAlgorithm))
  return {
    issuer,
    authorization_endpoint: `${issuer}/connect/authorize`,
    token_endpoint: `${issuer}/connect/token`,
    userinfo_endpoint: `${issuer}/connect/userinfo`,
    end_session_endpoint: `${issuer}/connect/endsession`,
    revocation_endpoint: `${issuer}/connect/revocation`,
    introspection_endpoint: `${issuer}/connect/introspect`,
    jwks_uri: `${issuer}/.well-known/openid-configuration/jwks`,
    scopes_supported: hasRegisteredClients ? scopes : contractScopes,
    claims_supported: hasRegisteredClients ? [...contractClaims, ...registeredClientClaims] : contractClaims,
    response_types_supported: ['code'],
    response_modes_supported: hasRegisteredClients ? responseModes : ['query'],
    grant_types_supported: [...grantTypes],
    code_challenge_methods_supported: ['S256'],
    prompt_values_supported: ['none', 'login', 'consent', 'select_account'],
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: signingAlgorithms.filter(
      (algorithm) => algorithm === 'RS256' || usedAlgorithms.has(algorithm),
    ),
    token_endpoint_auth_methods_supported: [...secretMethods, 'none'],
    revocation_endpoint_auth_methods_supported: [...secretMethods, 'none'],
    introspection_endpoint_auth_methods_supported: secretMethods,
    authorization_response_iss_parameter_supported: true,
    claims_parameter_supported: false,
    request_parameter_supported: false,
    request_uri_parameter_supported: false,
  }
}

const secretMethods = ['client_secret_basic', 'client_secret_post']
