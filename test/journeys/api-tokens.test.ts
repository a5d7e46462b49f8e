import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { sql } from '../../src/db/sql.ts'
import { inDays, makeToken } from '../support/api-tokens.ts'
import { assertEnvelope } from '../support/assertions.ts'
import { password } from '../support/cheap-passwords.ts'
import { openCommandCalls } from '../support/command-calls.ts'
import { startCommandsUnderTest } from '../support/command-host.ts'
import { fixture } from '../support/fixture.ts'
import { openEventStream } from '../support/live-events.ts'
import { type Person, startRestUnderTest } from '../support/rest-host.ts'
import { seed } from '../support/seed.ts'

describe('Personal access tokens', { concurrency: true }, () => {
  const logLines: string[] = []
  const environment = { Auth__SessionValidationCacheSeconds: '0', LOG_LEVEL: 'info' }
  const rest = fixture(startRestUnderTest, environment, {
    destination: { write: (line) => void logLines.push(line) },
  })
  const workspace = fixture(seed, rest)

  const join = () => rest.signUp({ name: 'Mara' })
  const ask = (method: string, path: string, token: string, body?: unknown) =>
    rest.call(method, path, body === undefined ? { token } : { token, body })
  const listOf = async ({ token }: Person, query = '') =>
    (await ask('GET', `/ext/tokens${query}`, token)).body.tokens

  test('have a recognizable prefix, are shown once, and are stored only as a hash', async () => {
    const person = await join()
    const { id, secret } = await makeToken(rest, person.token, { name: '  Nightly build ' })
    assert.match(secret, /^svc_[0-9a-f]{72}$/)
    const [listed, ...more] = await listOf(person)
    assert.equal(more.length, 0)
    assert.deepEqual([listed.id, listed.name, listed.userId], [id, 'Nightly build', person.id])
    const everything = await rest.database.query(
      sql`select row_to_json(token)::text as text from api_tokens as token`,
    )
    assert.ok(!JSON.stringify([listed, everything, logLines]).includes(secret.slice(4, 40)))
  })

  test('are accepted like access tokens', async () => {
    const person = await join()
    const { secret } = await makeToken(rest, person.token)
    assert.equal((await listOf(person))[0].lastUsedAt, null)
    assert.equal((await ask('GET', '/api/me', secret)).body.id, person.id)
    assert.equal((await ask('GET', '/ext/people', secret)).status, 200)
    const [{ lastUsedAt, lastUsedAddress }] = await listOf(person)
    assert.ok(Math.abs(Date.now() - Date.parse(lastUsedAt)) < 60_000)
    assert.equal(lastUsedAddress, '127.0.0.1')
    await using commands = await startCommandsUnderTest({}, { alongside: rest })
    await using calls = openCommandCalls(commands.target)
    const project = { name: 'By a program', organizationId: workspace.organizationId }
    const created = await calls.call('CreateProject', project, { token: secret })
    assert.equal(created.code, 0, created.details)
    const { secret: reader } = await makeToken(rest, person.token, { scopes: ['project:read'] })
    assert.equal((await calls.call('CreateProject', project, { token: reader })).code, 7)
    assert.equal((await calls.call('ListProjects', { pagination: {} }, { token: reader })).code, 0)
    assert.equal((await calls.call('ListAssignments', { pagination: {} }, { token: reader })).code, 7)
  })

  const ends: Readonly<Record<string, (person: Person, id: string) => Promise<unknown>>> = {
    'their owner': ({ token }, id) => ask('DELETE', '/ext/tokens', token, { ids: [id] }),
    'an administrator': (_, id) => ask('DELETE', '/ext/tokens', rest.administrator.token, { ids: [id] }),
    'a new password': ({ token }) =>
      ask('POST', '/api/me/password', token, {
        currentPassword: password,
        newPassword: 'Another-Horse-456',
      }),
    'the end of all sessions': ({ token }) => ask('POST', '/ext/sessions/end-all', token),
    'the removal of the account': ({ id }) =>
      ask('DELETE', '/api/user', rest.administrator.token, { ids: [id] }),
  }
  for (const [cause, end] of Object.entries(ends))
    test(`are ended at once by ${cause}`, async () => {
      const person = await join()
      const { id, secret } = await makeToken(rest, person.token)
      assert.equal((await ask('GET', '/api/me', secret)).status, 200)
      await end(person, id)
      assertEnvelope(await ask('GET', '/api/me', secret), 401)
    })

  test('are rejected after they expire, or if any character is changed', async () => {
    const person = await join()
    const { id, secret } = await makeToken(rest, person.token)
    const altered = secret.slice(0, -1) + (secret.endsWith('0') ? '1' : '0')
    for (const wrong of [altered, secret.slice(0, -1), `${secret}0`, 'svc_', secret.toUpperCase()])
      assertEnvelope(await ask('GET', '/api/me', wrong), 401)
    await rest.database.singleWrites.query(
      sql`update api_tokens set created_at = now() - interval '2 days', expires_at = now() where id = ${id}`,
    )
    assertEnvelope(await ask('GET', '/api/me', secret), 401)
    assert.deepEqual(await listOf(person), [])
  })

  test('are limited to their scopes, in every kind of read and write', async () => {
    const person = await join()
    const projectId = await workspace.project('Quay', person)
    const assignmentId = await workspace.assignment(projectId, person.id)
    await workspace.appointment(assignmentId, person.id)
    const { secret } = await makeToken(rest, person.token, { scopes: ['appointment:read', 'project:write'] })
    const get = (path: string) => ask('GET', path, secret)
    assert.equal((await get('/api/appointments')).body.result.totalCount, 1)
    for (const path of [
      '/api/assignments',
      `/api/assignment?id=${assignmentId}`,
      '/ext/query/assignments',
      '/ext/export/assignments',
      '/ext/removed/appointments',
      '/ext/people',
      '/ext/reports/assignments?groupBy=person',
      '/ext/reports/hours?groupBy=project',
      '/ext/reports/hours?groupBy=month&organizationId=00000000-0000-4000-8000-000000000001',
      `/ext/history?resource=assignment&id=${assignmentId}`,
    ])
      assertEnvelope(await get(path), 403)
    const { body } = await get('/ext/query/appointments?expand=assignment,user')
    assert.deepEqual([body.result.data[0].assignment, body.result.data[0].user], [null, null])
    const { body: report } = await get('/ext/reports/hours?groupBy=person')
    assert.deepEqual(report.result.groups[0].person, { id: person.id, name: null })
    for (const path of ['/ext/changes', `/ext/history?projectId=${projectId}`]) {
      const { data } = (await get(path)).body.result
      assert.ok(data.length > 0)
      for (const { resource } of data) assert.match(resource, /^(appointment|project)$/)
    }
    const rename = { id: projectId, name: 'Quay 2', organizationId: workspace.organizationId }
    assert.equal((await ask('PATCH', '/api/project', secret, rename)).status, 200)
    const appointment = { keepDate: '2026-01-05', amountHours: 1, assignmentId, userId: person.id }
    assertEnvelope(await ask('POST', '/api/appointment', secret, appointment), 403)
    const items = [{ operation: 'create', resource: 'appointment', body: appointment }]
    assertEnvelope(await ask('POST', '/ext/batch', secret, { items }), 403)
  })

  test('cannot create tokens or change passwords, accounts or sessions', async () => {
    const root = rest.administrator
    const { id, secret } = await makeToken(rest, root.token)
    const other = await join()
    const requested = { name: 'x', scopes: ['*:read'], expiresAt: inDays(1) }
    const user = { id: other.id, name: 'M', login: other.login, password: 'Another-Horse-456' }
    for (const [method, path, body] of [
      ['GET', '/ext/tokens'],
      ['POST', '/ext/tokens', requested],
      ['DELETE', '/ext/tokens', { ids: [id] }],
      ['GET', '/ext/sessions'],
      ['POST', '/ext/sessions/end-all', { userId: other.id }],
      ['DELETE', '/ext/sessions', { ids: ['x'] }],
      ['PATCH', '/api/me', { name: 'Program' }],
      ['POST', '/api/me/password', { currentPassword: password, newPassword: 'Another-Horse-456' }],
      ['PATCH', '/api/user', user],
      ['POST', '/api/user', { ...user, id: undefined, login: 'program@example.com' }],
      ['DELETE', '/api/user', { ids: [other.id] }],
      ['POST', '/ext/batch', { items: [{ operation: 'update', resource: 'user', body: user }] }],
    ] as const)
      assertEnvelope(await ask(method, path, secret, body), 403)
    assert.equal((await ask('GET', '/api/users', secret)).status, 200)
    // A service client has no session either, so it must not create tokens, links or administrators.
    const service = await rest.identity.serviceToken(other.login)
    assertEnvelope(await ask('POST', '/ext/tokens', service, requested), 403)
    const administratorService = await rest.identity.serviceToken(root.login)
    for (const path of ['/ext/tokens', '/ext/invitations', '/ext/password-links', '/ext/administrators'])
      assertEnvelope(await ask('POST', path, administratorService, { ...requested, userId: other.id }), 403)
  })

  test('of other users can be listed and ended by administrators only', async () => {
    const [ann, bob] = await Promise.all([join(), join()])
    const { id } = await makeToken(rest, bob.token)
    assertEnvelope(await ask('GET', `/ext/tokens?userId=${bob.id}`, ann.token), 403)
    assertEnvelope(await ask('DELETE', '/ext/tokens', ann.token, { ids: [id] }), 404)
    assert.equal((await listOf(rest.administrator, `?userId=${bob.id}`))[0].id, id)
  })

  test('cannot be created with invalid values, all of which are reported at once', async () => {
    const person = await join()
    const foreign = await workspace.project('Elsewhere')
    const valid = { name: 'x', scopes: ['project:read'], expiresAt: inDays(364) }
    const invalid: readonly { change: object; fields: readonly string[] }[] = [
      {
        change: { name: ' ', scopes: [], expiresAt: 'soon' },
        fields: ['expiresAt', 'name', 'scopes'],
      },
      { change: { scopes: ['user:write'] }, fields: ['scopes'] },
      { change: { scopes: 'project:read' }, fields: ['scopes'] },
      { change: { scopes: ['project:read', 7] }, fields: ['scopes'] },
      { change: { expiresAt: inDays(367) }, fields: ['expiresAt'] },
      { change: { expiresAt: inDays(-1) }, fields: ['expiresAt'] },
      { change: { name: 'x'.repeat(201) }, fields: ['name'] },
      { change: { projectIds: [] }, fields: ['projectIds'] },
      { change: { projectIds: ['x'] }, fields: ['projectIds'] },
      { change: { projectIds: [foreign] }, fields: ['projectIds'] },
    ]
    for (const { change, fields } of invalid) {
      const answer = await ask('POST', '/ext/tokens', person.token, { ...valid, ...change })
      assertEnvelope(answer, 400)
      assert.deepEqual(Object.keys(answer.body.errors).sort(), fields)
    }
    assertEnvelope(await ask('DELETE', '/ext/tokens', person.token, { ids: ['x'] }), 400)
  })

  test('are limited to fifty per account', async () => {
    const person = await join()
    await rest.database.singleWrites.query(sql`
      insert into api_tokens (id, user_id, hash, security_stamp, name, scopes, expires_at)
      select gen_random_uuid(), account.id, sha256(number::text::bytea || ${person.id}::text::bytea),
        account.security_stamp, 'Old', '{*:read}', now() + interval '1 day'
      from users as account, generate_series(1, 47) as number where account.id = ${person.id}`)
    const requested = { name: 'x', scopes: ['*:read'], expiresAt: inDays(1) }
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => ask('POST', '/ext/tokens', person.token, requested)),
    )
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 200, 200, 400, 400, 400, 400, 400])
    assert.equal((await listOf(person)).length, 50)
  })

  test('are recorded in the history and in the security log', async () => {
    const person = await join()
    const from = logLines.length
    const { id, secret } = await makeToken(rest, person.token)
    const body = { name: 'Named', organizationId: workspace.organizationId }
    const { project } = (await ask('POST', '/api/project', secret, body)).body
    const history = await ask('GET', `/ext/history?resource=project&id=${project.id}`, person.token)
    const [{ clientId, callerId, sessionId }] = history.body.result.data
    assert.deepEqual([clientId, callerId, sessionId], [`token:${id}`, person.id, null])
    await ask('DELETE', '/ext/tokens', person.token, { ids: [id] })
    const events = logLines
      .slice(from)
      .map((line) => JSON.parse(line))
      .filter(({ token }) => token === id)
    assert.deepEqual(
      events.map(({ security, account }) => [security, account]),
      [
        ['token-made', person.id],
        ['token-ended', person.id],
      ],
    )
  })
})

