import { equal, notEqual } from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import {
  createSentDates,
  entityTag,
  httpDate,
  isUnmodifiedSince,
  matchesTag,
  sendConditional,
} from './conditional.ts'
import { sampleHost } from './testing/sample-host.ts'

const listBody = '{"result":{"data":[]}}'
const tag = entityTag('ann', false, listBody)
const changedAt = Date.parse('2026-11-21T01:55:05Z') / 1000
const date = httpDate(changedAt)
/** A minute later. */
const readAt = changedAt + 60

function ask(
  t: TestContext,
  headers: Record<string, string>,
  lastModified?: number,
  method: 'GET' | 'HEAD' = 'GET',
) {
  const app = sampleHost(t, { cors: { origins: ['http://app'] } })
  const sentDates = createSentDates()
  if (lastModified !== undefined) sentDates.record(tag, lastModified)
  const answer = { body: listBody, callerId: 'ann', isAdministrator: false, readAt, lastModified, sentDates }
  app.get('/list', (request, reply) => sendConditional(request, reply, answer))
  return app.inject({ method, url: '/list', headers })
}

describe('a conditional answer', () => {
  it('has its tag, and headers that keep caches from sharing it between callers', async (t) => {
    const { statusCode, headers, body } = await ask(t, { origin: 'http://app' }, changedAt)
    equal(statusCode, 200)
    equal(body, listBody)
    equal(headers['content-type'], 'application/json; charset=utf-8')
    equal(headers.etag, tag)
    equal(headers['cache-control'], 'private, no-cache')
    equal(headers.vary, 'Origin, Authorization')
    equal(headers['last-modified'], date)
  })

  it('has the time at which reading began as its Date, not the time of the host', async (t) => {
    for (const headers of [{}, { 'if-none-match': tag }] as Record<string, string>[])
      equal((await ask(t, headers, changedAt)).headers.date, httpDate(readAt))
  })

  it('is 304 with the same headers and no body if the client already has it', async (t) => {
    for (const method of ['GET', 'HEAD'] as const) {
      const { statusCode, headers, body } = await ask(t, { 'if-none-match': tag }, changedAt, method)
      equal(statusCode, 304)
      equal(body, '')
      equal(headers.etag, tag)
      equal(headers['cache-control'], 'private, no-cache')
      equal(headers['last-modified'], date)
      equal(headers['x-content-type-options'], 'nosniff')
    }
  })

  it('compares tags before dates', async (t) => {
    const askWithBoth = (ifNoneMatch: string, since: string) =>
      ask(t, { 'if-none-match': ifNoneMatch, 'if-modified-since': since }, changedAt)
    equal((await askWithBoth('"other"', date)).statusCode, 200)
    equal((await askWithBoth(tag, 'long ago')).statusCode, 304)
  })

  it('is 304 for a date without a tag only if that date was sent before', async (t) => {
    equal((await ask(t, { 'if-modified-since': date }, changedAt)).statusCode, 304)
    equal((await ask(t, { 'if-modified-since': date })).statusCode, 200)
  })
})

it('the tag differs by caller, administrator flag and content', () => {
  equal(entityTag('ann', false, listBody), tag)
  notEqual(entityTag('bob', false, listBody), tag)
  notEqual(entityTag('ann', true, listBody), tag)
  notEqual(entityTag('ann', false, `${listBody} `), tag)
})

it('If-None-Match may contain a list, weak tags or an asterisk', () => {
  for (const header of [tag, `W/${tag}`, `"a,b", ${tag}`, `W/"x",W/${tag} , "y"`, '*', ' * ']) {
    equal(matchesTag(header, tag), true, header)
  }
  for (const header of [
    '',
    '"*"',
    '"other"',
    tag.replaceAll('"', ''),
    tag.toUpperCase(),
    `"x${tag.slice(1)}`,
    'W/',
  ]) {
    equal(matchesTag(header, tag), false, header)
  }
})

it('If-Modified-Since matches with a date between the last change and now', () => {
  for (const second of [changedAt, changedAt + 1, readAt])
    equal(isUnmodifiedSince(httpDate(second), readAt, changedAt), true)
  for (const header of [httpDate(changedAt - 1), httpDate(readAt + 1), 'x', '', undefined])
    equal(isUnmodifiedSince(header, readAt, changedAt), false)
  equal(isUnmodifiedSince(date, readAt, undefined), false)
  equal(isUnmodifiedSince(undefined, readAt, undefined), false)
})
