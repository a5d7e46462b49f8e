import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { sql } from '../../src/db/sql.ts'
import { makeToken } from '../support/api-tokens.ts'
import { assertEnvelope } from '../support/assert-envelope.ts'
import { password } from '../support/cheap-passwords.ts'
import { furnish, type Workspace } from '../support/furnish.ts'
import { type Person, type RestUnderTest, startRestUnderTest } from '../support/rest-host.ts'

describe('An invitation', { concurrency: true }, () => {
  let rest: RestUnderTest
  let workspace: Workspace
  const written: string[] = []
  before(async () => {
    const destination = { write: (line: string) => void written.push(line) }
    const environment = { Auth__SessionValidationCacheSeconds: '0', LOG_LEVEL: 'info' }
    rest = await startRestUnderTest(environment, { destination })
    workspace = await furnish(rest)
  })
  after(() => rest.stop())

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
    const own = await startRestUnderTest({
      SVC_ADMIN_LOGINS: `${rest.administrator.login},kim@example.com,ops@example.com`,
    })
    const ownMember = await own.signUp()
    const ownProject = await (await furnish(own)).project('Quay', ownMember)
    const secretOf = async (token: string, projectId?: string) =>
      (await own.call('POST', '/ext/invitations', { token, body: { projectId } })).body.secret
    const acceptThere = (secret: string, login: string) =>
      own.call('POST', '/ext/invitations/accept', { body: { ...newcomer({ login }), secret } })
    const secret = await secretOf(ownMember.token, ownProject)
    for (const login of ['kim@example.com', ' KIM@example.com', '\u212Aim@example.com'])
      assertEnvelope(await acceptThere(secret, login), 409, ['login'])
    assert.equal((await acceptThere(secret, 'kim2@example.com')).status, 200)
    assertEnvelope(await acceptThere(await secretOf(own.administrator.token), 'ops@example.com'), 409, [
      'login',
    ])
    await own.stop()
  })

  const read = (secret: unknown) => ask('POST', '/ext/invitations/read', undefined, { secret })

  test('shows who invites and into what, to anyone with the link, and stays unused', async () => {
    const { member, projectId } = await host()
    const { secret, link } = await invite(member, projectId)
    for (const _ of [1, 2]) {
      const shown = await read(secret)
      assert.deepEqual(shown.body, {
        inviter: 'Mara',
        project: 'Pier',
        organization: 'Lighthouse',
        expiresAt: link.expiresAt,
      })
      assert.equal(shown.headers.get('cache-control'), 'no-store')
    }
    assert.equal((await accept(secret, newcomer())).status, 200)
    const intoNone = await read((await invite(rest.administrator)).secret)
    assert.deepEqual([intoNone.body.project, intoNone.body.organization], [null, null])
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
    assert.deepEqual(
      seen.map(({ id }: { id: string }) => id),
      [projectId],
    )
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
        login: ['Login must have no invisible characters.'],
      })
    assert.equal((await accept(secret, newcomer())).status, 200)
  })

  test('no longer works when it was ended, has expired, or its creator has left', async () => {
    const root = rest.administrator.token
    const ends: readonly ((made: { member: Person; projectId: string; id: string }) => Promise<unknown>)[] = [
      ({ member, id }) => ask('DELETE', '/ext/invitations', member.token, { id }),
      ({ id }) => ask('DELETE', '/ext/invitations', root, { id }),
      ({ id }) =>
        rest.database.single.query(sql`
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
    const answers = await Promise.all(
      Array.from({ length: 24 }, () => ask('POST', '/ext/invitations', member.token, { projectId })),
    )
    assert.equal(answers.filter(({ status }) => status === 200).length, 20)
    assert.equal(answers.filter(({ status }) => status === 400).length, 4)
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
