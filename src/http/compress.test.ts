import { deepStrictEqual, equal, match, notEqual } from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { createBudget } from '../model/budget.ts'
import { compressAnswers } from './compress.ts'
import { createSentDates, sendConditional } from './conditional.ts'
import { sampleHost } from './testing/sample-host.ts'

const large = JSON.stringify({ rows: Array.from({ length: 200 }, (_, row) => ({ row, name: `Row ${row}` })) })
const sentDates = createSentDates()

function hostWithAnswers(t: TestContext, atOnce = createBudget(8)) {
  const app = sampleHost(t)
  compressAnswers(app, atOnce)
  const answer = (body: string) => ({ body, callerId: 'ann', isAdministrator: false, readAt: 0, sentDates })
  app.get('/large', (request, reply) => sendConditional(request, reply, answer(large)))
  app.get('/small', (request, reply) => sendConditional(request, reply, answer('{"a":1}')))
  app.get('/text', (_request, reply) => reply.type('text/html').send(large))
  const ask = (url: string, headers: Record<string, string> = {}) => app.inject({ url, headers })
  return { ask, atOnce }
}

describe('a large JSON answer', () => {
  it('is sent with brotli or gzip to clients that accept it, brotli first', async (t) => {
    const { ask } = hostWithAnswers(t)
    for (const [accepted, coding, unpack] of [
      ['gzip, deflate, br', 'br', brotliDecompressSync],
      ['gzip', 'gzip', gunzipSync],
      ['br;q=0, gzip', 'gzip', gunzipSync],
    ] as const) {
      const answer = await ask('/large', { 'accept-encoding': accepted })
      equal(answer.headers['content-encoding'], coding)
      equal(unpack(answer.rawPayload).toString(), large)
      match(String(answer.headers.vary), /Authorization, Accept-Encoding/)
      equal(Number(answer.headers['content-length']), answer.rawPayload.length)
    }
  })

  it('is sent as it is to everybody else, and says that it varies', async (t) => {
    const { ask } = hostWithAnswers(t)
    for (const headers of [{}, { 'accept-encoding': 'identity' }, { 'accept-encoding': 'gzip;q=0' }]) {
      const answer = await ask('/large', headers as Record<string, string>)
      deepStrictEqual([answer.headers['content-encoding'], answer.body], [undefined, large])
      match(String(answer.headers.vary), /Accept-Encoding/)
    }
  })

  it('is sent as it is when too many are being compressed', async (t) => {
    const { ask, atOnce } = hostWithAnswers(t, createBudget(1))
    atOnce.take()
    const answer = await ask('/large', { 'accept-encoding': 'br' })
    deepStrictEqual([answer.headers['content-encoding'], answer.body], [undefined, large])
  })

  it('has a tag for each of its forms, and each of them is worth a 304 that names it', async (t) => {
    const { ask } = hostWithAnswers(t)
    const tags = new Set<string>()
    for (const accepted of ['br', 'gzip', 'identity']) {
      const headers = { 'accept-encoding': accepted }
      const tag = String((await ask('/large', headers)).headers.etag)
      tags.add(tag)
      for (const held of [tag, `W/${tag}`, `"other", ${tag}`]) {
        const again = await ask('/large', { ...headers, 'if-none-match': held })
        deepStrictEqual([again.statusCode, again.headers.etag, again.body], [304, tag, ''])
      }
    }
    equal(tags.size, 3)
  })
})

it('small answers and other types are sent as they are', async (t) => {
  const { ask } = hostWithAnswers(t)
  for (const url of ['/small', '/text'])
    equal((await ask(url, { 'accept-encoding': 'br' })).headers['content-encoding'], undefined)
  notEqual((await ask('/small')).headers.etag, undefined)
})
