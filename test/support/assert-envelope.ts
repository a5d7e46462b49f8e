import assert from 'node:assert/strict'
import type { Answer } from './rest-host.ts'

/** The contract's one shape of every error, with the headers of every response. */
export function assertEnvelope(answer: Answer, status: number, errorKeys?: readonly string[]) {
  assert.equal(answer.status, status, JSON.stringify(answer.body))
  assert.match(answer.headers.get('content-type') ?? '', /^application\/json\b/)
  const { statusCode, message, errors, ...others } = answer.body
  assert.deepEqual(others, {}, 'The envelope has three properties.')
  assert.equal(statusCode, status)
  assert.ok(typeof message === 'string' && message.length > 0)
  assertFieldErrors(errors)
  if (errorKeys !== undefined) assert.deepEqual(Object.keys(errors ?? {}).sort(), [...errorKeys].sort())
  assertSecurityHeaders(answer.headers)
}

function assertFieldErrors(errors: unknown) {
  if (errors === undefined) return
  assert.ok(typeof errors === 'object' && errors !== null && !Array.isArray(errors))
  for (const [key, messages] of Object.entries(errors)) {
    assert.ok(Array.isArray(messages) && messages.length > 0, key)
    for (const message of messages) assert.ok(typeof message === 'string' && message.length > 0, key)
  }
}

export function assertSecurityHeaders(headers: Headers) {
  assert.equal(headers.get('x-content-type-options'), 'nosniff')
  assert.equal(headers.get('x-frame-options')?.toUpperCase(), 'DENY')
  assert.match(headers.get('strict-transport-security') ?? '', /max-age=\d{7,}/)
  assert.ok(headers.get('referrer-policy'))
  assert.match(headers.get('content-security-policy') ?? '', /default-src/)
}
