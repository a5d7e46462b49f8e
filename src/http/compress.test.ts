import { deepStrictEqual, equal, match, notEqual } from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { createBudget } from '../model/budget.ts'
import { compressAnswers } from './compress.ts'
import { createSentDates, sendConditional } from './conditional.ts'
import { sampleHost } from './testing/sample-host.ts'

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

  it('is sent uncompressed to other clients, with the same Vary header', async (t) => {
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

  it('has a different tag for each coding, and each tag results in a 304 that repeats it', async (t) => {
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
