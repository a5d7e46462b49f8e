import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { drainHosts } from './start.ts'

const recordingHosts = (recorded: string[]) =>
  ['rest', 'bank'].map((title) => ({
    title,
    address: '',
    announceStop: () => void recorded.push(`${title} announces its stop`),
    async stop() {
      recorded.push(`${title} stops`)
      await sleep(50)
      recorded.push(`${title} has stopped`)
    },
  }))

test('all hosts announce their stop at once, and stop together after a time', async () => {
  const recorded: string[] = []
  const startedAt = performance.now()
  const left = drainHosts(recordingHosts(recorded), 0.05)
  assert.deepEqual(recorded, ['rest announces its stop', 'bank announces its stop'])
  await left
  assert.ok(performance.now() - startedAt >= 99)
  const [, , ...then] = recorded
  assert.deepEqual(then, ['rest stops', 'bank stops', 'rest has stopped', 'bank has stopped'])
})

test('without a drain time no host announces its stop', async () => {
  const left: string[] = []
  await drainHosts(recordingHosts(left), 0)
  assert.deepEqual(left, [])
})
