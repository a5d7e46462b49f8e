import { deepStrictEqual, equal, match, notEqual } from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { createBudget } from '../model/budget.ts'
import {
  compressAnswers,
  createSentDates,
  entityTag,
  httpDate,
  isUnmodifiedSince,
  matchesTag,
  parseHttpDate,
  sendConditional,
} from './representations.ts'
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

const second = 784_111_777
const now = Date.parse('2026-11-22T00:00:00Z')

it('a date is parsed in the three formats of HTTP', () => {
  equal(httpDate(second), 'Sun, 06 Nov 1994 08:49:37 GMT')
  for (const text of [
    'Sun, 06 Nov 1994 08:49:37 GMT',
    'Sunday, 06-Nov-94 08:49:37 GMT',
    'Sun Nov  6 08:49:37 1994',
  ])
    equal(parseHttpDate(text, now), second, text)
  equal(parseHttpDate('Wednesday, 22-Nov-28 00:00:00 GMT', now), Date.UTC(2028, 10, 22) / 1000)
  equal(parseHttpDate('Tue Nov 15 08:12:31 2022'), Date.UTC(2022, 10, 15, 8, 12, 31) / 1000)
  equal(parseHttpDate(httpDate(0)), 0)
})

it('any other text is not a date', () => {
  for (const text of [
    '',
    '*',
    'yesterday',
    '784111777',
    '1994-11-06T08:49:37Z',
    'Sun, 6 Nov 1994 08:49:37 GMT',
    'Sun, 06 Nov 1994 08:49:37',
    'Sun, 06 Nov 1994 08:49:37 +0000',
    'Sun, 06 Nov 1994 08:49:37 EST',
    'Sun, 06 Nov 1994 24:00:00 GMT',
    'Sun, 06 Nov 1994 08:49:60 GMT',
    'Wed, 30 Feb 1994 08:49:37 GMT',
    'Sun, 06 Foo 1994 08:49:37 GMT',
    'Sun, 06 Nov 1994 08:49:37 GMT, Sun, 06 Nov 1994 08:49:38 GMT',
    `Sun, 06 Nov 1994 08:49:37 GMT${' '.repeat(5000)}x`,
  ])
    equal(parseHttpDate(text), undefined, text)
})

it('Sent dates contain a date only if the same answer was last sent with it', () => {
  const { record } = createSentDates()
  const sent = [
    ['a', 1],
    ['a', 1],
    ['b', 1],
    ['a', 2],
    ['a', 2],
  ] as const
  const wasSent = sent.map(([answerTag, second]) => record(answerTag, second))
  deepStrictEqual(wasSent, [false, true, false, false, true])
  for (let other = 0; other < 10_000; other += 1) record(`other ${other}`, 1)
  equal(record('a', 2), false)
})

const large = JSON.stringify({ rows: Array.from({ length: 200 }, (_, row) => ({ row, name: `Row ${row}` })) })
const sentDates = createSentDates()

function hostWithAnswers(t: TestContext, compressions = createBudget(8)) {
  const app = sampleHost(t)
  compressAnswers(app, compressions)
  const answer = (body: string) => ({ body, callerId: 'ann', isAdministrator: false, readAt: 0, sentDates })
  app.get('/large', (request, reply) => sendConditional(request, reply, answer(large)))
  app.get('/small', (request, reply) => sendConditional(request, reply, answer('{"a":1}')))
  app.get('/text', (_request, reply) => reply.type('text/html').send(large))
  const ask = (url: string, headers: Record<string, string> = {}) => app.inject({ url, headers })
  return { ask, compressions }
}

describe('a large JSON answer', () => {
  it('is sent with brotli or gzip to clients that accept it, brotli first', async (t) => {
    const { ask } = hostWithAnswers(t)
    for (const [accepted, coding, decompress] of [
      ['gzip, deflate, br', 'br', brotliDecompressSync],
      ['gzip', 'gzip', gunzipSync],
      ['br;q=0, gzip', 'gzip', gunzipSync],
    ] as const) {
      const answer = await ask('/large', { 'accept-encoding': accepted })
      equal(answer.headers['content-encoding'], coding)
      equal(decompress(answer.rawPayload).toString(), large)
      match(String(answer.headers.vary), /Authorization, Accept-Encoding/)
      equal(Number(answer.headers['content-length']), answer.rawPayload.length)
    }
  })

  it('is sent uncompressed to other clients', async (t) => {
    const { ask } = hostWithAnswers(t)
    for (const headers of [{}, { 'accept-encoding': 'identity' }, { 'accept-encoding': 'gzip;q=0' }]) {
      const answer = await ask('/large', headers as Record<string, string>)
      deepStrictEqual([answer.headers['content-encoding'], answer.body], [undefined, large])
      match(String(answer.headers.vary), /Accept-Encoding/)
    }
  })

  it('is sent uncompressed while too many others are being compressed', async (t) => {
    const { ask, compressions } = hostWithAnswers(t, createBudget(1))
    compressions.take()
    const answer = await ask('/large', { 'accept-encoding': 'br' })
    deepStrictEqual([answer.headers['content-encoding'], answer.body], [undefined, large])
  })

  it('has a different tag for each coding', async (t) => {
    const { ask } = hostWithAnswers(t)
    const tags = new Set<string>()
    for (const accepted of ['br', 'gzip', 'identity']) {
      const headers = { 'accept-encoding': accepted }
      const tag = String((await ask('/large', headers)).headers.etag)
      tags.add(tag)
      for (const ifNoneMatch of [tag, `W/${tag}`, `"other", ${tag}`]) {
        const again = await ask('/large', { ...headers, 'if-none-match': ifNoneMatch })
        deepStrictEqual([again.statusCode, again.headers.etag, again.body], [304, tag, ''])
      }
    }
    equal(tags.size, 3)
  })
})

it('small answers and other types are sent uncompressed', async (t) => {
  const { ask } = hostWithAnswers(t)
  for (const url of ['/small', '/text'])
    equal((await ask(url, { 'accept-encoding': 'br' })).headers['content-encoding'], undefined)
  notEqual((await ask('/small')).headers.etag, undefined)
})
