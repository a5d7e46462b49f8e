import assert from 'node:assert/strict'
import { createPasswords } from '../../src/accounts/passwords.ts'
import { sql } from '../../src/store/sql.ts'
import type { Answer, Person, RestUnderTest } from './rest-host.ts'

export const password = 'Secret-123'
export const another = 'Another-456'

/** People whose password is known, and what they do with it. */
export function accountsOf(host: () => RestUnderTest) {
  let passwordHash: Promise<string> | undefined
  return {
    async join(): Promise<Person> {
      passwordHash ??= createPasswords({ memoryMebibytes: 1, passes: 1, lanes: 1 }).hash(password)
      return host().signUp({ name: 'Mara', passwordHash: await passwordHash })
    },
    change: (token: string, currentPassword: unknown, newPassword: unknown): Promise<Answer> =>
      host().call('POST', '/api/me/password', { token, body: { currentPassword, newPassword } }),
    me: (token: string): Promise<Answer> => host().call('GET', '/api/me', { token }),
    /** As a service client gets it: the account's own claims, and no session. */
    async serviceToken(id: string, login: string): Promise<string> {
      const { database, issuer } = host()
      const [row] = await database.query<{ securityStamp: string }>(
        sql`select security_stamp as "securityStamp" from users where id = ${id}`,
      )
      return issuer.token({ account: { id, login, securityStamp: row?.securityStamp ?? '' } })
    },
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
