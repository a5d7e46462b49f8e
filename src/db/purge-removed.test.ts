import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { freshContext } from '../../test/support/fresh-context.ts'
import { isDistributed } from '../../test/support/fresh-database.ts'
import { remove } from '../records/remove.ts'
import { resourceNamed, resources } from '../resources/all.ts'
import { changesSince, currentSnapshot } from './change-log.ts'
import { purgeRemoved } from './purge.ts'
import { restoreRows } from './rows.ts'
import { raw, sql } from './sql.ts'

describe('rows that were removed long ago', () => {
  let fresh: Awaited<ReturnType<typeof freshContext>>
  before(async () => {
    fresh = await freshContext()
  })
  after(() => fresh.drop())

  const make = async (resource: string, values = {}) => (await fresh.makeAny(resource, values)).id as string
  const removeRow = (resource: string, id: string) =>
    remove(fresh.context, resourceNamed(resource), fresh.administrator, { ids: [id] })
  const backdate = (table: string, id: string, days: number) =>
    fresh.context.database.query(
      raw(`update ${table} set deleted_at = now() - interval '${days} days' where id = '${id}'`),
    )
  const isThere = async (table: string, id: string) =>
    (await fresh.context.database.query(raw(`select from ${table} where id = '${id}'`))).length === 1
  const purge = (days = 90) => purgeRemoved(fresh.context.database, resources, days)

  it('are purged after the retention period', async () => {
    const id = await make('impediment')
    await removeRow('impediment', id)
    await backdate('impediments', id, 4000)
    await purge(0)
    assert.ok(await isThere('impediments', id))
    await purge()
    assert.equal(await isThere('impediments', id), false)
    const [recorded] = await fresh.context.database.query<{ rows: number; isLongAgo: boolean }>(
      sql`select rows::int, removed_before < now() - interval '89 days' as "isLongAgo" from purges where resource = 'impediment'`,
    )
    assert.deepEqual(recorded, { rows: 1, isLongAgo: true })
  })

  it('are purged even if they have sub-assignments', async () => {
    const projectId = await make('project')
    const whole = await make('assignment', { projectId })
    const part = await make('assignment', { projectId, parentId: whole })
    await removeRow('assignment', whole)
    await backdate('assignments', whole, 100)
    await purge()
    assert.equal(await isThere('assignments', whole), false)
    const [remaining] = await fresh.context.database.query<{ parentId: string | null }>(
      sql`select parent_id as "parentId" from assignments where id = ${part}`,
    )
    assert.equal(remaining?.parentId, null)
  })

  it('are purged with the rows that refer to them', async () => {
    const project = await make('project')
    const assignment = await make('assignment', { projectId: project })
    await removeRow('assignment', assignment)
    await removeRow('project', project)
    await backdate('projects', project, 100)
    // The memberships were removed in the same instant as the project.
    await fresh.context.database.query(
      sql`update user_projects set deleted_at = now() - interval '100 days' where project_id = ${project}`,
    )
    await backdate('assignments', assignment, 10)
    await purge()
    assert.ok(await isThere('projects', project))
    await backdate('assignments', assignment, 100)
    await purge()
    assert.equal(await isThere('assignments', assignment), false)
    assert.equal(await isThere('projects', project), false)
  })

  it('appear as changes in the lists of clients', async () => {
    const live = await make('workflow')
    const young = await make('workflow')
    const old = await make('workflow')
    for (const id of [young, old]) await removeRow('workflow', id)
    await backdate('workflows', young, 89)
    await backdate('workflows', old, 91)
    const snapshot = await currentSnapshot(fresh.context.database)
    await purge()
    assert.deepEqual((await changesSince(fresh.context.database, snapshot)).resources, ['workflow'])
    assert.deepEqual(await Promise.all([live, young, old].map((id) => isThere('workflows', id))), [
      true,
      true,
      false,
    ])
  })

  it('stay when a concurrent transaction is restoring them', async () => {
    const id = await make('organization')
    await removeRow('organization', id)
    await backdate('organizations', id, 100)
    const { database } = fresh.context
    const organization = resourceNamed('organization')
    const [purging] = await database.transaction(async (transaction) => {
      await restoreRows(transaction, organization, undefined, sql`row.id = ${id}`, {
        hasCascadeParent: false,
      })
      const purging = purge()
      // In a sharded store, the purge waits until this transaction has ended.
      if (!isDistributed) await purging
      // The transaction would wait for a promise, but does not wait for an array that contains it.
      return [purging]
    })
    await purging
    assert.ok(await isThere('organizations', id))
  })

  it('are purged with their credentials if they are accounts', async () => {
    const { database } = fresh.context
    const user = await make('user')
    for (const statement of accountStatements)
      await database.query(raw(statement.replaceAll('$user', `'${user}'`)))
    await removeRow('user', user)
    await backdate('users', user, 100)
    await purge()
    assert.equal(await isThere('users', user), false)
    const [remaining] = await database.query<{ entries: number; tokens: number }>(
      sql`select (select count(*)::int from history where row_id = ${user}) as entries,
        (select count(*)::int from api_tokens where user_id = ${user}) as tokens`,
    )
    assert.deepEqual(remaining, { entries: 2, tokens: 0 })
  })

  it('stay if they are accounts whose recorded hours still exist', async () => {
    const user = await make('user')
    const recorded = {
      userId: user,
      assignmentId: await make('assignment'),
      keepDate: '2026-01-05',
      amountHours: 1,
    }
    await removeRow('appointment', (await fresh.make('appointment', recorded)).id as string)
    await removeRow('user', user)
    await backdate('users', user, 100)
    await purge()
    assert.ok(await isThere('users', user))
  })

  it('are purged even if a thousand others must stay', async () => {
    const { database } = fresh.context
    // In a sharded store, a row that is purged has an entry in row_places.
    const places = isDistributed
      ? sql`insert into row_places (table_name, id) select 'organizations', id from organizations on conflict do nothing`
      : sql`select`
    for (const statement of [
      sql`insert into organizations (id, name, active, deleted_at)
        select ('00000000-0000-4000-8000-' || lpad(n::text, 12, '0'))::uuid, 'Kept', false, now() - interval '100 days'
        from generate_series(1, 1000) as n`,
      sql`insert into projects (id, name, key, organization_id)
        select id, 'Live', 'K' || right(id::text, 4), id from organizations where name = 'Kept'`,
      sql`insert into organizations (id, name, active, deleted_at)
        values ('ffffffff-0000-4000-8000-000000000000', 'Purged', false, now() - interval '100 days')`,
      places,
    ])
      await database.singleWrites.query(statement)
    await purge()
    const kept = await database.query(sql`select from organizations where name = 'Kept'`)
    assert.equal(kept.length, 1000)
    assert.equal(await isThere('organizations', 'ffffffff-0000-4000-8000-000000000000'), false)
  })

  it('are kept only by references from other resources', async () => {
    const isResource = (table: string) =>
      raw(`(select count(*) from pg_attribute where attrelid = ${table}
        and attname in ('id', 'active', 'deleted_at', 'created_at', 'updated_at')) = 5`)
    const references = await fresh.context.database.query<{
      reference: string
      isFromResource: boolean
      cascades: boolean
    }>(
      sql`select conrelid::regclass || '.' || attname as reference, ${isResource('conrelid')} as "isFromResource", confdeltype = 'c' as cascades
        from pg_constraint join pg_attribute on attrelid = conrelid and attnum = conkey[1]
        where contype = 'f' and ${isResource('confrelid')}`,
    )
    assert.ok(references.length > 20)
    const wrong = references
      .filter(({ isFromResource, cascades }) => isFromResource === cascades)
      .map(({ reference }) => reference)
    assert.deepEqual(wrong, [], 'rows of other tables are deleted with their parent: add on delete cascade')
    const withoutIndex = await fresh.context.database.query<{ reference: string }>(
      sql`select conrelid::regclass || '.' || attname as reference
        from pg_constraint join pg_attribute on attrelid = conrelid and attnum = conkey[1]
        where contype = 'f' and ${isResource('confrelid')} and not exists (
          select from pg_index where indrelid = conrelid and indkey[0] = conkey[1]
            and (indpred is null or pg_get_expr(indpred, indrelid) = '(' || attname || ' IS NOT NULL)'))`,
    )
    assert.deepEqual(
      withoutIndex,
      [],
      'each deletion would scan the whole table: add an index on all its rows',
    )
  })

  it('cannot be purged before 30 days', async () => {
    const { database } = fresh.context
    await assert.rejects(purge(29), /kept for 30 days at least/)
    for (const table of ['signin_sessions', 'history', 'pg_class', 'none'])
      await assert.rejects(
        database.query(sql`select forget_removed('user', ${table}, 90)`),
        /no rows that are removed/,
      )
  })
})

/**
 * Statements that insert rows that would otherwise outlive the account. Other references to accounts use the
 * same constraint.
 */
const accountStatements = [
  `insert into api_tokens (id, user_id, hash, security_stamp, name, scopes, expires_at)
   values (gen_random_uuid(), $user, sha256('a'), '', 'a', '{a}', now())`,
  'insert into administrators (user_id, given_by) values ($user, $user)',
  'insert into deactivated_accounts (user_id, deactivated_by) values ($user, $user)',
  `insert into account_links (id, purpose, hash, made_by, expires_at) values (gen_random_uuid(), 'invitation', sha256('b'), $user, now())`,
  `insert into account_links (id, purpose, hash, made_by, user_id, security_stamp, expires_at)
   values (gen_random_uuid(), 'password', sha256('c'), $user, $user, '', now())`,
  `insert into consents (user_id, client_id, scope, granted_at) values ($user, 'a', 'a', now())`,
  `insert into webhooks (id, user_id, url, secret, position, since) values (gen_random_uuid(), $user, 'https://a.example', '', '', '')`,
]
