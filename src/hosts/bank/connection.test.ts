import assert from 'node:assert/strict'
import { after, before, describe, type TestContext, test } from 'node:test'
import { pino } from 'pino'
import { type FreshDatabase, freshDatabase } from '../../../test/support/fresh-database.ts'
import { poolerProgram, startPooler } from '../../../test/support/pgbouncer.ts'
import type { Database } from '../../db/database.ts'
import { detectPoolers, type StoreAddress } from '../../db/poolers.ts'
import { raw, sql } from '../../db/sql.ts'
import { NothingAppliedError, openConnection } from './connection.ts'
import { startBank } from './main.ts'
import { testSettings } from './testing/settings.ts'

const statement = (text: string, ...values: string[]) => ({ name: text, text, values })

for (const pipeline of [false, true]) {
  describe(`a connection (${pipeline ? 'in a pipeline' : 'one at a time'})`, () => {
    let store: FreshDatabase
    before(async () => {
      store = await freshDatabase()
    })
    after(() => store.drop())
    const open = (t: TestContext, limits: { readonly timeoutMilliseconds?: number } = {}) => {
      const connection = openConnection({ url: store.url, pipeline, ...limits })
      t.after(connection.close)
      return connection
    }

    test('returns the columns of a row as text', async (t) => {
      const { query } = open(t)
      const text = 'select $1::text, null, $2::bigint + 1'
      for (const value of ['', 'ação 日本', '"\\\\,{}']) {
        assert.deepEqual(await query(statement(text, value, '9223372036854775806')), [
          value,
          null,
          '9223372036854775807',
        ])
      }
      assert.equal(await query(statement('select 1 where false')), undefined)
    })

    test('reports that nothing was applied when the database rejects a statement', async (t) => {
      const { query } = open(t)
      for (let count = 0; count < 3; count++) {
        await assert.rejects(query(statement('select 1 / $1::integer', '0')), (error) => {
          assert.ok(error instanceof NothingAppliedError)
          assert.equal(error.code, '22012')
          return true
        })
        await assert.rejects(query(statement('select nonsense')), NothingAppliedError)
        assert.deepEqual(await query(statement('select 1 / $1::integer', '1')), ['1'])
      }
    })

    test('times out on a silent database with an unknown outcome', async (t) => {
      const { query } = open(t, { timeoutMilliseconds: 1200 })
      await query(statement('select 1'))
      await assert.rejects(query(statement('select pg_sleep(2)')), (error) => {
        assert.ok(!(error instanceof NothingAppliedError), 'the outcome is unknown')
        return true
      })
      assert.deepEqual(await query(statement('select 2')), ['2'])
    })
  })
}

const poolerSettings = { namedStatements: undefined, readUrls: [] }
const needsPooler = { skip: poolerProgram === undefined && 'pgbouncer is not installed' }

describe('the settings of a connection', () => {
  const readSettings = {
    name: 'settings',
    text: `select current_setting('synchronous_commit'), current_setting('statement_timeout')`,
    values: [],
  }
  const open = (t: TestContext, address: StoreAddress) => {
    const connection = openConnection(address)
    t.after(connection.close)
    return connection
  }

  test("are the bank's own on a direct connection", async (t) => {
    const { url, database, drop } = await freshDatabase()
    t.after(drop)
    await makeAsynchronous(database)
    assert.deepEqual(await open(t, { url }).query(readSettings), ['on', '2s'])
  })

  test("are the bank's own behind a pooler in session mode", needsPooler, async (t) => {
    const { url, database, drop } = await freshDatabase()
    t.after(drop)
    await makeAsynchronous(database)
    const { url: pooledUrl, stop } = await startPooler(url, 'session')
    t.after(stop)
    const address = await detectPoolers(pooledUrl, poolerSettings)
    assert.deepEqual(await open(t, address).query(readSettings), ['on', '2s'])
  })

  test('are required of the role behind a pooler in transaction mode', needsPooler, async (t) => {
    const { url, database, drop } = await freshDatabase()
    t.after(drop)
    await makeAsynchronous(database)
    const pooler = await startPooler(url, 'transaction')
    t.after(pooler.stop)
    const address = await detectPoolers(pooler.url, poolerSettings)
    await assert.rejects(startBank(address, testSettings, pino({ level: 'silent' })), {
      message: new RegExp(
        '^An instance of the bank could not be started: The database is behind a pooler in transaction mode, so .* As the superuser: ' +
          "alter role \\w+ set synchronous_commit = 'on'; alter role \\w+ set statement_timeout = '2s'; " +
          "alter role \\w+ set plan_cache_mode = 'force_generic_plan'; Then RECONNECT .* Or use session mode.$",
      ),
    })
  })
})

async function makeAsynchronous(database: Database) {
  const [row] = await database.query<{ name: string }>(sql`select current_database() as name`)
  await database.singleWrites.query(raw(`alter database ${row?.name} set synchronous_commit = off`))
}
