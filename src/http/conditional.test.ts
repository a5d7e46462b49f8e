import { equal, notEqual } from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import { entityTag, httpDate, isUnmodifiedSince, matchesTag, sendConditional } from './conditional.ts'
import { createSentDates } from './sent-dates.ts'
import { sampleHost } from './testing/sample-host.ts'

const body = '{"result":{"data":[]}}'
const tag = entityTag('ann', false, body)
const date = 'Sat, 21 Nov 2026 01:55:05 GMT'

function ask(
  t: TestContext,
  headers: Record<string, string>,
  lastModified?: string,
  method: 'GET' | 'HEAD' = 'GET',
) {
  const app = sampleHost(t, { cors: { origins: ['http://app'] } })
  const sentDates = createSentDates()
  if (lastModified) sentDates.note(tag, lastModified)
  const answer = { body, callerId: 'ann', isAdministrator: false, lastModified, sentDates }
  app.get('/list', (request, reply) => sendConditional(request, reply, answer))
  return app.inject({ method, url: '/list', headers })
}

describe('a conditional answer', () => {
  it('carries its tag and who it is for', async (t) => {
    const { statusCode, headers, body } = await ask(t, { origin: 'http://app' }, date)
    equal(statusCode, 200)
    equal(body, body)
    equal(headers['content-type'], 'application/json; charset=utf-8')
    equal(headers.etag, tag)
    equal(headers['cache-control'], 'private, no-cache')
    equal(headers.vary, 'Origin, Authorization')
    equal(headers['last-modified'], date)
  })

  it('is 304 with the same headers and no body when the client holds it', async (t) => {
    for (const method of ['GET', 'HEAD'] as const) {
      const { statusCode, headers, body } = await ask(t, { 'if-none-match': tag }, date, method)
      equal(statusCode, 304)
      equal(body, '')
      equal(headers.etag, tag)
      equal(headers['cache-control'], 'private, no-cache')
      equal(headers['last-modified'], date)
      equal(headers['x-content-type-options'], 'nosniff')
    }
  })

  it('compares tags before dates', async (t) => {
    equal((await ask(t, { 'if-none-match': '"other"', 'if-modified-since': date }, date)).statusCode, 200)
    equal((await ask(t, { 'if-none-match': tag, 'if-modified-since': 'long ago' }, date)).statusCode, 304)
  })

  it('is 304 on the date alone only when that date was promised', async (t) => {
    equal((await ask(t, { 'if-modified-since': date }, date)).statusCode, 304)
    equal((await ask(t, { 'if-modified-since': date })).statusCode, 200)
  })
})

it('the tag differs by caller, administrator flag and content', () => {
  equal(entityTag('ann', false, body), tag)
  notEqual(entityTag('bob', false, body), tag)
  notEqual(entityTag('ann', true, body), tag)
  notEqual(entityTag('ann', false, `${body} `), tag)
})

it('If-None-Match understands lists, weak tags and the star', () => {
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

it('If-Modified-Since counts only as an exact echo', () => {
  equal(isUnmodifiedSince(date, date), true)
  const others = [
    'Sat, 21 Nov 2026 01:55:06 GMT',
    'Sun, 22 Nov 2099 00:00:00 GMT',
    '2026-11-21T01:55:05Z',
    'x',
    '',
  ]
  for (const header of [...others, undefined]) equal(isUnmodifiedSince(header, date), false)
  equal(isUnmodifiedSince(date, undefined), false)
  equal(isUnmodifiedSince(undefined, undefined), false)
  equal(httpDate(new Date('2026-11-21T01:55:05.999Z')), date)
})
