import assert from 'node:assert/strict'
import type { RestUnderTest } from './rest-host.ts'

export interface TokenRequest {
  readonly name?: string
  readonly scopes?: readonly string[]
  readonly projectIds?: readonly string[]
  readonly expiresAt?: string
}

export const inDays = (days: number): string => new Date(Date.now() + days * 24 * 60 * 60_000).toISOString()

/** Creates a personal access token for the account of `accessToken`, the token of a session. */
export async function makeToken(
  rest: Pick<RestUnderTest, 'call'>,
  accessToken: string,
  request: TokenRequest = {},
): Promise<{ readonly id: string; readonly secret: string }> {
  const body = { name: 'Build', scopes: ['*:write'], expiresAt: inDays(30), ...request }
  const answer = await rest.call('POST', '/ext/tokens', { token: accessToken, body })
  assert.equal(answer.status, 200, JSON.stringify(answer.body))
  return { id: answer.body.token.id, secret: answer.body.secret }
}
