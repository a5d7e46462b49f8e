import { deepStrictEqual, doesNotMatch, equal, match } from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import { busy, duplicate, invalid, locked, notFound, Problem, unauthenticated } from '../model/problem.ts'
import { createLog } from './log.ts'
import { sampleHost } from './testing/sample-host.ts'

interface Exchange {
  readonly requestHeaders?: Record<string, string>
  /** The headers that the handler sets before it throws. */
  readonly replyHeaders?: Record<string, string>
  /** Receives the lines of the log. */
  readonly lines?: string[]
}

/** Requests a route whose handler throws the error, and returns the response. */
function answerTo(
  t: TestContext,
  error: unknown,
  { requestHeaders, replyHeaders, lines = [] }: Exchange = {},
) {
  const log = createLog({ level: 'info', destination: { write: (line) => void lines.push(line) } })
  const app = sampleHost(t, { log })
  app.get('/fail', async (_request, reply) => {
    reply.headers({ etag: '"a"', 'last-modified': 'today', 'content-type': 'text/csv', ...replyHeaders })
    throw error
  })
  return app.inject({ url: '/fail', headers: { ...requestHeaders } })
}

describe('an error', () => {
  it('that is a problem has the status of its kind', async (t) => {
    const answer = await answerTo(t, invalid({ name: ['Name is required.'] }))
    equal(answer.statusCode, 400)
    equal(answer.headers['content-type'], 'application/json; charset=utf-8')
    equal(
      answer.body,
      '{"statusCode":400,"message":"One or more validation errors occurred.","errors":{"name":["Name is required."]}}',
    )
    equal((await answerTo(t, duplicate('id', 'Id is taken.'))).statusCode, 409)
    deepStrictEqual((await answerTo(t, notFound('Project'))).json(), {
      statusCode: 404,
      message: 'Project was not found.',
    })
  })

  it('keeps the security headers, and drops headers that describe a successful response', async (t) => {
    const { headers } = await answerTo(t, notFound('Project'))
    equal(headers['x-content-type-options'], 'nosniff')
    equal(headers['cache-control'], 'no-store')
    equal(headers.etag, undefined)
    equal(headers['last-modified'], undefined)
  })

  it('of an unauthenticated caller names the expected authentication scheme', async (t) => {
    equal((await answerTo(t, unauthenticated())).headers['www-authenticate'], 'Bearer')
    const other = await answerTo(t, unauthenticated(), { requestHeaders: { authorization: 'Bearer wrong' } })
    equal(other.headers['www-authenticate'], 'Bearer error="invalid_token"')
    const challenge = 'Bearer error="insufficient_scope"'
    const replyHeaders = { 'www-authenticate': challenge }
    const specific = await answerTo(t, unauthenticated(), { replyHeaders })
    equal(specific.headers['www-authenticate'], challenge)
  })

  it('that is temporary has a Retry-After header', async (t) => {
    equal((await answerTo(t, busy(7))).headers['retry-after'], '7')
    equal((await answerTo(t, locked(900))).headers['retry-after'], '900')
    equal((await answerTo(t, new Problem('busy', 'Busy.'))).headers['retry-after'], '60')
  })

  it('that is unexpected is 500 without details', async (t) => {
    const unexpectedErrors = [
      new Error('secret detail'),
      'secret text',
      undefined,
      Object.assign(new Error('secret'), { statusCode: 418, code: 'ECONNRESET' }),
    ]
    for (const error of unexpectedErrors) {
      const lines: string[] = []
      const answer = await answerTo(t, error, { lines })
      deepStrictEqual(answer.json(), { statusCode: 500, message: 'An unexpected error occurred.' })
      equal(
        lines.some((line) => line.includes('unexpected error') && line.includes('"level":50')),
        true,
      )
      equal(
        lines.some((line) => line.includes(String(answer.headers['x-request-id']))),
        true,
      )
    }
    const lines: string[] = []
    doesNotMatch((await answerTo(t, new Error('secret detail'), { lines })).body, /secret/)
    match(lines.join(''), /secret detail/)
  })
})
