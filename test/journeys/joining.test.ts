import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { makeToken } from '../support/api-tokens.ts'
import { assertEnvelope } from '../support/assert-envelope.ts'
import { password } from '../support/cheap-passwords.ts'
import { furnish, type Workspace } from '../support/furnish.ts'
import { type Person, type RestUnderTest, startRestUnderTest } from '../support/rest-host.ts'

describe('Joining by an invitation', { concurrency: true }, () => {
  let rest: RestUnderTest
  let workspace: Workspace
  before(async () => {
    rest = await startRestUnderTest({ Auth__SessionValidationCacheSeconds: '0' })
    workspace = await furnish(rest)
  })
  after(() => rest.stop())

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
    assert.deepEqual(
      done.map(({ body }) => body),
      [{ projectId }],
    )
    assert.ok(answers.every(({ status }) => [200, 409, 410].includes(status)))
    assert.equal(await membersOf(projectId), 2)
    const seen = (await ask('GET', '/api/projects', other.token)).body.result.data
    assert.deepEqual(
      seen.map(({ id }: { id: string }) => id),
      [projectId],
    )
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
