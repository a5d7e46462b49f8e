import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { rejectedAs } from '../../test/support/fresh-context.ts'
import { createBudget } from '../model/budget.ts'
import { createFairQueue, createSlots } from './fair-queue.ts'

function testQueue(maxima: {
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
  const queue = createFairQueue({
    atOnce: createBudget(atOnce),
    atOncePerAccount: createBudget(atOncePerAccount),
    waiting: createBudget(waiting),
    waitingPerAccount: createBudget(waitingPerAccount),
    waitMillisecondsMax,
    ...(patienceMilliseconds !== undefined && { patienceMilliseconds }),
  })
  const running: string[] = []
  const ends: (() => void)[] = []
  /** Queues work that is recorded when it begins, and ends when the test calls `endNext`. */
  const begin = (account: string, name = account, end: 'at once' | 'later' = 'later') => {
    const turn = queue(account, () => {
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
  return { queue, begin, endNext, running }
}

const neverEvicted = { overdueMilliseconds: () => 0, evict: () => undefined }

describe('A queue that is fair between accounts', () => {
  it('keeps places free for others', () => {
    const { begin, running } = testQueue({ atOnce: 4, atOncePerAccount: 2 })
    for (let count = 0; count < 50; count += 1) void begin('greedy')
    assert.deepEqual(running, ['greedy', 'greedy'])
    void begin('modest')
    assert.deepEqual(running, ['greedy', 'greedy', 'modest'])
  })

  it('serves accounts in rotation', async () => {
    const { begin, endNext, running } = testQueue({ atOnce: 1, atOncePerAccount: 1 })
    for (const name of ['a1', 'a2', 'a3']) void begin('a', name)
    void begin('b', 'b1')
    void begin('c', 'c1')
    for (let count = 0; count < 4; count += 1) await endNext()
    assert.deepEqual(running, ['a1', 'b1', 'c1', 'a2', 'a3'])
  })

  it('rejects an account with too much waiting work', async () => {
    const { begin } = testQueue({ atOnce: 1, atOncePerAccount: 1, waiting: 3, waitingPerAccount: 2 })
    for (let count = 0; count < 3; count += 1) void begin('a')
    await assert.rejects(begin('a'), rejectedAs('busy'))
    void begin('b')
    await assert.rejects(begin('b'), rejectedAs('overloaded'))
  })

  it('rejects work that has waited too long', async () => {
    const { begin, running, endNext } = testQueue({
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

  it('drops waiting work when its caller leaves', async () => {
    const { queue, begin, endNext, running } = testQueue({
      atOnce: 1,
      atOncePerAccount: 1,
      waitingPerAccount: 1,
    })
    void begin('a', 'first')
    const departure = new AbortController()
    const rejection = assert.rejects(
      queue('b', async () => running.push('left'), { ...neverEvicted, signal: departure.signal }),
      rejectedAs('overloaded'),
    )
    departure.abort()
    // The place of the dropped work in the queue is free again.
    void begin('b', 'stayed')
    await endNext()
    assert.deepEqual(running, ['first', 'stayed'])
    await rejection
  })

  it('rejects work whose caller has already left', async () => {
    const { queue, begin, endNext, running } = testQueue({ atOnce: 1, atOncePerAccount: 1, waiting: 1 })
    void begin('a', 'first')
    const rejection = assert.rejects(
      queue('b', async () => running.push('left'), { ...neverEvicted, signal: AbortSignal.abort() }),
      rejectedAs('overloaded'),
    )
    void begin('b', 'stayed')
    await endNext()
    assert.deepEqual(running, ['first', 'stayed'])
    await rejection
  })

  it('counts work only once if it is admitted in the same turn in which its caller leaves', async () => {
    const waiting = createBudget(10)
    const single = () => createBudget(1)
    const slots = createSlots({
      atOnce: single(),
      atOncePerAccount: single(),
      waiting,
      waitingPerAccount: single(),
    })
    slots.enter('a')
    const departure = new AbortController()
    const admitted = slots.wait('b', departure.signal)
    const other = slots.wait('c')
    slots.leave('a')
    departure.abort()
    await admitted
    assert.equal(waiting.used(), 1)
    slots.leave('b')
    await other
    assert.equal(waiting.used(), 0)
  })

  it('evicts the most overdue work once others have waited', async () => {
    const { queue, begin, running } = testQueue({ atOnce: 3, atOncePerAccount: 1, patienceMilliseconds: 20 })
    const evicted: string[] = []
    const hold = (account: string, milliseconds: number) => {
      const { promise: ended, resolve } = Promise.withResolvers<void>()
      const evict = () => {
        evicted.push(account)
        resolve()
      }
      void queue(account, () => ended, { overdueMilliseconds: () => milliseconds, evict })
    }
    hold('entitled', 0)
    hold('late', 10)
    hold('latest', 20)
    void begin('late', 'of one that has its share')
    await new Promise((resolve) => setTimeout(resolve, 60))
    assert.deepEqual(evicted, [])
    await begin('waiting', 'admitted', 'at once')
    assert.deepEqual([evicted, running], [['latest'], ['admitted']])
  })

  it('continues after work that failed', async () => {
    const queue = createFairQueue({
      atOnce: createBudget(1),
      atOncePerAccount: createBudget(1),
      waiting: createBudget(1),
      waitingPerAccount: createBudget(1),
    })
    await assert.rejects(
      queue('a', () => Promise.reject(new Error('broken'))),
      /broken/,
    )
    assert.equal(await queue('a', async () => 'done'), 'done')
  })
})
