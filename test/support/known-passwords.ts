import assert from 'node:assert/strict'
import type { Answer, Person, RestUnderTest } from './rest-host.ts'

/** A valid password that no account has at first. */
export const another = 'Another-456'

/** Returns functions that create accounts, change their passwords and use their tokens. */
export function accountsOf(host: () => RestUnderTest) {
  return {
    join: (): Promise<Person> => host().signUp({ name: 'Mara' }),
    change: (token: string, currentPassword: unknown, newPassword: unknown): Promise<Answer> =>
      host().call('POST', '/api/me/password', { token, body: { currentPassword, newPassword } }),
    me: (token: string): Promise<Answer> => host().call('GET', '/api/me', { token }),
  }
}

export function assertWrong(answer: Answer) {
  assert.equal(answer.status, 400)
  assert.deepEqual(answer.body.errors, { currentPassword: ['The current password is incorrect.'] })
}

export function assertLocked(answer: Answer) {
  assert.equal(answer.status, 429)
  const seconds = Number(answer.headers.get('retry-after'))
  assert.ok(seconds >= 1 && seconds <= 900, `Retry-After: ${answer.headers.get('retry-after')}`)
  assert.equal(answer.body.statusCode, 429)
  assert.equal(typeof answer.body.message, 'string')
}
