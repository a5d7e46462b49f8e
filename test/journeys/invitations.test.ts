import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { sql } from '../../src/db/sql.ts'
import { makeToken } from '../support/api-tokens.ts'
import { assertEnvelope, valuesOf } from '../support/assertions.ts'
import { password } from '../support/cheap-passwords.ts'
import { fixture } from '../support/fixture.ts'
import { type Person, startRestUnderTest } from '../support/rest-host.ts'
import { seed } from '../support/seed.ts'

describe('An invitation', { concurrency: true }, () => {
  const written: string[] = []
  const environment = { Auth__SessionValidationCacheSeconds: '0', LOG_LEVEL: 'info' }
  const rest = fixture(startRestUnderTest, environment, {
    destination: { write: (line) => void written.push(line) },
  })
  const workspace = fixture(seed, rest)

  let count = 0
  /** Returns the values of a new account. */
  const newcomer = (overrides: object = {}) => {
    count += 1
    return { name: 'Nora New', login: `nora-${count}@example.com`, password, ...overrides }
  }
  const ask = (method: string, path: string, token: string | undefined, body?: unknown) =>
    rest.call(method, path, body === undefined ? { token } : { token, body })
  const invite = async ({ token }: Person, projectId?: string) => {
    const answer = await ask('POST', '/ext/invitations', token, { projectId })
    assert.equal(answer.status, 200, JSON.stringify(answer.body))
    return answer.body as {
      readonly link: { readonly id: string; readonly expiresAt: string }
      readonly secret: string
    }
  }
  const accept = (secret: unknown, account: object) =>
    ask('POST', '/ext/invitations/accept', undefined, { ...account, secret })
  const signUpWithProject = async () => {
    const member = await rest.signUp({ name: 'Mara' })
    return { member, projectId: await workspace.project('Pier', member) }
  }

  test('creates no administrator', async () => {
    await using separateHost = await startRestUnderTest({
      SVC_ADMIN_LOGINS: `${rest.administrator.login},kim@example.com,ops@example.com`,
    })
    const ownMember = await separateHost.signUp()
    const ownProject = await (await seed(separateHost)).project('Quay', ownMember)
    const secretOf = async (token: string, projectId?: string) =>
      (await separateHost.call('POST', '/ext/invitations', { token, body: { projectId } })).body.secret
    const acceptAs = (secret: string, login: string) =>
      separateHost.call('POST', '/ext/invitations/accept', { body: { ...newcomer({ login }), secret } })
    const secret = await secretOf(ownMember.token, ownProject)
    for (const login of ['kim@example.com', ' KIM@example.com', '\u212Aim@example.com'])
      assertEnvelope(await acceptAs(secret, login), 409, ['login'])
    assert.equal((await acceptAs(secret, 'kim2@example.com')).status, 200)
    const byAdministrator = await secretOf(separateHost.administrator.token)
    assertEnvelope(await acceptAs(byAdministrator, 'ops@example.com'), 409, ['login'])
  })

  const read = (secret: unknown) => ask('POST', '/ext/invitations/read', undefined, { secret })

  test('shows its inviter and project to every reader of the link', async () => {
    const { member, projectId } = await signUpWithProject()
    const { secret, link } = await invite(member, projectId)
    for (let reads = 0; reads < 2; reads += 1) {
      const shown = await read(secret)
      assert.deepEqual(shown.body, {
        inviter: 'Mara',
        recipientName: null,
        projectId,
        project: 'Pier',
        organization: 'Lighthouse',
        expiresAt: link.expiresAt,
      })
      assert.equal(shown.headers.get('cache-control'), 'no-store')
    }
    assert.equal((await accept(secret, newcomer())).status, 200)
    const withoutProject = (await read((await invite(rest.administrator)).secret)).body
    assert.deepEqual(
      [withoutProject.projectId, withoutProject.project, withoutProject.organization],
      [null, null, null],
    )
    const named = await ask('POST', '/ext/invitations', member.token, { projectId, recipientName: 'Nora' })
    assert.equal((await read(named.body.secret)).body.recipientName, 'Nora')
    const listed = await ask('GET', `/ext/invitations?projectId=${projectId}`, member.token)
    assert.deepEqual(valuesOf(listed.body.links, 'recipientName'), ['Nora'])
    for (const recipientName of [7, 'x'.repeat(201)])
      assertEnvelope(await ask('POST', '/ext/invitations', member.token, { projectId, recipientName }), 400, [
        'recipientName',
      ])
    for (const wrong of [secret, 'x', `svl_${'0'.repeat(72)}`]) assertEnvelope(await read(wrong), 410)
    for (const wrong of [undefined, 7, {}, 'x'.repeat(101)]) assertEnvelope(await read(wrong), 400)
  })

  test('of a member creates one account', async () => {
    const { member, projectId } = await signUpWithProject()
    const other = await signUpWithProject()
    const { secret } = await invite(member, projectId)
    assert.match(secret, /^svl_[0-9a-f]{72}$/)
    const account = newcomer()
    assert.deepEqual((await accept(secret, account)).body, { success: true })
    const { access_token: token } = await rest.identity.signIn(account.login)
    const seen = (await ask('GET', '/api/projects', token)).body.result.data
    assert.deepEqual(valuesOf(seen, 'id'), [projectId])
    assert.notEqual(other.projectId, projectId)
    assert.equal((await ask('GET', '/api/users', token)).status, 403)
    assertEnvelope(await accept(secret, newcomer()), 410)
    const history = await ask('GET', `/ext/history?projectId=${projectId}`, member.token)
    const [{ resource, clientId, callerId }] = history.body.result.data
    assert.equal(resource, 'userProject')
    assert.match(clientId, /^invitation:/)
    assert.equal(callerId, (await ask('GET', '/api/me', token)).body.id)
  })

  test('creates a single account if ten users accept it at the same time', async () => {
    const { member, projectId } = await signUpWithProject()
    const { secret } = await invite(member, projectId)
    const answers = await Promise.all(Array.from({ length: 10 }, () => accept(secret, newcomer())))
    const statuses = answers.map(({ status }) => status).sort()
    assert.deepEqual(statuses, [200, ...Array.from({ length: 9 }, () => 410)])
    const members = (await ask('GET', `/api/userProjects?projectId=${projectId}`, member.token)).body.result
    assert.equal(members.totalCount, 2)
  })

  test('stays valid if the values of the new account are rejected', async () => {
    const { member, projectId } = await signUpWithProject()
    const { secret } = await invite(member, projectId)
    const wrong = await accept(secret, newcomer({ name: '', password: 'short' }))
    assertEnvelope(wrong, 400)
    assert.deepEqual(Object.keys(wrong.body.errors).sort(), ['name', 'password'])
    assertEnvelope(await accept(secret, newcomer({ login: member.login })), 409)
    assert.equal((await accept(secret, newcomer())).status, 200)
  })

  test('creates no account whose login contains invisible characters', async () => {
    const { member, projectId } = await signUpWithProject()
    const { secret } = await invite(member, projectId)
    // Such a login looks like another login.
    for (const hidden of ['\u200b', '\u202e', '\t', '\u2028'])
      assert.deepEqual((await accept(secret, newcomer({ login: `n${hidden}${member.login}` }))).body.errors, {
        login: ['Login must not contain invisible characters.'],
      })
  })

  test('is invalid after it was ended or has expired', async () => {
    const root = rest.administrator.token
    const ends: readonly ((made: { member: Person; projectId: string; id: string }) => Promise<unknown>)[] = [
      ({ member, id }) => ask('DELETE', '/ext/invitations', member.token, { id }),
      ({ id }) => ask('DELETE', '/ext/invitations', root, { id }),
      ({ id }) =>
        rest.database.singleWrites.query(sql`
          update account_links set created_at = now() - interval '4 days', expires_at = now() where id = ${id}`),
      ({ member }) => ask('POST', '/ext/deactivations', root, { userId: member.id }),
      ({ member }) => ask('DELETE', '/api/user', root, { ids: [member.id] }),
      async ({ member, projectId }) => {
        const found = await ask('GET', `/api/userProjects?projectId=${projectId}&userId=${member.id}`, root)
        const ids = found.body.result.data.map(({ id }: { id: string }) => id)
        await ask('DELETE', '/api/userProject', root, { ids })
      },
      ({ projectId }) => ask('DELETE', '/api/project', root, { ids: [projectId] }),
    ]
    for (const end of ends) {
      const { member, projectId } = await signUpWithProject()
      const { secret, link } = await invite(member, projectId)
      await end({ member, projectId, id: link.id })
      assertEnvelope(await read(secret), 410)
      assertEnvelope(await accept(secret, newcomer()), 410)
    }
  })

  test('can be created only for a project of its creator, or without one by an administrator', async () => {
    const [{ member, projectId }, other] = [await signUpWithProject(), await signUpWithProject()]
    assertEnvelope(await ask('POST', '/ext/invitations', member.token, { projectId: other.projectId }), 404)
    assertEnvelope(await ask('POST', '/ext/invitations', member.token, {}), 400)
    assertEnvelope(await ask('POST', '/ext/invitations', member.token, { projectId: 'x' }), 400)
    const { secret: program } = await makeToken(rest, member.token)
    assertEnvelope(await ask('POST', '/ext/invitations', program, { projectId }), 403)
    const account = newcomer()
    const { secret } = await invite(rest.administrator)
    assert.equal((await accept(secret, account)).status, 200)
    const { access_token: token } = await rest.identity.signIn(account.login)
    assert.equal((await ask('GET', '/api/projects', token)).body.result.totalCount, 0)
  })

  test('is listed for its creator without its secret', async () => {
    const [{ member, projectId }, other] = [await signUpWithProject(), await signUpWithProject()]
    const { secret, link } = await invite(member, projectId)
    const listed = await ask('GET', '/ext/invitations', member.token)
    assert.deepEqual(listed.body.links, [link])
    assert.ok(!JSON.stringify(listed.body).includes(secret.slice(4, 30)))
    assertEnvelope(await ask('DELETE', '/ext/invitations', other.member.token, { id: link.id }), 404)
  })

  test('cannot be created by an account that has twenty open invitations', async () => {
    const { member, projectId } = await signUpWithProject()
    const inviteAtOnce = async (count: number) => {
      const sent = Array.from({ length: count }, () =>
        ask('POST', '/ext/invitations', member.token, { projectId }),
      )
      return (await Promise.all(sent)).map(({ status }) => status).sort()
    }
    for (let round = 0; round < 3; round += 1) assert.deepEqual(await inviteAtOnce(6), Array(6).fill(200))
    assert.deepEqual(await inviteAtOnce(6), [200, 200, 400, 400, 400, 400])
  })

  test('with an invalid secret reveals nothing about logins and passwords', async () => {
    const { member } = await signUpWithProject()
    for (const secret of ['x', `svl_${'0'.repeat(72)}`, 'svl_'])
      assertEnvelope(await accept(secret, newcomer({ login: member.login, password: 'x' })), 410)
    for (const secret of [undefined, 7, {}, 'x'.repeat(101)])
      assertEnvelope(await accept(secret, newcomer()), 400)
  })

  test('is recorded in the security log when it is created and used', async () => {
    const { member, projectId } = await signUpWithProject()
    const from = written.length
    const { secret } = await invite(member, projectId)
    await accept(secret, newcomer())
    const events = written
      .slice(from)
      .map((line) => JSON.parse(line))
      .filter(({ security, by }) => /^link-/.test(security) && by === member.id)
    assert.deepEqual(
      events.map(({ security, outcome }) => [security, outcome]),
      [
        ['link-made', 'invitation'],
        ['link-used', 'invitation'],
      ],
    )
    assert.ok(!written.join('').includes(secret.slice(4, 30)))
  })
})

