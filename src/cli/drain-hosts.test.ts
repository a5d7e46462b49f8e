import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { drainHosts } from './start.ts'

const recordingHosts = (recorded: string[]) =>
  ['rest', 'bank'].map((title) => ({
    title,
    address: '',
    leave: () => void recorded.push(`${title} leaves`),
    async stop() {
      recorded.push(`${title} stops`)
      await sleep(50)
      recorded.push(`${title} has stopped`)
    },
  }))

test('all hosts leave at once, and stop together after a time', async () => {
  const recorded: string[] = []
  const startedAt = performance.now()
  const left = drainHosts(recordingHosts(recorded), 0.05)
  assert.deepEqual(recorded, ['rest leaves', 'bank leaves'])
  await left
  assert.ok(performance.now() - startedAt >= 99)
  const [, , ...then] = recorded
  assert.deepEqual(then, ['rest stops', 'bank stops', 'rest has stopped', 'bank has stopped'])
})

test('without a drain time no host leaves first', async () => {
  const left: string[] = []
  await drainHosts(recordingHosts(left), 0)
  assert.deepEqual(left, [])
})
