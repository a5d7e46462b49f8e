import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { openBudgets } from '../../config/budgets.ts'
import { createSnapshotMemory } from './stream-limits.ts'

describe('The memory of live listings', () => {
  const open = () => {
    const budgets = openBudgets({ liveBytesOfAccount: 100, liveBytes: 150 })
    const used = (account: string) => budgets.budget('liveBytesOfAccount').used(account)
    const memory = createSnapshotMemory(budgets)
    return { ...memory, used, usedByAll: () => budgets.budget('liveBytes').used() }
  }
  const bytes = (length: number) => Buffer.alloc(length)

  it('is counted once for each account and once for the process', () => {
    const { reservationFor, used, usedByAll } = open()
    const snapshot = bytes(60)
    const reservations = [
      reservationFor('ann'),
      reservationFor('ann'),
      reservationFor('bob'),
      reservationFor(),
    ]
    for (const reservation of reservations) assert.equal(reservation.reserve([snapshot]), undefined)
    assert.deepEqual([used('ann'), used('bob'), usedByAll()], [60, 60, 60])
    reservations[0]?.reserve([])
    assert.equal(used('ann'), 60)
    for (const reservation of reservations) reservation.reserve([])
    assert.deepEqual([used('ann'), used('bob'), usedByAll()], [0, 0, 0])
  })

  it('is limited for each account; beyond the limit, earlier snapshots stay reserved', () => {
    const { reservationFor, used, usedByAll } = open()
    const reservation = reservationFor('ann')
    const unread = bytes(60)
    reservation.reserve([unread])
    assert.equal(reservation.reserve([unread, bytes(20), bytes(21)])?.kind, 'busy')
    assert.deepEqual([used('ann'), usedByAll()], [60, 60])
    assert.equal(reservation.reserve([unread, bytes(40)]), undefined)
  })

  it('is limited for the process', () => {
    const { reservationFor, used, usedByAll } = open()
    reservationFor('ann').reserve([bytes(100)])
    assert.equal(reservationFor('bob').reserve([bytes(51)])?.kind, 'overloaded')
    assert.deepEqual([used('bob'), usedByAll()], [0, 100])
    assert.equal(reservationFor('bob').reserve([bytes(50)]), undefined)
  })
})
