import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { assertAllReleased } from '../../test/support/budgets-in-use.ts'
import { connectDirectly } from '../../test/support/direct-connection.ts'
import { rejectedAs } from '../../test/support/fresh-context.ts'
import { type FreshDatabase, freshDatabase, openTestDatabase } from '../../test/support/fresh-database.ts'
import { measureRunningTime } from '../../test/support/running-time.ts'
import { type StoreProxy, startStoreProxy } from '../../test/support/store-proxy.ts'
import { openBudgets } from '../config/budgets.ts'
import { checkConditionsStatement } from './conditional-write.ts'
import type { Database } from './database.ts'
import { requestLimits } from './failures.ts'
import type { WriteKind } from './group-commit.ts'
import { sql } from './sql.ts'
import { rollbackMillisecondsMax } from './transactions.ts'
import { startWork } from './work.ts'

const answerMilliseconds = 3000

/** The limit promised to callers. */
const answeredMillisecondsMax = 10_000

describe('A store that does not answer', { concurrency: 1 }, () => {
  const budgets = openBudgets()
  let fresh: FreshDatabase
  let proxy: StoreProxy
  let database: Database

  before(async () => {
    fresh = await freshDatabase()
    const direct = await connectDirectly(fresh.database)
    proxy = await startStoreProxy(direct)
    await direct.end()
    database = openTestDatabase(proxy.url, { answerMilliseconds, budgets })
  })
  after(async () => {
    proxy.resume()
    await database.close()
    proxy.stop()
    await fresh.drop()
  })

  const selectOne = sql`select 1`
  const { signal } = new AbortController()
  const exportRows = async () => {
    const streamed = {
      statement: selectOne,
      account: 'account',
      format: () => '1',
      signal,
      onCut: () => undefined,
    }
    for await (const _ of database.exports.stream(streamed)) return
  }
  const shared: WriteKind<number, boolean> = {
    name: 'shared',
    accountOf: () => 'account',
    idOf: String,
    writeAlone: async () => (await database.singleWrites.query(selectOne)).length === 1,
    async writeTogether({ query }, ids) {
      await query(selectOne)
      return ids.map(() => true)
    },
  }
  const calls: Readonly<Record<string, () => Promise<unknown>>> = {
    read: () => database.query(selectOne),
    list: () => database.listReads.query(selectOne, 'account'),
    'list of an account with many requests': () =>
      allOf(Array.from({ length: 20 }, () => database.listReads.query(selectOne, 'greedy'))),
    'list of an account that was slow': () => database.liveListReads.query(selectOne, 'slow'),
    write: () => database.singleWrites.query(selectOne),
    'write of an account with many writes': () =>
      allOf(
        Array.from({ length: 30 }, () => {
          const work = startWork('Write', 'test')
          work.holder = 'greedy'
          return database.complete(work, () => database.singleWrites.query(selectOne))
        }),
      ),
    transaction: () => database.transaction((transaction) => transaction.query(selectOne)),
    'transaction that reads on another connection': () =>
      database.transaction(() => database.query(selectOne)),
    'writes that share a statement': () =>
      allOf(Array.from({ length: 10 }, (_, id) => database.singleWrites.writeGrouped?.(shared, id))),
    export: exportRows,
    'exports that wait for each other': () => allOf(Array.from({ length: 3 }, exportRows)),
  }

  it('is given up in less than twice the time limit of a call', async () => {
    await assert.rejects(database.liveListReads.query(sql`select pg_sleep(9)`, 'slow'))
    // The first stepwise statement detects whether the store is sharded. Nothing is batched before that.
    await database.query(checkConditionsStatement.attach([], selectOne))
    for (const call of Object.values(calls)) await call()
    // After this time, an idle connection is no longer trusted without a probe.
    await sleep(200)
    proxy.pause()
    const times = await Promise.all(
      Object.entries(calls).map(async ([name, call]) => {
        const milliseconds = measureRunningTime()
        await assert.rejects(call(), rejectedAs('overloaded'), name)
        return { name, milliseconds: milliseconds() }
      }),
    )
    proxy.resume()
    assert.deepEqual(
      times.filter(({ milliseconds }) => milliseconds >= 2 * answerMilliseconds),
      [],
    )
    for (const call of Object.values(calls)) await call()
    await assertAllReleased(budgets)
  })

  it('is given up in less than twice the time limit of a call by a transaction that has begun, too', async () => {
    let milliseconds = measureRunningTime()
    const late = database.transaction(async (transaction) => {
      await transaction.query(selectOne)
      proxy.pause()
      milliseconds = measureRunningTime()
      await database.query(selectOne)
    })
    await assert.rejects(late, rejectedAs('overloaded'))
    assert.ok(milliseconds() < 2 * answerMilliseconds)
    proxy.resume()
  })

  it('leaves enough of ten seconds for everything else', () => {
    const { answerMilliseconds, statementMilliseconds } = requestLimits()
    assert.ok(answerMilliseconds + rollbackMillisecondsMax < answeredMillisecondsMax)
    // The server stops the statement, and reports that, before the host gives up waiting.
    assert.ok(statementMilliseconds + 500 <= answerMilliseconds)
  })
})

/** Waits until all calls have settled, and rejects if one has failed. */
async function allOf(calls: readonly (Promise<unknown> | undefined)[]): Promise<void> {
  await Promise.allSettled(calls)
  await Promise.all(calls)
}
