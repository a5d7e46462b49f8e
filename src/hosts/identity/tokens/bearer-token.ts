import type { IncomingHttpHeaders } from 'node:http'
import { invalidRequest, OAuthError } from '../oauth-error.ts'

/** RFC 6750, 2: from the header, or from a form where the caller has read one. */
export function requireBearer(
  { authorization }: IncomingHttpHeaders,
  { access_token: inForm }: { readonly access_token?: string | undefined } = {},
): string {
  if (authorization !== undefined && inForm !== undefined)
    throw invalidRequest('The access token must be sent in one way only.')
  const token = authorization === undefined ? inForm : bearerPattern.exec(authorization)?.[1]
  if (token === undefined) throw missingToken()
  return token
}

const bearerPattern = /^bearer +([\w.~+/-]+=*)$/i

/** RFC 6750, 3.1: the answer to a request without any token names no error. */
const missingToken = () => new OAuthError('invalid_token', 'An access token is required.', 'Bearer')

export const invalidToken = () =>
  new OAuthError(
    'invalid_token',
    'The access token is wrong, expired or revoked.',
    'Bearer error="invalid_token"',
  )
