import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import fc from 'fast-check'
import { assertEnvelope } from '../support/assert-envelope.ts'
import { furnish } from '../support/furnish.ts'
import { fuzzed } from '../support/fuzz.ts'
import { callRaw, sendRaw } from '../support/raw-request.ts'
import { type Answer, type RestUnderTest, startRestUnderTest } from '../support/rest-host.ts'
import { anyBody, anyHeaders, anyPath, anyQuery, anyText } from './fuzz-arbitraries.ts'
import { routes, type Target } from './fuzz-routes.ts'

const limits = { properties: 5, secondsMax: 3 }
const parameters = fuzzed({ runs: 400, ...limits })

type Sent = Readonly<Record<string, string>>

describe('Whatever is sent, the REST host', () => {
  let rest: RestUnderTest
  let token: string
  let knownIds: string[]

  before(async () => {
    rest = await startRestUnderTest({ LOG_LEVEL: 'silent' })
    const workspace = await furnish(rest)
    const project = await workspace.project()
    const person = await rest.signUp()
    const assignment = await workspace.assignment(project, person.id)
    const appointment = await workspace.appointment(assignment, person.id)
    const { organizationId, workflowId, assignmentTypeId, impedimentId } = workspace
    knownIds = [
      organizationId,
      workflowId,
      assignmentTypeId,
      impedimentId,
      project,
      person.id,
      assignment,
      appointment,
    ]
    token = rest.administrator.token
  })
  after(async () => {
    const answers = await Promise.all(['/healthz', '/readyz'].map((path) => rest.call('GET', path)))
    const me = await rest.call('GET', '/api/me', { token: rest.administrator.token })
    await rest.stop()
    assert.deepEqual(
      [...answers, me].map(({ status }) => status),
      [200, 200, 200],
      'The host is healthy afterwards.',
    )
  })

  /** Never a server error, and every error has the envelope. */
  function assertRefusedWell(answer: Answer, what: string) {
    assert.ok(
      answer.status >= 200 && answer.status < 500,
      `${answer.status} for ${what}: ${JSON.stringify(answer.body)}`,
    )
    if (answer.status >= 400) assertEnvelope(answer, answer.status)
  }

  async function send({ method, path }: Target, query: string, headers: Sent, body?: string) {
    const response = await fetch(`${rest.address}${path}${query}`, {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', ...headers },
      signal: AbortSignal.timeout(120_000),
      ...(body !== undefined && method !== 'GET' && { body }),
    })
    const type = response.headers.get('content-type') ?? ''
    if (type.startsWith('text/event-stream')) {
      await response.body?.cancel()
      return { status: response.status, headers: response.headers, body: '' }
    }
    const text = await response.text()
    return { status: response.status, headers: response.headers, body: text === '' ? '' : JSON.parse(text) }
  }

  const target = fc.constantFrom(...routes)

  test('answers every generated JSON body without a 5xx', async () => {
    const writes = fc.constantFrom(...routes.filter(({ method }) => method !== 'GET'))
    await fc.assert(
      fc.asyncProperty(
        writes,
        anyBody(() => knownIds),
        async (route, body) => {
          assertRefusedWell(
            await send(route, '', {}, body),
            `${route.method} ${route.path} ${body.slice(0, 2000)}`,
          )
        },
      ),
      parameters,
    )
  })

  test('answers every generated query without a 5xx', async () => {
    const reads = fc.constantFrom(...routes.filter(({ method }) => method === 'GET'))
    await fc.assert(
      fc.asyncProperty(
        reads,
        anyQuery(() => knownIds),
        async (route, query) => {
          assertRefusedWell(await send(route, query, {}), `${route.method} ${route.path}${query}`)
        },
      ),
      parameters,
    )
  })

  test('answers every generated header without a 5xx', async () => {
    await fc.assert(
      fc.asyncProperty(target, anyHeaders(token), async (route, headers) => {
        assertRefusedWell(
          await send(route, '', headers, '{}'),
          `${route.method} ${route.path} ${JSON.stringify(headers)}`,
        )
      }),
      parameters,
    )
  })

  test('answers every generated address and method without a 5xx', async () => {
    const method = fc.constantFrom(
      'GET',
      'POST',
      'PUT',
      'PATCH',
      'DELETE',
      'HEAD',
      'OPTIONS',
      'TRACE',
      'PROPFIND',
      'FOO',
    )
    await fc.assert(
      fc.asyncProperty(method, anyPath, async (verb, path) => {
        const head = `${verb} ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nAuthorization: Bearer ${token}\r\n\r\n`
        const answer = await callRaw(rest.address, Buffer.from(head, 'latin1'))
        assert.ok(answer.status >= 200 && answer.status < 500, `${answer.status} for ${verb} ${path}`)
      }),
      parameters,
    )
  })

  test('survives every generated stream of bytes', async () => {
    const bytes = fc.oneof(
      fc.uint8Array({ minLength: 1, maxLength: 300 }).map((array) => Buffer.from(array)),
      anyText.map((text) => Buffer.from(`POST /api/me HTTP/1.1\r\nHost: x\r\n${text}\r\n\r\n`)),
      fc
        .constantFrom(
          'POST /api/me HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n',
          'POST /api/me HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nhello',
          'POST /api/me HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
          'POST /api/me HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n',
          'GET / HTTP/9.9\r\n\r\n',
          'GET / HTTP/2.0\r\nHost: x\r\n\r\n',
          'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
          '\u0016\u0003\u0001\u0002\u0000\u0001',
        )
        .map((text) => Buffer.from(text, 'latin1')),
    )
    await fc.assert(
      fc.asyncProperty(bytes, async (sent) => {
        const received = await sendRaw(rest.address, sent, { millisecondsMax: 50 })
        assert.doesNotMatch(received, /^HTTP\/1\.1 5/)
      }),
      fuzzed({ runs: 40, ...limits }),
    )
  })

  test('rejects three megabytes, a deep nesting and an odd type on every route that takes a body', async () => {
    const levels = 20_000
    const refusals: readonly (readonly [string, Sent, number])[] = [
      [JSON.stringify({ name: 'x'.repeat(3_000_000) }), {}, 413],
      [`${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`, {}, 400],
      [`{"name":${'['.repeat(levels)}${']'.repeat(levels)}}`, {}, 400],
      ['<x/>', { 'content-type': 'text/xml' }, 415],
    ]
    const attempts = routes
      .filter(({ method }) => method !== 'GET')
      .flatMap((route) => refusals.map((refusal) => [route, ...refusal] as const))
    await Promise.all(
      attempts.map(async ([route, body, headers, status]) => {
        const answer = await send(route, '', headers, body).catch((error) => {
          // The host may close the connection while three megabytes are still on their way.
          assert.equal(status, 413, String(error))
          return undefined
        })
        if (answer) assertEnvelope(answer, status)
      }),
    )
  })
})
