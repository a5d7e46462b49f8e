import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createFeedStreams, type FeedTransport } from '../../src/features/changes/feed-streams.ts'
import { createLiveListings } from '../../src/features/changes/live-listings.ts'
import type { LiveRequest } from '../../src/features/changes/live-stream.ts'
import { listView } from '../../src/features/changes/routes.ts'
import { createStreamLimits } from '../../src/features/changes/streams.ts'
import { parseListQuery } from '../../src/records/list-query.ts'
import { resourceNamed } from '../../src/resources/all.ts'
import { fixture } from '../support/fixture.ts'
import { freshContext } from '../support/fresh-context.ts'

/** The first page may wait for seconds, in which the token may expire or its session end. */
describe('A stream whose token has ended while its first page was read', () => {
  const fresh = fixture(freshContext)

  const endedSession = () => ({
    caller: fresh.administrator,
    sessionId: undefined,
    expiresAt: Date.now() + 60_000,
    recheck: () => false,
    isActiveNow: async () => false,
  })
  const fail = (error: unknown) => assert.fail(String(error))
  const openStreams = () => fresh.context.budgets.budget('liveListingsOfAccount').used(fresh.administrator.id)

  it('is not opened as a live listing', async () => {
    const { context, administrator } = fresh
    const listings = createLiveListings(context, createStreamLimits(context.budgets), fail)
    const resource = resourceNamed('impediment')
    const view = listView(context, resource, administrator, parseListQuery(resource, {}))
    const request = {
      session: endedSession(),
      request: { routeOptions: { url: '/api/impediments' }, headers: {} },
      reply: {},
    }
    await assert.rejects(listings.open(view, request as unknown as LiveRequest), { kind: 'unauthenticated' })
    assert.equal(openStreams(), 0)
  })

  it('is not opened as a stream of the feed', async () => {
    const { context } = fresh
    const feeds = createFeedStreams(context, createStreamLimits(context.budgets), fail)
    const transport: FeedTransport = {
      eventOf: () => Buffer.from(''),
      open: () => assert.fail('It was opened.'),
    }
    const query = { filter: {}, after: 'now' } as const
    await assert.rejects(feeds.open(query, endedSession(), transport), { kind: 'unauthenticated' })
    assert.equal(openStreams(), 0)
  })
})
