import assert from 'node:assert/strict'
import { after, before, describe, type TestContext, test } from 'node:test'
import pg from 'pg'
import { type FreshDatabase, freshDatabase } from '../../test/support/fresh-database.ts'
import {
  knowsNamedStatements,
  type Pooler,
  poolerProgram,
  startPooler,
} from '../../test/support/pgbouncer.ts'
import { until } from '../../test/support/until.ts'
import { adviceOn } from '../cli/doctor/advice.ts'
import { checkStore } from '../cli/doctor/run-doctor.ts'
import { openDatabase } from './database.ts'
import { StatementTooSlowError } from './limited-reads.ts'
import { migrate } from './migrate.ts'
import { detectPooler, detectPoolers } from './poolers.ts'
import { sql } from './sql.ts'

const poolers = [
  { name: 'in session mode', mode: 'session', namedStatements: true },
  { name: 'in transaction mode', mode: 'transaction', namedStatements: false },
  { name: 'in transaction mode, with named statements', mode: 'transaction', namedStatements: true },
] as const

function skipReasonFor(namedStatements: boolean, mode: string): string | false {
  if (poolerProgram === undefined) return 'pgbouncer is not installed'
  return namedStatements && mode === 'transaction' && !knowsNamedStatements
    ? 'pgbouncer is older than 1.21; PGBOUNCER names another one'
    : false
}

