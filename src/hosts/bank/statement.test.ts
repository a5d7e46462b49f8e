import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { createStatementReader } from './accounts.ts'
import type { Connection, Row } from './connection.ts'

/** Holds every query until the test answers it. */
function readerOverPausedConnection() {
  const calls: { account: unknown; answer(row: Row): void; fail(error: Error): void }[] = []
  const connection: Connection = {
    query: ({ values: [account] }) =>
      new Promise((answer, fail) => {
        calls.push({ account, answer, fail })
      }),
    async close() {},
  }
  return { calls, readStatement: createStatementReader(connection) }
}

/**
 * Waits for more turns of the event loop than any step here takes. Turns are counted, because elapsed time
 * means little on a busy machine.
 */
async function waitForTurns(): Promise<void> {
  for (let count = 0; count < 10; count++) await setImmediate()
}

describe('statements', () => {
  test('requested before the query is sent share it', async () => {
    const { calls, readStatement } = readerOverPausedConnection()
    const statements = Promise.all([readStatement(1), readStatement(1), readStatement(2)])
    await waitForTurns()
    assert.deepEqual(
      calls.map(({ account }) => account),
      ['1', '2'],
    )
    calls[0]?.answer(['one'])
    calls[1]?.answer(['two'])
    assert.deepEqual(await statements, ['one', 'one', 'two'])
  })

  test('requested after the query was sent wait for a later query', async () => {
    const { calls, readStatement } = readerOverPausedConnection()
    const first = readStatement(1)
    await waitForTurns()
    const later = Promise.all([readStatement(1), readStatement(1)])
    await waitForTurns()
    assert.equal(calls.length, 1, 'one query is in flight at a time')
    calls[0]?.answer(['old'])
    assert.equal(await first, 'old')
    await waitForTurns()
    assert.equal(calls.length, 2)
    calls[1]?.answer(['new'])
    assert.deepEqual(await later, ['new', 'new'])
    const last = readStatement(1)
    await waitForTurns()
    calls[2]?.answer(['newest'])
    assert.equal(await last, 'newest', 'no result is cached')
  })

  test('are read again once if the connection breaks', async () => {
    const { calls, readStatement } = readerOverPausedConnection()
    const statement = readStatement(1)
    await waitForTurns()
    calls[0]?.fail(new Error('broken'))
    await waitForTurns()
    calls[1]?.answer(['fine'])
    assert.equal(await statement, 'fine')
    const failed = assert.rejects(readStatement(1), /broken twice/)
    await waitForTurns()
    calls[2]?.fail(new Error('broken'))
    await waitForTurns()
    calls[3]?.fail(new Error('broken twice'))
    await failed
    const next = readStatement(1)
    await waitForTurns()
    calls[4]?.answer(['again'])
    assert.equal(await next, 'again')
  })
})
