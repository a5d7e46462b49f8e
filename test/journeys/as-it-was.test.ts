import assert from 'node:assert/strict'
import { randomInt } from 'node:crypto'
import { after, before, describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { openBudgets } from '../../src/config/budgets.ts'
import { newId } from '../../src/db/columns.ts'
import { insertRow } from '../../src/db/rows.ts'
import { sql } from '../../src/db/sql.ts'
import type { Tracker } from '../../src/records/context.ts'
import { remove } from '../../src/records/remove.ts'
import { restore } from '../../src/records/restore.ts'
import { impediment } from '../../src/resources/impediment.ts'
import { type Entity, entities, listPathOf, resources } from '../contract/resources.ts'
import { assertEnvelope } from '../support/assert-envelope.ts'
import { furnish, type Workspace } from '../support/furnish.ts'
import { listen } from '../support/live-events.ts'
import { type Person, type RestUnderTest, startRestUnderTest } from '../support/rest-host.ts'

describe('Reading as it was, with at=,', () => {
  let rest: RestUnderTest
  let workspace: Workspace
  let member: Person
  before(async () => {
    rest = await startRestUnderTest()
    workspace = await furnish(rest)
    member = await rest.signUp({ name: 'Mara' })
  })
  after(() => rest.stop())
  const get = (path: string, { token }: Person = rest.administrator) => rest.call('GET', path, { token })
  const rows = async (list: string, query: string, by?: Person) => {
    const ask = () => get(`/ext/query/${list}?pageSize=100&${query}`, by)
    let answer = await ask()
    // On a busy machine, writes in flight at that instant may take longer than a reader waits.
    for (let asked = 1; answer.status === 503 && asked < 10; asked += 1) answer = await ask()
    assert.equal(answer.status, 200, JSON.stringify(answer.body))
    return answer.body.result.data
  }
  /** By the clock of the store. */
  const moment = async () => {
    const [row] = await rest.database.query<{ now: string }>(sql`select clock_timestamp() as now`)
    return row?.now ?? ''
  }

  test('every list shows for each instant exactly the rows that it showed then', async () => {
    const projectId = await workspace.project('Then', member)
    const snapshots: { at: string; lists: Map<Entity, unknown> }[] = []
    const take = async () => {
      const lists = new Map<Entity, unknown>()
      for (const entity of entities)
        lists.set(entity, await rows(resources[entity].list, 'sort=id', member).catch(() => 'refused'))
      snapshots.push({ at: await moment(), lists })
    }
    await take()
    const id = await workspace.assignment(projectId, member.id, { name: 'First' })
    const comment = await workspace.make(
      'comment',
      { text: 'Said', assignmentId: id, userId: member.id },
      member,
    )
    await take()
    const row = (await get(`/api/assignment?id=${id}`)).body.assignment
    await workspace.write('PATCH', '/api/assignment', {
      ...row,
      name: 'Second',
      description: 'More',
      amountHours: 7.25,
    })
    await workspace.write('PATCH', '/api/organization', { id: workspace.organizationId, name: 'Renamed' })
    await take()
    await workspace.write('PATCH', '/ext/comment', { ...comment, text: 'Said again' }, member)
    await workspace.write('DELETE', '/api/assignment', { ids: [id] })
    await take()
    await workspace.write('POST', '/api/assignment/restore', { ids: [id] })
    await workspace.write('PATCH', '/api/assignment', { ...row, name: 'Third', description: null })
    await take()
    await workspace.write('DELETE', '/api/assignment', { ids: [id] })
    for (const { at, lists } of snapshots)
      for (const entity of entities.filter((one) => one !== 'user'))
        assert.deepEqual(
          await rows(resources[entity].list, `sort=id&at=${at}`, member),
          lists.get(entity),
          `${entity} at ${at}`,
        )
    // Filters, fields, parents, order and cursors use that instant too.
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

  test('one row of an extension too, with its access and its errors', async () => {
    const projectId = await workspace.project('One row')
    const membership = await workspace.join(projectId, member.id)
    const assignmentId = await workspace.assignment(projectId, member.id)
    const early = await moment()
    const body = { text: 'Said', assignmentId, userId: member.id }
    const comment = await workspace.make('comment', body, member)
    const at = await moment()
    await workspace.write('PATCH', '/ext/comment', { ...comment, text: 'Said again' }, member)
    const shown = (query: string, by: Person = member) => get(`/ext/comment?id=${comment.id}${query}`, by)
    const textAt = async (query: string, by?: Person) => (await shown(query, by)).body.comment.text
    assert.equal(await textAt(''), 'Said again')
    assert.equal(await textAt(`&at=${at}`), 'Said')
    assertEnvelope(await shown(`&at=${early}`), 404)
    await workspace.write('DELETE', '/ext/comment', { ids: [comment.id] }, member)
    assertEnvelope(await shown(''), 404)
    assert.equal(await textAt(`&at=${at}`), 'Said')
    await workspace.write('DELETE', '/api/userProject', { ids: [membership] })
    assertEnvelope(await shown(`&at=${at}`), 404)
    assert.equal(await textAt(`&at=${at}`, rest.administrator), 'Said')
    for (const wrong of ['', 'yesterday', '2999-01-01', `${at}&at=${at}`])
      assert.ok((await shown(`&at=${wrong}`)).body.errors.at, wrong)
    assertEnvelope(await shown('&at=2001-01-01'), 410)
    // The contract does not know the key, and ignores it.
    assert.equal((await get(`/api/assignment?id=${assignmentId}&at=2001-01-01`)).status, 200)
  })

  test('a transaction is visible as a whole or not at all, at any instant, under writes', async () => {
    const tracker = { database: rest.database, budgets: openBudgets() } as Tracker
    const caller = { id: rest.administrator.id, isAdministrator: true }
    const groups = Array.from({ length: 3 }, () => Array.from({ length: 20 }, () => newId()))
    for (const [index, ids] of groups.entries())
      await rest.database.transaction(async (transaction) => {
        for (const id of ids) await insertRow(transaction, impediment, caller, { id, name: `Group ${index}` })
      })
    let isOver = false
    const seen: { at: string; counts: Record<string, number> }[] = []
    const writing = groups.map(async (ids) => {
      while (seen.length < 6) {
        await remove(tracker, impediment, caller, { ids })
        await sleep(randomInt(8))
        await restore(tracker, impediment, caller, { ids })
      }
    })
    const late = (async () => {
      while (!isOver)
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
        (one: { name: string }) => one.name,
      )
      for (const [name, both] of pairs) assert.equal(both.length, 2, `${name} at ${at}`)
      return Object.fromEntries(
        [...Map.groupBy(found, (one: { name: string }) => one.name)].map(([name, all]) => [name, all.length]),
      )
    }
    const reading = (async () => {
      while (!isOver) {
        const at = await moment()
        seen.push({ at, counts: await countsAt(at) })
      }
    })()
    await Promise.all(writing)
    isOver = true
    await Promise.all([late, reading])
    for (const { at, counts } of seen) {
      for (const count of Object.values(counts)) assert.equal(count, 20, JSON.stringify({ at, counts }))
      // Requested again, the same instant gives the same result.
      assert.deepEqual(await countsAt(at), counts)
    }
  })

  test('shows what the reader may see today, not then', async () => {
    const projectId = await workspace.project('Access')
    const membership = await workspace.join(projectId, member.id)
    const id = await workspace.assignment(projectId, member.id, { name: 'Seen' })
    const at = await moment()
    const seen = async (by: Person) => (await rows('assignments', `at=${at}&filter=id eq '${id}'`, by)).length
    assert.equal(await seen(member), 1)
    await workspace.write('DELETE', '/api/assignment', { ids: [id] })
    assert.equal(await seen(member), 1, 'removed since')
    await workspace.write('DELETE', '/api/userProject', { ids: [membership] })
    assert.equal(await seen(member), 0, 'a member no more')
    assert.equal(await seen(rest.administrator), 1)
    assertEnvelope(await get(`/ext/query/users?at=${at}`, member), 403)
  })

  test('is rejected for the future, for purged history, for streams, and on routes without it', async () => {
    const refusal = async (path: string, status: number) => assertEnvelope(await get(path), status)
    await refusal('/ext/query/projects?at=2999-01-01', 400)
    await refusal('/ext/query/projects?at=yesterday', 400)
    await refusal('/ext/query/projects?at=2001-01-01', 410)
    for (const path of ['/ext/people', listPathOf('comment'), '/ext/removed/projects'])
      await refusal(`${path}?at=${await moment()}`, 400)
    await refusal(`/ext/export/people?at=${await moment()}`, 400)
    const stream = await listen(rest.address, `/ext/query/projects?at=${await moment()}`, rest.administrator)
    assert.equal(stream.status, 400)
  })

  test('a project at two instants differs in what was added, changed and removed between them', async () => {
    const projectId = await workspace.project('Compared', member)
    const stays = await workspace.assignment(projectId, member.id, { name: 'Stays' })
    const goes = await workspace.assignment(projectId, member.id, { name: 'Goes' })
    const from = await moment()
    const comes = await workspace.assignment(projectId, member.id, { name: 'Comes' })
    const passing = await workspace.assignment(projectId, member.id, { name: 'Passes' })
    const row = (await get(`/api/assignment?id=${stays}`)).body.assignment
    await workspace.write('PATCH', '/api/assignment', { ...row, name: 'Changed', amountHours: 9 })
    await workspace.write('PATCH', '/api/assignment', { ...row, name: 'Changed twice' })
    await workspace.write('DELETE', '/api/assignment', { ids: [goes, passing] })
    const to = await moment()
    await workspace.assignment(projectId, member.id, { name: 'Too late' })
    const difference = async (by: Person, query = `from=${from}&to=${to}`) =>
      rest.call('GET', `/ext/project/difference?id=${projectId}&${query}`, { token: by.token })
    const found = (await difference(member)).body.rows
    const by = Object.fromEntries(found.map((one: { rowId: string }) => [one.rowId, one]))
    assert.deepEqual(Object.keys(by).sort(), [stays, goes, comes].sort())
    assert.deepEqual([by[comes].kind, by[comes].before, by[comes].after.name], ['added', null, 'Comes'])
    assert.deepEqual(
      [by[stays].kind, by[stays].before.name, by[stays].after.name],
      ['changed', 'Stays', 'Changed twice'],
    )
    assert.ok(!('amountHours' in by[stays].after))
    assert.equal(by[goes].kind, 'removed')
    assert.deepEqual((await difference(member, `from=${to}&to=${to}`)).body.rows, [])
    assertEnvelope(await difference(await rest.signUp()), 404)
    assertEnvelope(await difference(member, `from=${to}&to=${from}`), 400)
    assertEnvelope(await difference(member, 'from=&to='), 400)
  })
})
