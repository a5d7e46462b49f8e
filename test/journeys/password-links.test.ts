import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { sql } from '../../src/db/sql.ts'
import { makeToken } from '../support/api-tokens.ts'
import { assertEnvelope } from '../support/assert-envelope.ts'
import { password } from '../support/cheap-passwords.ts'
import { type Person, type RestUnderTest, startRestUnderTest } from '../support/rest-host.ts'

const newPassword = 'Another-Horse-456'

describe('A link for a new password', { concurrency: true }, () => {
  let rest: RestUnderTest
  before(async () => {
    rest = await startRestUnderTest({ Auth__SessionValidationCacheSeconds: '0' })
  })
  after(() => rest.stop())

  const ask = (method: string, path: string, token: string | undefined, body?: unknown) =>
    rest.call(method, path, { token, ...(body !== undefined && { body }) })
  const make = async ({ id: userId }: Person, token = rest.administrator.token): Promise<string> => {
    const answer = await ask('POST', '/ext/password-links', token, { userId })
    assert.equal(answer.status, 200, JSON.stringify(answer.body))
    return answer.body.secret
  }
  const use = (secret: string, wanted = newPassword) =>
    ask('POST', '/ext/password-links/use', undefined, { secret, newPassword: wanted })

  test('sets it, once, and ends everything issued before', async () => {
    const person = await rest.signUp()
    const { secret: program } = await makeToken(rest, person.token)
    const secret = await make(person)
    assert.deepEqual((await use(secret)).body, { success: true })
    for (const token of [person.token, program]) assertEnvelope(await ask('GET', '/api/me', token), 401)
    const { access_token: token } = await rest.identity.signIn(person.login, { password: newPassword })
    assert.equal((await ask('GET', '/api/me', token)).body.id, person.id)
    assertEnvelope(await use(secret), 410)
  })

  test('sets one password of ten that come at once', async () => {
    const secret = await make(await rest.signUp())
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, index) => use(secret, `Horse-Nr-${index}-x`)),
    )
    assert.equal(answers.filter(({ status }) => status === 200).length, 1)
    assert.equal(answers.filter(({ status }) => status === 410).length, 9)
  })

  test('no longer works once its creator is not an administrator', async () => {
    const maker = await rest.signUp()
    const role = (method: string) =>
      ask(method, '/ext/administrators', rest.administrator.token, { userId: maker.id })
    assert.equal((await role('POST')).status, 200)
    const { access_token: token } = await rest.identity.signIn(maker.login)
    const person = await rest.signUp()
    const secret = await make(person, token)
    assert.equal((await role('DELETE')).status, 200)
    assertEnvelope(await use(secret), 410)
    assert.equal((await role('POST')).status, 200)
    assertEnvelope(await use(secret), 410)
  })

  test('works no more after a newer one, another new password, an hour, a deactivation, a removal', async () => {
    const root = rest.administrator.token
    const ends: readonly ((person: Person) => Promise<unknown>)[] = [
      (person) => make(person),
      ({ token }) =>
        ask('POST', '/api/me/password', token, { currentPassword: password, newPassword: 'Third-Horse-789' }),
      ({ token }) => ask('POST', '/ext/sessions/end-all', token),
      ({ id }) =>
        rest.database.single.query(sql`update account_links set expires_at = now() where user_id = ${id}`),
      ({ id }) => ask('POST', '/ext/deactivations', root, { userId: id }),
      ({ id }) => ask('DELETE', '/api/user', root, { ids: [id] }),
    ]
    for (const end of ends) {
      const person = await rest.signUp()
      const secret = await make(person)
      await end(person)
      assertEnvelope(await use(secret), 410)
    }
  })

  test('stays as it was when the password is rejected', async () => {
    const person = await rest.signUp({ login: 'anna-12345@example.com' })
    const secret = await make(person)
    for (const wrong of ['short', 'Anna-12345@Example.com']) {
      const answer = await use(secret, wrong)
      assertEnvelope(answer, 400)
      assert.deepEqual(Object.keys(answer.body.errors), ['newPassword'])
    }
    assert.equal((await use(secret)).status, 200)
  })

  test('is made by administrators only, for accounts that people may sign in to, and is no invitation', async () => {
    const [person, other] = [await rest.signUp(), await rest.signUp()]
    const path = '/ext/password-links'
    assertEnvelope(await ask('POST', path, person.token, { userId: other.id }), 403)
    const { secret: program } = await makeToken(rest, rest.administrator.token)
    assertEnvelope(await ask('POST', path, program, { userId: other.id }), 403)
    const root = rest.administrator.token
    assertEnvelope(await ask('POST', path, root, { userId: '00000000-0000-4000-8000-000000000001' }), 404)
    assertEnvelope(await ask('POST', path, root, { userId: 'x' }), 400)
    const secret = await make(other)
    const who = { name: 'N', login: 'n@example.com', password, secret }
    assertEnvelope(await ask('POST', '/ext/invitations/accept', undefined, who), 410)
    assertEnvelope(await ask('GET', '/api/me', secret), 401)
  })
})
