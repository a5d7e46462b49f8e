import assert from 'node:assert/strict'
import { type Page, queryOf } from '../../support/browser.ts'
import { redirectUri } from '../../support/known-clients.ts'

/** The error was sent to the client, at its redirect URI. */
export function assertTold(page: Page, issuer: string, error: string): void {
  assert.ok(page.location.startsWith(`${redirectUri}?`), page.location)
  const { error: told, state, iss, error_description: description, code } = queryOf(page)
  assert.deepEqual(
    { told, state, iss, code },
    { told: error, state: 'state-1', iss: issuer, code: undefined },
  )
  assert.match(description ?? '', /\.$/)
}
