import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import {
  type FeedEvent,
  openTracker,
  type Tracker,
  TrackerError,
} from '../../clients/typescript/src/tracker.ts'
import { type RestUnderTest, startRestUnderTest } from '../support/rest-host.ts'

describe('The feed in the TypeScript client', () => {
  let rest: RestUnderTest
  let writer: Tracker
  const open = (send: typeof fetch) =>
    openTracker({
      ...{ address: rest.address, token: rest.administrator.token, fetch: send },
      pause: async () => undefined,
    })
  const make = async (names: readonly string[]) => {
    for (const name of names) await writer.impediments.create({ name })
  }
  const namesOf = (events: readonly FeedEvent[]) => events.map(({ change }) => change.after?.name)
  /** Takes so many and leaves; `onEvent` hears of each. */
  async function take(
    feed: AsyncGenerator<FeedEvent, void>,
    count: number,
    onEvent: (number: number) => Promise<void> = async () => undefined,
  ): Promise<FeedEvent[]> {
    const taken: FeedEvent[] = []
    for await (const event of feed) {
      taken.push(event)
      await onEvent(taken.length)
      if (taken.length === count) break
    }
    return taken
  }

  before(async () => {
    rest = await startRestUnderTest()
    writer = open(fetch)
  })
  after(() => rest.stop())

  test('misses and repeats nothing over lost connections, and continues after a cursor', async () => {
    const connections: AbortController[] = []
    const breakable: typeof fetch = (url, init) => {
      const connection = new AbortController()
      connections.push(connection)
      const signal = AbortSignal.any([connection.signal, init?.signal as AbortSignal])
      return fetch(url, { ...init, signal })
    }
    const names = Array.from({ length: 12 }, (_, index) => `Fed ${index}`)
    const feed = open(breakable).changes({ after: 'now', resource: 'impediment' })
    const taking = take(feed, 12, async (number) => {
      if (number !== 4 && number !== 8) return
      connections.at(-1)?.abort()
      await make(names.slice(number, number + 4))
    })
    // The feed has its place before its first connection for events.
    while (connections.length < 2) await new Promise((resolve) => setTimeout(resolve, 5))
    await make(names.slice(0, 4))
    const taken = await taking
    assert.deepEqual(namesOf(taken), names)
    assert.equal(connections.length, 4)
    const behind = writer.changes({ after: taken[8]?.cursor ?? '', resource: 'impediment' })
    assert.deepEqual(namesOf(await take(behind, 3)), names.slice(9))
  })

  test('throws a cursor that the host does not take', async () => {
    const refusal = await take(writer.changes({ after: 'x' }), 1).catch((error: unknown) => error)
    assert.ok(refusal instanceof TrackerError)
    assert.equal(refusal.status, 400)
  })
})
