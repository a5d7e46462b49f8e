import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, before, describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { startChild } from '../../test/support/child-host.ts'
import { type FreshDatabase, freshDatabase } from '../../test/support/fresh-database.ts'
import { insertAccount } from '../../test/support/insert-account.ts'
import { startTestIssuer } from '../../test/support/test-issuer.ts'
import { until } from '../../test/support/until.ts'
import { collectFindings } from '../cli/doctor/run-doctor.ts'
import { budgetLimits, connectionsDefault, divideConnections, openBudgets } from '../config/budgets.ts'
import { openDatabase } from './database.ts'
import { sql } from './sql.ts'

describe('The connections of a process', () => {
  let fresh: FreshDatabase
  let direct: pg.Client
  before(async () => {
    fresh = await freshDatabase()
    direct = new pg.Client({ connectionString: fresh.url })
    await direct.connect()
  })
  after(async () => {
    await direct.end()
    await fresh.drop()
  })
  const countOf = async (applicationName: string) => {
    const { rows } = await direct.query<{ count: number }>(
      `select count(*)::int as count from pg_stat_activity where application_name like $1`,
      [applicationName],
    )
    return rows[0]?.count ?? 0
  }

  test('are divided by default as in the table of budgets', () => {
    for (const [name, max] of Object.entries(divideConnections(connectionsDefault)))
      assert.equal(max, budgetLimits[name as keyof typeof budgetLimits].max, name)
  })

  for (const connections of [10, 14, 25, 60])
    test(`are at most ${connections} under every kind of load`, async () => {
      const applicationName = `load of ${connections}`
      const budgets = openBudgets(divideConnections(connections))
      const database = openDatabase({ url: fresh.url, applicationName, budgets })
      const slow = sql`select pg_sleep(0.05)`
      const calls = Array.from({ length: 30 }, async (_, count) => {
        const account = `account ${count % 9}`
        await Promise.all([
          database.query(sql`select 1`),
          database.listReads.query(slow, account),
          database.liveListReads.query(slow, account),
          database.transaction(({ query }) => query(slow)),
          database.singleWrites.query(slow),
        ])
      })
      let peak = 0
      const done = Promise.all(calls)
      let isDone = false
      void done.finally(() => {
        isDone = true
      })
      await until(async () => {
        peak = Math.max(peak, await countOf(applicationName))
        return isDone
      }, 'all calls')
      await done
      await database.close()
      const { storeTransactions = 0 } = divideConnections(connections)
      assert.ok(peak <= connections && peak > storeTransactions, `${peak}`)
    })

  test('are awaited while the server has no connection left', async () => {
    const role = `crowded_${randomBytes(4).toString('hex')}`
    await direct.query(`create role ${role} login password '${role}' connection limit 3`)
    const url = fresh.url.replace(/^(\w+:\/\/)[^@]*@/, `$1${role}:${role}@`)
    const occupants = await Promise.all(
      Array.from({ length: 3 }, async () => {
        const client = new pg.Client({ connectionString: url })
        await client.connect()
        return client
      }),
    )
    const database = openDatabase({ url, applicationName: 'crowded' })
    const answers = Promise.all([
      database.query(sql`select 1 as one`),
      database.listReads.query(sql`select 1 as one`, 'account'),
      database.transaction(({ query }) => query(sql`select 1 as one`)),
    ])
    // Longer than the first retries take. The server has rejected all of them by then.
    await sleep(700)
    for (const client of occupants) await client.end()
    assert.deepEqual(await answers, [[{ one: 1 }], [{ one: 1 }], [{ one: 1 }]])
    await database.close()
    await direct.query(`drop role ${role}`)
  })

  test('are at most DB_CONNECTIONS in a real host', async (t) => {
    const issuer = await startTestIssuer()
    t.after(issuer.stop)
    const accounts = await Promise.all(Array.from({ length: 6 }, () => insertAccount(fresh.database)))
    const host = await startChild({
      SVC_ADMIN_LOGINS: accounts.map(({ login }) => login).join(),
      DATABASE_URL: fresh.url,
      DB_CONNECTIONS: '10',
      METRICS: 'true',
      Jwt__Issuer: issuer.issuer,
      Jwt__MetadataAddress: issuer.metadataAddress,
    })
    t.after(() => host.end('SIGTERM'))
    const tokens = await Promise.all(
      accounts.map(({ id }) => issuer.signIn(fresh.database, id, { admin: true })),
    )
    const statuses = await Promise.all(
      Array.from({ length: 120 }, async (_, count) => {
        const headers = {
          authorization: `Bearer ${tokens[count % tokens.length]}`,
          'content-type': 'application/json',
        }
        const body = JSON.stringify({ name: `Narrow ${count}` })
        const response = await (count % 2 === 0
          ? fetch(`${host.address}/api/organization`, { method: 'POST', headers, body })
          : fetch(`${host.address}/api/organizations?search=narrow`, { headers }))
        return response.status
      }),
    )
    assert.deepEqual([...new Set(statuses)], [200])
    const metrics = await (await fetch(`${host.address}/metrics`)).text()
    assert.match(metrics, /^budget_limit\{budget="storeTransactions",[^}]*\} 3$/m)
    const opened = await countOf('tracker %')
    assert.ok(opened > 0 && opened <= 10, `${opened}`)
    const findings = await collectFindings({ DATABASE_URL: fresh.url })
    const { result = '' } = findings.find(({ subject }) => subject === 'connections') ?? {}
    assert.match(result, /; 1 process of hosts may open 10$/)
  })
})
