import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, describe, it } from 'node:test'
import pg from 'pg'
import { freshContext, rejectedAs } from '../../test/support/fresh-context.ts'
import { addressOf, isDistributed } from '../../test/support/fresh-database.ts'
import { migrateWithin } from '../db/migrate.ts'
import { newId, type Row } from '../db/rows.ts'
import { raw, sql } from '../db/sql.ts'
import { listHistory } from '../features/history/history.ts'
import { readOwnAccount } from '../features/own-account.ts'
import { resourceNamed, resources } from '../resources/all.ts'
import { get } from './get.ts'
import { list, streamList } from './list.ts'
import { parseListQuery } from './list-query.ts'
import { parseQuery } from './query/parse-query.ts'
import { runQuery } from './query/run-query.ts'
import { remove } from './remove.ts'
import { update } from './update.ts'

const { context, administrator, makeAny, drop } = await freshContext()
const { database } = context
const client = new pg.Client({ connectionString: addressOf(database) })
await client.connect()
after(async () => {
  await client.end()
  await drop()
})
const organization = resourceNamed('organization')
const project = resourceNamed('project')

// A sharded store has no trigger, and accepts such updates only from its own statements.
describe('Rows written by an earlier release, with microseconds', { skip: isDistributed }, () => {
  /** Makes an organization or a project as an earlier release has stored it. */
  async function makeEarlierRow(
    table: 'organizations' | 'projects',
    { createdAt, updatedAt = null }: Dates,
  ): Promise<Row> {
    const row = await makeAny(table.slice(0, -1))
    await client.query(`alter table ${table} disable trigger keep_milliseconds`)
    await client.query(`update ${table} set created_at = $2, updated_at = $3 where id = $1`, [
      row.id,
      createdAt,
      updatedAt,
    ])
    await client.query(`alter table ${table} enable trigger keep_milliseconds`)
    return row
  }
  interface Dates {
    readonly createdAt: string
    readonly updatedAt?: string | null
  }
  const dates = { createdAt: '2026-01-02T03:04:05.123987Z', updatedAt: '2026-02-03T04:05:06.7+00:00' }
  const shownDates = { createdAt: '2026-01-02T03:04:05.123Z', updatedAt: '2026-02-03T04:05:06.700Z' }
  const pick = ({ createdAt, updatedAt }: Readonly<Record<string, unknown>>) => ({ createdAt, updatedAt })

  it('are shown with milliseconds wherever they are read', async () => {
    const { id } = await makeEarlierRow('organizations', dates)
    const shown = [
      (await get(context, organization, administrator, { id })).row,
      ...JSON.parse(
        (await list(context, organization, administrator, parseListQuery(organization, { ids: id })))
          .recordsJson,
      ),
      ...(await runQuery(organization, administrator, parse({ filter: `id eq '${id}'` }), database.listReads))
        .rows,
    ]
    for await (const part of streamList(
      context,
      organization,
      administrator,
      parseListQuery(organization, { ids: id }),
      {
        format: (rows) => JSON.stringify(rows),
        signal: new AbortController().signal,
        onCut: () => undefined,
      },
    ))
      shown.push(...JSON.parse(part.toString()))
    assert.deepEqual(shown.map(pick), Array(4).fill(shownDates))
    await client.query(`update users set created_at = $2 where id = $1`, [administrator.id, dates.createdAt])
    assert.equal((await readOwnAccount(database, administrator)).createdAt, shownDates.createdAt)
  })

  it('have their removal date in milliseconds', async () => {
    const { id } = await makeAny('organization')
    await remove(context, organization, administrator, { ids: [id] })
    await client.query(`update organizations set deleted_at = $2 where id = $1`, [id, dates.createdAt])
    const query = parseListQuery(organization, { ids: id }, 'removed')
    const [removed] = JSON.parse((await list(context, organization, administrator, query)).recordsJson)
    assert.equal(removed.deletedAt, shownDates.createdAt)
  })

  it('have milliseconds in their history', async () => {
    const { id, createdAt } = await makeAny('organization')
    await client.query(`update history set fields = fields || $2 where row_id = $1`, [
      id,
      { created_at: '2026-01-02T03:04:05.123987+00:00' },
    ])
    const { data } = await listHistory(context, administrator, { resource: 'organization', id })
    assert.equal(data[0]?.after?.createdAt, shownDates.createdAt, String(createdAt))
  })

  for (const [description, version] of [
    ['with the digits that a client kept', dates.createdAt],
    ['as it is shown now', shownDates.createdAt],
    ['that went through a Date', new Date(dates.createdAt).toISOString()],
  ])
    it(`accept an expected version ${description}`, async () => {
      const { id, organizationId } = await makeEarlierRow('projects', { createdAt: dates.createdAt })
      const body = { id, organizationId, name: 'Changed', expectedVersion: version }
      assert.equal((await update(context, project, administrator, body)).name, 'Changed')
      await assert.rejects(update(context, project, administrator, body), rejectedAs('stale'))
    })

  it('get a version that is a millisecond later than the version that was shown', async () => {
    const { id } = await makeEarlierRow('organizations', {
      ...dates,
      updatedAt: '2199-01-01T00:00:00.000999Z',
    })
    const { updatedAt } = await update(context, organization, administrator, { id, name: 'Changed' })
    assert.equal(updatedAt, '2199-01-01T00:00:00.001Z')
  })

  const parse = (query: Readonly<Record<string, string>>) => parseQuery(organization, administrator, query)

  it('are returned once each when paging by cursor', async () => {
    const expectedIds = new Set<string>()
    for (const digits of ['1239', '1231', '1235'])
      expectedIds.add(
        (await makeEarlierRow('organizations', { createdAt: `2025-01-02T03:04:05.${digits}Z` })).id,
      )
    const filter = `createdAt eq '2025-01-02T03:04:05.123Z'`
    for (const sort of ['createdAt', '-createdAt']) {
      const receivedIds: unknown[] = []
      let cursor: string | null = null
      do {
        const query = parse({ filter, sort, pageSize: '1', ...(cursor !== null && { cursor }) })
        const page = await runQuery(organization, administrator, query, database.listReads)
        receivedIds.push(...page.rows.map(({ id }) => id))
        cursor = page.nextCursor
      } while (cursor !== null && receivedIds.length < 9)
      assert.equal(receivedIds.length, 3)
      assert.deepEqual(new Set(receivedIds), expectedIds)
    }
  })

  it('are no longer created: this release stores milliseconds', async () => {
    await client.query('alter table organizations disable trigger keep_milliseconds')
    const rows = await Promise.all(Array.from({ length: 5 }, () => makeAny('organization')))
    for (const { id } of rows) await update(context, organization, administrator, { id, name: 'Changed' })
    const ids = rows.map(({ id }) => id)
    await remove(context, organization, administrator, { ids })
    await client.query('alter table organizations enable trigger keep_milliseconds')
    const [withMicroseconds] = await database.query<{ count: number }>(sql`
      select count(*) from organizations cross join lateral unnest(array[created_at, updated_at, deleted_at]) as at
      where id = any(${ids}::uuid[]) and at <> date_trunc('milliseconds', at)`)
    assert.equal(withMicroseconds?.count, 0)
  })

  describe('while hosts of that release keep running', () => {
    const migration = readFileSync(
      new URL('../db/migrations/0087-versions-in-milliseconds.sql', import.meta.url),
      'utf8',
    )

    /** The statement with which those hosts change a row. */
    const change = (id: string) =>
      client.query<{ at: string }>(
        `update organizations as row set name = 'Changed', updated_at = greatest(statement_timestamp(),
          coalesce(row.updated_at, row.created_at) + interval '1 microsecond') where id = $1 returning updated_at::text as at`,
        [id],
      )

    it('each of their changes has a version that is a millisecond later', async () => {
      const { id } = await makeEarlierRow('organizations', {
        ...dates,
        updatedAt: '2199-01-01T00:00:00.000999Z',
      })
      const versions: string[] = []
      for (let times = 0; times < 3; times += 1) versions.push((await change(id)).rows[0]?.at ?? '')
      assert.deepEqual(
        versions.map((version) => version.slice(19, -3)),
        ['.001', '.002', '.003'],
      )
    })

    // Those hosts know no table that a later migration creates.
    for (const { name, table } of resources.filter((one) => migration.includes(`'${one.table}'`)))
      it(`a new ${name} has milliseconds`, async () => {
        const [stored] = await database.query<{ default: string; trigger: string }>(sql`
          select column_default::text as default, (select pg_get_triggerdef(oid) from pg_trigger
            where tgrelid = ${table}::regclass and tgname = 'keep_milliseconds' and tgenabled = 'O') as trigger
          from information_schema.columns where table_name = ${table} and column_name = 'created_at'`)
        assert.equal(stored?.default, `date_trunc('milliseconds'::text, now())`)
        assert.match(stored?.trigger ?? '', /before update of updated_at/i)
      })
  })

  it('are unchanged by the upgrade, except for rows of projects', async () => {
    await client.query('drop schema public, bank cascade')
    await client.query('create schema public')
    const apply = (isWanted?: (name: string) => boolean) => migrateWithin(client, isWanted)
    await client.query('begin')
    await apply((name) => name < '0087')
    await client.query(
      `insert into organizations (id, name, created_at, updated_at) values ($1, 'O', $2, $3)`,
      [administrator.id, dates.createdAt, dates.createdAt],
    )
    await client.query(
      `insert into projects (id, name, organization_id, created_at, updated_at) values ($1, 'P', $1, $2, $3)`,
      [administrator.id, dates.createdAt, dates.createdAt],
    )
    await apply()
    await client.query('commit')
    const stored = async (table: string) =>
      (
        await database.query<object>(
          sql`select created_at as "createdAt", updated_at as "updatedAt" from ${raw(table)}`,
        )
      )[0]
    const kept = { createdAt: dates.createdAt, updatedAt: dates.createdAt }
    assert.deepEqual(await stored('organizations'), kept)
    const cut = { createdAt: shownDates.createdAt, updatedAt: shownDates.createdAt }
    assert.deepEqual(await stored('projects'), cut)
  })

  it('have keys and numbers after the upgrade, in the order of their creation', async () => {
    await client.query('drop schema public, bank cascade')
    await client.query('create schema public')
    const apply = (isWanted?: (name: string) => boolean) => migrateWithin(client, isWanted)
    const ids = Array.from({ length: 9 }, () => newId())
    const [account, workflow, type, organization, older, newer, second, first, ofNewer] = ids
    await client.query('begin')
    await apply((name) => name < '0099')
    await client.query(`
      insert into organizations (id, name) values ('${organization}', 'O');
      insert into users (id, name, login, password_hash) values ('${account}', 'Ann', 'ann', '');
      insert into workflows (id, name, "order") values ('${workflow}', 'W', 1);
      insert into assignment_types (id, name) values ('${type}', 'T');
      insert into projects (id, name, organization_id, created_at, active) values
        ('${newer}', 'Moon Base', '${organization}', now() - interval '1 day', true),
        ('${older}', 'Moon Base', '${organization}', now() - interval '2 days', false)`)
    interface EarlierAssignment {
      readonly id: string | undefined
      readonly projectId: string | undefined
      readonly daysAgo: number
    }
    const insert = (rows: readonly EarlierAssignment[]) =>
      client.query(`
        insert into assignments (id, name, start_date, end_date, amount_hours, project_id, workflow_id, user_id, assignment_type_id, created_at, active)
        values ${rows.map(({ id, projectId, daysAgo }) => `('${id}', 'A', now(), now(), 1, '${projectId}', '${workflow}', '${account}', '${type}', now() - interval '${daysAgo} days', true)`).join()}`)
    await insert([
      { id: second, projectId: older, daysAgo: 1 },
      { id: first, projectId: older, daysAgo: 3 },
      { id: ofNewer, projectId: newer, daysAgo: 2 },
    ])
    await apply()
    // A host of the previous release sets neither keys nor numbers.
    const late = newId()
    await insert([{ id: late, projectId: older, daysAgo: 0 }])
    await client.query('commit')
    const { rows: keys } = await client.query('select key from projects order by created_at')
    assert.deepEqual(
      keys.map(({ key }) => key),
      ['MB', 'MB2'],
    )
    const { rows: numbers } = await client.query('select id, number from assignments')
    assert.deepEqual(
      new Map(numbers.map(({ id, number }) => [id, number])),
      new Map([
        [second, 2],
        [first, 1],
        [ofNewer, 1],
        [late, 3],
      ]),
    )
  })
})
