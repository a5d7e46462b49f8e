import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { password } from '../support/cheap-passwords.ts'
import { insertAccount } from '../support/insert-account.ts'
import { accountsOf, another, assertWrong } from '../support/known-passwords.ts'
import { type RestUnderTest, send, startRestUnderTest } from '../support/rest-host.ts'

describe('The own account', { concurrency: true }, () => {
  let rest: RestUnderTest

  before(async () => {
    rest = await startRestUnderTest({ Auth__SessionValidationCacheSeconds: '0' })
  })
  after(() => rest.stop())

  const { join, change, me } = accountsOf(() => rest)

  test('is shown bare, with five properties and no credential', async () => {
    const { id, login, token } = await join()
    const { status, body } = await me(token)
    assert.equal(status, 200)
    assert.deepEqual(body, { id, name: 'Mara', login, createdAt: body.createdAt, updatedAt: null })
    assert.match(body.createdAt, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
  })

  test('needs a token for every request', async () => {
    for (const [method, path] of [
      ['GET', '/api/me'],
      ['PATCH', '/api/me'],
      ['POST', '/api/me/password'],
    ] as const) {
      assert.equal((await rest.call(method, path)).status, 401)
    }
  })

  test('gets a new name, trimmed, and nothing else, whatever the body holds', async () => {
    const [own, other] = [await join(), await join()]
    const body = {
      id: other.id,
      name: '  Mara L. ',
      login: 'taken',
      active: false,
      createdAt: '2000-01-01',
      sub: other.id,
    }
    const answer = await rest.call('PATCH', '/api/me', { token: own.token, body })
    assert.deepEqual([answer.status, answer.body], [200, { success: true }])
    const shown = (await me(own.token)).body
    assert.deepEqual(
      { ...shown, updatedAt: null },
      {
        id: own.id,
        name: 'Mara L.',
        login: own.login,
        createdAt: shown.createdAt,
        updatedAt: null,
      },
    )
    assert.match(shown.updatedAt, /Z$/)
    assert.equal((await me(other.token)).body.name, 'Mara')
  })

  test('takes a name of 200 characters in any script', async () => {
    const { token } = await join()
    for (const name of ['x'.repeat(200), '漢'.repeat(200), '😀'.repeat(200)]) {
      assert.equal((await rest.call('PATCH', '/api/me', { token, body: { name } })).status, 200)
      assert.equal((await me(token)).body.name, name)
    }
  })

  const wrongNames = [
    undefined,
    null,
    '',
    ' \t\n',
    'x'.repeat(201),
    'a\u0000b',
    17,
    true,
    ['Mara'],
    { name: 'Mara' },
  ]
  for (const name of wrongNames) {
    test(`rejects ${JSON.stringify(name)?.slice(0, 20) ?? 'a missing value'} as its name, on errors.name`, async () => {
      const { token } = await join()
      const answer = await rest.call('PATCH', '/api/me', { token, body: { name } })
      assert.equal(answer.status, 400)
      assert.deepEqual(Object.keys(answer.body.errors), ['name'])
      assert.equal((await me(token)).body.name, 'Mara')
    })
  }

  const weak: readonly (readonly [string, unknown])[] = [
    ['of seven characters', 'Abc-123'],
    ['of 129 characters', `${'Abc-1'.repeat(25)}abcd`],
    ['without a lower-case letter', 'SECRET-123'],
    ['without an upper-case letter', 'secret-123'],
    ['without a digit', 'Secret-abc'],
    ['without another character', 'Secret1234'],
    ['with a NUL', 'Secret-\u0000123'],
    ['equal to the current one', password],
    ['that is a number', 12_345_678],
    ['that is null', null],
    ['that is missing', undefined],
  ]
  for (const [what, newPassword] of weak) {
    test(`rejects a new password ${what}, on errors.newPassword`, async () => {
      const { token } = await join()
      const answer = await change(token, password, newPassword)
      assert.equal(answer.status, 400)
      assert.deepEqual(Object.keys(answer.body.errors), ['newPassword'])
      assert.equal((await change(token, password, another)).status, 200)
    })
  }

  test('reports at once what is wrong with both passwords', async () => {
    const { token } = await join()
    const answer = await change(token, undefined, 'short')
    assert.equal(answer.status, 400)
    assert.deepEqual(Object.keys(answer.body.errors).sort(), ['currentPassword', 'newPassword'])
    assert.ok(answer.body.errors.newPassword.length > 1)
  })

  test('takes a new password of 128 characters and of any script', async () => {
    for (const newPassword of [
      `Aa1-${'x'.repeat(124)}`,
      'Grüße aus Köln 7',
      'Пароль-12345',
      'Aa1 漢字漢字漢字',
    ]) {
      const { token } = await join()
      assert.equal((await change(token, password, newPassword)).status, 200, newPassword)
    }
  })

  test('rejects a wrong current password with the contract’s sentence', async () => {
    const { token } = await join()
    for (const wrong of ['Wrong-123', ` ${password}`, password.toLowerCase()])
      assertWrong(await change(token, wrong, another))
  })

  test('of someone who never had a password rejects every one', async () => {
    const { login } = await insertAccount(rest.database, { passwordHash: 'no password' })
    const token = await rest.identity.serviceToken(login)
    assertWrong(await change(token, 'no password', another))
  })

  test('changes its password, and everything issued before stops working at once', async () => {
    const { login, token } = await join()
    const [{ access_token: second }, service] = await Promise.all([
      rest.identity.signIn(login),
      rest.identity.serviceToken(login),
    ])
    for (const good of [token, second, service]) assert.equal((await me(good)).status, 200)
    const answer = await change(token, password, another)
    assert.deepEqual([answer.status, answer.body], [200, { success: true }])
    for (const old of [token, second, service]) assert.equal((await me(old)).status, 401)
    const { access_token: fresh } = await rest.identity.signIn(login, { password: another })
    assert.notEqual((await me(fresh)).body.updatedAt, null)
    assertWrong(await change(fresh, password, 'Third-789'))
    assert.equal((await change(fresh, another, 'Third-789')).status, 200)
  })

  test('is open to a service client, whose token names no session', async () => {
    const { login } = await join()
    const token = await rest.identity.serviceToken(login)
    assert.equal((await me(token)).body.login, login)
    assert.equal((await rest.call('PATCH', '/api/me', { token, body: { name: 'Robot' } })).status, 200)
    assert.equal((await change(token, password, another)).status, 200)
    assert.equal((await me(token)).status, 401)
  })

  test('stops working within the session cache of every instance, and new sign-ins work at once', async () => {
    const cached = await startRestUnderTest({ Auth__SessionValidationCacheSeconds: '2' })
    const { token: administrator } = cached.administrator
    const body = { name: 'Mara', login: 'mara@example.com', password }
    await cached.call('POST', '/api/user', { token: administrator, body })
    const { access_token: token } = await cached.identity.signIn(body.login)
    const instances = [cached.address, (await cached.startAnother()).address]
    const seen = (by: string) =>
      Promise.all(
        instances.map(async (address) => (await send(address, 'GET', '/api/me', { token: by })).status),
      )
    assert.deepEqual(await seen(token), [200, 200])
    const passwords = { currentPassword: password, newPassword: another }
    assert.equal((await cached.call('POST', '/api/me/password', { token, body: passwords })).status, 200)
    const fresh = await cached.identity.signIn(body.login, { password: another })
    assert.deepEqual(await seen(fresh.access_token), [200, 200])
    await sleep(2100)
    assert.deepEqual(await seen(token), [401, 401])
    await cached.stop()
  })
})
