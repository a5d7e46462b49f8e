import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { sql } from '../../src/db/sql.ts'
import { makeToken } from '../support/api-tokens.ts'
import { assertEnvelope, valuesOf } from '../support/assertions.ts'
import {
  createPkce,
  openBrowser,
  postSignIn,
  queryOf,
  redeem,
  refresh,
  signedIn,
} from '../support/browser.ts'
import { password } from '../support/cheap-passwords.ts'
import { arriveFrom, insertIdentity, startExternalProvider } from '../support/external-provider.ts'
import { fixture } from '../support/fixture.ts'
import {
  authorizationRequestOf,
  registrationOf,
  requestTokens,
  signInTo,
  wiki,
} from '../support/registered-clients.ts'
import { type Person, send, startRestUnderTest } from '../support/rest-host.ts'
import { seed } from '../support/seed.ts'
import { until } from '../support/until.ts'

describe('Administrators whose role is stored in the database', () => {
  const logLines: string[] = []
  const environment = { Auth__SessionValidationCacheSeconds: '0', LOG_LEVEL: 'info' }
  const rest = fixture(startRestUnderTest, environment, {
    destination: { write: (line) => void logLines.push(line) },
  })

  const list = (by: string) => rest.call('GET', '/ext/administrators', { token: by })
  const grant = (by: string, userId: string) =>
    rest.call('POST', '/ext/administrators', { token: by, body: { userId } })
  const revoke = (by: string, userId: string) =>
    rest.call('DELETE', '/ext/administrators', { token: by, body: { userId } })
  const listedIds = async (): Promise<string[]> => {
    const { body } = await list(rest.administrator.token)
    return body.administrators.map(({ userId }: { userId: string }) => userId)
  }
  /** Returns the status of a request that only administrators may send. */
  const statusOfUsers = async (token: string) => (await rest.call('GET', '/api/users', { token })).status
  const tokenOf = async ({ login }: Person) => (await rest.identity.signIn(login)).access_token
  const createAdministrator = async () => {
    const person = await rest.signUp({ name: 'Mara' })
    assert.equal((await grant(rest.administrator.token, person.id)).status, 200)
    return { ...person, token: await tokenOf(person) }
  }

  test('get the role with their next token', async () => {
    const person = await rest.signUp({ name: 'Mara' })
    const { secret } = await makeToken(rest, person.token, { scopes: ['*:read'] })
    assert.equal(await statusOfUsers(person.token), 403)
    assert.equal((await grant(rest.administrator.token, person.id)).status, 200)
    assert.equal(await statusOfUsers(person.token), 403)
    const token = await tokenOf(person)
    assert.equal(await statusOfUsers(token), 200)
    assert.equal(await statusOfUsers(secret), 200)
    assert.ok((await listedIds()).includes(person.id))
    assert.equal((await revoke(rest.administrator.token, person.id)).status, 200)
    assert.equal(await statusOfUsers(token), 401)
    assert.equal(await statusOfUsers(secret), 403)
    assert.equal(await statusOfUsers(await tokenOf(person)), 403)
    assert.ok(!(await listedIds()).includes(person.id))
  })

  test('lose the role when their account is removed', async () => {
    const person = await createAdministrator()
    const { token } = rest.administrator
    for (const [method, path] of [
      ['DELETE', '/api/user'],
      ['POST', '/api/user/restore'],
    ] as const)
      assert.equal((await rest.call(method, path, { token, body: { ids: [person.id] } })).status, 200)
    assert.ok(!(await listedIds()).includes(person.id))
    assert.equal(await statusOfUsers(await tokenOf(person)), 403)
  })

  test('can be listed and appointed by administrators only', async () => {
    const person = await rest.signUp()
    assertEnvelope(await list(person.token), 403)
    assertEnvelope(await grant(person.token, person.id), 403)
    assertEnvelope(await revoke(person.token, person.id), 403)
    const { secret } = await makeToken(rest, rest.administrator.token)
    assertEnvelope(await grant(secret, person.id), 403)
  })

  test("cannot revoke their own role, nor can two of them revoke each other's", async () => {
    const [first, second] = [await createAdministrator(), await createAdministrator()]
    assertEnvelope(await revoke(first.token, first.id), 400)
    const answers = await Promise.all([revoke(first.token, second.id), revoke(second.token, first.id)])
    const statuses = answers.map(({ status }) => status).sort()
    // The later request is rejected because its token has ended, or after it has waited for the lock.
    assert.equal(statuses[0], 200)
    assert.ok(statuses[1] === 401 || statuses[1] === 403, String(statuses[1]))
    assert.equal((await listedIds()).filter((id) => id === first.id || id === second.id).length, 1)
  })

  test('are appointed once even by concurrent requests', async () => {
    const person = await rest.signUp()
    const root = rest.administrator.token
    const answers = await Promise.all(Array.from({ length: 4 }, () => grant(root, person.id)))
    assert.deepEqual(valuesOf(answers, 'status'), [200, 200, 200, 200])
    assert.equal((await listedIds()).filter((id) => id === person.id).length, 1)
  })

  test('cannot be appointed without an account, or revoked without a stored role', async () => {
    const root = rest.administrator.token
    assertEnvelope(await grant(root, '00000000-0000-4000-8000-000000000001'), 404)
    assertEnvelope(await grant(root, 'x'), 400)
    assertEnvelope(await revoke(root, rest.administrator.id), 400)
    assertEnvelope(await revoke(root, (await rest.signUp()).id), 404)
  })

  test('are recorded in the security log when they are appointed and revoked', async () => {
    const from = logLines.length
    const { id } = await createAdministrator()
    await revoke(rest.administrator.token, id)
    const events = logLines
      .slice(from)
      .map((line) => JSON.parse(line))
      .filter(({ security }) => security === 'administrator-changed')
    assert.deepEqual(
      events.map(({ outcome, account, by }) => [outcome, account, by]),
      [
        ['given', id, rest.administrator.id],
        ['taken', id, rest.administrator.id],
      ],
    )
  })
})

