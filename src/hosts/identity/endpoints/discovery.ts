import { signingAlgorithms } from '../../../auth/access-token.ts'
import { languages } from '../../../model/language.ts'
import { responseModes } from '../authorization/answer-client.ts'
import { contractScopes, grantTypes, scopes } from '../clients.ts'
import type { Identity } from '../identity.ts'
import type { Endpoint } from '../route.ts'

/** RFC 7517, 5: public keys only. */
export const jwks =
  ({ signingKeys }: Identity): Endpoint =>
  async () => ({ body: { keys: signingKeys.all().map(({ jwk }) => jwk) }, maxAgeSeconds })

/** Clients and hosts ask again after this long. */
const maxAgeSeconds = 5 * 60

/** OpenID Connect Discovery 1.0, 3, with what the contract lists although no client may use it. */
export const discovery = (identity: Identity): Endpoint => {
  const implicit = {
    response_types_supported: ['code', 'token', 'id_token', 'id_token token'],
    grant_types_supported: [...grantTypes, 'implicit'],
  }
  return async () => ({ body: { ...metadataOf(identity), ...implicit }, maxAgeSeconds })
}

/** RFC 8414, 2: nothing but what can be done. */
export const serverMetadata =
  (identity: Identity): Endpoint =>
  async () => ({ body: { ...metadataOf(identity), ui_locales_supported: languages }, maxAgeSeconds })

function metadataOf({ settings: { issuer }, clients }: Identity) {
  // Who registers no client gets the contract's document, byte for byte.
  const isRegistering = [...clients.values()].some(({ registration }) => registration !== undefined)
  return {
    issuer,
    authorization_endpoint: `${issuer}/connect/authorize`,
    token_endpoint: `${issuer}/connect/token`,
    userinfo_endpoint: `${issuer}/connect/userinfo`,
    end_session_endpoint: `${issuer}/connect/endsession`,
    revocation_endpoint: `${issuer}/connect/revocation`,
    introspection_endpoint: `${issuer}/connect/introspect`,
    jwks_uri: `${issuer}/.well-known/openid-configuration/jwks`,
    scopes_supported: isRegistering ? scopes : contractScopes,
    claims_supported: [
      ...['sub', 'sid', 'name', 'auth_time', 'iss', 'aud', 'exp', 'iat', 'nonce'],
      ...(isRegistering ? ['preferred_username', 'email', 'email_verified', 'amr', 'acr'] : []),
    ],
    response_types_supported: ['code'],
    response_modes_supported: isRegistering ? responseModes : ['query'],
    grant_types_supported: [...grantTypes],
    code_challenge_methods_supported: ['S256'],
    prompt_values_supported: ['none', 'login', 'consent', 'select_account'],
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: signingAlgorithms.filter(
      (algorithm) =>
        algorithm === 'RS256' ||
        [...clients.values()].some((client) => client.signingAlgorithm === algorithm),
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
