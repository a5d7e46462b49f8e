import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { makeToken } from '../support/api-tokens.ts'
import { assertEnvelope } from '../support/assert-envelope.ts'
import { createPkce, openBrowser, postSignIn, refresh, signedIn } from '../support/browser.ts'
import { password } from '../support/cheap-passwords.ts'
import { furnish } from '../support/furnish.ts'
import { type RestUnderTest, startRestUnderTest } from '../support/rest-host.ts'

describe('A deactivated account', () => {
  let rest: RestUnderTest
  before(async () => {
    rest = await startRestUnderTest({ Auth__SessionValidationCacheSeconds: '0' })
  })
  after(() => rest.stop())

  const ask = (method: string, token: string, userId: string) =>
    rest.call(method, '/ext/deactivations', { token, body: { userId } })
  const root = () => rest.administrator.token
  const statesOf = (userId: string, token = root()) =>
    rest.call('GET', `/ext/deactivations?ids=${userId}`, { token })
  const join = async () => {
    const person = await rest.signUp({ name: 'Mara' })
    const { tokens } = await signedIn(rest.identity.address, { login: person.login })
    return { ...person, token: tokens.access_token, refreshToken: tokens.refresh_token }
  }
  /** What a sign-in or a client gets, if anything. */
  const issued = (issue: Promise<string | { readonly access_token?: string }>) =>
    issue.then(
      (given) => (typeof given === 'string' ? given : given?.access_token),
      () => undefined,
    )
  const isAccepted = async (token: string) => (await rest.call('GET', '/api/me', { token })).status === 200

  test('signs in no more, and nothing that was issued to it works, until it is activated again', async () => {
    const person = await join()
    const { secret } = await makeToken(rest, person.token)
    const service = await rest.identity.serviceToken(person.login)
    assert.equal((await ask('POST', root(), person.id)).status, 200)
    for (const token of [person.token, secret, service]) assert.equal(await isAccepted(token), false)
    const browser = openBrowser(rest.identity.address)
    assert.equal((await refresh(browser, person.refreshToken)).json.error, 'invalid_grant')
    for (const issue of [rest.identity.signIn(person.login), rest.identity.serviceToken(person.login)])
      assert.equal(await issued(issue), undefined)
    const [{ userId, deactivatedBy }] = (await statesOf(person.id)).body.deactivations
    assert.deepEqual([userId, deactivatedBy], [person.id, rest.administrator.id])
    assert.equal((await ask('DELETE', root(), person.id)).status, 200)
    assert.deepEqual((await statesOf(person.id)).body.deactivations, [])
    const { access_token: token } = await rest.identity.signIn(person.login)
    assert.equal(await isAccepted(token), true)
    for (const old of [person.token, secret, service]) assert.equal(await isAccepted(old), false)
  })

  test('keeps its name, its memberships and its history', async () => {
    const workspace = await furnish(rest)
    const [person, colleague] = [await join(), await join()]
    const projectId = await workspace.project('Pier', person)
    await workspace.join(projectId, colleague.id)
    await ask('POST', root(), person.id)
    const get = async (path: string) => (await rest.call('GET', path, { token: colleague.token })).body
    const people = (await get(`/ext/people?ids=${person.id}`)).result.data
    assert.deepEqual(people, [{ id: person.id, name: 'Mara' }])
    const members = (await get(`/api/userProjects?projectId=${projectId}`)).result.data
    assert.equal(members.length, 2)
    const [{ callerId }] = (await get(`/ext/history?resource=project&id=${projectId}`)).result.data
    assert.equal(callerId, person.id)
  })

  test('rejects a sign-in that began before it was deactivated', async () => {
    for (let round = 0; round < 4; round += 1) {
      const person = await join()
      const browser = openBrowser(rest.identity.address)
      const [, signedInMeanwhile] = await Promise.all([
        ask('POST', root(), person.id),
        postSignIn(browser, createPkce(), { login: person.login, password }).catch(() => undefined),
      ])
      assert.ok(signedInMeanwhile)
      const [standing] = (await rest.call('GET', `/ext/sessions?userId=${person.id}`, { token: root() })).body
        .sessions
      assert.equal(standing, undefined)
    }
  })

  test('is created by administrators only, by no token, and never for themselves', async () => {
    const [person, other] = [await join(), await join()]
    assertEnvelope(await ask('POST', person.token, other.id), 403)
    assertEnvelope(await ask('DELETE', person.token, other.id), 403)
    assertEnvelope(await statesOf(other.id, person.token), 403)
    const { secret } = await makeToken(rest, root())
    assertEnvelope(await ask('POST', secret, other.id), 403)
    assertEnvelope(await ask('POST', root(), rest.administrator.id), 400)
    assertEnvelope(await ask('POST', root(), '00000000-0000-4000-8000-000000000001'), 404)
    assertEnvelope(await ask('DELETE', root(), other.id), 404)
    assertEnvelope(await ask('POST', root(), 'x'), 400)
    for (const ids of ['', 'x', `${other.id},x`]) assertEnvelope(await statesOf(ids), 400)
  })
})
