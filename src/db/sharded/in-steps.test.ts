import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { connectDirectly } from '../../../test/support/direct-connection.ts'
import { freshContext, rejectedAs } from '../../../test/support/fresh-context.ts'
import { addressOf, isDistributed, openTestDatabase } from '../../../test/support/fresh-database.ts'
import type { FileStore } from '../../features/attachments/file-store.ts'
import { sweepFiles } from '../../features/attachments/files.ts'
import { createAttachment } from '../../features/attachments/receive-upload.ts'
import { changedRowsSince } from '../../features/changes/listing-scope.ts'
import { readFeed } from '../../features/changes/read-feed.ts'
import { listDifferences, listHistory } from '../../features/history/history.ts'
import type { Caller } from '../../model/caller.ts'
import { parseBatch } from '../../records/batch/parse-batch.ts'
import { runBatch } from '../../records/batch/run-batch.ts'
import type { Context } from '../../records/context.ts'
import { create } from '../../records/create.ts'
import { get } from '../../records/get.ts'
import { list } from '../../records/list.ts'
import { parseListQuery } from '../../records/list-query.ts'
import { parseQuery } from '../../records/query/parse-query.ts'
import { runQuery } from '../../records/query/run-query.ts'
import { remove, restore } from '../../records/remove.ts'
import { update } from '../../records/update.ts'
import { resourceNamed } from '../../resources/all.ts'
import type { Resource } from '../../resources/define-resource.ts'
import { newId, type Row } from '../rows.ts'
import { sql } from '../sql.ts'
import { createPlacesTable, triggers } from './operator-tasks.ts'

const comment = resourceNamed('comment')
const project = resourceNamed('project')
const user = resourceNamed('user')

/**
 * A single PostgreSQL with a table of places also executes statements in steps, so the same rows can be read
 * and written both ways.
 */
