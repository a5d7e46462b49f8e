import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { sql } from '../../src/db/sql.ts'
import { assertEnvelope } from '../support/assert-envelope.ts'
import { claimsOf, openBrowser, refresh } from '../support/browser.ts'
import { password } from '../support/cheap-passwords.ts'
import { type Person, type RestUnderTest, startRestUnderTest } from '../support/rest-host.ts'
import { setUpApp } from '../support/second-factors.ts'

/** The real one. */
const clock = { now: Date.now, advance: () => undefined }

/** A one-minute session may have created a link that gives an account forever. */
describe('A link ends with the session that created it', { concurrency: true }, () => {
  let rest: RestUnderTest
  before(async () => {
    rest = await startRestUnderTest()
  })
  after(() => rest.stop())

  const ask = (method: string, path: string, token: string | undefined, body: unknown = {}) =>
    rest.call(method, path, { token, body })
  const asRoot = (method: string, path: string, body: unknown) =>
    ask(method, path, rest.administrator.token, body)
  /** A user who may create every kind of link, with two sessions. */
  const signUpMaker = async () => {
    const maker = await rest.signUp()
    assert.equal((await asRoot('POST', '/ext/administrators', { userId: maker.id })).status, 200)
    const [{ access_token: stolen, refresh_token: stolenRefresh }, { access_token: own }] = await Promise.all(
      [rest.identity.signIn(maker.login), rest.identity.signIn(maker.login)],
    )
    return { ...maker, stolen, stolenRefresh, own }
  }
  const makeLinks = async (token: string, person: Person): Promise<readonly [string, string]> => {
    const [invitation, passwordLink] = await Promise.all([
      ask('POST', '/ext/invitations', token),
      ask('POST', '/ext/password-links', token, { userId: person.id }),
    ])
    assert.deepEqual([invitation.status, passwordLink.status], [200, 200])
    return [invitation.body.secret, passwordLink.body.secret]
  }
  const useBoth = async ([invitation, passwordLink]: readonly [string, string]) => {
    const login = `${crypto.randomUUID()}@example.com`
    const accepted = await ask('POST', '/ext/invitations/accept', undefined, {
      ...{ secret: invitation, name: 'N', login, password },
    })
    const newPassword = 'Another-Horse-456'
    const changed = await ask('POST', '/ext/password-links/use', undefined, {
      ...{ secret: passwordLink, newPassword },
    })
    return [accepted.status, changed.status]
  }

  type Maker = Awaited<ReturnType<typeof signUpMaker>>
  const ends: Readonly<Record<string, (maker: Maker) => Promise<unknown>>> = {
    'its owner ends that sign-in elsewhere': ({ own, stolen }) =>
      ask('DELETE', '/ext/sessions', own, { ids: [claimsOf(stolen).sid] }),
    'an administrator ends that sign-in': ({ stolen }) =>
      asRoot('DELETE', '/ext/sessions', { ids: [claimsOf(stolen).sid] }),
    'its owner ends all sign-ins': ({ own }) => ask('POST', '/ext/sessions/end-all', own),
    'its owner gets a new password': ({ own }) =>
      ask('POST', '/api/me/password', own, { currentPassword: password, newPassword: 'Other-Horse-456' }),
    'it has ended already, and its owner sets up a second factor': async ({ stolen, login, own }) => {
      await rest.database.single.query(
        sql`update signin_sessions set ended_at = now() where id = ${claimsOf(stolen).sid}`,
      )
      return setUpApp({ ...rest.identity, clock }, login, own)
    },
    'its role is taken': ({ id }) => asRoot('DELETE', '/ext/administrators', { userId: id }),
    'its refresh token comes twice': async ({ stolenRefresh }) => {
      for (let use = 0; use < 2; use += 1) await refresh(openBrowser(rest.identity.address), stolenRefresh)
    },
    'its owner sets up a second factor': ({ login, own }) =>
      setUpApp({ ...rest.identity, clock }, login, own),
  }
  for (const [what, end] of Object.entries(ends))
    test(`when ${what}`, async () => {
      const maker = await signUpMaker()
      const links = await makeLinks(maker.stolen, await rest.signUp())
      await end(maker)
      assert.deepEqual(await useBoth(links), [410, 410])
    })

  test('but not when another session of the account is ended', async () => {
    const maker = await signUpMaker()
    const links = await makeLinks(maker.own, await rest.signUp())
    await ask('DELETE', '/ext/sessions', maker.own, { ids: [claimsOf(maker.stolen).sid] })
    assert.deepEqual(await useBoth(links), [200, 200])
  })

  test('also when it is created and the session ended at the same time', async () => {
    const maker = await signUpMaker()
    const ids = [claimsOf(maker.stolen).sid]
    const made = Array.from({ length: 10 }, () => ask('POST', '/ext/invitations', maker.stolen))
    assert.equal((await ask('DELETE', '/ext/sessions', maker.own, { ids })).status, 200)
    for (const { status, body } of await Promise.all(made)) {
      if (status === 401) continue
      assert.equal(status, 200)
      const account = { name: 'N', login: `${crypto.randomUUID()}@example.com`, password }
      assertEnvelope(
        await ask('POST', '/ext/invitations/accept', undefined, { secret: body.secret, ...account }),
        410,
      )
    }
  })
})
