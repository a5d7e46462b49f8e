import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { assertEnvelope } from '../support/assert-envelope.ts'
import { claimsOf, openBrowser, refresh, signedIn, type Tokens } from '../support/browser.ts'
import { type Person, type RestUnderTest, send, startRestUnderTest } from '../support/rest-host.ts'

describe('Sessions under /ext/sessions', { concurrency: true }, () => {
  let rest: RestUnderTest
  let addresses: readonly string[]
  before(async () => {
    rest = await startRestUnderTest({ Auth__SessionValidationCacheSeconds: '0' })
    addresses = [rest.address, (await rest.startAnother()).address]
  })
  after(() => rest.stop())

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
  const isOver = async (tokens: Tokens) =>
    !(await isAccepted(tokens.access_token)) &&
    (await refresh(openBrowser(rest.identity.address), tokens.refresh_token)).json.error === 'invalid_grant'

  test('show users their own sessions, newest first: when, from where, by which client', async () => {
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

  test('end one by one, all or none, and are listed no more', async () => {
    const { token, tokens } = await join()
    const [current, older] = await sessionsSeenBy(token)
    const end = (ids: unknown) => rest.call('DELETE', '/ext/sessions', { token, body: { ids } })
    assertEnvelope(await end([older.id, 'unknown']), 404)
    assert.equal((await sessionsSeenBy(token)).length, 2)
    assert.deepEqual((await end([older.id, older.id])).body, { success: true })
    assert.deepEqual(await sessionsSeenBy(token), [current])
    assertEnvelope(await end([older.id]), 404)
    assert.deepEqual((await end([current.id])).body, { success: true })
    assert.equal(await isOver(tokens), true)
  })

  test('are rejected ids that are none', async () => {
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

  test('of other users are only for administrators', async () => {
    const [ann, bob] = await Promise.all([join(), join()])
    const [bobs] = await sessionsSeenBy(bob.token)
    const asAnn = (method: string, path: string, body?: object) =>
      rest.call(method, path, { token: ann.token, ...(body && { body }) })
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

  test('end all at once, for oneself or by an administrator, with the tokens of service clients', async () => {
    const ends = [
      ({ token }: Person) => rest.call('POST', '/ext/sessions/end-all', { token }),
      ({ id: userId }: Person) =>
        rest.call('POST', '/ext/sessions/end-all', { token: rest.administrator.token, body: { userId } }),
    ]
    for (const end of ends) {
      const person = await join()
      const service = await rest.identity.serviceToken(person.login)
      assert.equal(await isAccepted(service), true)
      assert.deepEqual((await end(person)).body, { success: true })
      assert.equal(await isOver(person.tokens), true)
      assert.equal(await isAccepted(service), false)
      const { access_token: fresh } = await rest.identity.signIn(person.login)
      assert.equal((await sessionsSeenBy(fresh)).length, 1)
    }
    const userId = '00000000-0000-4000-8000-000000000001'
    const unknown = { token: rest.administrator.token, body: { userId } }
    assertEnvelope(await rest.call('POST', '/ext/sessions/end-all', unknown), 404)
  })

  test('that end while they are refreshed leave nothing that works, no matter who came first', async () => {
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
      if (refreshed.status === 200) assert.equal(await isOver(refreshed.json), true)
      assert.equal(await isOver(tokens), true)
    }
  })

  test('of a removed account have ended, and stay ended when it is restored, also those begun meanwhile', async () => {
    const asAdministrator = (method: string, path: string, ids: readonly string[]) =>
      rest.call(method, path, { token: rest.administrator.token, body: { ids } })
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
      const issued = [tokens, refreshed.json, ...signedInMeanwhile.map((one) => one.tokens)]
      for (const some of issued) if (some.access_token !== undefined) assert.equal(await isOver(some), true)
      assert.equal(await isAccepted(service), false)
      const { access_token: fresh } = await rest.identity.signIn(login)
      assert.equal(await isAccepted(fresh), true)
    }
  })
})
