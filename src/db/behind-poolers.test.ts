import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import pg from 'pg'
import { type FreshDatabase, freshDatabase } from '../../test/support/fresh-database.ts'
import {
  knowsNamedStatements,
  type Pooler,
  poolerProgram,
  startPooler,
} from '../../test/support/pgbouncer.ts'
import { openDatabase } from './database.ts'
import { StatementTooSlowError } from './limited-reads.ts'
import { migrate } from './migrate.ts'
import { sql } from './sql.ts'

const poolers = [
  { name: 'in session mode', mode: 'session', namedStatements: true },
  { name: 'in transaction mode', mode: 'transaction', namedStatements: false },
  { name: 'in transaction mode, with named statements', mode: 'transaction', namedStatements: true },
] as const

function isMissing(namedStatements: boolean, mode: string): string | false {
  if (poolerProgram === undefined) return 'pgbouncer is not installed'
  return namedStatements && mode === 'transaction' && !knowsNamedStatements
    ? 'pgbouncer is older than 1.21; PGBOUNCER names another one'
    : false
}

for (const { name, mode, namedStatements } of poolers) {
  describe(`Behind a pooler ${name}`, { skip: isMissing(namedStatements, mode) }, () => {
    let fresh: FreshDatabase
    let direct: pg.Client
    let pooler: Pooler
    before(async () => {
      fresh = await freshDatabase()
      direct = new pg.Client({ connectionString: fresh.url })
      await direct.connect()
      const empty = `${direct.database}_empty`
      await direct.query(`create database ${empty}`)
      pooler = await startPooler(fresh.url.replace(`${direct.database}`, empty), mode)
    })
    after(async () => {
      await pooler.stop()
      await direct.query(`drop database ${direct.database}_empty with (force)`)
      await direct.end()
      await fresh.drop()
    })
    const open = () => openDatabase({ url: pooler.url, applicationName: 'test', namedStatements })

    test('two instances that start at once migrate once, and the next start does not wait', async () => {
      const applied = await Promise.all([migrate(pooler.url), migrate(pooler.url)])
      assert.equal(applied.filter(({ length }) => length > 0).length, 1)
      assert.deepEqual(await migrate(pooler.url), [])
      assert.deepEqual(await migrate(pooler.url), [])
    })

    test('reads, lists and transactions work side by side', async () => {
      const database = open()
      await database.transaction((transaction) =>
        transaction.query(sql`create table rows (id int primary key)`),
      )
      const one = sql`select ${1}::int as one`
      const answers = await Promise.all(
        Array.from({ length: 24 }, (_, count) => [
          database.query(one),
          database.lists.query(one, `account ${count % 7}`),
          database.liveLists.query(one, `account ${count % 7}`),
          database.transaction(async (transaction) => {
            await transaction.query(sql`insert into rows values (${count})`)
            return transaction.query(one)
          }),
        ]).flat(),
      )
      for (const rows of answers) assert.deepEqual(rows, [{ one: 1 }])
      assert.deepEqual(await database.query(sql`select count(*) as count from rows`), [{ count: 24 }])
      await database.close()
    })

    test('a list is stopped at its limit, which does not affect other clients of the pooler', async () => {
      const database = open()
      await assert.rejects(
        database.lists.query(sql`select pg_sleep(20)`, 'slow'),
        (error) => error instanceof StatementTooSlowError,
      )
      await database.transaction((transaction) => transaction.query(sql`select 1`))
      await database.close()
      const others = await Promise.all(
        Array.from({ length: 10 }, async () => {
          const client = new pg.Client({ connectionString: pooler.url })
          await client.connect()
          const { rows } = await client.query(
            "select pg_sleep(0.05), current_setting('statement_timeout') as timeout",
          )
          await client.end()
          return rows[0].timeout
        }),
      )
      assert.deepEqual([...new Set(others)], ['0'])
    })
  })
}
