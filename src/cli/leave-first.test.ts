import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { leaveFirst } from './start.ts'

const hostsNoting = (noted: string[]) =>
  ['rest', 'bank'].map((title) => ({
    title,
    address: '',
    leave: () => void noted.push(`${title} leaves`),
    async stop() {
      noted.push(`${title} stops`)
      await sleep(50)
      noted.push(`${title} has stopped`)
    },
  }))

test('all hosts leave at once, and stop together after a time', async () => {
  const noted: string[] = []
  const startedAt = performance.now()
  const over = leaveFirst(hostsNoting(noted), 0.05)
  assert.deepEqual(noted, ['rest leaves', 'bank leaves'])
  await over
  assert.ok(performance.now() - startedAt >= 99)
  const [, , ...then] = noted
  assert.deepEqual(then, ['rest stops', 'bank stops', 'rest has stopped', 'bank has stopped'])
})

test('without a drain time no host leaves first', async () => {
  const left: string[] = []
  await leaveFirst(hostsNoting(left), 0)
  assert.deepEqual(left, [])
})
