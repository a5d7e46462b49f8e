import type { OAuthErrorCode } from './oauth-error.ts'

/** Everything else is 400 (RFC 6749, 5.2). */
const oauthStatuses: Partial<Record<OAuthErrorCode, number>> = {
  invalid_client: 401,
  invalid_token: 401,
  insufficient_user_authentication: 401,
  insufficient_scope: 403,
}

export const oauthStatusOf = (code: OAuthErrorCode): number => oauthStatuses[code] ?? 400

/** How OAuth calls a refusal of the server itself, such as one of the rate limiter. */
export function oauthCodeOf(status: number): string {
  if (status === 429 || status === 503) return 'temporarily_unavailable'
  return status >= 500 ? 'server_error' : 'invalid_request'
}
