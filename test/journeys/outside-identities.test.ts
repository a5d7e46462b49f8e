import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { sql } from '../../src/db/sql.ts'
import { assertEnvelope } from '../support/assert-envelope.ts'
import { createPkce, openBrowser, queryOf, redeem } from '../support/browser.ts'
import {
  arriveFrom,
  insertIdentity,
  type OutsideProviderUnderTest,
  startOutsideProvider,
} from '../support/outside-provider.ts'
import { type RestUnderTest, send, startRestUnderTest } from '../support/rest-host.ts'

describe('Identities at external providers', () => {
  let outside: OutsideProviderUnderTest
  let rest: RestUnderTest
  before(async () => {
    outside = await startOutsideProvider()
    rest = await startRestUnderTest({
      Auth__SessionValidationCacheSeconds: '0',
      ...outside.settings('plain'),
    })
  })
  after(async () => {
    await rest?.stop()
    await outside?.stop()
  })

  const connected = async (subject: string) => {
    const person = await rest.signUp()
    await insertIdentity(rest.database, outside.issuer, { userId: person.id, subject })
    return person
  }
  const list = async (token: string, query = '') =>
    (await rest.call('GET', `/ext/identities${query}`, { token })).body.identities
  const disconnect = (token: string, id: string) =>
    rest.call('DELETE', '/ext/identities', { token, body: { id } })
  const arrive = async (sub: string) => {
    const [browser, pkce] = [openBrowser(rest.identity.address), createPkce()]
    const arrival = { provider: 'plain', person: { sub }, browser, pkce }
    const callback = await arriveFrom(outside, rest.identity.address, arrival)
    return queryOf(callback).code === undefined
      ? undefined
      : ((await redeem(browser, pkce, callback)).json.access_token as string)
  }

  test('are seen and ended by their owner, with the sessions that began with them only', async () => {
    const { id: userId, token } = await connected('mine')
    const outsideToken = (await arrive('mine')) ?? ''
    const [identity, ...more] = await list(token)
    assert.equal(more.length, 0)
    assert.deepEqual(
      [identity.userId, identity.provider, identity.issuer, typeof identity.lastUsedAt],
      [userId, 'plain', outside.issuer, 'string'],
    )
    const { sessions } = (await rest.call('GET', '/ext/sessions', { token })).body
    assert.deepEqual(
      sessions.map(({ provider }: { provider: string | null }) => provider),
      ['plain', null],
    )
    assert.deepEqual((await disconnect(token, identity.id)).body, { success: true })
    assertEnvelope(await rest.call('GET', '/api/me', { token: outsideToken }), 401)
    assert.equal((await rest.call('GET', '/api/me', { token })).status, 200)
    assert.equal(await arrive('mine'), undefined)
    assertEnvelope(await disconnect(token, identity.id), 404)
  })

  test('of others are for administrators, and for no app', async () => {
    const [owner, stranger] = [await connected('theirs'), await rest.signUp()]
    const [identity] = await list(owner.token)
    assertEnvelope(
      await rest.call('GET', `/ext/identities?userId=${owner.id}`, { token: stranger.token }),
      403,
    )
    assertEnvelope(await disconnect(stranger.token, identity.id), 404)
    assert.deepEqual(await list(rest.administrator.token, `?userId=${owner.id}`), [identity])
    assert.equal((await disconnect(rest.administrator.token, identity.id)).status, 200)
  })

  test('are not taken away by oneself while they are the only way in', async () => {
    const owner = await connected('one')
    await insertIdentity(rest.database, outside.issuer, { userId: owner.id, subject: 'two' })
    const withoutPasswords = await rest.startAnother({ passwords: false })
    const identities = await list(owner.token)
    const answers = await Promise.all(
      identities.map(({ id }: { id: string }) =>
        send(withoutPasswords.address, 'DELETE', '/ext/identities', { token: owner.token, body: { id } }),
      ),
    )
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 400])
    // Nor without a password that could fit.
    const [left] = await list(owner.token)
    await rest.database.query(sql`update users set password_hash = 'none' where id = ${owner.id}`)
    assertEnvelope(await disconnect(owner.token, left.id), 400)
    assert.equal((await disconnect(rest.administrator.token, left.id)).status, 200)
  })
})
