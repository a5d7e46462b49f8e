import assert from 'node:assert/strict'
import { type Page, queryOf } from '../../support/browser.ts'
import { redirectUri } from '../../support/known-clients.ts'

/** The envelope, with OAuth's two properties in it. */
export function assertRejected({ status, json, headers }: Page, error: string, expected = 400): void {
  assert.equal(status, expected)
  assert.deepEqual(Object.keys(json), ['statusCode', 'message', 'error', 'error_description'])
  assert.equal(json.error, error)
  assert.equal(json.statusCode, status)
  assert.equal(json.error_description, json.message)
  assert.equal(headers.get('cache-control'), 'no-store')
  // RFC 9110, 15.5.2: every 401 says how to do better.
  if (status === 401) assert.ok(headers.has('www-authenticate'))
}

/** The error was sent to the client, at its redirect URI. */
export function assertReported(page: Page, issuer: string, error: string): void {
  assert.ok(page.location.startsWith(`${redirectUri}?`), page.location)
  const { error: reported, state, iss, error_description: description, code } = queryOf(page)
  assert.deepEqual(
    { told: reported, state, iss, code },
    { told: error, state: 'state-1', iss: issuer, code: undefined },
  )
  assert.match(description ?? '', /\.$/)
}
