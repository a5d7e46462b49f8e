import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { openBudgets } from '../../config/budgets.ts'
import { createKeptSnapshots } from './kept-snapshots.ts'

describe('What live listings keep', () => {
  const open = () => {
    const budgets = openBudgets({ liveBytesOfAccount: 100, liveBytes: 150 })
    const used = (account: string) => budgets.budget('liveBytesOfAccount').used(account)
    const kept = createKeptSnapshots(budgets)
    return { ...kept, used, usedByAll: () => budgets.budget('liveBytes').used() }
  }
  const bytes = (length: number) => Buffer.alloc(length)

  it('is counted once for each account and once for the process, until the last stream releases it', () => {
    const { keeperOf, used, usedByAll } = open()
    const snapshot = bytes(60)
    const keepers = [keeperOf('ann'), keeperOf('ann'), keeperOf('bob'), keeperOf()]
    for (const keeper of keepers) assert.equal(keeper.keep([snapshot]), undefined)
    assert.deepEqual([used('ann'), used('bob'), usedByAll()], [60, 60, 60])
    keepers[0]?.keep([])
    assert.equal(used('ann'), 60)
    for (const keeper of keepers) keeper.keep([])
    assert.deepEqual([used('ann'), used('bob'), usedByAll()], [0, 0, 0])
  })

  it('is limited for each account: 429, and snapshots kept before stay', () => {
    const { keeperOf, used, usedByAll } = open()
    const keeper = keeperOf('ann')
    const unread = bytes(60)
    keeper.keep([unread])
    assert.equal(keeper.keep([unread, bytes(20), bytes(21)])?.kind, 'busy')
    assert.deepEqual([used('ann'), usedByAll()], [60, 60])
    assert.equal(keeper.keep([unread, bytes(40)]), undefined)
  })

  it('is limited for the process: 503', () => {
    const { keeperOf, used, usedByAll } = open()
    keeperOf('ann').keep([bytes(100)])
    assert.equal(keeperOf('bob').keep([bytes(51)])?.kind, 'overloaded')
    assert.deepEqual([used('bob'), usedByAll()], [0, 100])
    assert.equal(keeperOf('bob').keep([bytes(50)]), undefined)
  })
})
