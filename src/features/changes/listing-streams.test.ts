import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { createListingStreams } from './listing.ts'
import type { LiveStream } from './live-stream.ts'

/** The most streams that are sent a change before the listing lets other work run. */
const batch = 200

describe('The streams of a listing', () => {
  const open = () => {
    let snapshot = Buffer.from('first')
    const streams = createListingStreams(() => snapshot)
    let sent = 0
    /** A stream that accepts every event, unless its client does not read. */
    const join = (isReading = () => true) => {
      let held: Buffer | undefined
      const stream: LiveStream = {
        sentAt: 0,
        isChecking: false,
        maintain: () => undefined,
        offer(newest) {
          if (!isReading() || newest === held) return
          held = newest
          sent += 1
        },
        has: (newest) => newest === held,
        close: () => undefined,
        closeForShutdown: () => undefined,
      }
      streams.join(stream)
      return stream
    }
    const change = () => {
      snapshot = Buffer.from('next')
      streams.markAllBehind()
      sent = 0
      streams.offer(Date.now())
    }
    return { streams, join, change, newest: () => snapshot, sent: () => sent }
  }

  it('are sent a change in batches', async () => {
    const { join, change, sent } = open()
    for (let count = 0; count < 1000; count += 1) join()
    change()
    const counts = [sent()]
    while (sent() < 1000) {
      await nextTurn()
      counts.push(sent())
    }
    assert.deepEqual(counts, [batch, 2 * batch, 3 * batch, 4 * batch, 5 * batch])
  })

  it('do not wait for streams whose clients do not read, or that leave', async () => {
    const { streams, join, change, sent } = open()
    let isReading = true
    for (let count = 0; count < 300; count += 1) join(() => isReading)
    const leaving = Array.from({ length: 300 }, () => join())
    for (let count = 0; count < 300; count += 1) join()
    isReading = false
    change()
    // The first batch goes to leaving streams: an offer that is not accepted does not count.
    assert.equal(sent(), batch)
    for (const stream of leaving) streams.leave(stream)
    for (let turns = 0; turns < 3; turns += 1) await nextTurn()
    assert.equal(sent(), batch + 300)
    isReading = true
    streams.offer(Date.now())
    for (let turns = 0; turns < 3; turns += 1) await nextTurn()
    assert.equal(sent(), batch + 300 + 300)
  })

  it('are all sent the newest snapshot', async () => {
    const { join, change, newest } = open()
    const joined = Array.from({ length: 500 }, () => join())
    change()
    await nextTurn()
    change()
    for (let turns = 0; turns < 4; turns += 1) await nextTurn()
    assert.ok(joined.every((stream) => stream.has(newest())))
  })
})
