import assert from 'node:assert/strict'
import { test } from 'node:test'
import { leaveFirst } from './leave-first.ts'

const hostsNoting = (left: string[]) =>
  ['rest', 'bank'].map((title) => ({
    title,
    address: '',
    leave: () => void left.push(title),
    stop: async () => undefined,
  }))

test('all hosts leave at once, and the process waits before it stops them', async () => {
  const left: string[] = []
  const startedAt = performance.now()
  const over = leaveFirst(hostsNoting(left), 0.05)
  assert.deepEqual(left, ['rest', 'bank'])
  await over
  assert.ok(performance.now() - startedAt >= 49)
})

test('without a time to drain nobody leaves first', async () => {
  const left: string[] = []
  await leaveFirst(hostsNoting(left), 0)
  assert.deepEqual(left, [])
})
