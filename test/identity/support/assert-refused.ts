import assert from 'node:assert/strict'
import type { Page } from '../../support/browser.ts'

/** The envelope, with OAuth's two properties in it. */
export function assertRefused({ status, json, headers }: Page, error: string, expected = 400): void {
  assert.equal(status, expected)
  assert.deepEqual(Object.keys(json), ['statusCode', 'message', 'error', 'error_description'])
  assert.equal(json.error, error)
  assert.equal(json.statusCode, status)
  assert.equal(json.error_description, json.message)
  assert.equal(headers.get('cache-control'), 'no-store')
  // RFC 9110, 15.5.2: every 401 says how to do better.
  if (status === 401) assert.ok(headers.has('www-authenticate'))
}
