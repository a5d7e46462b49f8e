import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { keepHistory } from '../../src/db/purge.ts'
import { raw, sql } from '../../src/db/sql.ts'
import { assertEnvelope } from '../support/assert-envelope.ts'
import { furnish, type Workspace } from '../support/furnish.ts'
import { type Person, type RestUnderTest, startRestUnderTest } from '../support/rest-host.ts'

describe('GET /ext/history', { concurrency: true }, () => {
  let rest: RestUnderTest
  let workspace: Workspace
  let member: Person
  let outsider: Person
  before(async () => {
    rest = await startRestUnderTest()
    workspace = await furnish(rest)
    member = await rest.signUp({ name: 'Mara' })
    outsider = await rest.signUp({ name: 'Otto' })
  })
  after(() => rest.stop())
  const read = (query: string, { token }: Person = rest.administrator) =>
    rest.call('GET', `/ext/history?${query}`, { token })
  const changes = async (query: string, by?: Person) => {
    const answer = await read(query, by)
    assert.equal(answer.status, 200, JSON.stringify(answer.body))
    return answer.body.result.data
  }
  const task = async (by: Person = member) => {
    const projectId = await workspace.project('Relaunch', by)
    return { projectId, id: await workspace.assignment(projectId, by.id, { name: 'Write' }) }
  }

  test('shows who changed what, newest first, with the fields before and after', async () => {
    const { id, projectId } = await task()
    const row = (await rest.call('GET', `/api/assignment?id=${id}`, { token: member.token })).body.assignment
    await workspace.write('PATCH', '/api/assignment', { ...row, name: 'Rewrite', amountHours: 2.5 }, member)
    await workspace.write('DELETE', '/api/assignment', { ids: [id] }, member)
    const [removal, change, creation] = await changes(`resource=assignment&id=${id}`, member)
    assert.equal(removal.action, 'remove')
    assert.deepEqual(removal.before, { deletedAt: null, active: true })
    assert.equal(removal.after.active, false)
    assert.match(removal.after.deletedAt, /^\d{4}-\d\d-\d\dT.*Z$/)
    assert.equal(change.action, 'update')
    const { updatedAt, ...fields } = change.after
    assert.deepEqual(fields, { name: 'Rewrite', amountHours: 2.5 })
    assert.deepEqual(change.before, { name: 'Write', amountHours: 4, updatedAt: null })
    assert.match(updatedAt, /Z$/)
    assert.equal(creation.before, null)
    assert.equal(creation.after.startDate, row.startDate)
    assert.deepEqual(
      [change.callerId, change.host, change.projectId, change.rowId, change.resource],
      [member.id, 'rest', projectId, id, 'assignment'],
    )
    assert.match(change.requestId, /\S+/)
    assert.match(change.sessionId, /\S+/)
    assert.equal(creation.callerId, rest.administrator.id)
    // Another person's session and request are not shown.
    assert.deepEqual([creation.sessionId, creation.requestId], [null, null])
    assert.ok(Number(removal.id) > Number(change.id))
  })

  test('shows it in pages that neither overlap nor leave out', async () => {
    const { id } = await task()
    for (let count = 0; count < 6; count += 1)
      await workspace.write(
        'POST',
        '/ext/comment',
        { text: `No. ${count}`, assignmentId: id, userId: member.id },
        member,
      )
    const [{ projectId }] = await changes(`resource=assignment&id=${id}`)
    const all = await changes(`projectId=${projectId}&pageSize=100`)
    assert.equal(all.length, 9)
    const paged = []
    let next: string | null = ''
    while (next !== null) {
      const query: string = `projectId=${projectId}&pageSize=4${next && `&before=${next}`}`
      const { result } = (await read(query)).body
      paged.push(...result.data)
      next = result.next
    }
    assert.deepEqual(paged, all)
    assert.deepEqual(await changes(`projectId=${projectId}&resource=comment&pageSize=100`), all.slice(0, 6))
  })

  test('shows no more than the row itself: not to outsiders, not to former members, removed or not', async () => {
    const { id, projectId } = await task()
    const former = await rest.signUp({ name: 'Fritz' })
    const membership = await workspace.join(projectId, former.id)
    assert.equal((await changes(`resource=assignment&id=${id}`, former)).length, 1)
    await workspace.write('DELETE', '/api/userProject', { ids: [membership] })
    const queries = [
      `resource=assignment&id=${id}`,
      `resource=project&id=${projectId}`,
      `projectId=${projectId}`,
    ]
    const assertAccess = async () => {
      for (const query of queries)
        for (const person of [former, outsider]) assertEnvelope(await read(query, person), 404)
      // People who may restore them read what became of them.
      for (const person of [member, rest.administrator])
        assert.ok((await changes(`resource=assignment&id=${id}`, person)).length > 0)
    }
    await assertAccess()
    await workspace.write('DELETE', '/api/assignment', { ids: [id] })
    await workspace.write('DELETE', '/api/project', { ids: [projectId] })
    await assertAccess()
  })

  test('shows nothing of a row that has moved into a project that the reader is no member of', async () => {
    const { id, projectId } = await task()
    const hidden = await workspace.project('Hidden')
    const row = (await rest.call('GET', `/api/assignment?id=${id}`, { token: rest.administrator.token })).body
      .assignment
    await workspace.write('PATCH', '/api/assignment', { ...row, projectId: hidden })
    assertEnvelope(await read(`resource=assignment&id=${id}`, member), 404)
    const seen = await changes(`projectId=${projectId}&pageSize=100`, member)
    assert.deepEqual(
      new Set(seen.map((one: { resource: string }) => one.resource)),
      new Set(['project', 'userProject']),
    )
  })

  test('of accounts is for administrators, of catalogs for all users', async () => {
    assertEnvelope(await read(`resource=user&id=${member.id}`, member), 403)
    assert.equal((await changes(`resource=organization&id=${workspace.organizationId}`, outsider)).length, 1)
  })

  test('rejects what it cannot read with the name of the field', async () => {
    const zero = '00000000-0000-4000-8000-000000000000'
    for (const [query, field] of [
      ['', 'resource'],
      ['resource=assignment', 'id'],
      [`id=${zero}`, 'resource'],
      [`resource=none&id=${zero}`, 'resource'],
      ['resource=assignment&id=none', 'id'],
      ['projectId=none', 'projectId'],
      [`projectId=${zero}&id=${zero}`, 'id'],
      [`resource=user&id=${zero}&pageSize=101`, 'pageSize'],
      [`resource=user&id=${zero}&before=x`, 'before'],
      [`resource=user&resource=user&id=${zero}`, 'resource'],
    ] as const) {
      const answer = await read(query)
      assertEnvelope(answer, 400)
      assert.ok(answer.body.errors[field], query)
    }
    assertEnvelope(await read(`resource=assignment&id=${zero}`), 404)
    assertEnvelope(await rest.call('GET', '/ext/history'), 401)
  })
})

