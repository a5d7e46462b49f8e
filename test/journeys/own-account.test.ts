import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { budgetLimits } from '../../src/config/budgets.ts'
import { sql } from '../../src/db/sql.ts'
import { assertEnvelope } from '../support/assertions.ts'
import { claimsOf, openBrowser, refresh, signedIn, type Tokens } from '../support/browser.ts'
import { password } from '../support/cheap-passwords.ts'
import { connectDirectly, untilWaiting } from '../support/direct-connection.ts'
import { fixture } from '../support/fixture.ts'
import { insertAccount } from '../support/insert-account.ts'
import { accountsOf, another, assertLocked, assertWrong } from '../support/known-passwords.ts'
import { type Person, send, startRestUnderTest } from '../support/rest-host.ts'

describe("The caller's own account", { concurrency: true }, () => {
  const rest = fixture(startRestUnderTest, { Auth__SessionValidationCacheSeconds: '0' })

  const { join, change, me } = accountsOf(() => rest)

  test('is returned without an envelope', async () => {
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

  test('changes only its name, trimmed', async () => {
    const [mara, other] = [await join(), await join()]
    const body = {
      id: other.id,
      name: '  Mara L. ',
      login: 'taken',
      active: false,
      createdAt: '2000-01-01',
      sub: other.id,
    }
    const answer = await mara.call('PATCH', '/api/me', body)
    assert.deepEqual([answer.status, answer.body], [200, { success: true }])
    const shown = (await me(mara.token)).body
    assert.deepEqual(
      { ...shown, updatedAt: null },
      { id: mara.id, name: 'Mara L.', login: mara.login, createdAt: shown.createdAt, updatedAt: null },
    )
    assert.match(shown.updatedAt, /Z$/)
    assert.equal((await me(other.token)).body.name, 'Mara')
  })

  test('accepts a name of 200 characters in any script', async () => {
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
    test(`rejects the name ${JSON.stringify(name)?.slice(0, 20) ?? '(missing)'}`, async () => {
      const { token } = await join()
      const answer = await rest.call('PATCH', '/api/me', { token, body: { name } })
      assert.equal(answer.status, 400)
      assert.deepEqual(Object.keys(answer.body.errors), ['name'])
      assert.equal((await me(token)).body.name, 'Mara')
    })
  }

  const invalidPasswords: Readonly<Record<string, unknown>> = {
    'of seven characters': 'Abc-123',
    'of 129 characters': `${'Abc-1'.repeat(25)}abcd`,
    'without a lower-case letter': 'SECRET-123',
    'without an upper-case letter': 'secret-123',
    'without a digit': 'Secret-abc',
    'without another character': 'Secret1234',
    'with a NUL': 'Secret-\u0000123',
    'equal to the current one': password,
    'that is a number': 12_345_678,
    'that is null': null,
    'that is missing': undefined,
  }
  for (const [description, newPassword] of Object.entries(invalidPasswords)) {
    test(`rejects a new password ${description}, on errors.newPassword`, async () => {
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

  test('accepts a new password of up to 128 characters in any script', async () => {
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

  test('without a password rejects every current password', async () => {
    const { login } = await insertAccount(rest.database, { passwordHash: 'no password' })
    const token = await rest.identity.serviceToken(login)
    assertWrong(await change(token, 'no password', another))
  })

  test('changes its password, and every session and token from before ends at once', async () => {
    const { login, token } = await join()
    const [{ access_token: second }, service] = await Promise.all([
      rest.identity.signIn(login),
      rest.identity.serviceToken(login),
    ])
    for (const valid of [token, second, service]) assert.equal((await me(valid)).status, 200)
    const answer = await change(token, password, another)
    assert.deepEqual([answer.status, answer.body], [200, { success: true }])
    for (const old of [token, second, service]) assert.equal((await me(old)).status, 401)
    const { access_token: fresh } = await rest.identity.signIn(login, { password: another })
    assert.notEqual((await me(fresh)).body.updatedAt, null)
    assertWrong(await change(fresh, password, 'Third-789'))
    assert.equal((await change(fresh, another, 'Third-789')).status, 200)
  })

  test('is available to a service client', async () => {
    const { login } = await join()
    const token = await rest.identity.serviceToken(login)
    assert.equal((await me(token)).body.login, login)
    assert.equal((await rest.call('PATCH', '/api/me', { token, body: { name: 'Robot' } })).status, 200)
    assert.equal((await change(token, password, another)).status, 200)
    assert.equal((await me(token)).status, 401)
  })

  test('rejects older tokens soon after a new password', async () => {
    await using cached = await startRestUnderTest({ Auth__SessionValidationCacheSeconds: '2' })
    const { token: administrator } = cached.administrator
    const body = { name: 'Mara', login: 'mara@example.com', password }
    await cached.call('POST', '/api/user', { token: administrator, body })
    const { access_token: token } = await cached.identity.signIn(body.login)
    const instances = [cached.address, (await cached.startAnother()).address]
    const statusesWith = (sent: string) =>
      Promise.all(
        instances.map(async (address) => (await send(address, 'GET', '/api/me', { token: sent })).status),
      )
    assert.deepEqual(await statusesWith(token), [200, 200])
    const passwords = { currentPassword: password, newPassword: another }
    assert.equal((await cached.call('POST', '/api/me/password', { token, body: passwords })).status, 200)
    const fresh = await cached.identity.signIn(body.login, { password: another })
    assert.deepEqual(await statusesWith(fresh.access_token), [200, 200])
    await sleep(2100)
    assert.deepEqual(await statusesWith(token), [401, 401])
  })
})

describe("The caller's own account", { concurrency: false }, () => {
  const { join, change, me } = accountsOf(() => rest)

  const rest = fixture(startRestUnderTest, { Auth__SessionValidationCacheSeconds: '0' })

  // Connections of other tests would count as waiting for the lock.
  test('rejects renames that wait for a transaction while the session ends', async () => {
    const { id, token } = await join()
    await using direct = await connectDirectly(rest.database)
    await direct.query('begin')
    await direct.query('select from users where id = $1 for update', [id])
    const waiting = 3
    const transactions = budgetLimits.storeTransactionsOfAccount.max
    const renames = Array.from({ length: transactions + waiting }, () =>
      rest.call('PATCH', '/api/me', { token, body: { name: 'Late' } }),
    )
    await untilWaiting(direct, transactions)
    await direct.query('update signin_sessions set ended_at = now() where user_id = $1', [id])
    await direct.query('commit')
    const statuses = (await Promise.all(renames)).map(({ status }) => status)
    assert.equal(statuses.filter((status) => status === 401).length, waiting)
  })

  test('locks password changes after five wrong passwords', async () => {
    const [mara, other] = [await join(), await join()]
    for (let guess = 1; guess <= 5; guess += 1)
      assertWrong(await change(mara.token, `Wrong-${guess}`, another))
    assertLocked(await change(mara.token, password, another))
    assertLocked(await change(mara.token, 'Wrong-6', another))
    assert.equal((await me(mara.token)).status, 200)
    assert.equal((await change(other.token, password, another)).status, 200)
  })

  test('locks password changes even if the request is invalid', async () => {
    const { token } = await join()
    const post = (body: BodyInit | undefined, headers: Record<string, string> = {}, as = token) =>
      fetch(`${rest.address}/api/me/password`, {
        method: 'POST',
        headers: { authorization: `Bearer ${as}`, 'content-type': 'application/json', ...headers },
        body: body ?? null,
      })
    const valid = { currentPassword: password, newPassword: another }
    const requests: readonly { status: number; request: () => Promise<Response> }[] = [
      { status: 400, request: () => post(undefined) },
      { status: 400, request: () => post('{}') },
      { status: 400, request: () => post('{"currentPassword":') },
      { status: 400, request: () => post('[]') },
      { status: 400, request: () => post(JSON.stringify({ ...valid, newPassword: 'weak' })) },
      { status: 400, request: () => post(JSON.stringify({ ...valid, newPassword: password })) },
      { status: 400, request: () => post(JSON.stringify({ ...valid, currentPassword: 7 })) },
      { status: 400, request: () => post(JSON.stringify(valid), { 'idempotency-key': 'x'.repeat(1000) }) },
      { status: 413, request: () => post(JSON.stringify({ ...valid, more: 'x'.repeat(2_000_000) })) },
      { status: 415, request: () => post('text', { 'content-type': 'text/plain' }) },
    ]
    for (const { status, request } of requests) assert.equal((await request()).status, status)
    const lockedAfter = Date.now()
    for (let guess = 1; guess <= 5; guess += 1) assertWrong(await change(token, `Wrong-${guess}`, another))
    for (const { request } of requests) {
      const { status, headers } = await request()
      const seconds = Number(headers.get('retry-after'))
      assert.equal(status, 429)
      assert.ok(seconds <= 900 && seconds > 898 - (Date.now() - lockedAfter) / 1000, String(seconds))
    }
    assert.equal((await post('{}', {}, 'made-up')).status, 401)
  })

  test('counts wrong passwords from zero again after a right one', async () => {
    const { login, token } = await join()
    for (let guess = 1; guess <= 4; guess += 1) assertWrong(await change(token, `Wrong-${guess}`, another))
    assert.equal((await change(token, password, another)).status, 200)
    const { access_token: fresh } = await rest.identity.signIn(login, { password: another })
    for (let guess = 1; guess <= 4; guess += 1) assertWrong(await change(fresh, `Wrong-${guess}`, password))
    assert.equal((await change(fresh, another, password)).status, 200)
  })

  /** Moves the recorded failures fifteen minutes into the past. */
  const moveFailuresBack = (id: string) =>
    rest.database.transaction((store) =>
      store.query(sql`update lockouts set
        failed_at = array(select at - interval '15 minutes' from unnest(failed_at) as failed(at)),
        locked_until = locked_until - interval '15 minutes'
        where subject = ${id}`),
    )

  test('allows password changes again fifteen minutes later', async () => {
    const { id, token } = await join()
    for (let guess = 1; guess <= 5; guess += 1) assertWrong(await change(token, `Wrong-${guess}`, another))
    assertLocked(await change(token, password, another))
    await moveFailuresBack(id)
    assertWrong(await change(token, 'Wrong-6', another))
    assert.equal((await change(token, password, another)).status, 200)
  })

  test('counts no wrong password that is older than fifteen minutes', async () => {
    const { id, token } = await join()
    for (let guess = 1; guess <= 4; guess += 1) assertWrong(await change(token, `Wrong-${guess}`, another))
    await moveFailuresBack(id)
    for (let guess = 5; guess <= 8; guess += 1) assertWrong(await change(token, `Wrong-${guess}`, another))
    assert.equal((await change(token, password, another)).status, 200)
  })

  test('counts wrong passwords on two instances together', async () => {
    const { token } = await join()
    const { address } = await rest.startAnother()
    const changeOnOther = (currentPassword: string) =>
      send(address, 'POST', '/api/me/password', { token, body: { currentPassword, newPassword: another } })
    for (let guess = 1; guess <= 3; guess += 1) assertWrong(await change(token, `Wrong-${guess}`, another))
    for (let guess = 4; guess <= 5; guess += 1) assertWrong(await changeOnOther(`Wrong-${guess}`))
    assertLocked(await changeOnOther(password))
    assertLocked(await change(token, password, another))
  })

  test('checks only five of twenty concurrent guesses of the password', async () => {
    const { token } = await join()
    const guesses = Array.from({ length: 20 }, (_, guess) => change(token, `Wrong-${guess}`, another))
    const answers = await Promise.all(guesses)
    const wrong = answers.filter(({ status }) => status === 400)
    assert.equal(wrong.length, 5)
    for (const answer of answers) if (answer.status !== 400) assertLocked(answer)
    assertLocked(await change(token, password, another))
  })

  test('accepts exactly one of several concurrent password changes', async () => {
    const { token } = await join()
    const changes = Array.from({ length: 4 }, (_, index) => change(token, password, `Another-${index}`))
    const statuses = (await Promise.all(changes)).map(({ status }) => status)
    assert.equal(statuses.filter((status) => status === 200).length, 1)
    for (const status of statuses) assert.ok([200, 400, 401].includes(status), String(status))
  })

  test('responds to forty users who change their passwords at the same time', async () => {
    const people = await Promise.all(Array.from({ length: 40 }, () => join()))
    const answers = await Promise.all(people.map(({ token }) => change(token, password, another)))
    for (const answer of answers) if (answer.status !== 200) assertLocked(answer)
    assert.ok(answers.filter(({ status }) => status === 200).length >= 20)
  })
})

describe('Sessions under /ext/sessions', { concurrency: true }, () => {
  let addresses: readonly string[]
  const rest = fixture(startRestUnderTest, { Auth__SessionValidationCacheSeconds: '0' })
  before(async () => {
    addresses = [rest.address, (await rest.startAnother()).address]
  })

  const headers = { 'user-agent': 'Lynx/2.9' }
  const join = async (): Promise<Person & { tokens: Tokens }> => {
    const person = await rest.signUp({ name: 'Mara' })
    const { tokens } = await signedIn(rest.identity.address, { login: person.login, headers })
    return { ...person, token: tokens.access_token, tokens }
  }
  const sessionsSeenBy = async (token: string, query = '') => {
    const { status, body } = await rest.call('GET', `/ext/sessions${query}`, { token })
    assert.equal(status, 200, JSON.stringify(body))
    return body.sessions
  }
  const isAccepted = async (token: string) => {
    const answers = await Promise.all(addresses.map((address) => send(address, 'GET', '/api/me', { token })))
    assert.equal(new Set(answers.map(({ status }) => status)).size, 1)
    return answers[0]?.status === 200
  }
  const areRejected = async (tokens: Tokens) =>
    !(await isAccepted(tokens.access_token)) &&
    (await refresh(openBrowser(rest.identity.address), tokens.refresh_token)).json.error === 'invalid_grant'

  test('show users their own sessions, newest first, with time, address and client', async () => {
    const { id, token } = await join()
    const [newest, oldest, ...others] = await sessionsSeenBy(token)
    assert.equal(others.length, 0)
    const { createdAt, expiresAt, lastUsedAt, ...shown } = newest
    assert.deepEqual(shown, {
      id: claimsOf(token).sid,
      userId: id,
      clientId: 'svc-webclient',
      provider: null,
      address: '127.0.0.1',
      userAgent: 'Lynx/2.9',
      isCurrent: true,
    })
    assert.equal(Date.parse(expiresAt) - Date.parse(createdAt), 8 * 60 * 60_000)
    assert.ok(Date.parse(lastUsedAt) >= Date.parse(createdAt))
    assert.equal(oldest.isCurrent, false)
    assert.ok(Date.parse(oldest.createdAt) < Date.parse(createdAt))
  })

  test('are ended together or not at all', async () => {
    const { token, tokens } = await join()
    const [current, older] = await sessionsSeenBy(token)
    const end = (ids: unknown) => rest.call('DELETE', '/ext/sessions', { token, body: { ids } })
    assertEnvelope(await end([older.id, 'unknown']), 404)
    assert.equal((await sessionsSeenBy(token)).length, 2)
    assert.deepEqual((await end([older.id, older.id])).body, { success: true })
    assert.deepEqual(await sessionsSeenBy(token), [current])
    assertEnvelope(await end([older.id]), 404)
    assert.deepEqual((await end([current.id])).body, { success: true })
    assert.equal(await areRejected(tokens), true)
  })

  test('cannot be ended by invalid ids', async () => {
    const { token } = await join()
    for (const ids of [
      undefined,
      null,
      [],
      'x',
      [1],
      [{}],
      ['a'.repeat(65)],
      Array.from({ length: 101 }, (_, index) => `${index}`),
    ]) {
      const answer = await rest.call('DELETE', '/ext/sessions', { token, body: { ids } })
      assertEnvelope(answer, 400)
      assert.deepEqual(Object.keys(answer.body.errors), ['ids'])
    }
    assertEnvelope(await rest.call('GET', '/ext/sessions?userId=x', { token }), 400)
    assertEnvelope(await rest.call('POST', '/ext/sessions/end-all', { token, body: { userId: 7 } }), 400)
  })

  test('of other users can be listed and ended by administrators only', async () => {
    const [ann, bob] = await Promise.all([join(), join()])
    const [bobs] = await sessionsSeenBy(bob.token)
    const asAnn = (method: string, path: string, body?: object) => ann.call(method, path, body)
    assertEnvelope(await asAnn('GET', `/ext/sessions?userId=${bob.id}`), 403)
    assertEnvelope(await asAnn('POST', '/ext/sessions/end-all', { userId: bob.id }), 403)
    assertEnvelope(await asAnn('DELETE', '/ext/sessions', { ids: [bobs.id] }), 404)
    assert.equal(await isAccepted(bob.token), true)
    const seen = await sessionsSeenBy(rest.administrator.token, `?userId=${bob.id}`)
    assert.deepEqual(
      seen.map(({ id, isCurrent }: { id: string; isCurrent: boolean }) => [id, isCurrent]),
      (await sessionsSeenBy(bob.token)).map(({ id }: { id: string }) => [id, false]),
    )
  })

  test('can all be ended at once by their owner or by an administrator', async () => {
    const ends = [
      ({ token }: Person) => rest.call('POST', '/ext/sessions/end-all', { token }),
      ({ id: userId }: Person) => rest.administrator.call('POST', '/ext/sessions/end-all', { userId }),
    ]
    for (const end of ends) {
      const person = await join()
      const service = await rest.identity.serviceToken(person.login)
      assert.equal(await isAccepted(service), true)
      assert.deepEqual((await end(person)).body, { success: true })
      assert.equal(await areRejected(person.tokens), true)
      assert.equal(await isAccepted(service), false)
      const { access_token: fresh } = await rest.identity.signIn(person.login)
      assert.equal((await sessionsSeenBy(fresh)).length, 1)
    }
    const userId = '00000000-0000-4000-8000-000000000001'
    const unknown = { token: rest.administrator.token, body: { userId } }
    assertEnvelope(await rest.call('POST', '/ext/sessions/end-all', unknown), 404)
  })

  test('that end while they are refreshed leave no valid token, whichever came first', async () => {
    const ends = [
      (token: string) =>
        rest.call('DELETE', '/ext/sessions', { token, body: { ids: [claimsOf(token).sid] } }),
      (token: string) => rest.call('POST', '/ext/sessions/end-all', { token }),
    ]
    for (const end of [...ends, ...ends, ...ends]) {
      const { token, tokens } = await join()
      const [refreshed, ended] = await Promise.all([
        refresh(openBrowser(rest.identity.address), tokens.refresh_token),
        end(token),
      ])
      assert.equal(ended.status, 200)
      if (refreshed.status === 200) assert.equal(await areRejected(refreshed.json), true)
      assert.equal(await areRejected(tokens), true)
    }
  })

  test('of a removed account stay ended when the account is restored', async () => {
    const asAdministrator = (method: string, path: string, ids: readonly string[]) =>
      rest.administrator.call(method, path, { ids })
    for (let round = 0; round < 4; round += 1) {
      const { id, login, tokens } = await join()
      const service = await rest.identity.serviceToken(login)
      const browser = openBrowser(rest.identity.address)
      const [removed, refreshed, ...signedInMeanwhile] = await Promise.all([
        asAdministrator('DELETE', '/api/user', [id]),
        refresh(browser, tokens.refresh_token),
        ...[1, 2, 3].map(() => signedIn(rest.identity.address, { login })),
      ])
      assert.equal(removed.status, 200)
      assert.equal((await asAdministrator('POST', '/api/user/restore', [id])).status, 200)
      const issued = [tokens, refreshed.json, ...signedInMeanwhile.map((response) => response.tokens)]
      for (const pair of issued)
        if (pair.access_token !== undefined) assert.equal(await areRejected(pair), true)
      assert.equal(await isAccepted(service), false)
      const { access_token: fresh } = await rest.identity.signIn(login)
      assert.equal(await isAccepted(fresh), true)
    }
  })
})
