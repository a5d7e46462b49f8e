import assert from 'node:assert/strict'
import { EventEmitter } from 'node:events'
import { describe, test } from 'node:test'
import { type Channel, openProcessRequests, type Reply } from './process-requests.ts'

/** Two ends of a channel, each of which receives what the other sends. */
function makeChannel(): readonly [Channel, Channel] {
  const [a, b] = [new EventEmitter(), new EventEmitter()]
  const endOf = (own: EventEmitter, other: EventEmitter): Channel => ({
    connected: true,
    send(message, handle) {
      setImmediate(() => other.emit('message', message, handle))
      return true
    },
    on: (event, listener) => own.on(event, listener),
  })
  return [endOf(a, b), endOf(b, a)]
}

function openBoth(handlers: Readonly<Record<string, () => Reply | Promise<Reply>>>) {
  const [a, b] = makeChannel()
  openProcessRequests(b, handlers)
  return openProcessRequests(a, {})
}

describe('Requests between a process and its child', () => {
  test('are answered with a value', async () => {
    const request = openBoth({ metrics: () => ({ value: [1, 2] }) })
    assert.deepEqual((await request('metrics')).value, [1, 2])
  })

  for (const [kind, handler] of [
    [
      'throws',
      () => {
        throw new Error('No metrics.')
      },
    ],
    ['rejects', () => Promise.reject(new Error('No metrics.'))],
  ] as const)
    test(`are rejected at once, without an uncaught error, when their handler ${kind}`, async () => {
      const request = openBoth({ metrics: handler })
      await assert.rejects(request('metrics'), /metrics: Error: No metrics\./)
    })
})
