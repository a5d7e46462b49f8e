import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { rejectedAs } from '../../test/support/fresh-context.ts'
import { addressOf, freshDatabase } from '../../test/support/fresh-database.ts'
import { openBudgets } from '../config/budgets.ts'
import { type Database, openDatabase, type Queries } from './database.ts'
import { sql } from './sql.ts'
import { startWork } from './work.ts'

describe('Connections for writing', () => {
  const budgets = openBudgets({ storeTransactionsOfAccount: 1, storeTransactionsWaitingOfAccount: 1 })
  let fresh: Awaited<ReturnType<typeof freshDatabase>>
  let database: Database
  before(async () => {
    fresh = await freshDatabase()
    database = openDatabase({ url: addressOf(fresh.database), applicationName: 'test', budgets })
  })
  after(async () => {
    await database.close()
    await fresh.drop()
  })

  const selectOne = sql`select 1`
  const write = (holder: string | undefined) => during(holder, () => database.singleWrites.query(selectOne))

  function during<Result>(holder: string | undefined, run: () => Promise<Result>): Promise<Result> {
    const work = startWork('Write', 'test')
    work.holder = holder
    return database.complete(work, run)
  }

  /** Runs a transaction that holds its connection until `release` is called. */
  async function hold(holder: string, run = (_: Queries): Promise<unknown> => Promise.resolve()) {
    const begun = Promise.withResolvers<void>()
    const released = Promise.withResolvers<void>()
    const done = during(holder, () =>
      database.transaction(async (queries) => {
        await run(queries)
        begun.resolve()
        await released.promise
      }),
    )
    await Promise.race([begun.promise, done])
    return { done, release: released.resolve }
  }

  it('are limited per account', async () => {
    const { done, release } = await hold('greedy')
    let isWritten = false
    const waiting = write('greedy').then(() => {
      isWritten = true
    })
    await write('modest')
    await write(undefined)
    assert.equal(isWritten, false)
    release()
    await Promise.all([done, waiting])
  })

  it('are denied to an account at its limit of waiting writes', async () => {
    const { done, release } = await hold('greedy')
    const waiting = write('greedy')
    await assert.rejects(write('greedy'), rejectedAs('busy'))
    release()
    await Promise.all([done, waiting])
    const rejected = budgets
      .states()
      .find(({ name }) => name === 'storeTransactionsWaitingOfAccount')?.rejected
    assert.equal(rejected, 1)
  })

  it('are acquired at once by a request that already holds a connection', async () => {
    const { done, release } = await hold('greedy', () => database.singleWrites.query(selectOne))
    release()
    await done
  })

  it('are released by failed writes, too', async () => {
    const wrong = sql`select 1 / 0`
    await assert.rejects(during('greedy', () => database.singleWrites.query(wrong)))
    await assert.rejects(during('greedy', () => database.transaction(({ query }) => query(wrong))))
    await write('greedy')
  })

  it('do not count if they cannot be opened', async () => {
    const unusedBudgets = openBudgets()
    const unreachable = openDatabase({
      url: 'postgresql://nobody@127.0.0.1:1/none',
      applicationName: 'test',
      budgets: unusedBudgets,
    })
    const work = startWork('Write', 'test')
    work.holder = 'modest'
    await assert.rejects(
      unreachable.complete(work, () => unreachable.singleWrites.query(selectOne)),
      rejectedAs('overloaded'),
    )
    assert.equal(unusedBudgets.budget('storeTransactions').used(), 0)
    await unreachable.close()
  })
})