describe('A statement that is executed in steps', { skip: isDistributed }, () => {
  let fresh: Awaited<ReturnType<typeof freshContext>>
  let stepped: Context
  let first: Row
  let second: Row
  let callers: readonly Caller[]
  before(async () => {
    fresh = await freshContext()
    first = await fresh.makeAny('assignment')
    second = await fresh.makeAny('assignment')
    await fresh.make('userProject', { userId: first.userId, projectId: first.projectId })
    const { context, administrator } = fresh
    const client = await connectDirectly(context.database)
    await client.query(createPlacesTable)
    // The steps set the values of the triggers. The other triggers do nothing for rows that have a value.
    await client.query('drop trigger give_number_of_moved on assignments').finally(() => client.end())
    stepped = { ...context, database: openTestDatabase(addressOf(context.database)) }
    const member = { id: String(first.userId), isAdministrator: false }
    callers = [administrator, member, { id: String(second.userId), isAdministrator: false }]
  })
  after(async () => {
    await stepped.database.close()
    await fresh.drop()
  })

  it('adds the row of an attachment under the same conditions', async () => {
    const { administrator } = fresh
    const [, member] = callers as [Caller, Caller]
    const attach = async (caller: Caller, assignment: Row, projectId = assignment.projectId) => {
      const id = newId()
      await stepped.database.singleWrites.query(
        sql`insert into attachment_files (id, begun_at) values (${id}, now() - interval '2 days') returning 1`,
      )
      const values = { name: 'a', type: 'text/plain', size: 1, sha256: '', assignmentId: assignment.id }
      const added = { id, projectId: String(projectId), values: { ...values, userId: caller.id } }
      return createAttachment(stepped, caller, added, 4096)
    }
    const { id } = await attach(member, first)
    await assert.rejects(attach(member, first), rejectedAs('invalid'))
    await assert.rejects(attach(member, second), rejectedAs('invalid'))
    await assert.rejects(attach(administrator, second, first.id), rejectedAs('contended'))
    const deleted: string[] = []
    const store = {
      delete: async (fileId: string) => {
        deleted.push(fileId)
      },
    } as unknown as FileStore
    await sweepFiles(stepped.database, store)
    const kept = await fresh.context.database.query(sql`select id from attachment_files`)
    assert.deepEqual([deleted.length, kept], [3, [{ id }]])
  })

  it('writes rows and history like a single statement', async () => {
    const { administrator } = fresh
    const made = await create(stepped, comment, administrator, { text: 'a', assignmentId: first.id })
    await update(stepped, comment, administrator, {
      id: made.id,
      userId: made.userId,
      text: 'b',
      assignmentId: second.id,
    })
    const places = sql`select assignment_id as assignment from row_places where id = ${made.id}`
    assert.deepEqual(await fresh.context.database.query(places), [{ assignment: second.id }])
    await remove(stepped, comment, administrator, { ids: [made.id] })
    await restore(stepped, comment, administrator, { ids: [made.id] })
    const { row } = await get(fresh.context, comment, administrator, { id: made.id })
    assert.deepEqual([row.text, row.assignmentId], ['b', second.id])
    const { data } = await listHistory(fresh.context, administrator, { resource: 'comment', id: made.id })
    assert.deepEqual(
      data.map(({ action }) => action),
      ['restore', 'remove', 'update', 'create'],
    )
    assert.deepEqual(data[2]?.before, { text: 'a', assignmentId: first.id, updatedAt: null })
  })

  it('is rejected in the same cases as a single statement', async () => {
    const { administrator } = fresh
    const parent = await fresh.makeAny('organization')
    await remove(stepped, resourceNamed('organization'), administrator, { ids: [parent.id] })
    const body = { name: 'P', organizationId: parent.id }
    await assert.rejects(create(stepped, project, administrator, body), rejectedAs('invalid'))
    await assert.rejects(
      update(stepped, project, administrator, { ...body, id: newId() }),
      rejectedAs('missing'),
    )
    const { name, login } = await fresh.makeAny('user')
    await assert.rejects(
      create(stepped, user, administrator, { name, login, password: 'Secret-123' }),
      rejectedAs('duplicate'),
    )
  })

  it('follows the project rules, and removes links together with the rows that they connect', async () => {
    const { administrator } = fresh
    const label = resourceNamed('label')
    const link = resourceNamed('assignmentLabel')
    const dependencyLink = resourceNamed('assignmentDependency')
    const assignment = resourceNamed('assignment')
    const write = (verb: typeof create, resource: Resource, body: object) =>
      verb(stepped, resource, administrator, body)
    const projectId = first.projectId
    const otherProjectId = second.projectId
    const task = await fresh.makeAny('assignment', { projectId })
    const blocker = await fresh.makeAny('assignment', { projectId })
    const body = { name: 'Bug', color: 'red', projectId }
    const { id: labelId } = await write(create, label, body)
    await assert.rejects(write(create, label, { ...body, name: 'BUG' }), rejectedAs('duplicate'))
    const linkBody = { assignmentId: task.id, labelId }
    const createdLink = await write(create, link, linkBody)
    await assert.rejects(write(create, link, linkBody), rejectedAs('duplicate'))
    await assert.rejects(write(create, link, { ...linkBody, assignmentId: second.id }), rejectedAs('invalid'))
    const dependency = await write(create, dependencyLink, { assignmentId: task.id, blockedById: blocker.id })
    const cycle = { assignmentId: blocker.id, blockedById: task.id }
    await assert.rejects(write(create, dependencyLink, cycle), rejectedAs('invalid'))
    const activeIds = async () => {
      const rows = await fresh.context.database.query<{ id: string }>(sql`
        select id from assignment_labels where active union all select id from assignment_dependencies where active`)
      return rows.map(({ id }) => id)
    }
    await remove(stepped, assignment, administrator, { ids: [blocker.id, task.id] })
    assert.deepEqual(await activeIds(), [])
    await restore(stepped, assignment, administrator, { ids: [task.id] })
    assert.deepEqual(await activeIds(), [createdLink.id])
    await restore(stepped, assignment, administrator, { ids: [blocker.id] })
    assert.deepEqual(await activeIds(), [createdLink.id, dependency.id])
    await write(update, assignment, { ...task, projectId: otherProjectId })
    assert.deepEqual(await activeIds(), [])
    const member: Caller = { id: String(first.userId), isAdministrator: false }
    const errorsFor = (blockedById: unknown) => {
      const items = [
        {
          operation: 'create',
          resource: 'assignmentDependency',
          body: { assignmentId: blocker.id, blockedById },
        },
      ]
      const running = runBatch(stepped, member, parseBatch({ items }), async () => new Map())
      return running.catch(({ errors }: { errors: unknown }) => errors)
    }
    const [hidden, missing] = await Promise.all([errorsFor(second.id), errorsFor(newId())])
    assert.deepEqual(hidden, missing)
    assert.match(JSON.stringify(hidden), /must refer to an active assignment/)
  })

  it('writes a batch as one transaction', async () => {
    const items = [
      { operation: 'create', resource: 'comment', body: { id: newId(), text: 'c', assignmentId: first.id } },
      { operation: 'create', resource: 'comment', body: { id: newId(), text: 'd', assignmentId: newId() } },
    ]
    const run = (subset: readonly object[]) =>
      runBatch(stepped, fresh.administrator, parseBatch({ items: subset }), async () => new Map())
    await assert.rejects(run(items))
    assert.equal((await run(items.slice(0, 1))).length, 1)
  })

  it('returns the same as a single statement, for every caller', async () => {
    const { context } = fresh
    const since = '1:1:'
    const projectId = String(first.projectId)
    const reads: readonly ((reader: Context, caller: Caller) => Promise<unknown>)[] = [
      (reader, caller) => list(reader, comment, caller, parseListQuery(comment, { pageSize: '2' })),
      (reader, caller) => list(reader, comment, caller, parseListQuery(comment, { search: 'c' })),
      // Only a single statement dates the row by its transaction.
      async (reader, caller) =>
        (await get(reader, resourceNamed('assignment'), caller, { id: first.id })).row,
      ({ database }, caller) =>
        runQuery(
          comment,
          caller,
          parseQuery(comment, caller, { expand: 'assignment.project.organization', count: 'true' }),
          database.listReads,
        ),
      (reader, caller) => listHistory(reader, caller, { projectId, pageSize: '50' }),
      (reader, caller) =>
        listDifferences(reader, caller, {
          id: first.projectId,
          from: second.createdAt,
          to: new Date(Date.now() - 1).toISOString(),
        }),
      ({ database }, caller) =>
        readFeed(
          {
            caller,
            filter: { projectId },
            position: { since, sinceAt: Date.now() },
            pageSize: 50,
          },
          database.listReads,
        ).then(({ changes }) => changes.map(({ change }) => change)),
      async ({ database }) => {
        const rows = await changedRowsSince(database.listReads, since, new Set(['comment', 'project']))
        return rows.rowsOf('comment')?.map(({ id, projects }) => ({ id, projects }))
      },
    ]
    for (const [index, read] of reads.entries())
      for (const caller of callers) {
        const answerOf = (reader: Context) =>
          read(reader, caller).catch((error: { kind?: string }) => error.kind ?? error)
        const answer = await answerOf(context)
        if (caller === fresh.administrator) assert.notEqual(typeof answer, 'string', String(index))
        assert.deepEqual(await answerOf(stepped), answer, `${index} ${caller.id}`)
      }
  })

  // This test is the last, because rows that a single statement writes need the triggers.
  it('generates keys and numbers without triggers', async () => {
    const { administrator, context } = fresh
    const task = resourceNamed('assignment')
    const { organizationId } = await fresh.makeAny('project')
    const drop = triggers.map(({ trigger, table }) => `drop trigger if exists ${trigger} on ${table}`)
    const client = await connectDirectly(context.database)
    await client.query(drop.join(';')).finally(() => client.end())
    const make = (name: string) => create(stepped, project, administrator, { name, organizationId })
    const one = await make('In Steps')
    const other = await make('In Steps')
    assert.deepEqual([one.key, other.key], ['IS', 'IS2'])
    const made = await create(stepped, task, administrator, { ...first, id: newId(), projectId: one.id })
    const next = await create(stepped, task, administrator, { ...first, id: newId(), projectId: one.id })
    const moved = await update(stepped, task, administrator, { ...made, projectId: other.id })
    const renamed = await update(stepped, task, administrator, {
      ...moved,
      name: 'Renamed',
      projectId: other.id,
    })
    assert.deepEqual([made.number, next.number, moved.number, renamed.number], [1, 2, 1, 1])
    assert.deepEqual(
      await context.database.query(
        sql`select project_id as "projectId", number from assignment_addresses where assignment_id = ${made.id}`,
      ),
      [{ projectId: one.id, number: 1 }],
    )
  })
})
