import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { rejectedAs } from '../../test/support/fresh-context.ts'
import { createBudget } from '../model/budget.ts'
import { createFairQueue, createSlots } from './fair-queue.ts'

function turnsOf(maxima: {
  atOnce: number
  atOncePerAccount: number
  waiting?: number
  waitingPerAccount?: number
  waitMillisecondsMax?: number
  patienceMilliseconds?: number
}) {
  const {
    atOnce,
    atOncePerAccount,
    waiting = 100,
    waitingPerAccount = 100,
    waitMillisecondsMax = 60_000,
    patienceMilliseconds,
  } = maxima
  const turns = createFairQueue({
    atOnce: createBudget(atOnce),
    atOncePerAccount: createBudget(atOncePerAccount),
    waiting: createBudget(waiting),
    waitingPerAccount: createBudget(waitingPerAccount),
    waitMillisecondsMax,
    ...(patienceMilliseconds !== undefined && { patienceMilliseconds }),
  })
  const running: string[] = []
  const ends: (() => void)[] = []
  /** Work that is recorded when it begins and ends when the test says so. */
  const begin = (account: string, name = account, end: 'at once' | 'later' = 'later') => {
    const turn = turns(account, () => {
      running.push(name)
      return end === 'at once' ? Promise.resolve() : new Promise<void>((resolve) => ends.push(resolve))
    })
    // Work that still waits when the test has ended is rejected a minute later.
    turn.catch(() => undefined)
    return turn
  }
  const endNext = async () => {
    ends.shift()?.()
    await new Promise((resolve) => setImmediate(resolve))
  }
  return { turns, begin, endNext, running }
}

const patient = { overdueMilliseconds: () => 0, evict: () => undefined }

describe('A queue that is fair between accounts', () => {
  it('leaves places free for others, however much one account wants', () => {
    const { begin, running } = turnsOf({ atOnce: 4, atOncePerAccount: 2 })
    for (let count = 0; count < 50; count += 1) void begin('greedy')
    assert.deepEqual(running, ['greedy', 'greedy'])
    void begin('modest')
    assert.deepEqual(running, ['greedy', 'greedy', 'modest'])
  })

  it('serves accounts in rotation: one that had its turn comes behind all others that wait', async () => {
    const { begin, endNext, running } = turnsOf({ atOnce: 1, atOncePerAccount: 1 })
    for (const name of ['a1', 'a2', 'a3']) void begin('a', name)
    void begin('b', 'b1')
    void begin('c', 'c1')
    for (let count = 0; count < 4; count += 1) await endNext()
    assert.deepEqual(running, ['a1', 'b1', 'c1', 'a2', 'a3'])
  })

  it('rejects an account that has too much waiting as busy, and all accounts when the queue is full', async () => {
    const { begin } = turnsOf({ atOnce: 1, atOncePerAccount: 1, waiting: 3, waitingPerAccount: 2 })
    for (let count = 0; count < 3; count += 1) void begin('a')
    await assert.rejects(begin('a'), rejectedAs('busy'))
    void begin('b')
    await assert.rejects(begin('b'), rejectedAs('overloaded'))
  })

  it('rejects what has waited too long, and no longer counts it as waiting', async () => {
    const { begin, running, endNext } = turnsOf({
      atOnce: 1,
      atOncePerAccount: 1,
      waiting: 1,
      waitMillisecondsMax: 20,
    })
    void begin('a', 'first')
    const late = begin('a', 'late')
    await assert.rejects(late, rejectedAs('overloaded'))
    void begin('b', 'next')
    await endNext()
    assert.deepEqual(running, ['first', 'next'])
  })

  it('drops what waits for a caller that has left', async () => {
    const { turns, begin, endNext, running } = turnsOf({
      atOnce: 1,
      atOncePerAccount: 1,
      waitingPerAccount: 1,
    })
    void begin('a', 'first')
    const gone = new AbortController()
    const left = assert.rejects(
      turns('b', async () => running.push('left'), { ...patient, signal: gone.signal }),
      rejectedAs('overloaded'),
    )
    gone.abort()
    // Its place in the queue is free again.
    void begin('b', 'stayed')
    await endNext()
    assert.deepEqual(running, ['first', 'stayed'])
    await left
  })

  it('lets no work wait whose caller has left before', async () => {
    const { turns, begin, endNext, running } = turnsOf({ atOnce: 1, atOncePerAccount: 1, waiting: 1 })
    void begin('a', 'first')
    const left = assert.rejects(
      turns('b', async () => running.push('left'), { ...patient, signal: AbortSignal.abort() }),
      rejectedAs('overloaded'),
    )
    void begin('b', 'stayed')
    await endNext()
    assert.deepEqual(running, ['first', 'stayed'])
    await left
  })

  it('counts work once that is admitted at the same time as its caller leaves', async () => {
    const waiting = createBudget(10)
    const one = () => createBudget(1)
    const slots = createSlots({ atOnce: one(), atOncePerAccount: one(), waiting, waitingPerAccount: one() })
    slots.enter('a')
    const gone = new AbortController()
    const admitted = slots.wait('b', gone.signal)
    const other = slots.wait('c')
    slots.leave('a')
    gone.abort()
    await admitted
    assert.equal(waiting.used(), 1)
    slots.leave('b')
    await other
    assert.equal(waiting.used(), 0)
  })

  it('has the latest holder give way once others have waited, but none for an account that has its share', async () => {
    const { turns, begin, running } = turnsOf({ atOnce: 3, atOncePerAccount: 1, patienceMilliseconds: 20 })
    const ousted: string[] = []
    const hold = (account: string, late: number) => {
      const { promise: ended, resolve } = Promise.withResolvers<void>()
      const evict = () => {
        ousted.push(account)
        resolve()
      }
      void turns(account, () => ended, { overdueMilliseconds: () => late, evict })
    }
    hold('entitled', 0)
    hold('late', 10)
    hold('latest', 20)
    void begin('late', 'of one that has its share')
    await new Promise((resolve) => setTimeout(resolve, 60))
    assert.deepEqual(ousted, [])
    await begin('waiting', 'let in', 'at once')
    assert.deepEqual([ousted, running], [['latest'], ['let in']])
  })

  it('continues after work that failed', async () => {
    const turns = createFairQueue({
      atOnce: createBudget(1),
      atOncePerAccount: createBudget(1),
      waiting: createBudget(1),
      waitingPerAccount: createBudget(1),
    })
    await assert.rejects(
      turns('a', () => Promise.reject(new Error('broken'))),
      /broken/,
    )
    assert.equal(await turns('a', async () => 'done'), 'done')
  })
})
