import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { status } from '@grpc/grpc-js'
import { budgetLimits } from '../../src/config/budgets.ts'
import { newId } from '../../src/db/columns.ts'
import { insertRow } from '../../src/db/rows.ts'
import { sql } from '../../src/db/sql.ts'
import { impediment } from '../../src/resources/impediment.ts'
import { openCommandCalls } from '../support/command-calls.ts'
import { startCommandsUnderTest } from '../support/command-host.ts'
import { type FeedUnderTest, startFeedUnderTest } from '../support/feed-under-test.ts'
import { until } from '../support/until.ts'

describe('Streams of the feed as commands', () => {
  let feed: FeedUnderTest
  before(async () => {
    feed = await startFeedUnderTest()
  })
  after(() => feed.stop())

  test('end with the deadline, with the session, and with the token', async () => {
    const { host, calls, openStreams } = feed
    const reader = await host.signUp()
    const late = calls.follow(
      'FollowChanges',
      { after: 'now' },
      { token: reader.token, deadline: new Date(Date.now() + 700) },
    )
    assert.equal((await late.ended).code, status.DEADLINE_EXCEEDED)
    await until(() => openStreams(reader) === 0, 'the stream to be closed')
    // Another instance, which has not cached this session as active yet.
    const beside = await startCommandsUnderTest(
      { Auth__SessionValidationCacheSeconds: '1' },
      { beside: host },
    )
    const others = openCommandCalls(beside.target)
    const stream = others.follow('FollowChanges', { after: 'now' }, { token: reader.token })
    await stream.until(1)
    await host.database.transaction((transaction) =>
      transaction.query(sql`update users set security_stamp = 'another' where id = ${reader.id}`),
    )
    const { code, details } = await stream.ended
    assert.deepEqual([code, details], [status.UNAUTHENTICATED, 'A valid access token is required.'])
    others.close()
    await beside.stop()
  })

  test('count as live listings of the account, and are rejected by name beyond', async () => {
    const { host, calls, openStreams } = feed
    const reader = await host.signUp()
    const max = budgetLimits.liveListingsOfAccount.max
    const streams = Array.from({ length: max }, () =>
      calls.follow('FollowChanges', { after: 'now' }, { token: reader.token }),
    )
    await Promise.all(streams.map((stream) => stream.until(1)))
    const refused = await calls.follow('FollowChanges', {}, { token: reader.token }).ended
    assert.deepEqual(
      [refused.code, refused.details],
      [status.RESOURCE_EXHAUSTED, `An account may have at most ${max} live listings open. Close one first.`],
    )
    for (const stream of streams) stream.cancel()
    await until(() => openStreams(reader) === 0, 'the stream to be closed')
  })

  test('keep little for a reader that reads nothing, and end it by name', async () => {
    const { host, client, token, budgets, now, openStreams } = feed
    const start = await now()
    // Twice as many as are sent to such a reader.
    const many = 800
    await host.database.transaction(async (transaction) => {
      for (let index = 0; index < many; index += 1)
        await insertRow(transaction, impediment, undefined, { id: newId(), name: 'Long '.repeat(40) })
    })
    const slow = openCommandCalls(host.target, { 'grpc-node.flow_control_window': 65_535 })
    const stream = slow.follow('FollowChanges', { after: start }, { token })
    await stream.until(1)
    stream.pause()
    let kept = 0
    await until(() => {
      kept = Math.max(kept, budgets.budget('liveBytesOfAccount').used(host.administrator.id))
      return openStreams(host.administrator) === 0
    }, 'the stream to be closed')
    assert.ok(kept > 0 && kept < 1024 ** 2, `${kept} bytes`)
    assert.equal(budgets.budget('liveBytesOfAccount').used(host.administrator.id), 0)
    stream.resume()
    const { code, details } = await stream.ended
    assert.equal(code, status.RESOURCE_EXHAUSTED)
    assert.match(details, /^What was sent was not taken for 1\.5 seconds\. Go on behind the last cursor\.$/)
    // What it did get has no gap, and the rest is behind its last cursor.
    let { cursor } = stream.messages.at(-1)
    let count = stream.messages.filter(({ change }) => change).length
    assert.ok(count < many, `${count} were sent`)
    for (let hasMore = true; hasMore; ) {
      const page = (await client.readChanges({ after: cursor })).result
      count += page?.data.length ?? 0
      cursor = page?.cursor ?? ''
      hasMore = page?.hasMore ?? false
    }
    assert.equal(count, many)
    slow.close()
  })

  test('end with UNAVAILABLE when the host stops, at once', async () => {
    const { host, token } = feed
    const beside = await startCommandsUnderTest({}, { beside: host })
    const others = openCommandCalls(beside.target)
    const stream = others.follow('FollowChanges', { after: 'now' }, { token })
    await stream.until(1)
    const startedAt = performance.now()
    await beside.stop()
    const { code, details } = await stream.ended
    assert.deepEqual([code, details], [status.UNAVAILABLE, 'The host stops.'])
    assert.ok(performance.now() - startedAt < 4000)
    others.close()
  })
})
