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

const show = (text: string, ...values: string[]) => ({ name: text, text, values })

for (const pipeline of [false, true]) {
  describe(`a connection (${pipeline ? 'in a pipeline' : 'one at a time'})`, () => {
    let store: FreshDatabase
    before(async () => {
      store = await freshDatabase()
    })
    after(() => store.drop())
    const open = (t: TestContext) => {
      const options = {
        url: store.url,
        pipeline,
        timeoutMilliseconds: 400,
      }
      const connection = openConnection(options)
      t.after(connection.close)
      return connection
    }

    test('returns the columns of a row as text, undefined without a row, and the same for a repeated statement', async (t) => {
      const { query } = open(t)
      const text = 'select $1::text, null, $2::bigint + 1'
      for (const given of ['', 'ação 日本', '"\\\\,{}']) {
        assert.deepEqual(await query(show(text, given, '9223372036854775806')), [
          given,
          null,
          '9223372036854775807',
        ])
      }
      assert.equal(await query(show('select 1 where false')), undefined)
    })

    test('reports that nothing was applied when the database rejects a statement, and continues', async (t) => {
      const { query } = open(t)
      for (let count = 0; count < 3; count++) {
        await assert.rejects(query(show('select 1 / $1::integer', '0')), (error) => {
          assert.ok(error instanceof NothingAppliedError)
          assert.equal(error.code, '22012')
          return true
        })
        await assert.rejects(query(show('select nonsense')), NothingAppliedError)
        assert.deepEqual(await query(show('select 1 / $1::integer', '1')), ['1'])
      }
    })

    test('times out on a silent database with an unknown outcome, and reconnects', async (t) => {
      const { query } = open(t)
      await query(show('select 1'))
      await assert.rejects(query(show('select pg_sleep(2)')), (error) => {
        assert.ok(!(error instanceof NothingAppliedError), 'the outcome is unknown')
        return true
      })
      assert.deepEqual(await query(show('select 2')), ['2'])
    })
  })
}

const own = { namedStatements: undefined, readUrls: [] }
const skipped = { skip: poolerProgram === undefined && 'pgbouncer is not installed' }

describe('the settings of a connection', () => {
  const show = {
    name: 'settings',
    text: `select current_setting('synchronous_commit'), current_setting('statement_timeout')`,
    values: [],
  }
  const open = (t: TestContext, address: StoreAddress) => {
    const connection = openConnection(address)
    t.after(connection.close)
    return connection
  }

  test("are the bank's own on a direct connection, whatever the database has", async (t) => {
    const { url, database, drop } = await freshDatabase()
    t.after(drop)
    await makeAsynchronous(database)
    assert.deepEqual(await open(t, { url }).query(show), ['on', '2s'])
  })

  test("are the bank's own behind a pooler in session mode", skipped, async (t) => {
    const { url, database, drop } = await freshDatabase()
    t.after(drop)
    await makeAsynchronous(database)
    const { url: pooled, stop } = await startPooler(url, 'session')
    t.after(stop)
    assert.deepEqual(await open(t, await detectPoolers(pooled, own)).query(show), ['on', '2s'])
  })

  test(
    'are those of the role behind a pooler in transaction mode, or a start is rejected with what to do',
    skipped,
    async (t) => {
      const { url, database, drop } = await freshDatabase()
      t.after(drop)
      await makeAsynchronous(database)
      const pooler = await startPooler(url, 'transaction')
      t.after(pooler.stop)
      const address = await detectPoolers(pooler.url, own)
      await assert.rejects(startBank(address, testSettings, pino({ level: 'silent' })), {
        message: new RegExp(
          '^An instance of the bank could not be started: The database is behind a pooler in transaction mode, so .* As the superuser: ' +
            "alter role \\w+ set synchronous_commit = 'on'; alter role \\w+ set statement_timeout = '2s'; " +
            "alter role \\w+ set plan_cache_mode = 'force_generic_plan'; Then RECONNECT .* Or use session mode.$",
        ),
      })
    },
  )
})

async function makeAsynchronous(database: Database) {
  const [row] = await database.query<{ name: string }>(sql`select current_database() as name`)
  await database.singleWrites.query(raw(`alter database ${row?.name} set synchronous_commit = off`))
}
