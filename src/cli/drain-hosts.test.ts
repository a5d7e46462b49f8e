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

test('All hosts announce their stop immediately', async () => {
  const recorded: string[] = []
  const startedAt = performance.now()
  const drained = drainHosts(recordingHosts(recorded), 0.05)
  assert.deepEqual(recorded, ['rest announces its stop', 'bank announces its stop'])
  await drained
  // A timer may fire a millisecond early.
  assert.ok(performance.now() - startedAt >= 98)
  assert.deepEqual(recorded.slice(2), ['rest stops', 'bank stops', 'rest has stopped', 'bank has stopped'])
})

test('Without a drain time, no host announces its stop', async () => {
  const recorded: string[] = []
  await drainHosts(recordingHosts(recorded), 0)
  assert.deepEqual(recorded, [])
})
