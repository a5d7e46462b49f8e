import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { createStatementReader } from './accounts.ts'
import type { Connection, Row } from './connection.ts'

function pausedConnection() {
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
 * More turns than anything here takes. They are counted because elapsed time means little on a busy machine.
 */
async function turns(): Promise<void> {
  for (let count = 0; count < 10; count++) await setImmediate()
}

describe('statements', () => {
  test('requested before the query is sent share it; each account has its own', async () => {
    const { calls, readStatement } = pausedConnection()
    const statements = Promise.all([readStatement(1), readStatement(1), readStatement(2)])
    await turns()
    assert.deepEqual(
      calls.map(({ account }) => account),
      ['1', '2'],
    )
    calls[0]?.answer(['one'])
    calls[1]?.answer(['two'])
    assert.deepEqual(await statements, ['one', 'one', 'two'])
  })

  test('requested after the query was sent get a later one, because it may have missed a commit', async () => {
    const { calls, readStatement } = pausedConnection()
    const first = readStatement(1)
    await turns()
    const later = Promise.all([readStatement(1), readStatement(1)])
    await turns()
    assert.equal(calls.length, 1, 'one on its way at a time')
    calls[0]?.answer(['old'])
    assert.equal(await first, 'old')
    await turns()
    assert.equal(calls.length, 2)
    calls[1]?.answer(['new'])
    assert.deepEqual(await later, ['new', 'new'])
    const last = readStatement(1)
    await turns()
    calls[2]?.answer(['newest'])
    assert.equal(await last, 'newest', 'no answer is kept')
  })

  test('are read once more when the connection breaks, and then fail, without blocking the next', async () => {
    const { calls, readStatement } = pausedConnection()
    const statement = readStatement(1)
    await turns()
    calls[0]?.fail(new Error('broken'))
    await turns()
    calls[1]?.answer(['fine'])
    assert.equal(await statement, 'fine')
    const failed = assert.rejects(readStatement(1), /broken twice/)
    await turns()
    calls[2]?.fail(new Error('broken'))
    await turns()
    calls[3]?.fail(new Error('broken twice'))
    await failed
    const next = readStatement(1)
    await turns()
    calls[4]?.answer(['again'])
    assert.equal(await next, 'again')
  })
})
