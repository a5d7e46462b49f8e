import assert from 'node:assert/strict'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { fastify } from 'fastify'
import { openBudgets } from '../../src/config/budgets.ts'
import { createKeptSnapshots } from '../../src/features/changes/kept-snapshots.ts'
import { type LiveStream, openLiveStream } from '../../src/features/changes/live-stream.ts'
import { listen } from '../support/live-events.ts'

// The clock is handed in, because a quarter of a minute is longer than all other tests of a listing together.
test('A live listing says with a comment line every 15 s that it is still there', async () => {
  const app = fastify({ forceCloseConnections: true })
  const session = {
    caller: { id: 'x', isAdministrator: false },
    sessionId: undefined,
    expiresAt: 1e15,
    recheck: async () => true,
    standsNow: async () => true,
  }
  const keeper = createKeptSnapshots(openBudgets()).keeperOf('x')
  const listeners = { keeper, idOf: () => undefined, onReady: () => undefined, onClose: () => undefined }
  let stream: LiveStream | undefined
  app.get('/', (request, reply) => {
    stream = openLiveStream({ session, request, reply }, listeners)
  })
  await app.listen({ port: 0, host: '127.0.0.1' })
  const live = await listen(`http://127.0.0.1:${(app.server.address() as AddressInfo).port}`, '/')
  const openedAt = Date.now()
  const commentsAfter = async (seconds: number) => {
    stream?.attend(openedAt + seconds * 1000)
    await sleep(30)
    return live.comments.length
  }
  assert.equal(await commentsAfter(14), 0)
  assert.equal(await commentsAfter(15), 1)
  assert.equal(await commentsAfter(29), 1)
  assert.equal(await commentsAfter(30), 2)
  assert.equal(live.events.length, 0)
  live.close()
  await app.close()
})
