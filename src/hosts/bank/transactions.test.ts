import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { type Connection, NothingAppliedError, type Row, type Statement } from './connection.ts'
import { batchTransactions } from './transactions.ts'

interface Call extends Statement {
  answer(row: Row | undefined): void
  fail(error: unknown): void
}

/** Holds every call until the test resolves it. */
function batchOverPausedConnection() {
  const calls: Call[] = []
  const connection: Connection = {
    query: (statement) =>
      new Promise((answer, fail) => {
        calls.push({ ...statement, answer, fail })
      }),
    async close() {},
  }
  return { calls, apply: batchTransactions(connection) }
}

/**
 * Waits for more turns of the event loop than any step here takes. Turns are counted, because elapsed time
 * means little on a busy machine.
 */
async function waitForTurns(): Promise<void> {
  for (let count = 0; count < 10; count++) await setImmediate()
}
const credit = (amount: number, description = 'x') => ({ account: 1, amount, description })
const namesOf = (calls: readonly Call[]) => calls.map(({ name }) => name)

describe('transactions are batched', () => {
  test('a single transaction is sent to the function for one', async () => {
    const { calls, apply } = batchOverPausedConnection()
    const outcome = apply(credit(5))
    await waitForTurns()
    assert.deepEqual([namesOf(calls), calls[0]?.values], [['apply_one'], ['1', '5', 'x']])
    calls[0]?.answer(['5', 't'])
    assert.deepEqual(await outcome, { balance: '5', isApplied: true })
  })

  test('the transactions of one turn of the event loop are sent together, in order', async () => {
    const { calls, apply } = batchOverPausedConnection()
    const outcomes = Promise.all([
      apply(credit(1, 'a')),
      apply({ ...credit(-2, 'b'), account: 5 }),
      apply(credit(3, 'c')),
    ])
    await waitForTurns()
    assert.deepEqual(calls[0]?.values, ['{1,5,1}', '{1,-2,3}', '{"a","b","c"}'])
    calls[0]?.answer(['{1,0,4}', '{t,f,t}'])
    assert.deepEqual(await outcomes, [
      { balance: '1', isApplied: true },
      { balance: '0', isApplied: false },
      { balance: '4', isApplied: true },
    ])
  })

  test('transactions are added to a batch as long as more of them arrive', async () => {
    const { calls, apply } = batchOverPausedConnection()
    const outcomes = [apply(credit(1))]
    for (let turn = 0; turn < 5; turn++) {
      await setImmediate()
      outcomes.push(apply(credit(1)))
    }
    await waitForTurns()
    assert.deepEqual(calls[0]?.values[1], '{1,1,1,1,1,1}')
    calls[0]?.answer([`{${Array(6).fill(1)}}`, `{${Array(6).fill('t')}}`])
    assert.equal((await Promise.all(outcomes)).length, 6)
  })

  test('every description is one element of the array in the call', async () => {
    const { calls, apply } = batchOverPausedConnection()
    const both = Promise.all([apply(credit(1, '"},{\\')), apply(credit(1, 'null'))])
    await waitForTurns()
    assert.equal(calls[0]?.values[2], '{"\\"},{\\\\","null"}')
    calls[0]?.answer(['{1,2}', '{t,t}'])
    await both
  })

  test('there is one call at a time with all waiting transactions, up to a limit', async () => {
    const { calls, apply } = batchOverPausedConnection()
    const first = apply(credit(1))
    await waitForTurns()
    const others = Array.from({ length: 250 }, () => apply(credit(1)))
    await waitForTurns()
    assert.equal(calls.length, 1)
    calls[0]?.answer(['1', 't'])
    await first
    await waitForTurns()
    const sizes = () => calls.slice(1).map(({ values }) => values[0]?.split(',').length)
    assert.deepEqual(sizes(), [200])
    calls[1]?.answer([`{${Array(200).fill(1)}}`, `{${Array(200).fill('t')}}`])
    await waitForTurns()
    assert.deepEqual(sizes(), [200, 50])
    calls[2]?.answer([`{${Array(50).fill(1)}}`, `{${Array(50).fill('t')}}`])
    assert.equal((await Promise.all(others)).length, 250)
  })

  test('an unknown outcome is reported to every transaction of the call', async () => {
    const { calls, apply } = batchOverPausedConnection()
    const both = Promise.allSettled([apply(credit(1)), apply(credit(2))])
    await waitForTurns()
    const later = apply(credit(3))
    calls[0]?.fail(new Error('Connection terminated unexpectedly'))
    assert.deepEqual(
      (await both).map(({ status }) => status),
      ['rejected', 'rejected'],
    )
    await waitForTurns()
    assert.deepEqual(
      [namesOf(calls), calls[1]?.values],
      [
        ['apply', 'apply_one'],
        ['1', '3', 'x'],
      ],
    )
    calls[1]?.answer(['3', 't'])
    assert.equal((await later).balance, '3')
  })

  test('an error that is not about data is reported to all', async () => {
    const { calls, apply } = batchOverPausedConnection()
    const both = Promise.allSettled([apply(credit(1)), apply(credit(2))])
    await waitForTurns()
    calls[0]?.fail(new NothingAppliedError(Object.assign(new Error('timeout'), { code: '57014' })))
    assert.deepEqual(
      (await both).map(({ status }) => status),
      ['rejected', 'rejected'],
    )
    await waitForTurns()
    assert.equal(calls.length, 1)
  })

  test('data that the database rejects fails no other transaction: each is retried alone', async () => {
    const { calls, apply } = batchOverPausedConnection()
    const rejection = new NothingAppliedError(Object.assign(new Error('untranslatable'), { code: '22P05' }))
    const outcomes = Promise.allSettled([apply(credit(1)), apply(credit(2, '日本')), apply(credit(3))])
    await waitForTurns()
    calls[0]?.fail(rejection)
    await waitForTurns()
    calls[1]?.answer(['1', 't'])
    await waitForTurns()
    calls[2]?.fail(rejection)
    await waitForTurns()
    calls[3]?.answer(['4', 't'])
    assert.deepEqual(
      (await outcomes).map(({ status }) => status),
      ['fulfilled', 'rejected', 'fulfilled'],
    )
    assert.deepEqual(namesOf(calls), ['apply', 'apply_one', 'apply_one', 'apply_one'])
  })

  test('results for a different number of transactions are an error', async () => {
    const { calls, apply } = batchOverPausedConnection()
    const both = Promise.allSettled([apply(credit(1)), apply(credit(2))])
    await waitForTurns()
    calls[0]?.answer(['{1}', '{t}'])
    assert.deepEqual(
      (await both).map(({ status }) => status),
      ['rejected', 'rejected'],
    )
  })
})
