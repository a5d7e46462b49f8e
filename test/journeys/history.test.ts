import assert from 'node:assert/strict'
import { randomInt } from 'node:crypto'
import { describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { openBudgets } from '../../src/config/budgets.ts'
import { maintainHistory } from '../../src/db/purge.ts'
import { insertRow, newId } from '../../src/db/rows.ts'
import { raw, sql } from '../../src/db/sql.ts'
import type { Context } from '../../src/records/context.ts'
import { remove, restore } from '../../src/records/remove.ts'
import { impediment } from '../../src/resources/catalogs.ts'
import { type Entity, entities, listPathOf, resources } from '../contract/resources.ts'
import { makeToken } from '../support/api-tokens.ts'
import { assertEnvelope, valuesOf } from '../support/assertions.ts'
import { fixture } from '../support/fixture.ts'
import { openEventStream } from '../support/live-events.ts'
import { type Person, startRestUnderTest } from '../support/rest-host.ts'
import { seed } from '../support/seed.ts'

describe('GET /ext/history', { concurrency: true }, () => {
  const rest = fixture(startRestUnderTest)
  const workspace = fixture(seed, rest)
  const member = fixture(() => rest.signUp({ name: 'Mara' }))
  const outsider = fixture(() => rest.signUp({ name: 'Otto' }))
  const read = (query: string, { token }: Person = rest.administrator) =>
    rest.call('GET', `/ext/history?${query}`, { token })
  const changes = async (query: string, by?: Person) => {
    const answer = await read(query, by)
    assert.equal(answer.status, 200, JSON.stringify(answer.body))
    return answer.body.result.data
  }
  const makeAssignment = async (by: Person = member) => {
    const projectId = await workspace.project('Relaunch', by)
    return { projectId, id: await workspace.assignment(projectId, by.id, { name: 'Write' }) }
  }

  test('returns changes, newest first', async () => {
    const { id, projectId } = await makeAssignment()
    const row = (await member.call('GET', `/api/assignment?id=${id}`)).body.assignment
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
    // The session and the request of another user are not returned.
    assert.deepEqual([creation.sessionId, creation.requestId], [null, null])
    assert.ok(Number(removal.id) > Number(change.id))
  })

  test('returns pages without overlaps or gaps', async () => {
    const { id } = await makeAssignment()
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
    let query = `projectId=${projectId}&pageSize=4`
    for (let hasMore = true; hasMore; ) {
      const { result } = (await read(query)).body
      paged.push(...result.data)
      hasMore = result.next !== null
      query = `projectId=${projectId}&pageSize=4&before=${result.next}`
    }
    assert.deepEqual(paged, all)
    assert.deepEqual(await changes(`projectId=${projectId}&resource=comment&pageSize=100`), all.slice(0, 6))
  })

  test('is visible to callers who can see or restore the row', async () => {
    const { id, projectId } = await makeAssignment()
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
      // Users who may restore the rows can read their history.
      for (const person of [member, rest.administrator])
        assert.ok((await changes(`resource=assignment&id=${id}`, person)).length > 0)
    }
    await assertAccess()
    await workspace.write('DELETE', '/api/assignment', { ids: [id] })
    await workspace.write('DELETE', '/api/project', { ids: [projectId] })
    await assertAccess()
  })

  test('hides a row that has moved to a project of which the caller is not a member', async () => {
    const { id, projectId } = await makeAssignment()
    const hidden = await workspace.project('Hidden')
    const row = (await rest.administrator.call('GET', `/api/assignment?id=${id}`)).body.assignment
    await workspace.write('PATCH', '/api/assignment', { ...row, projectId: hidden })
    assertEnvelope(await read(`resource=assignment&id=${id}`, member), 404)
    const seen = await changes(`projectId=${projectId}&pageSize=100`, member)
    assert.deepEqual(
      new Set(seen.map(({ resource }: { resource: string }) => resource)),
      new Set(['project', 'userProject']),
    )
  })

  test('of an assignment includes its related rows', async () => {
    const { id, projectId } = await makeAssignment()
    const other = await workspace.assignment(projectId, member.id, { name: 'Elsewhere' })
    const make = (resource: string, values: Readonly<Record<string, unknown>>) =>
      workspace.make(resource, values, member)
    const comment = await make('comment', { text: 'Nine rungs', assignmentId: id })
    await make('comment', { text: 'Not here', assignmentId: other })
    await workspace.appointment(id, member.id)
    const label = await make('label', { name: 'Urgent', color: 'red', projectId })
    await make('assignmentLabel', { assignmentId: id, labelId: label.id })
    await make('assignmentDependency', { assignmentId: id, blockedById: other })
    await workspace.write('PATCH', '/ext/comment', { ...comment, text: 'Ten rungs' }, member)
    await workspace.write('DELETE', '/ext/comment', { ids: [comment.id] }, member)
    const seen = await changes(`assignmentId=${id}`, member)
    assert.deepEqual(
      seen.map(({ resource, action }: { resource: string; action: string }) => `${action} ${resource}`),
      [
        'remove comment',
        'update comment',
        'create assignmentDependency',
        'create assignmentLabel',
        'create appointment',
        'create comment',
        'create assignment',
      ],
    )
    assert.equal((await changes(`assignmentId=${id}&resource=comment`, member)).length, 3)
    const { result } = (await read(`assignmentId=${id}&pageSize=2`, member)).body
    assert.deepEqual(await changes(`assignmentId=${id}&before=${result.next}`, member), seen.slice(2))
    assertEnvelope(await read(`assignmentId=${id}`, outsider), 404)
    const scopes = ['assignment:read', 'comment:read']
    const { secret } = await makeToken(rest, member.token, { scopes })
    const covered = await changes(`assignmentId=${id}`, { ...member, token: secret })
    assert.deepEqual(
      [...new Set(covered.map(({ resource }: { resource: string }) => resource))],
      ['comment', 'assignment'],
    )
    assertEnvelope(await read(`assignmentId=${id}&projectId=${projectId}`, member), 400)
  })

  test('of accounts is visible to administrators only', async () => {
    assertEnvelope(await read(`resource=user&id=${member.id}`, member), 403)
    assert.equal((await changes(`resource=organization&id=${workspace.organizationId}`, outsider)).length, 1)
  })

  test('rejects invalid queries with the name of the field', async () => {
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

describe('The monthly partitions of the history', () => {
  test('are created ahead, and dropped when they are old enough', async () => {
    await using rest = await startRestUnderTest()
    const { database } = rest
    const partitions = async () => {
      const rows = await database.query<{ name: string }>(
        sql`select inhrelid::regclass::text as name from pg_inherits where inhparent = 'history'::regclass order by 1`,
      )
      return valuesOf(rows, 'name')
    }
    const insert = (at: string) =>
      database.transaction((transaction) =>
        transaction.query(
          raw(`insert into history (sequence, transaction, at, resource, row_id, action, fields)
            values (1, pg_current_xact_id(), ${at}, 'project', gen_random_uuid(), 'create', '{}')`),
        ),
      )
    // The months are those of the migration, unless another month has begun since.
    await maintainHistory(database, 0)
    const before = await partitions()
    assert.ok(before.length >= 4, before.join())
    await insert("now() - interval '400 days'")
    await insert('now()')
    for (const statement of [
      'create table history_2020_01 (like history including defaults including constraints)',
      `alter table history attach partition history_2020_01 for values from ('2020-01-01Z') to ('2020-02-01Z')`,
    ])
      await database.transaction((transaction) => transaction.query(raw(statement)))
    await maintainHistory(database, 0)
    assert.equal((await partitions()).length, before.length + 1)
    await maintainHistory(database, 365)
    assert.deepEqual(await partitions(), before)
    const remaining = await database.query(sql`select from history`)
    assert.ok(remaining.length >= 1)
    await assert.rejects(maintainHistory(database, 29), /30 days/)
  })
})

describe('A query with at=', () => {
  const rest = fixture(startRestUnderTest)
  const workspace = fixture(seed, rest)
  const member = fixture(() => rest.signUp({ name: 'Mara' }))
  const get = (path: string, { token }: Person = rest.administrator) => rest.call('GET', path, { token })
  const rows = async (list: string, query: string, by?: Person) => {
    const ask = () => get(`/ext/query/${list}?pageSize=100&${query}`, by)
    let answer = await ask()
    // On a busy machine, transactions that are open at that instant may take longer than a reader waits.
    for (let attempts = 1; answer.status === 503 && attempts < 10; attempts += 1) answer = await ask()
    assert.equal(answer.status, 200, JSON.stringify(answer.body))
    return answer.body.result.data
  }
  /** Returns the current time of the database. */
  const timestamp = async () => {
    const [row] = await rest.database.query<{ now: string }>(sql`select clock_timestamp() as now`)
    return row?.now ?? ''
  }

  test('returns exactly the rows that every list returned at that instant', async () => {
    const projectId = await workspace.project('Then', member)
    const snapshots: { at: string; lists: Map<Entity, unknown> }[] = []
    const takeSnapshot = async () => {
      const lists = new Map<Entity, unknown>()
      for (const entity of entities)
        lists.set(entity, await rows(resources[entity].list, 'sort=id', member).catch(() => 'rejected'))
      snapshots.push({ at: await timestamp(), lists })
    }
    await takeSnapshot()
    const id = await workspace.assignment(projectId, member.id, { name: 'First' })
    const comment = await workspace.make(
      'comment',
      { text: 'Said', assignmentId: id, userId: member.id },
      member,
    )
    await takeSnapshot()
    const row = (await get(`/api/assignment?id=${id}`)).body.assignment
    await workspace.write('PATCH', '/api/assignment', {
      ...row,
      name: 'Second',
      description: 'More',
      amountHours: 7.25,
    })
    await workspace.write('PATCH', '/api/organization', { id: workspace.organizationId, name: 'Renamed' })
    await takeSnapshot()
    await workspace.write('PATCH', '/ext/comment', { ...comment, text: 'Said again' }, member)
    await workspace.write('DELETE', '/api/assignment', { ids: [id] })
    await takeSnapshot()
    await workspace.write('POST', '/api/assignment/restore', { ids: [id] })
    await workspace.write('PATCH', '/api/assignment', { ...row, name: 'Third', description: null })
    await takeSnapshot()
    await workspace.write('DELETE', '/api/assignment', { ids: [id] })
    for (const { at, lists } of snapshots)
      for (const entity of entities.filter((name) => name !== 'user'))
        assert.deepEqual(
          await rows(resources[entity].list, `sort=id&at=${at}`, member),
          lists.get(entity),
          `${entity} at ${at}`,
        )
    // Filters, fields, parents, order and cursors use that instant, too.
    const [, , third] = snapshots
    const at = `at=${third?.at}`
    const [then] = await rows(
      'assignments',
      `${at}&filter=name eq 'Second' and projectId eq '${projectId}'&fields=name&expand=project,workflow,user`,
      member,
    )
    assert.deepEqual([then.name, then.project.name, then.user.name], ['Second', 'Then', 'Mara'])
    assert.deepEqual(await rows('assignments', `${at}&filter=name eq 'Third'`, member), [])
    const first = (await get(`/ext/query/assignmentTypes?pageSize=1&${at}`)).body.result
    if (first.nextCursor)
      assertEnvelope(await get(`/ext/query/assignmentTypes?pageSize=1&cursor=${first.nextCursor}`), 400)
  })

  test('is possible for a single row of an extension', async () => {
    const projectId = await workspace.project('One row')
    const membership = await workspace.join(projectId, member.id)
    const assignmentId = await workspace.assignment(projectId, member.id)
    const early = await timestamp()
    const body = { text: 'Said', assignmentId, userId: member.id }
    const comment = await workspace.make('comment', body, member)
    const at = await timestamp()
    await workspace.write('PATCH', '/ext/comment', { ...comment, text: 'Said again' }, member)
    const readComment = (query: string, by: Person = member) =>
      get(`/ext/comment?id=${comment.id}${query}`, by)
    const textAt = async (query: string, by?: Person) => (await readComment(query, by)).body.comment.text
    assert.equal(await textAt(''), 'Said again')
    assert.equal(await textAt(`&at=${at}`), 'Said')
    assertEnvelope(await readComment(`&at=${early}`), 404)
    await workspace.write('DELETE', '/ext/comment', { ids: [comment.id] }, member)
    assertEnvelope(await readComment(''), 404)
    assert.equal(await textAt(`&at=${at}`), 'Said')
    await workspace.write('DELETE', '/api/userProject', { ids: [membership] })
    assertEnvelope(await readComment(`&at=${at}`), 404)
    assert.equal(await textAt(`&at=${at}`, rest.administrator), 'Said')
    for (const wrong of ['', 'yesterday', '2999-01-01', `${at}&at=${at}`])
      assert.ok((await readComment(`&at=${wrong}`)).body.errors.at, wrong)
    assertEnvelope(await readComment('&at=2001-01-01'), 410)
    // v1 does not know the key, and ignores it.
    assert.equal((await get(`/api/assignment?id=${assignmentId}&at=2001-01-01`)).status, 200)
  })

  test('sees a transaction either completely or not at all', async () => {
    const context = { database: rest.database, budgets: openBudgets() } as Context
    const caller = { id: rest.administrator.id, isAdministrator: true }
    const groups = Array.from({ length: 3 }, () => Array.from({ length: 20 }, () => newId()))
    for (const [index, ids] of groups.entries())
      await rest.database.transaction(async (transaction) => {
        for (const id of ids) await insertRow(transaction, impediment, caller, { id, name: `Group ${index}` })
      })
    let isDone = false
    const seen: { at: string; counts: Record<string, number> }[] = []
    const writing = groups.map(async (ids) => {
      while (seen.length < 6) {
        await remove(context, impediment, caller, { ids })
        await sleep(randomInt(8))
        await restore(context, impediment, caller, { ids })
      }
    })
    const late = (async () => {
      while (!isDone)
        await rest.database.transaction(async (transaction) => {
          const name = `Late ${randomInt(1_000_000)}`
          await insertRow(transaction, impediment, caller, { id: newId(), name })
          await sleep(randomInt(30))
          await insertRow(transaction, impediment, caller, { id: newId(), name })
        })
    })()
    const countsAt = async (at: string): Promise<Record<string, number>> => {
      const found = await rows('impediments', `at=${at}&filter=name startsWith 'Group'`)
      const pairs = Map.groupBy(
        await rows('impediments', `at=${at}&filter=name startsWith 'Late'`),
        ({ name }: { name: string }) => name,
      )
      for (const [name, both] of pairs) assert.equal(both.length, 2, `${name} at ${at}`)
      return Object.fromEntries(
        [...Map.groupBy(found, ({ name }: { name: string }) => name)].map(([name, group]) => [
          name,
          group.length,
        ]),
      )
    }
    const reading = (async () => {
      while (!isDone) {
        const at = await timestamp()
        seen.push({ at, counts: await countsAt(at) })
      }
    })()
    await Promise.all(writing)
    isDone = true
    await Promise.all([late, reading])
    for (const { at, counts } of seen) {
      for (const count of Object.values(counts)) assert.equal(count, 20, JSON.stringify({ at, counts }))
      // Requested again, the same instant gives the same result.
      assert.deepEqual(await countsAt(at), counts)
    }
  })

  test('returns the rows that the caller can see now, not then', async () => {
    const projectId = await workspace.project('Access')
    const membership = await workspace.join(projectId, member.id)
    const id = await workspace.assignment(projectId, member.id, { name: 'Seen' })
    const at = await timestamp()
    const seen = async (by: Person) => (await rows('assignments', `at=${at}&filter=id eq '${id}'`, by)).length
    assert.equal(await seen(member), 1)
    await workspace.write('DELETE', '/api/assignment', { ids: [id] })
    assert.equal(await seen(member), 1, 'The row was removed since.')
    await workspace.write('DELETE', '/api/userProject', { ids: [membership] })
    assert.equal(await seen(member), 0, 'The caller is no longer a member.')
    assert.equal(await seen(rest.administrator), 1)
    assertEnvelope(await get(`/ext/query/users?at=${at}`, member), 403)
  })

  test('is rejected for the future, for purged history, for streams, and on routes without it', async () => {
    const rejection = async (path: string, status: number) => assertEnvelope(await get(path), status)
    await rejection('/ext/query/projects?at=2999-01-01', 400)
    await rejection('/ext/query/projects?at=yesterday', 400)
    await rejection('/ext/query/projects?at=2001-01-01', 410)
    for (const path of ['/ext/people', listPathOf('comment'), '/ext/removed/projects'])
      await rejection(`${path}?at=${await timestamp()}`, 400)
    await rejection(`/ext/export/people?at=${await timestamp()}`, 400)
    const stream = await openEventStream(
      rest.address,
      `/ext/query/projects?at=${await timestamp()}`,
      rest.administrator,
    )
    assert.equal(stream.status, 400)
  })

  test('has a counterpart that compares the rows of a project at two instants', async () => {
    const projectId = await workspace.project('Compared', member)
    const changedId = await workspace.assignment(projectId, member.id, { name: 'Original' })
    const removedId = await workspace.assignment(projectId, member.id, { name: 'Removed' })
    const from = await timestamp()
    const addedId = await workspace.assignment(projectId, member.id, { name: 'Added' })
    const addedAndRemovedId = await workspace.assignment(projectId, member.id, { name: 'In between' })
    const row = (await get(`/api/assignment?id=${changedId}`)).body.assignment
    await workspace.write('PATCH', '/api/assignment', { ...row, name: 'Changed', amountHours: 9 })
    await workspace.write('PATCH', '/api/assignment', { ...row, name: 'Changed twice' })
    await workspace.write('DELETE', '/api/assignment', { ids: [removedId, addedAndRemovedId] })
    const to = await timestamp()
    await workspace.assignment(projectId, member.id, { name: 'After the second instant' })
    const difference = async (by: Person, query = `from=${from}&to=${to}`) =>
      by.call('GET', `/ext/project/difference?id=${projectId}&${query}`)
    const found = (await difference(member)).body.rows
    const rowsById = Object.fromEntries(found.map((row: { rowId: string }) => [row.rowId, row]))
    assert.deepEqual(Object.keys(rowsById).sort(), [changedId, removedId, addedId].sort())
    const { [addedId]: added, [changedId]: changed, [removedId]: removed } = rowsById
    assert.deepEqual([added.kind, added.before, added.after.name], ['added', null, 'Added'])
    assert.deepEqual(
      [changed.kind, changed.before.name, changed.after.name],
      ['changed', 'Original', 'Changed twice'],
    )
    assert.ok(!('amountHours' in changed.after))
    assert.equal(removed.kind, 'removed')
    assert.deepEqual((await difference(member, `from=${to}&to=${to}`)).body.rows, [])
    assertEnvelope(await difference(await rest.signUp()), 404)
    assertEnvelope(await difference(member, `from=${to}&to=${from}`), 400)
    assertEnvelope(await difference(member, 'from=&to='), 400)
  })
})
