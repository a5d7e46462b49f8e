import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { makeToken } from '../support/api-tokens.ts'
import { assertEnvelope } from '../support/assert-envelope.ts'
import { furnish, type Workspace } from '../support/furnish.ts'
import { listen } from '../support/live-events.ts'
import { type Person, type RestUnderTest, startRestUnderTest } from '../support/rest-host.ts'

/** A project that the token is for, or one that it is not for, with a row of each kind. */
interface Place {
  readonly projectId: string
  readonly ids: readonly string[]
  readonly assignmentId: string
  readonly appointmentId: string
}

describe('A token that is limited to a project', () => {
  let rest: RestUnderTest
  let workspace: Workspace
  let member: Person
  let outsider: Person
  let inside: Place
  let outside: Place
  before(async () => {
    rest = await startRestUnderTest({ Auth__SessionValidationCacheSeconds: '0' })
    workspace = await furnish(rest)
    ;[member, outsider] = [await rest.signUp({ name: 'Mara' }), await rest.signUp({ name: 'Outsider' })]
    inside = await furnishProject('Inside')
    outside = await furnishProject('Outside', outsider)
  })
  after(() => rest.stop())

  async function furnishProject(name: string, other?: Person): Promise<Place> {
    const projectId = await workspace.project(name, member)
    const assignmentId = await workspace.assignment(projectId, member.id, { name })
    const appointmentId = await workspace.appointment(assignmentId, member.id)
    const gone = await workspace.appointment(assignmentId, member.id)
    const comment = await workspace.make('comment', { text: name, assignmentId, userId: member.id }, member)
    const link = await workspace.make('userAssignment', { assignmentId, userId: member.id }, member)
    await workspace.write('DELETE', '/api/appointment', { ids: [gone] }, member)
    const joined = other ? [await workspace.join(projectId, other.id), other.id] : []
    const ids = [projectId, assignmentId, appointmentId, gone, comment.id, link.id, ...joined]
    return { projectId, ids, assignmentId, appointmentId }
  }

  const limited = async ({ token }: Person) =>
    (await makeToken(rest, token, { projectIds: [inside.projectId] })).secret
  const ask = (method: string, path: string, token: string, body?: unknown) =>
    rest.call(method, path, { token, ...(body !== undefined && { body }) })

  /** Every path of both documents that answers a GET without naming a row. */
  async function readPaths(): Promise<string[]> {
    const documents = await Promise.all(
      ['/swagger/v1/swagger.json', '/swagger/extensions.v1.json'].map((path) => rest.call('GET', path)),
    )
    // biome-ignore lint/suspicious/noExplicitAny: a document is what came over the network
    const operations = documents.flatMap(({ body }) => Object.entries<any>(body.paths))
    const needed: Readonly<Record<string, string>> = { groupBy: 'groupBy=project,person' }
    return operations.flatMap(([path, { get }]) => {
      if (!get) return []
      const wanted = (get.parameters ?? []).filter(({ required }: { required?: boolean }) => required)
      if (wanted.some(({ name }: { name: string }) => name === 'id')) return []
      return [`${path}?${wanted.map(({ name }: { name: string }) => needed[name]).join('&')}`]
    })
  }

  test('sees nothing beyond it through any route that reads, for a member and for an administrator', async () => {
    const paths = await readPaths()
    assert.ok(paths.length > 60, `${paths.length} paths`)
    for (const person of [member, rest.administrator]) {
      const token = await limited(person)
      const texts = await Promise.all(
        paths.map(async (path) => JSON.stringify((await ask('GET', path, token)).body)),
      )
      const tellOf = (id: string) => paths.filter((_, index) => texts[index]?.includes(id))
      for (const id of outside.ids) assert.deepEqual(tellOf(id), [])
      for (const id of inside.ids) assert.ok(tellOf(id).length > 0)
    }
  })

  test('meets neither its rows by their ids, nor its history', async () => {
    for (const person of [member, rest.administrator]) {
      const token = await limited(person)
      for (const path of [
        `/api/project?id=${outside.projectId}`,
        `/api/assignment?id=${outside.assignmentId}`,
        `/api/appointment?id=${outside.appointmentId}`,
        `/ext/history?projectId=${outside.projectId}`,
        `/ext/history?resource=appointment&id=${outside.appointmentId}`,
      ]) {
        assertEnvelope(await ask('GET', path, token), 404)
        const known = path.replace(outside.projectId, inside.projectId)
        const own = known
          .replace(outside.assignmentId, inside.assignmentId)
          .replace(outside.appointmentId, inside.appointmentId)
        assert.equal((await ask('GET', own, token)).status, 200, own)
      }
    }
  })

  test('writes nothing beyond it, moves nothing out of it, and creates no project', async () => {
    for (const person of [member, rest.administrator]) {
      const token = await limited(person)
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
      const book = { keepDate: '2026-01-05', amountHours: 1, userId: person.id }
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
        [403, 'POST', '/api/appointment', { ...book, assignmentId: outside.assignmentId }],
        [403, 'POST', '/api/userProject', { projectId: outside.projectId, userId: outsider.id }],
        [404, 'POST', '/api/appointment/restore', { ids: [outside.ids[3]] }],
        [403, 'POST', '/ext/batch', { items: [{ operation: 'create', resource: 'project', body: project }] }],
        [
          404,
          'POST',
          '/ext/batch',
          { items: [{ operation: 'remove', resource: 'assignment', body: { ids: [outside.assignmentId] } }] },
        ],
      ] as const)
        assertEnvelope(await ask(method, path, token, body), status)
      const booked = await ask('POST', '/api/appointment', token, {
        ...book,
        assignmentId: inside.assignmentId,
      })
      assert.equal(booked.status, 200, JSON.stringify(booked.body))
    }
  })

  test('of an administrator changes no catalog and reads no accounts', async () => {
    const token = await limited(rest.administrator)
    assertEnvelope(await ask('POST', '/api/workflow', token, { name: 'Mine', order: 9 }), 403)
    assertEnvelope(await ask('GET', '/api/users', token), 403)
    assert.equal((await ask('GET', '/api/workflows', token)).status, 200)
  })

  test('has live listings and feeds of its own, which end with it', async () => {
    const { id, secret } = await makeToken(rest, member.token, { projectIds: [inside.projectId] })
    const shared = await listen(rest.address, '/api/projects', { token: member.token })
    const own = await listen(rest.address, '/api/projects', { token: secret })
    const feed = await listen(rest.address, '/ext/changes', { token: secret })
    assert.equal((await shared.next()).data.result.totalCount, 2)
    assert.equal((await own.next()).data.result.totalCount, 1)
    await workspace.assignment(outside.projectId, member.id, { name: 'Unseen' })
    await workspace.assignment(inside.projectId, member.id, { name: 'Seen' })
    await feed.nextWhere(({ data }) => data.after?.name === 'Seen')
    const told = JSON.stringify(feed.events)
    assert.ok(!told.includes(outside.projectId) && !told.includes('Unseen'))
    await ask('DELETE', '/ext/tokens', member.token, { ids: [id] })
    await Promise.all([own.ended, feed.ended])
    shared.close()
  })

  test('is answered nothing that another token of the same account was answered under the same key', async () => {
    const [one, other] = [await limited(member), await limited(member)]
    const body = {
      keepDate: '2026-01-05',
      amountHours: 1,
      assignmentId: inside.assignmentId,
      userId: member.id,
    }
    const post = (token: string) =>
      rest.call('POST', '/api/appointment', { token, body, headers: { 'idempotency-key': 'the-same' } })
    const [first, again, second] = [await post(one), await post(one), await post(other)]
    assert.deepEqual(again.body, first.body)
    assert.notEqual(second.body.appointment.id, first.body.appointment.id)
  })
})