for (const { name, mode, namedStatements } of poolers) {
  describe(`Behind a pooler ${name}`, { skip: skipReasonFor(namedStatements, mode) }, () => {
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

    test('the pooler is recognized while other clients use it', async () => {
      const otherClients = openDatabase({
        url: pooler.url,
        applicationName: 'other clients',
        namedStatements: false,
      })
      let isDone = false
      const load = Array.from({ length: 4 }, async () => {
        while (!isDone) await otherClients.transaction(({ query }) => query(sql`select pg_sleep(0.002)`))
      })
      const found = await Promise.all([detectPooler(pooler.url), detectPooler(pooler.url)])
      isDone = true
      await Promise.all(load)
      await otherClients.close()
      const expected = { mode, supportsNamedStatements: mode === 'session' || knowsNamedStatements }
      assert.deepEqual(found, [expected, expected])
    })

    const open = () => openDatabase({ url: pooler.url, applicationName: 'test', namedStatements })

    test('two instances that start together migrate once', async () => {
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
      const statement = sql`select ${1}::int as one`
      const results = await Promise.all(
        Array.from({ length: 24 }, (_, count) => [
          database.query(statement),
          database.listReads.query(statement, `account ${count % 7}`),
          database.liveListReads.query(statement, `account ${count % 7}`),
          database.transaction(async (transaction) => {
            await transaction.query(sql`insert into rows values (${count})`)
            return transaction.query(statement)
          }),
        ]).flat(),
      )
      for (const rows of results) assert.deepEqual(rows, [{ one: 1 }])
      assert.deepEqual(await database.query(sql`select count(*) as count from rows`), [{ count: 24 }])
      await database.close()
    })

    test('a list is stopped at its limit, which does not stay on the server connection', async () => {
      const database = open()
      await assert.rejects(
        database.listReads.query(sql`select pg_sleep(20)`, 'slow'),
        (error) => error instanceof StatementTooSlowError,
      )
      await database.transaction((transaction) => transaction.query(sql`select 1`))
      await database.close()
      const timeouts = await Promise.all(
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
      assert.deepEqual([...new Set(timeouts)], ['0'])
    })
  })
}

describe('Between hosts and database', {
  skip: poolerProgram === undefined && 'pgbouncer is not installed',
}, () => {
  const options = { namedStatements: undefined, readUrls: [] }
  let fresh: FreshDatabase
  before(async () => {
    fresh = await freshDatabase()
  })
  after(() => fresh.drop())
  const poolerOf = async (t: TestContext, mode: Mode, settings?: Readonly<Record<string, string>>) => {
    const pooler = await startPooler(fresh.url, mode, settings)
    t.after(pooler.stop)
    return pooler
  }
  type Mode = Parameters<typeof startPooler>[1]

  test('no pooler is detected on a direct connection', async () => {
    assert.equal(await detectPooler(fresh.url), undefined)
    assert.deepEqual(await detectPoolers(fresh.url, options), {
      url: fresh.url,
      pooler: undefined,
      namedStatements: true,
    })
  })

  test('a pooler that does not support named statements gets unnamed statements', async (t) => {
    const settings = knowsNamedStatements ? { max_prepared_statements: '0' } : {}
    const pooler = await poolerOf(t, 'transaction', settings)
    const reason =
      'The database is behind a pooler in transaction mode that does not support named statements.'
    const reasons: string[] = []
    const onNoNamedStatements = (text: string) => void reasons.push(text)
    const withStandby = await detectPoolers(fresh.url, {
      ...options,
      readUrls: [pooler.url],
      onNoNamedStatements,
    })
    const withPrimary = await detectPoolers(pooler.url, { ...options, onNoNamedStatements })
    assert.deepEqual([withStandby.namedStatements, withPrimary.namedStatements], [false, false])
    assert.deepEqual(reasons, [reason, reason])
    await assert.rejects(detectPoolers(pooler.url, { ...options, namedStatements: true }), {
      message: `${reason} Remove DB_NAMED_STATEMENTS=true.`,
    })
    const withoutNames = await detectPoolers(pooler.url, { ...options, namedStatements: false })
    assert.equal(withoutNames.namedStatements, false)
  })

  test('statements keep their names even if a standby cannot be reached', async () => {
    const readUrls = ['postgresql://nobody@127.0.0.1:1/nowhere']
    assert.equal((await detectPoolers(fresh.url, { ...options, readUrls })).namedStatements, true)
  })

  test('the doctor reports a pooler', async (t) => {
    const pooler = await poolerOf(t, 'session')
    const findings = await checkStore(pooler.url, {})
    assert.deepEqual(
      findings.filter(({ subject }) => subject === 'pooler'),
      [
        {
          subject: 'pooler',
          result: 'The database is behind a pooler in session mode.',
          severity: 'ok',
        },
      ],
    )
  })

  const adviceFor = async (url: string, milliseconds?: number) => {
    const failure = await detectPooler(url, milliseconds).catch((error: Error) => error)
    assert.ok(failure instanceof Error)
    return adviceOn(failure) ?? failure.message
  }

  test('a pooler in statement mode is rejected with advice', async (t) => {
    const pooler = await poolerOf(t, 'statement')
    assert.match(await adviceFor(pooler.url), /set pool_mode = transaction or session/)
  })

  test('a pooler that has one connection for each role is rejected in session mode', async (t) => {
    const pooler = await poolerOf(t, 'session', { default_pool_size: '1' })
    assert.match(await adviceFor(pooler.url, 1000), /raise default_pool_size/)
  })

  // Only pgbouncer before 1.20 rejects all options. Every version that knows named statements is newer.
  test('options in the address are rejected with advice', { skip: knowsNamedStatements }, async (t) => {
    const pooler = await poolerOf(t, 'transaction')
    const advice = await adviceFor(`${pooler.url}?options=-c%20role%3Dx`)
    assert.match(advice, /remove `options` from DATABASE_URL/)
  })

  test('the doctor reports a pooler that rejects the connection or does not reach the server', async (t) => {
    const pooler = await poolerOf(t, 'transaction')
    const findingFor = async (url: string) => {
      const findings = await checkStore(url, {})
      assert.deepEqual(
        findings.map(({ subject, severity }) => `${subject} ${severity}`),
        ['store error'],
      )
      return `${findings[0]?.result}. ${findings[0]?.advice}`
    }
    assert.match(await findingFor(pooler.url.replace(/:[^:@/]*@/, ':wrong@')), /Check user and password in/)
    assert.match(
      await findingFor(pooler.url.replace(/\/tracker$/, '/none')),
      /no such database: none\. Check the/,
    )
    // A pooler that has never reached the server accepts no connection. One that has lost the server accepts
    // connections, but answers no query.
    await pooler.network.rejectConnections()
    assert.match(
      await findingFor(pooler.url),
      /timeout.*in front of it, its log says whether it reaches Postgre/,
    )
    await pooler.network.acceptConnections()
    await until(() => checkStore(pooler.url, {}).then(({ length }) => length > 1), 'the pooler')
    await pooler.network.rejectConnections()
    await until(
      async () => /does not reach PostgreSQL: start it/.test(await findingFor(pooler.url)),
      'a failure',
    )
  })
})
