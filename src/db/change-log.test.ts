import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import pg from 'pg'
import { type FreshDatabase, freshDatabase } from '../../test/support/fresh-database.ts'
import { until } from '../../test/support/until.ts'
import { changesSince, currentSnapshot, lastChangeSecond, purgeChanges, watchChanges } from './change-log.ts'
import type { Database } from './database.ts'
import { raw, sql } from './sql.ts'

const append = (resource: string, at = 'clock_timestamp()') =>
  `insert into changes (resource, row_id, action, at) values ('${resource}', gen_random_uuid(), 'create', ${at})`

describe('the change log', () => {
  let fresh: FreshDatabase
  let other: pg.Client
  before(async () => {
    fresh = await freshDatabase()
    other = new pg.Client({ connectionString: fresh.url })
    await other.connect()
  })
  after(async () => {
    await other.end()
    await fresh.drop()
  })
  const snapshotNow = () => currentSnapshot(fresh.database)
  const lastChangeOf = async (...resources: string[]) => {
    const [row] = await fresh.database.query<{ at: number | null }>(
      sql`select ${lastChangeSecond(resources)} as at`,
    )
    return row?.at
  }

  it('reports exactly once what became visible since a snapshot', async () => {
    const snapshot = await snapshotNow()
    await other.query(append('project'))
    const first = await changesSince(fresh.database, snapshot)
    assert.deepEqual(first.resources, ['project'])
    assert.deepEqual((await changesSince(fresh.database, first.snapshot)).resources, [])
  })

  it('does not miss a transaction that began first and committed last', async () => {
    await other.query('begin')
    await other.query(append('assignment'))
    const snapshot = await snapshotNow()
    await fresh.database.transaction((transaction) => transaction.query(raw(append('workflow'))))
    const first = await changesSince(fresh.database, snapshot)
    assert.deepEqual(first.resources, ['workflow'])
    await other.query('commit')
    assert.deepEqual((await changesSince(fresh.database, first.snapshot)).resources, ['assignment'])
  })

  it('does not settle transaction numbers that a promoted standby may assign again', async () => {
    await other.query(append('project'))
    const { rows } = await other.query('select max(transaction::text::bigint) as newest from changes')
    await other.query('begin')
    await other.query('select pg_current_xact_id()')
    await other.query('rollback')
    const [, next] = (await snapshotNow()).split(':').map(Number)
    assert.equal(next, Number(rows[0].newest) + 1)
  })

  it('lists a transaction in progress as open if it is older than the newest change', async () => {
    await other.query('begin')
    const { rows } = await other.query('select pg_current_xact_id()::text as number')
    await fresh.database.transaction((transaction) => transaction.query(raw(append('workflow'))))
    const [least, , open = ''] = (await snapshotNow()).split(':')
    await other.query('rollback')
    // Transactions in the server's other databases are in progress, too.
    assert.ok(open.split(',').includes(rows[0].number), open)
    assert.ok(Number(least) <= Number(rows[0].number), least)
  })

  it('misses no change when several readers start to watch at the same time', async (t) => {
    const released = Promise.withResolvers<void>()
    let queries = 0
    const database: Database = {
      ...fresh.database,
      async query(statement) {
        queries += 1
        if (queries === 2) await released.promise
        return fresh.database.query(statement)
      },
    }
    const reported = new Set<string>()
    const onChanges = (resources: ReadonlySet<string>) => {
      for (const resource of resources) reported.add(resource)
    }
    const watch = watchChanges({ database, onChanges, onFailure: assert.ifError })
    t.after(watch.stop)
    const first = watch.start()
    const second = watch.start()
    await first
    await other.query(append('savedView'))
    released.resolve()
    await second
    await until(() => reported.has('savedView'), 'the change')
  })

  it('stays stopped when it is stopped during its start', async () => {
    const released = Promise.withResolvers<void>()
    const database: Database = {
      ...fresh.database,
      async query(statement) {
        await released.promise
        return fresh.database.query(statement)
      },
    }
    const watch = watchChanges({ database, onChanges: () => assert.fail(), onFailure: assert.ifError })
    const interrupted = watch.start()
    watch.stop()
    released.resolve()
    await interrupted
    assert.equal(watch.secondsBehind(), 0)
    await watch.start()
    assert.ok(watch.secondsBehind() > 0)
    watch.stop()
    assert.equal(watch.secondsBehind(), 0)
  })

  it('returns the second of the newest change to any of several resources', async () => {
    await other.query(append('organization', "'2026-01-02T00:00:03.9Z'"))
    await other.query(append('impediment', "'2026-01-02T00:00:05.1Z'"))
    assert.equal(await lastChangeOf('organization'), Date.UTC(2026, 0, 2, 0, 0, 3) / 1000)
    assert.equal(await lastChangeOf('organization', 'impediment'), Date.UTC(2026, 0, 2, 0, 0, 5) / 1000)
    assert.equal(await lastChangeOf('user'), null)
  })

  it('purges changes that are older than 30 days', async () => {
    await other.query(append('userProject', "now() - interval '31 days'"))
    await other.query(append('userProject', "now() - interval '29 days'"))
    await purgeChanges(fresh.database)
    const { rows } = await other.query("select 1 from changes where resource = 'userProject'")
    assert.equal(rows.length, 1)
  })
})
