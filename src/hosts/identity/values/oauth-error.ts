/** The codes of RFC 6749 (4.1.2.1, 5.2), RFC 6750 (3.1), RFC 7009 (2.2.1), RFC 9470 (3) and OpenID Connect Core (3.1.2.6) in use. */
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

/** All other codes have 400 (RFC 6749, 5.2). */
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