describe('The deactivation of an account', () => {
  const rest = fixture(startRestUnderTest, { Auth__SessionValidationCacheSeconds: '0' })

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
  /** Returns the token that a sign-in or a client receives, or undefined if it is rejected. */
  const tokenFrom = (issue: Promise<string | { readonly access_token?: string }>) =>
    issue.then(
      (result) => (typeof result === 'string' ? result : result?.access_token),
      () => undefined,
    )
  const isAccepted = async (token: string) => (await rest.call('GET', '/api/me', { token })).status === 200

  test('prevents sign-ins until the reactivation', async () => {
    const person = await join()
    const { secret } = await makeToken(rest, person.token)
    const service = await rest.identity.serviceToken(person.login)
    assert.equal((await ask('POST', root(), person.id)).status, 200)
    for (const token of [person.token, secret, service]) assert.equal(await isAccepted(token), false)
    const browser = openBrowser(rest.identity.address)
    assert.equal((await refresh(browser, person.refreshToken)).json.error, 'invalid_grant')
    for (const issue of [rest.identity.signIn(person.login), rest.identity.serviceToken(person.login)])
      assert.equal(await tokenFrom(issue), undefined)
    const [{ userId, deactivatedBy }] = (await statesOf(person.id)).body.deactivations
    assert.deepEqual([userId, deactivatedBy], [person.id, rest.administrator.id])
    assert.equal((await ask('DELETE', root(), person.id)).status, 200)
    assert.deepEqual((await statesOf(person.id)).body.deactivations, [])
    const { access_token: token } = await rest.identity.signIn(person.login)
    assert.equal(await isAccepted(token), true)
    for (const old of [person.token, secret, service]) assert.equal(await isAccepted(old), false)
  })

  test('keeps the name, the memberships and the history of the account', async () => {
    const workspace = await seed(rest)
    const [person, colleague] = [await join(), await join()]
    const projectId = await workspace.project('Pier', person)
    await workspace.join(projectId, colleague.id)
    await ask('POST', root(), person.id)
    const get = async (path: string) => (await colleague.call('GET', path)).body
    const people = (await get(`/ext/people?ids=${person.id}`)).result.data
    assert.deepEqual(people, [{ id: person.id, name: 'Mara' }])
    const members = (await get(`/api/userProjects?projectId=${projectId}`)).result.data
    assert.equal(members.length, 2)
    const [{ callerId }] = (await get(`/ext/history?resource=project&id=${projectId}`)).result.data
    assert.equal(callerId, person.id)
  })

  test('rejects a sign-in that began before it', async () => {
    for (let round = 0; round < 4; round += 1) {
      const person = await join()
      const browser = openBrowser(rest.identity.address)
      const [, signedInMeanwhile] = await Promise.all([
        ask('POST', root(), person.id),
        postSignIn(browser, createPkce(), { login: person.login, password }).catch(() => undefined),
      ])
      assert.ok(signedInMeanwhile)
      const { body } = await rest.call('GET', `/ext/sessions?userId=${person.id}`, { token: root() })
      assert.deepEqual(body.sessions, [])
    }
  })

  test('is allowed to other administrators only', async () => {
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

  const appoint = async () => {
    const person = await rest.signUp({ name: 'Mara' })
    await rest.call('POST', '/ext/administrators', { token: root(), body: { userId: person.id } })
    return { id: person.id, token: (await rest.identity.signIn(person.login)).access_token }
  }
  const countWaiting = async () => {
    const waiting = await rest.database.query(sql`
      select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`)
    return waiting.length
  }
  /** Makes all requests wait for the same lock, so that they get it in this order. Returns their statuses. */
  const inOrder = async (requests: readonly (() => Promise<{ readonly status: number }>)[]) => {
    const answers = await rest.database.transaction(async (transaction) => {
      await transaction.query(sql`lock table administrators in share row exclusive mode`)
      const started: Promise<{ readonly status: number }>[] = []
      for (const request of requests) {
        started.push(request())
        await until(async () => (await countWaiting()) === started.length, 'requests that wait for the lock')
      }
      return started
    })
    return valuesOf(await Promise.all(answers), 'status')
  }
  const deactivate = (token: string, userId: string) => ask('POST', token, userId)
  const revokeRole = (token: string, userId: string) =>
    rest.call('DELETE', '/ext/administrators', { token, body: { userId } })
  const remove = (token: string, id: string) =>
    rest.call('DELETE', '/api/user', { token, body: { ids: [id] } })
  const removeInBatch = (token: string, id: string) =>
    rest.call('POST', '/ext/batch', {
      token,
      body: {
        mode: 'allOrNothing',
        items: [{ operation: 'remove', resource: 'user', body: { ids: [id] } }],
      },
    })

  for (const { title, first, second } of [
    { title: 'deactivate each other', first: deactivate, second: deactivate },
    { title: 'deactivate and revoke the role of each other', first: deactivate, second: revokeRole },
    { title: 'remove each other', first: remove, second: remove },
    { title: 'remove each other, one in a batch', first: remove, second: removeInBatch },
    { title: 'remove and deactivate each other', first: remove, second: deactivate },
    { title: 'deactivate and remove each other', first: deactivate, second: remove },
    { title: 'remove and revoke the role of each other', first: remove, second: revokeRole },
    { title: 'revoke the role of and remove each other', first: revokeRole, second: remove },
  ])
    test(`leaves at least one administrator: if two ${title}, only the first succeeds`, async () => {
      const [ann, bob] = [await appoint(), await appoint()]
      const statuses = await inOrder([() => first(ann.token, bob.id), () => second(bob.token, ann.id)])
      assert.deepEqual(statuses, [200, 403])
      const tokens = valuesOf([ann, bob], 'token')
      const users = await Promise.all(tokens.map((token) => rest.call('GET', '/api/users', { token })))
      assert.deepEqual(valuesOf(users, 'status'), [200, 401])
    })

  test('is not needed before administrators remove their own account', async () => {
    const { id, token } = await appoint()
    assert.equal((await remove(token, id)).status, 200)
  })

  test('cannot be reversed by an administrator whose role is being revoked', async () => {
    const [person, former] = [await join(), await appoint()]
    assert.equal((await ask('POST', root(), person.id)).status, 200)
    const statuses = await inOrder([
      () => revokeRole(root(), former.id),
      () => ask('DELETE', former.token, person.id),
    ])
    assert.deepEqual(statuses, [200, 403])
    assert.equal((await statesOf(person.id)).body.deactivations.length, 1)
  })
})

describe('A consent of a user', () => {
  const rest = fixture(startRestUnderTest, {
    Auth__SessionValidationCacheSeconds: '0',
    ...registrationOf({
      ...wiki,
      extraSettings: {
        ...wiki.extraSettings,
        Scopes__0: 'openid',
        Scopes__1: 'svc.api',
        Scopes__2: 'offline_access',
      },
    }),
  })

  const scope = 'openid svc.api offline_access'
  const withdraw = (token: string, clientId: string) =>
    rest.call('DELETE', '/ext/consents', { token, body: { clientId } })

  test('is listed, and can be withdrawn together with every token that was issued to the app', async () => {
    const { login, token } = await rest.signUp()
    const browser = openBrowser(rest.identity.address)
    const { json } = await requestTokens(browser, wiki, { login, request: { scope } })
    const me = () => rest.call('GET', '/api/me', { token: json.access_token })
    assert.equal((await me()).status, 200)
    // Makes the tokens older than the withdrawal, because both would be in the same second.
    await rest.database.query(sql`update refresh_tokens set created_at = now() - interval '10 seconds'`)
    const [consent, ...more] = (await rest.call('GET', '/ext/consents', { token })).body.consents
    assert.equal(more.length, 0)
    assert.deepEqual([consent.clientId, consent.name], ['wiki', wiki.extraSettings?.Name])
    assert.deepEqual(consent.scopes.sort(), ['offline_access', 'openid', 'svc.api'])
    // This code has been issued, but not redeemed.
    const pkce = createPkce()
    const callback = await signInTo(browser, wiki, { request: { scope }, pkce })
    assert.ok(queryOf(callback).code)
    assert.deepEqual((await withdraw(token, 'wiki')).body, { success: true })
    assertEnvelope(await me(), 401)
    const client = { client_id: 'wiki' }
    assert.equal((await refresh(browser, json.refresh_token, client)).json.error, 'invalid_grant')
    const redeemed = await browser.post('/connect/token', {
      grant_type: 'authorization_code',
      client_id: 'wiki',
      code: queryOf(callback).code ?? '',
      redirect_uri: wiki.redirectUri,
      code_verifier: pkce.verifier,
    })
    assert.equal(redeemed.json.error, 'invalid_grant')
    assert.deepEqual((await rest.call('GET', '/ext/consents', { token })).body, { consents: [] })
    assertEnvelope(await withdraw(token, 'wiki'), 404)
    // The user is asked for consent again. New tokens work, but earlier tokens do not.
    const page = await browser.follow(
      await browser.get('/connect/authorize', authorizationRequestOf(wiki, createPkce(), { scope })),
    )
    assert.match(page.text, /name="answer"/)
    await rest.database.query(sql`update consents set withdrawn_at = now() - interval '1 second'`)
    const latest = (await requestTokens(browser, wiki, { request: { scope } })).json
    assert.equal((await rest.call('GET', '/api/me', { token: latest.access_token })).status, 200)
    assert.equal((await refresh(browser, json.refresh_token, client)).json.error, 'invalid_grant')
  })

  test('can be withdrawn by its owner only, not by the app, and listed by administrators', async () => {
    const [owner, stranger] = [await rest.signUp(), await rest.signUp()]
    const browser = openBrowser(rest.identity.address)
    const { json } = await requestTokens(browser, wiki, { login: owner.login, request: { scope } })
    assertEnvelope(await withdraw(json.access_token, 'wiki'), 403)
    assertEnvelope(await withdraw(stranger.token, 'wiki'), 404)
    const path = `/ext/consents?userId=${owner.id}`
    assertEnvelope(await stranger.call('GET', path), 403)
    const { consents } = (await rest.administrator.call('GET', path)).body
    assert.equal(consents.length, 1)
  })
})

describe('Identities at external providers', () => {
  const direct = fixture(startExternalProvider)
  const rest = fixture(() =>
    startRestUnderTest({ Auth__SessionValidationCacheSeconds: '0', ...direct.settings('plain') }),
  )

  const signUpConnected = async (subject: string) => {
    const person = await rest.signUp()
    await insertIdentity(rest.database, direct.issuer, { userId: person.id, subject })
    return person
  }
  const list = async (token: string, query = '') =>
    (await rest.call('GET', `/ext/identities${query}`, { token })).body.identities
  const disconnect = (token: string, id: string) =>
    rest.call('DELETE', '/ext/identities', { token, body: { id } })
  const arrive = async (sub: string) => {
    const [browser, pkce] = [openBrowser(rest.identity.address), createPkce()]
    const arrival = { provider: 'plain', person: { sub }, browser, pkce }
    const callback = await arriveFrom(direct, rest.identity.address, arrival)
    if (queryOf(callback).code === undefined) return undefined
    return (await redeem(browser, pkce, callback)).json.access_token as string
  }

  test('can be listed and unlinked by their owner', async () => {
    const { id: userId, token } = await signUpConnected('mine')
    const externalToken = (await arrive('mine')) ?? ''
    const [identity, ...more] = await list(token)
    assert.equal(more.length, 0)
    assert.deepEqual(
      [identity.userId, identity.provider, identity.issuer, typeof identity.lastUsedAt],
      [userId, 'plain', direct.issuer, 'string'],
    )
    const { sessions } = (await rest.call('GET', '/ext/sessions', { token })).body
    assert.deepEqual(valuesOf(sessions, 'provider'), ['plain', null])
    assert.deepEqual((await disconnect(token, identity.id)).body, { success: true })
    assertEnvelope(await rest.call('GET', '/api/me', { token: externalToken }), 401)
    assert.equal((await rest.call('GET', '/api/me', { token })).status, 200)
    assert.equal(await arrive('mine'), undefined)
    assertEnvelope(await disconnect(token, identity.id), 404)
  })

  test('of other users can be listed and unlinked by administrators only', async () => {
    const [owner, stranger] = [await signUpConnected('theirs'), await rest.signUp()]
    const [identity] = await list(owner.token)
    assertEnvelope(await stranger.call('GET', `/ext/identities?userId=${owner.id}`), 403)
    assertEnvelope(await disconnect(stranger.token, identity.id), 404)
    assert.deepEqual(await list(rest.administrator.token, `?userId=${owner.id}`), [identity])
    assert.equal((await disconnect(rest.administrator.token, identity.id)).status, 200)
  })

  test('cannot be unlinked by their owner if they are the only way to sign in', async () => {
    const owner = await signUpConnected('one')
    await insertIdentity(rest.database, direct.issuer, { userId: owner.id, subject: 'two' })
    const withoutPasswords = await rest.startAnother({ passwords: false })
    const identities = await list(owner.token)
    const answers = await Promise.all(
      identities.map(({ id }: { id: string }) =>
        send(withoutPasswords.address, 'DELETE', '/ext/identities', { token: owner.token, body: { id } }),
      ),
    )
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 400])
    // A password hash that no password matches is no way to sign in either.
    const [remaining] = await list(owner.token)
    await rest.database.query(sql`update users set password_hash = 'none' where id = ${owner.id}`)
    assertEnvelope(await disconnect(owner.token, remaining.id), 400)
    assert.equal((await disconnect(rest.administrator.token, remaining.id)).status, 200)
  })

  test('can be unlinked if the user can sign in with a passkey alone', async () => {
    const owner = await signUpConnected('with a passkey')
    const { address } = await rest.startAnother({ passwords: false, passkeySignInDomain: 'example.com' })
    const [identity] = await list(owner.token)
    const disconnectHere = () =>
      send(address, 'DELETE', '/ext/identities', { token: owner.token, body: { id: identity.id } })
    await rest.database.query(sql`
      insert into passkeys (id, user_id, credential_id, public_key, counter, transports, name, created_at)
      values (gen_random_uuid(), ${owner.id}, '\\x01'::bytea, '\\x00'::bytea, 0, '{}', 'Key', now())`)
    for (const { domain, status } of [
      { domain: null, status: 400 },
      { domain: 'former.example', status: 400 },
      { domain: 'example.com', status: 200 },
    ]) {
      await rest.database.query(sql`update passkeys set alone_domain = ${domain} where user_id = ${owner.id}`)
      assert.equal((await disconnectHere()).status, status, String(domain))
    }
  })
})
