import assert from 'node:assert/strict'
import { type Page, queryOf } from '../../support/browser.ts'
import { redirectUri } from '../../support/known-clients.ts'

/** Asserts that the response is the error envelope with the two properties of OAuth. */
export function assertRejected({ status, json, headers }: Page, error: string, expectedStatus = 400): void {
  assert.equal(status, expectedStatus)
  assert.deepEqual(Object.keys(json), ['statusCode', 'message', 'error', 'error_description'])
  assert.equal(json.error, error)
  assert.equal(json.statusCode, status)
  assert.equal(json.error_description, json.message)
  assert.equal(headers.get('cache-control'), 'no-store')
  // RFC 9110, 15.5.2: every 401 has a challenge.
  if (status === 401) assert.ok(headers.has('www-authenticate'))
}

/** Asserts that the error was sent to the client, at its redirect URI. */
export function assertReportedToClient(page: Page, issuer: string, error: string): void {
  assert.ok(page.location.startsWith(`${redirectUri}?`), page.location)
  const { error: reported, state, iss, error_description: description, code } = queryOf(page)
  assert.deepEqual(
    { error: reported, state, iss, code },
    { error, state: 'state-1', iss: issuer, code: undefined },
  )
  assert.match(description ?? '', /\.$/)
}
