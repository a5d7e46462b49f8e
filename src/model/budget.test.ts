import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { createBudget, createBudgets, giveBackAll, takeAll } from './budget.ts'

describe('a budget', () => {
  test('grants what fits, refuses and counts what does not, and grants again what came back', () => {
    const budget = createBudget(10)
    assert.deepEqual([budget.take(4), budget.take(6), budget.take(1)], [true, true, false])
    assert.deepEqual([budget.used(), budget.refused()], [10, 1])
    budget.giveBack(6)
    assert.deepEqual([budget.take(6), budget.refused()], [true, 1])
  })

  test('counts each holder alone, and remembers nobody who holds nothing', () => {
    const budget = createBudget(2)
    const [ann, bob] = [{}, {}]
    assert.deepEqual([budget.take(2, ann), budget.take(1, ann), budget.take(1, bob)], [true, false, true])
    assert.deepEqual([budget.used(ann), budget.used(bob), budget.usedMost()], [2, 1, 2])
    budget.giveBack(2, ann)
    assert.equal(budget.usedMost(), 1)
  })

  test('notices what is given back twice', () => {
    const budget = createBudget(2)
    budget.take()
    budget.giveBack()
    assert.throws(() => budget.giveBack())
  })

  test('is one for each name, and shown once it was asked for', () => {
    const limit = { max: 3, per: 'process', of: 'streams' } as const
    const budgets = createBudgets({ open: limit, other: limit })
    budgets.budget('open').take(2)
    assert.equal(budgets.budget('open').take(2), false)
    assert.deepEqual(budgets.states(), [{ name: 'open', ...limit, used: 2, refused: 1 }])
  })
})

test('several budgets grant together, or nothing is taken from any of them', () => {
  const [wide, narrow] = [createBudget(10), createBudget(3)]
  const parts = [{ budget: wide, holder: 'ann' }, { budget: narrow }]
  assert.deepEqual([takeAll(parts, 2), takeAll(parts, 2)], [true, false])
  assert.deepEqual([wide.used('ann'), narrow.used(), narrow.refused()], [2, 2, 1])
  giveBackAll(parts, 2)
  assert.deepEqual([wide.used('ann'), narrow.used()], [0, 0])
})
