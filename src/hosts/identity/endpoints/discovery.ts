import { grantTypes } from '../clients.ts'
import type { Identity } from '../identity.ts'
import type { Endpoint } from '../route.ts'
import { scopes } from '../scopes.ts'

/** Clients and hosts ask again after this long; nothing in it changes while the host runs. */
const maxAgeSeconds = 5 * 60

/** OpenID Connect Discovery 1.0, 3 and RFC 8414, 2. */
export const discovery = ({ settings: { issuer } }: Identity): Endpoint => {
  const body = {
    issuer,
    authorization_endpoint: `${issuer}/connect/authorize`,
    token_endpoint: `${issuer}/connect/token`,
    userinfo_endpoint: `${issuer}/connect/userinfo`,
    end_session_endpoint: `${issuer}/connect/endsession`,
    revocation_endpoint: `${issuer}/connect/revocation`,
    introspection_endpoint: `${issuer}/connect/introspect`,
    jwks_uri: `${issuer}/.well-known/openid-configuration/jwks`,
    scopes_supported: scopes,
    claims_supported: ['sub', 'sid', 'name', 'auth_time', 'iss', 'aud', 'exp', 'iat', 'nonce'],
    response_types_supported: ['code', 'token', 'id_token', 'id_token token'],
    response_modes_supported: ['query'],
    // The contract lists the implicit grant, which no client may use.
    grant_types_supported: [...grantTypes, 'implicit'],
    code_challenge_methods_supported: ['S256'],
    prompt_values_supported: ['none', 'login', 'consent', 'select_account'],
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: ['RS256'],
    token_endpoint_auth_methods_supported: [...secretMethods, 'none'],
    revocation_endpoint_auth_methods_supported: [...secretMethods, 'none'],
    introspection_endpoint_auth_methods_supported: secretMethods,
    authorization_response_iss_parameter_supported: true,
    claims_parameter_supported: false,
    request_parameter_supported: false,
    request_uri_parameter_supported: false,
  }
  return async () => ({ body, maxAgeSeconds })
}

const secretMethods = ['client_secret_basic', 'client_secret_post']