/** A project with rows of several resources. */
interface SeededProject {
  readonly projectId: string
  /** The ids of all of these rows, and of the project. */
  readonly ids: readonly string[]
  readonly assignmentId: string
  readonly appointmentId: string
  readonly removedAppointmentId: string
}

describe('A personal access token that is limited to a project', () => {
  let member: Person
  let outsider: Person
  let inside: SeededProject
  let outside: SeededProject
  const rest = fixture(startRestUnderTest, { Auth__SessionValidationCacheSeconds: '0' })
  const workspace = fixture(seed, rest)
  before(async () => {
    ;[member, outsider] = [await rest.signUp({ name: 'Mara' }), await rest.signUp({ name: 'Outsider' })]
    inside = await seedProject('Inside')
    outside = await seedProject('Outside', outsider)
  })

  async function seedProject(name: string, other?: Person): Promise<SeededProject> {
    const projectId = await workspace.project(name, member)
    const assignmentId = await workspace.assignment(projectId, member.id, { name })
    const appointmentId = await workspace.appointment(assignmentId, member.id)
    const removedAppointmentId = await workspace.appointment(assignmentId, member.id)
    const comment = await workspace.make('comment', { text: name, assignmentId, userId: member.id }, member)
    const link = await workspace.make('userAssignment', { assignmentId, userId: member.id }, member)
    await workspace.write('DELETE', '/api/appointment', { ids: [removedAppointmentId] }, member)
    const ids = [projectId, assignmentId, appointmentId, removedAppointmentId, comment.id, link.id]
    if (other) ids.push(await workspace.join(projectId, other.id), other.id)
    return { projectId, ids, assignmentId, appointmentId, removedAppointmentId }
  }

  const limitedTokenOf = async ({ token }: Person) =>
    (await makeToken(rest, token, { projectIds: [inside.projectId] })).secret
  const ask = (method: string, path: string, token: string, body?: unknown) =>
    rest.call(method, path, body === undefined ? { token } : { token, body })

  /** Returns every path of both documents that supports GET without the id of a row. */
  async function findReadPaths(): Promise<string[]> {
    const documents = await Promise.all(
      ['/swagger/v1/swagger.json', '/swagger/extensions.v1.json'].map((path) => rest.call('GET', path)),
    )
    // biome-ignore lint/suspicious/noExplicitAny: the document was received over the network
    const operations = documents.flatMap(({ body }) => Object.entries<any>(body.paths))
    const requiredQueries: Readonly<Record<string, string>> = { groupBy: 'groupBy=project,person' }
    return operations.flatMap(([path, { get }]) => {
      if (!get) return []
      const requiredParameters = (get.parameters ?? []).filter(
        ({ required }: { required?: boolean }) => required,
      )
      if (requiredParameters.some(({ name }: { name: string }) => name === 'id')) return []
      const queries = requiredParameters.map(({ name }: { name: string }) => requiredQueries[name])
      return [`${path}?${queries.join('&')}`]
    })
  }

  test('reads nothing outside of the project by any route, for members and for administrators', async () => {
    const paths = await findReadPaths()
    assert.ok(paths.length > 60, `${paths.length} paths`)
    for (const person of [member, rest.administrator]) {
      const token = await limitedTokenOf(person)
      const texts = await Promise.all(
        paths.map(async (path) => JSON.stringify((await ask('GET', path, token)).body)),
      )
      const mentionedIn = (id: string) => paths.filter((_, index) => texts[index]?.includes(id))
      for (const id of outside.ids) assert.deepEqual(mentionedIn(id), [])
      for (const id of inside.ids) assert.ok(mentionedIn(id).length > 0)
    }
  })

  test('cannot read rows or the history of another project by their ids', async () => {
    for (const person of [member, rest.administrator]) {
      const token = await limitedTokenOf(person)
      for (const path of [
        `/api/project?id=${outside.projectId}`,
        `/api/assignment?id=${outside.assignmentId}`,
        `/api/appointment?id=${outside.appointmentId}`,
        `/ext/history?projectId=${outside.projectId}`,
        `/ext/history?resource=appointment&id=${outside.appointmentId}`,
      ]) {
        assertEnvelope(await ask('GET', path, token), 404)
        const insidePath = path
          .replace(outside.projectId, inside.projectId)
          .replace(outside.assignmentId, inside.assignmentId)
          .replace(outside.appointmentId, inside.appointmentId)
        assert.equal((await ask('GET', insidePath, token)).status, 200, insidePath)
      }
    }
  })

  test('writes nothing outside of the project, moves nothing out of it, and creates no project', async () => {
    for (const person of [member, rest.administrator]) {
      const token = await limitedTokenOf(person)
      const assignment = {
        name: 'Moved',
        startDate: '2026-01-05',
        endDate: '2026-01-09',
        amountHours: 4,
        workflowId: workspace.workflowId,
        userId: member.id,
        assignmentTypeId: workspace.assignmentTypeId,
      }
      const project = { name: 'New', organizationId: workspace.organizationId }
      const appointment = { keepDate: '2026-01-05', amountHours: 1, userId: person.id }
      for (const [status, method, path, body] of [
        [403, 'POST', '/api/project', project],
        [404, 'PATCH', '/api/project', { ...project, id: outside.projectId }],
        [403, 'POST', '/api/assignment', { ...assignment, projectId: outside.projectId }],
        [
          403,
          'PATCH',
          '/api/assignment',
          { ...assignment, id: inside.assignmentId, projectId: outside.projectId },
        ],
        [404, 'DELETE', '/api/assignment', { ids: [outside.assignmentId] }],
        [403, 'POST', '/api/appointment', { ...appointment, assignmentId: outside.assignmentId }],
        [403, 'POST', '/api/userProject', { projectId: outside.projectId, userId: outsider.id }],
        [404, 'POST', '/api/appointment/restore', { ids: [outside.removedAppointmentId] }],
        [403, 'POST', '/ext/batch', { items: [{ operation: 'create', resource: 'project', body: project }] }],
        [
          404,
          'POST',
          '/ext/batch',
          { items: [{ operation: 'remove', resource: 'assignment', body: { ids: [outside.assignmentId] } }] },
        ],
      ] as const)
        assertEnvelope(await ask(method, path, token, body), status)
      const created = await ask('POST', '/api/appointment', token, {
        ...appointment,
        assignmentId: inside.assignmentId,
      })
      assert.equal(created.status, 200, JSON.stringify(created.body))
    }
  })

  test('of an administrator neither changes catalogs nor reads accounts', async () => {
    const token = await limitedTokenOf(rest.administrator)
    assertEnvelope(await ask('POST', '/api/workflow', token, { name: 'Mine', order: 9 }), 403)
    assertEnvelope(await ask('GET', '/api/users', token), 403)
    assert.equal((await ask('GET', '/api/workflows', token)).status, 200)
  })

  test('has separate live listings and feeds', async () => {
    const { id, secret } = await makeToken(rest, member.token, { projectIds: [inside.projectId] })
    await using shared = await openEventStream(rest.address, '/api/projects', { token: member.token })
    const limitedListing = await openEventStream(rest.address, '/api/projects', { token: secret })
    const feed = await openEventStream(rest.address, '/ext/changes', { token: secret })
    assert.equal((await shared.next()).data.result.totalCount, 2)
    assert.equal((await limitedListing.next()).data.result.totalCount, 1)
    await workspace.assignment(outside.projectId, member.id, { name: 'Unseen' })
    await workspace.assignment(inside.projectId, member.id, { name: 'Seen' })
    await feed.nextWhere(({ data }) => data.after?.name === 'Seen')
    const reported = JSON.stringify(feed.events)
    assert.ok(!reported.includes(outside.projectId) && !reported.includes('Unseen'))
    await ask('DELETE', '/ext/tokens', member.token, { ids: [id] })
    await Promise.all([limitedListing.ended, feed.ended])
  })

  test('does not share idempotency keys with another token of the same account', async () => {
    const [tokenA, tokenB] = [await limitedTokenOf(member), await limitedTokenOf(member)]
    const body = {
      keepDate: '2026-01-05',
      amountHours: 1,
      assignmentId: inside.assignmentId,
      userId: member.id,
    }
    const post = (token: string) =>
      rest.call('POST', '/api/appointment', { token, body, headers: { 'idempotency-key': 'the-same' } })
    const [first, repeated, other] = [await post(tokenA), await post(tokenA), await post(tokenB)]
    assert.deepEqual(repeated.body, first.body)
    assert.notEqual(other.body.appointment.id, first.body.appointment.id)
  })
})
