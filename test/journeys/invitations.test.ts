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

  let people = 0
  const newcomer = (change: object = {}) => ({
    name: 'Nora New',
    login: `nora-${++people}@example.com`,
    password,
    ...change,
  })
  const ask = (method: string, path: string, token: string | undefined, body?: unknown) =>
    rest.call(method, path, { token, ...(body !== undefined && { body }) })
  const invite = async ({ token }: Person, projectId?: string) => {
    const answer = await ask('POST', '/ext/invitations', token, { projectId })
    assert.equal(answer.status, 200, JSON.stringify(answer.body))
    return answer.body as {
      readonly link: { readonly id: string; readonly expiresAt: string }
      readonly secret: string
    }
  }
  const accept = (secret: unknown, who: object) =>
    ask('POST', '/ext/invitations/accept', undefined, { ...who, secret })
  const host = async () => {
    const member = await rest.signUp({ name: 'Mara' })
    return { member, projectId: await workspace.project('Pier', member) }
  }

  test('makes no administrator, whoever made it: not by a login that the settings name', async () => {
    await using separateHost = await startRestUnderTest({
      SVC_ADMIN_LOGINS: `${rest.administrator.login},kim@example.com,ops@example.com`,
    })
    const ownMember = await separateHost.signUp()
    const ownProject = await (await seed(separateHost)).project('Quay', ownMember)
    const secretOf = async (token: string, projectId?: string) =>
      (await separateHost.call('POST', '/ext/invitations', { token, body: { projectId } })).body.secret
    const acceptThere = (secret: string, login: string) =>
      separateHost.call('POST', '/ext/invitations/accept', { body: { ...newcomer({ login }), secret } })
    const secret = await secretOf(ownMember.token, ownProject)
    for (const login of ['kim@example.com', ' KIM@example.com', '\u212Aim@example.com'])
      assertEnvelope(await acceptThere(secret, login), 409, ['login'])
    assert.equal((await acceptThere(secret, 'kim2@example.com')).status, 200)
    assertEnvelope(
      await acceptThere(await secretOf(separateHost.administrator.token), 'ops@example.com'),
      409,
      ['login'],
    )
  })

  const read = (secret: unknown) => ask('POST', '/ext/invitations/read', undefined, { secret })

  test('shows who invites and into what, to anyone with the link, and stays unused', async () => {
    const { member, projectId } = await host()
    const { secret, link } = await invite(member, projectId)
    for (const _ of [1, 2]) {
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
    const intoNone = await read((await invite(rest.administrator)).secret)
    const { projectId: intoId, project, organization } = intoNone.body
    assert.deepEqual([intoId, project, organization], [null, null, null])
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

  test('of a member makes one account, which sees the project and nothing else, and is used up', async () => {
    const { member, projectId } = await host()
    const other = await host()
    const { secret } = await invite(member, projectId)
    assert.match(secret, /^svl_[0-9a-f]{72}$/)
    const who = newcomer()
    assert.deepEqual((await accept(secret, who)).body, { success: true })
    const { access_token: token } = await rest.identity.signIn(who.login)
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

  test('makes one account of ten who use it at once', async () => {
    const { member, projectId } = await host()
    const { secret } = await invite(member, projectId)
    const answers = await Promise.all(Array.from({ length: 10 }, () => accept(secret, newcomer())))
    const statuses = answers.map(({ status }) => status).sort()
    assert.deepEqual(statuses, [200, ...Array.from({ length: 9 }, () => 410)])
    const members = (await ask('GET', `/api/userProjects?projectId=${projectId}`, member.token)).body.result
    assert.equal(members.totalCount, 2)
  })

  test('stays as it was when what was sent with it is rejected', async () => {
    const { member, projectId } = await host()
    const { secret } = await invite(member, projectId)
    const wrong = await accept(secret, newcomer({ name: '', password: 'short' }))
    assertEnvelope(wrong, 400)
    assert.deepEqual(Object.keys(wrong.body.errors).sort(), ['name', 'password'])
    assertEnvelope(await accept(secret, newcomer({ login: member.login })), 409)
    // Looks like the one that exists.
    for (const hidden of ['\u200b', '\u202e', '\t', '\u2028'])
      assert.deepEqual((await accept(secret, newcomer({ login: `n${hidden}${member.login}` }))).body.errors, {
        login: ['Login must not contain invisible characters.'],
      })
    assert.equal((await accept(secret, newcomer())).status, 200)
  })

  test('no longer works when it was ended, has expired, or its creator has left', async () => {
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
      const { member, projectId } = await host()
      const { secret, link } = await invite(member, projectId)
      await end({ member, projectId, id: link.id })
      assertEnvelope(await read(secret), 410)
      assertEnvelope(await accept(secret, newcomer()), 410)
    }
  })

  test('is made into projects of one’s own only, by administrators into none as well, and by no token', async () => {
    const [{ member, projectId }, other] = [await host(), await host()]
    assertEnvelope(await ask('POST', '/ext/invitations', member.token, { projectId: other.projectId }), 404)
    assertEnvelope(await ask('POST', '/ext/invitations', member.token, {}), 400)
    assertEnvelope(await ask('POST', '/ext/invitations', member.token, { projectId: 'x' }), 400)
    const { secret: program } = await makeToken(rest, member.token)
    assertEnvelope(await ask('POST', '/ext/invitations', program, { projectId }), 403)
    const who = newcomer()
    const { secret } = await invite(rest.administrator)
    assert.equal((await accept(secret, who)).status, 200)
    const { access_token: token } = await rest.identity.signIn(who.login)
    assert.equal((await ask('GET', '/api/projects', token)).body.result.totalCount, 0)
  })

  test('is listed for its creator, without its secret, and ended by no other user', async () => {
    const [{ member, projectId }, other] = [await host(), await host()]
    const { secret, link } = await invite(member, projectId)
    const listed = await ask('GET', '/ext/invitations', member.token)
    assert.deepEqual(listed.body.links, [link])
    assert.ok(!JSON.stringify(listed.body).includes(secret.slice(4, 30)))
    assertEnvelope(await ask('DELETE', '/ext/invitations', other.member.token, { id: link.id }), 404)
  })

  test('is at most one of twenty that are open', async () => {
    const { member, projectId } = await host()
    const inviteAtOnce = async (count: number) => {
      const sent = Array.from({ length: count }, () =>
        ask('POST', '/ext/invitations', member.token, { projectId }),
      )
      return (await Promise.all(sent)).map(({ status }) => status).sort()
    }
    for (let round = 0; round < 3; round += 1) assert.deepEqual(await inviteAtOnce(6), Array(6).fill(200))
    assert.deepEqual(await inviteAtOnce(6), [200, 200, 400, 400, 400, 400])
  })

  test('that was made up, cut off or is no text reveals nothing about logins and passwords', async () => {
    const { member } = await host()
    for (const secret of ['x', `svl_${'0'.repeat(72)}`, 'svl_'])
      assertEnvelope(await accept(secret, newcomer({ login: member.login, password: 'x' })), 410)
    for (const secret of [undefined, 7, {}, 'x'.repeat(101)])
      assertEnvelope(await accept(secret, newcomer()), 400)
  })

  test('is written into the security log when it is made and used, without its secret', async () => {
    const { member, projectId } = await host()
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
    rest.call(method, path, { token, ...(body !== undefined && { body }) })
  const host = async () => {
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

  test('makes an existing account a member once, in many concurrent uses, and uses the link up', async () => {
    const { member, projectId } = await host()
    const other = await rest.signUp()
    const links = [await invite(member, projectId), await invite(member, projectId)]
    const answers = await Promise.all([...links, ...links, ...links].map(({ secret }) => join(secret, other)))
    const done = answers.filter(({ status }) => status === 200)
    assert.deepEqual(valuesOf(done, 'body'), [{ projectId }])
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

  test('leaves the link as it was for who is a member already', async () => {
    const { member, projectId } = await host()
    const { secret } = await invite(member, projectId)
    assertEnvelope(await join(secret, member), 409)
    const who = { name: 'Nora', login: 'nora-joins@example.com', password, secret }
    assert.equal((await ask('POST', '/ext/invitations/accept', undefined, who)).status, 200)
    assertEnvelope(await join(secret, await rest.signUp()), 410)
  })

  test("needs a user's session, a valid link, and one that leads into a project", async () => {
    const { member, projectId } = await host()
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
    const left = await host()
    const late = await invite(left.member, left.projectId)
    await ask('POST', '/ext/deactivations', rest.administrator.token, { userId: left.member.id })
    assertEnvelope(await join(late.secret, other), 410)
    assert.equal(await membersOf(projectId), 1)
  })

  test('is visible to all members, who may all end it, and to no other user', async () => {
    const { member, projectId } = await host()
    const colleague = await rest.signUp()
    assert.equal((await join((await invite(member, projectId)).secret, colleague)).status, 200)
    const { link } = await invite(member, projectId)
    const elsewhere = await host()
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

  test('by mail is rejected where no mail can be sent', async () => {
    const { member, projectId } = await host()
    const answer = await ask('POST', '/ext/invitations/mail', member.token, {
      projectId,
      mailTo: 'a@example.com',
    })
    assertEnvelope(answer, 400)
    assert.match(answer.body.errors.generalErrors[0], /cannot send mail/)
  })
})

const newPassword = 'Another-Horse-456'

describe('A link for a new password', { concurrency: true }, () => {
  const rest = fixture(startRestUnderTest, { Auth__SessionValidationCacheSeconds: '0' })

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

  test('no longer works once its creator has lost the role without a request, as by other settings', async () => {
    const maker = await rest.signUp()
    await ask('POST', '/ext/administrators', rest.administrator.token, { userId: maker.id })
    const { access_token: token } = await rest.identity.signIn(maker.login)
    const secret = await make(await rest.signUp(), token)
    await rest.database.singleWrites.query(sql`delete from administrators where user_id = ${maker.id}`)
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