describe('The months of the history', () => {
  test('are created ahead, and dropped as a whole when they are old enough', async () => {
    const rest = await startRestUnderTest()
    const { database } = rest
    const months = async () =>
      (
        await database.query<{ name: string }>(
          sql`select inhrelid::regclass::text as name from pg_inherits where inhparent = 'history'::regclass order by 1`,
        )
      ).map(({ name }) => name)
    try {
      const insert = (at: string) =>
        database.transaction((transaction) =>
          transaction.query(
            raw(`insert into history (sequence, transaction, at, resource, row_id, action, fields)
              values (1, pg_current_xact_id(), ${at}, 'project', gen_random_uuid(), 'create', '{}')`),
          ),
        )
      const before = await months()
      assert.equal(before.length, 4)
      await insert("now() - interval '400 days'")
      await insert('now()')
      for (const statement of [
        'create table history_2020_01 (like history including defaults including constraints)',
        `alter table history attach partition history_2020_01 for values from ('2020-01-01Z') to ('2020-02-01Z')`,
      ])
        await database.transaction((transaction) => transaction.query(raw(statement)))
      await keepHistory(database, 0)
      assert.equal((await months()).length, 5)
      await keepHistory(database, 365)
      assert.deepEqual(await months(), before)
      const left = await database.query(sql`select from history`)
      assert.equal(left.length >= 1, true)
      await assert.rejects(keepHistory(database, 29), /30 days/)
    } finally {
      await rest.stop()
    }
  })
})