describe('Joining by an invitation', { concurrency: true }, () => {
  const rest = fixture(startRestUnderTest, { Auth__SessionValidationCacheSeconds: '0' })
  const workspace = fixture(seed, rest)

  const ask = (method: string, path: string, token: string | undefined, body?: unknown) =>
    rest.call(method, path, body === undefined ? { token } : { token, body })
  const signUpWithProject = async () => {
    const member = await rest.signUp({ name: 'Mara' })
    return { member, projectId: await workspace.project('Pier', member) }
  }
  const invite = async ({ token }: Person, projectId?: string) => {
    const answer = await ask('POST', '/ext/invitations', token, { projectId })
    assert.equal(answer.status, 200, JSON.stringify(answer.body))
    return answer.body as { readonly link: { readonly id: string }; readonly secret: string }
  }
  const join = (secret: unknown, { token }: { readonly token?: string }) =>
    ask('POST', '/ext/invitations/join', token, { secret })
  const membersOf = async (projectId: string) =>
    (await ask('GET', `/api/userProjects?projectId=${projectId}`, rest.administrator.token)).body.result
      .totalCount

  test('makes an existing account a member only once', async () => {
    const { member, projectId } = await signUpWithProject()
    const other = await rest.signUp()
    const links = [await invite(member, projectId), await invite(member, projectId)]
    const answers = await Promise.all([...links, ...links, ...links].map(({ secret }) => join(secret, other)))
    const accepted = answers.filter(({ status }) => status === 200)
    assert.deepEqual(valuesOf(accepted, 'body'), [{ projectId }])
    assert.ok(answers.every(({ status }) => [200, 409, 410].includes(status)))
    assert.equal(await membersOf(projectId), 2)
    const seen = (await ask('GET', '/api/projects', other.token)).body.result.data
    assert.deepEqual(valuesOf(seen, 'id'), [projectId])
    const history = await ask('GET', `/ext/history?projectId=${projectId}`, member.token)
    assert.match(history.body.result.data[0].clientId, /^invitation:/)
    // The unused link is still valid for another user.
    const third = await rest.signUp()
    const statuses = await Promise.all(links.map(async ({ secret }) => (await join(secret, third)).status))
    assert.deepEqual(statuses.sort(), [200, 410])
  })

  test('does not use up the link if the user is already a member', async () => {
    const { member, projectId } = await signUpWithProject()
    const { secret } = await invite(member, projectId)
    assertEnvelope(await join(secret, member), 409)
    const account = { name: 'Nora', login: 'nora-joins@example.com', password, secret }
    assert.equal((await ask('POST', '/ext/invitations/accept', undefined, account)).status, 200)
    assertEnvelope(await join(secret, await rest.signUp()), 410)
  })

  test("requires a user's session and a valid link", async () => {
    const { member, projectId } = await signUpWithProject()
    const { secret, link } = await invite(member, projectId)
    const other = await rest.signUp()
    assertEnvelope(await join(secret, {}), 401)
    const { secret: program } = await makeToken(rest, other.token)
    assertEnvelope(await join(secret, { token: program }), 403)
    for (const wrong of [undefined, 7, 'x'.repeat(101)]) assertEnvelope(await join(wrong, other), 400)
    for (const wrong of ['x', `svl_${'0'.repeat(72)}`]) assertEnvelope(await join(wrong, other), 410)
    assertEnvelope(await join((await invite(rest.administrator)).secret, other), 400)
    await ask('DELETE', '/ext/invitations', member.token, { id: link.id })
    assertEnvelope(await join(secret, other), 410)
    const deactivated = await signUpWithProject()
    const orphaned = await invite(deactivated.member, deactivated.projectId)
    await ask('POST', '/ext/deactivations', rest.administrator.token, { userId: deactivated.member.id })
    assertEnvelope(await join(orphaned.secret, other), 410)
    assert.equal(await membersOf(projectId), 1)
  })

  test('uses links that all members of the project, and no other users, can list and end', async () => {
    const { member, projectId } = await signUpWithProject()
    const colleague = await rest.signUp()
    assert.equal((await join((await invite(member, projectId)).secret, colleague)).status, 200)
    const { link } = await invite(member, projectId)
    const elsewhere = await signUpWithProject()
    await invite(elsewhere.member, elsewhere.projectId)
    const listed = (token: string) => ask('GET', `/ext/invitations?projectId=${projectId}`, token)
    for (const token of [member.token, colleague.token, rest.administrator.token])
      assert.deepEqual((await listed(token)).body.links, [link])
    assert.deepEqual((await listed(elsewhere.member.token)).body.links, [])
    assertEnvelope(await ask('GET', '/ext/invitations?projectId=x', member.token), 400)
    assertEnvelope(await ask('DELETE', '/ext/invitations', elsewhere.member.token, { id: link.id }), 404)
    assert.equal((await ask('DELETE', '/ext/invitations', colleague.token, { id: link.id })).status, 200)
    assert.deepEqual((await listed(member.token)).body.links, [])
  })

  test('cannot be offered by mail if no mail server is configured', async () => {
    const { member, projectId } = await signUpWithProject()
    const answer = await ask('POST', '/ext/invitations/mail', member.token, {
      projectId,
      mailTo: 'a@example.com',
    })
    assertEnvelope(answer, 400)
    assert.match(answer.body.errors.generalErrors[0], /cannot send mail/)
  })
})

