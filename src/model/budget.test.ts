import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { createBudget, createBudgets, createRate, hasRoom, releaseAll, takeAll } from './budget.ts'

describe('a budget', () => {
  test('grants what fits, rejects and counts what does not, and grants again what was released', () => {
    const budget = createBudget(10)
    assert.deepEqual([budget.take(4), budget.take(6), budget.take(1)], [true, true, false])
    assert.deepEqual([budget.used(), budget.rejected()], [10, 1])
    budget.release(6)
    assert.deepEqual([budget.take(6), budget.rejected()], [true, 1])
  })

  test('counts each holder separately, and drops holders of nothing', () => {
    const budget = createBudget(2)
    const [ann, bob] = [{}, {}]
    assert.deepEqual([budget.take(2, ann), budget.take(1, ann), budget.take(1, bob)], [true, false, true])
    assert.deepEqual([budget.used(ann), budget.used(bob), budget.largestUse()], [2, 1, 2])
    budget.release(2, ann)
    assert.equal(budget.largestUse(), 1)
  })

  test('throws when an amount is released twice', () => {
    const budget = createBudget(2)
    budget.take()
    budget.release()
    assert.throws(() => budget.release())
  })

  test('exists once for each name, and is listed after its first use', () => {
    const limit = { max: 3, per: 'process', of: 'streams' } as const
    const budgets = createBudgets({ open: limit, other: limit })
    budgets.budget('open').take(2)
    assert.equal(budgets.budget('open').take(2), false)
    assert.deepEqual(budgets.states(), [{ name: 'open', ...limit, used: 2, rejected: 1 }])
  })
})

describe('a rate', () => {
  const rateOnAClock = () => {
    let milliseconds = 0
    const rate = createRate({ max: 10, perSecond: 2, now: () => milliseconds })
    const pass = (seconds: number) => {
      milliseconds += seconds * 1000
    }
    return { rate, pass }
  }

  test('refills by itself, never beyond its maximum', () => {
    const { rate, pass } = rateOnAClock()
    assert.deepEqual([rate.take(10, 'ann'), rate.take(1, 'ann'), rate.take(1, 'bob')], [true, false, true])
    pass(2)
    assert.deepEqual([rate.used('ann'), rate.used('bob'), rate.largestUse(), rate.rejected()], [6, 0, 6, 1])
    pass(100)
    assert.deepEqual([rate.take(10, 'ann'), rate.take(1, 'ann')], [true, false])
  })

  test('takes back a released amount, but never more than was taken', () => {
    const { rate, pass } = rateOnAClock()
    rate.take(4)
    pass(1)
    rate.release(4)
    assert.equal(rate.used(), 0)
    assert.deepEqual([rate.take(10), rate.take(1)], [true, false])
  })

  test('remembers the latest holders, and drops the oldest beyond a limit', () => {
    const { rate } = rateOnAClock()
    for (let holder = 0; holder <= 100_000; holder += 1) rate.take(1, holder)
    assert.deepEqual([rate.used(0), rate.used(1), rate.used(100_000)], [0, 1, 1])
  })

  test('has room for a whole unit only', () => {
    const { rate, pass } = rateOnAClock()
    const share = { budget: rate, holder: 'ann' }
    rate.take(10, 'ann')
    pass(0.4)
    assert.equal(hasRoom(share), false)
    pass(0.1)
    assert.equal(hasRoom(share), true)
  })
})

test('several budgets grant together, or nothing is taken from any of them', () => {
  const [wide, narrow] = [createBudget(10), createBudget(3)]
  const shares = [{ budget: wide, holder: 'ann' }, { budget: narrow }]
  assert.deepEqual([takeAll(shares, 2), takeAll(shares, 2)], [true, false])
  assert.deepEqual([wide.used('ann'), narrow.used(), narrow.rejected()], [2, 2, 1])
  releaseAll(shares, 2)
  assert.deepEqual([wide.used('ann'), narrow.used()], [0, 0])
})
