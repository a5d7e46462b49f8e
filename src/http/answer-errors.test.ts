import { deepStrictEqual, doesNotMatch, equal, match } from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import { busy, duplicate, invalid, locked, notFound, Problem, unauthenticated } from '../model/problem.ts'
import { createLog } from './log.ts'
import { sampleHost } from './testing/sample-host.ts'

function thrown(
  t: TestContext,
  error: unknown,
  headers: Record<string, string> = {},
  lines: string[] = [],
  sent: Record<string, string> = {},
) {
  const log = createLog({ level: 'info', destination: { write: (line) => void lines.push(line) } })
  const app = sampleHost(t, { log })
  app.get('/fail', async (_request, reply) => {
    reply.headers({ etag: '"a"', 'last-modified': 'today', 'content-type': 'text/csv', ...headers })
    throw error
  })
  return app.inject({ url: '/fail', headers: sent })
}

describe('an error', () => {
  it('that is a problem has the status of its kind and its sentences', async (t) => {
    const answer = await thrown(t, invalid({ name: ['Name is required.'] }))
    equal(answer.statusCode, 400)
    equal(answer.headers['content-type'], 'application/json; charset=utf-8')
    equal(
      answer.body,
      '{"statusCode":400,"message":"One or more validation errors occurred.","errors":{"name":["Name is required."]}}',
    )
    equal((await thrown(t, duplicate('id', 'Id is taken.'))).statusCode, 409)
    deepStrictEqual((await thrown(t, notFound('Project'))).json(), {
      statusCode: 404,
      message: 'Project was not found.',
    })
  })

  it('keeps the security headers and drops what described the success', async (t) => {
    const { headers } = await thrown(t, notFound('Project'))
    equal(headers['x-content-type-options'], 'nosniff')
    equal(headers['cache-control'], 'no-store')
    equal(headers.etag, undefined)
    equal(headers['last-modified'], undefined)
  })

  it('of a caller without a token says which scheme is expected, unless the host said more', async (t) => {
    equal((await thrown(t, unauthenticated())).headers['www-authenticate'], 'Bearer')
    const other = await thrown(t, unauthenticated(), {}, [], { authorization: 'Bearer wrong' })
    equal(other.headers['www-authenticate'], 'Bearer error="invalid_token"')
    const own = { 'www-authenticate': 'Bearer error="invalid_token"' }
    equal((await thrown(t, unauthenticated(), own)).headers['www-authenticate'], own['www-authenticate'])
  })

  it('of a busy or locked caller says when to come back', async (t) => {
    equal((await thrown(t, busy(7))).headers['retry-after'], '7')
    equal((await thrown(t, locked(900))).headers['retry-after'], '900')
    equal((await thrown(t, new Problem('busy', 'Busy.'))).headers['retry-after'], '60')
  })

  it('that is unexpected is 500 without details, which are logged', async (t) => {
    const unforeseen = [
      new Error('secret detail'),
      'secret text',
      undefined,
      Object.assign(new Error('secret'), { statusCode: 418, code: 'ECONNRESET' }),
    ]
    for (const error of unforeseen) {
      const lines: string[] = []
      const answer = await thrown(t, error, {}, lines)
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
    doesNotMatch((await thrown(t, new Error('secret detail'), {}, lines)).body, /secret/)
    match(lines.join(''), /secret detail/)
  })
})