const newPassword = 'Another-Horse-456'

describe('A password link', { concurrency: true }, () => {
  const rest = fixture(startRestUnderTest, { Auth__SessionValidationCacheSeconds: '0' })

  const ask = (method: string, path: string, token: string | undefined, body?: unknown) =>
    rest.call(method, path, body === undefined ? { token } : { token, body })
  const make = async ({ id: userId }: Person, token = rest.administrator.token): Promise<string> => {
    const answer = await ask('POST', '/ext/password-links', token, { userId })
    assert.equal(answer.status, 200, JSON.stringify(answer.body))
    return answer.body.secret
  }
  const setPassword = (secret: string, chosen = newPassword) =>
    ask('POST', '/ext/password-links/use', undefined, { secret, newPassword: chosen })

  test('sets a new password, once', async () => {
    const person = await rest.signUp()
    const { secret: program } = await makeToken(rest, person.token)
    const secret = await make(person)
    assert.deepEqual((await setPassword(secret)).body, { success: true })
    for (const token of [person.token, program]) assertEnvelope(await ask('GET', '/api/me', token), 401)
    const { access_token: token } = await rest.identity.signIn(person.login, { password: newPassword })
    assert.equal((await ask('GET', '/api/me', token)).body.id, person.id)
    assertEnvelope(await setPassword(secret), 410)
  })

  test('sets only one of ten passwords that are sent at the same time', async () => {
    const secret = await make(await rest.signUp())
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, index) => setPassword(secret, `Horse-Nr-${index}-x`)),
    )
    assert.equal(answers.filter(({ status }) => status === 200).length, 1)
    assert.equal(answers.filter(({ status }) => status === 410).length, 9)
  })

  test('is invalid after its creator has lost the role of administrator, even if the role is given again', async () => {
    const creator = await rest.signUp()
    const changeRole = (method: 'POST' | 'DELETE') =>
      ask(method, '/ext/administrators', rest.administrator.token, { userId: creator.id })
    assert.equal((await changeRole('POST')).status, 200)
    const { access_token: token } = await rest.identity.signIn(creator.login)
    const person = await rest.signUp()
    const secret = await make(person, token)
    assert.equal((await changeRole('DELETE')).status, 200)
    assertEnvelope(await setPassword(secret), 410)
    assert.equal((await changeRole('POST')).status, 200)
    assertEnvelope(await setPassword(secret), 410)
  })

  test('is invalid if the role of its creator was deleted in the database', async () => {
    const creator = await rest.signUp()
    await ask('POST', '/ext/administrators', rest.administrator.token, { userId: creator.id })
    const { access_token: token } = await rest.identity.signIn(creator.login)
    const secret = await make(await rest.signUp(), token)
    await rest.database.singleWrites.query(sql`delete from administrators where user_id = ${creator.id}`)
    assertEnvelope(await setPassword(secret), 410)
  })

  test('is invalid after it was replaced, has expired, or the account has changed', async () => {
    const root = rest.administrator.token
    const ends: readonly ((person: Person) => Promise<unknown>)[] = [
      (person) => make(person),
      ({ token }) =>
        ask('POST', '/api/me/password', token, { currentPassword: password, newPassword: 'Third-Horse-789' }),
      ({ token }) => ask('POST', '/ext/sessions/end-all', token),
      ({ id }) =>
        rest.database.singleWrites.query(
          sql`update account_links set expires_at = now() where user_id = ${id}`,
        ),
      ({ id }) => ask('POST', '/ext/deactivations', root, { userId: id }),
      ({ id }) => ask('DELETE', '/api/user', root, { ids: [id] }),
    ]
    for (const end of ends) {
      const person = await rest.signUp()
      const secret = await make(person)
      await end(person)
      assertEnvelope(await setPassword(secret), 410)
    }
  })

  test('stays valid if the password is rejected', async () => {
    const person = await rest.signUp({ login: 'anna-12345@example.com' })
    const secret = await make(person)
    for (const wrong of ['short', 'Anna-12345@Example.com']) {
      const answer = await setPassword(secret, wrong)
      assertEnvelope(answer, 400)
      assert.deepEqual(Object.keys(answer.body.errors), ['newPassword'])
    }
    assert.equal((await setPassword(secret)).status, 200)
  })

  test('is created by administrators only, for existing accounts', async () => {
    const [person, other] = [await rest.signUp(), await rest.signUp()]
    const path = '/ext/password-links'
    assertEnvelope(await ask('POST', path, person.token, { userId: other.id }), 403)
    const { secret: program } = await makeToken(rest, rest.administrator.token)
    assertEnvelope(await ask('POST', path, program, { userId: other.id }), 403)
    const root = rest.administrator.token
    assertEnvelope(await ask('POST', path, root, { userId: '00000000-0000-4000-8000-000000000001' }), 404)
    assertEnvelope(await ask('POST', path, root, { userId: 'x' }), 400)
    const secret = await make(other)
    const account = { name: 'N', login: 'n@example.com', password, secret }
    assertEnvelope(await ask('POST', '/ext/invitations/accept', undefined, account), 410)
    assertEnvelope(await ask('GET', '/api/me', secret), 401)
  })
})
