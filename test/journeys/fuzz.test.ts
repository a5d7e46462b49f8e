import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import fc from 'fast-check'
import {
  commonFields,
  entities,
  listPathOf,
  pathOf,
  requiredOnCreate,
  resources,
} from '../contract/resources.ts'
import { assertEnvelope, valuesOf } from '../support/assertions.ts'
import { anyCharacter, fuzzed } from '../support/fuzz.ts'
import { callRaw, sendRaw } from '../support/raw-request.ts'
import { type Answer, type RestUnderTest, startRestUnderTest } from '../support/rest-host.ts'
import { seed } from '../support/seed.ts'

const splitWords = (text: string): string[] => text.trim().split(/\s+/)

/** Texts that often break services. */
const troublesomeTexts = [
  '\u0000',
  'a\u0000b',
  '\ud800',
  'x\udfff',
  '\ufeff',
  '\u202e',
  '😀'.repeat(101),
  'x'.repeat(2001),
  '%',
  '_\\',
  "'; drop table users; --",
  '$1',
  '__proto__',
  'NaN',
  '1e400',
  '-0',
  '0x10',
  '٣',
  '2026-02-30',
  '2026-01-01T24:00:00Z',
  '0000-01-01',
  '9999-12-31T23:59:60.9999999+14:00',
  '294277-01-01',
  '-infinity',
  '4713-01-01 BC',
  'urn:uuid:01890000-0000-7000-8000-000000000000',
  '{01890000-0000-7000-8000-000000000000}',
  '00000000-0000-0000-0000-000000000000',
]

const anyText = fc.oneof(
  fc.constantFrom(...troublesomeTexts),
  fc.string({ unit: anyCharacter, maxLength: 40 }),
  fc.string({ unit: 'grapheme', maxLength: 40 }),
)

const anyDate = fc
  .tuple(
    fc.integer({ min: 0, max: 10_000 }),
    fc.nat(13),
    fc.nat(32),
    fc.constantFrom('', 'T00:00', 'T23:59:59.123456789Z', 'T12:00:00-24:00'),
  )
  .map(
    ([year, month, day, time]) =>
      `${String(year).padStart(4, '0')}-${String(month).padStart(2, '0')}-${String(day).padStart(2, '0')}${time}`,
  )

const anyNumber = fc.oneof(
  fc.constantFrom(
    '0',
    '-0',
    '-1',
    '1e400',
    '-1e400',
    '1e-400',
    '0.001',
    '2147483648',
    '9223372036854775808',
    '1e21',
    '100000.01',
  ),
  fc.double().map((value) => (Number.isFinite(value) ? String(value) : '1e999')),
)

/**
 * Generates values as JSON text, which can contain unpaired surrogates and numbers that JavaScript cannot
 * represent.
 */
const anyValue = (ids: () => readonly string[]): fc.Arbitrary<string> => {
  const id = fc.nat(7).map((index) => JSON.stringify(ids()[index]))
  const leaf = fc.oneof(
    { weight: 4, arbitrary: id },
    { weight: 3, arbitrary: anyText.map((text) => JSON.stringify(text)) },
    {
      weight: 1,
      arbitrary: fc.constantFrom('"\\ud800"', '"\\udc00x"', '"\\u0000"', 'null', 'true', '""', '" "'),
    },
    { weight: 2, arbitrary: anyDate.map((date) => JSON.stringify(date)) },
    { weight: 2, arbitrary: anyNumber },
    { weight: 1, arbitrary: fc.uuid().map((uuid) => JSON.stringify(uuid)) },
  )
  return fc.oneof(
    { weight: 8, arbitrary: leaf },
    { weight: 1, arbitrary: fc.array(leaf, { maxLength: 4 }).map((items) => `[${items.join(',')}]`) },
    { weight: 1, arbitrary: leaf.map((value) => `{"toString":${value},"length":${value},"id":${value}}`) },
  )
}

const fields = [
  ...new Set([
    'id',
    'ids',
    ...entities.flatMap((name) => [...resources[name].own, ...requiredOnCreate(name)]),
  ]),
]

const keys = [
  ...fields,
  ...commonFields.slice(1),
  ...splitWords('expectedVersion __proto__ constructor hasOwnProperty'),
]

/** Generates objects that resemble requests: most keys are valid, most are present, and some occur twice. */
function anyBody(ids: () => readonly string[]): fc.Arbitrary<string> {
  const value = anyValue(ids)
  const entry = fc.tuple(fc.constantFrom(...keys), value)
  const optionalFields = fields.map((key) =>
    fc.option(value).map((text) => (text === null ? [] : [[key, text]])),
  )
  const object = fc
    .tuple(fc.tuple(...optionalFields), fc.array(entry, { maxLength: 4 }))
    .map(([found, more]) => [...found.flat(), ...more].map(([key, text]) => `${JSON.stringify(key)}:${text}`))
    .map((entries) => `{${entries.join(',')}}`)
  const batch = fc.array(value, { maxLength: 103 }).map((items) => `{"ids":[${items.join(',')}]}`)
  return fc.oneof(
    { weight: 6, arbitrary: object },
    { weight: 2, arbitrary: batch },
    { weight: 1, arbitrary: value },
  )
}

const queryKeys = [
  ...splitWords('id ids pageNumber pageSize sortColumn sortOrder search'),
  ...new Set(entities.flatMap((name) => resources[name].filters)),
  ...splitWords('__proto__ constructor toString pagination.pageSize ids[]'),
]

function anyQuery(ids: () => readonly string[]): fc.Arbitrary<string> {
  const plain = fc.oneof(
    fc.nat(7).map((index) => ids()[index] ?? ''),
    anyText,
    anyDate,
    anyNumber,
    fc.constantFrom(
      'ASC',
      'desc',
      'name',
      'password_hash',
      'passwordHash',
      'createdAt',
      '21474836',
      '100',
      ',',
    ),
  )
  const value = fc.oneof(
    { weight: 6, arbitrary: plain.map((text) => encodeURIComponent(text.toWellFormed())) },
    {
      weight: 1,
      arbitrary: fc.constantFrom('%', '%zz', '%00', '%ed%a0%80', '%ff', '+', '%c0%80', '&', '=', '%u0041'),
    },
  )
  return fc
    .array(fc.tuple(fc.constantFrom(...queryKeys), value), { maxLength: 6 })
    .map((entries) => `?${entries.map(([key, text]) => `${key}=${text}`).join('&')}`)
}

const headerNames = splitWords(`
  authorization accept content-type if-none-match if-modified-since last-event-id x-forwarded-for
  x-request-id origin cookie accept-encoding content-encoding range x-http-method-override
`)

const visible = fc.string({
  unit: fc
    .integer({ min: 0x20, max: 0xff })
    .map((code) => String.fromCharCode(code))
    .filter((text) => text !== '\u007f'),
  maxLength: 200,
})

const anyHeaders = (token: string) =>
  fc.dictionary(
    fc.constantFrom(...headerNames),
    fc.oneof(
      visible,
      fc.constantFrom(
        `Bearer ${token}`,
        `bearer  ${token}`,
        `Bearer ${token.slice(0, -4)}`,
        'Bearer ..',
        'Bearer e30.e30.e30',
        'text/event-stream',
        'text/event-stream;q=x, */*;q=2',
        'application/json; charset=utf-16',
        'application/json;;;=',
        '*',
        `${'"a", '.repeat(500)}*`,
        'gzip',
        'chunked',
        `${'9'.repeat(400)}`,
      ),
    ),
    { maxKeys: 4 },
  )

/** Generates paths with any bytes except white space. */
const anyPath = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        '/',
        'api',
        'ext',
        'people',
        'removed',
        '..',
        '%2e%2e',
        '%00',
        '%ff',
        '//',
        'workflow',
        's',
        '?',
        '#',
        '[',
        '%',
        ';',
        ':id',
        '*',
        '\\',
      ),
      visible,
    ),
    { maxLength: 8 },
  )
  .map((parts) => `/${parts.join('').replace(/[\s]/g, '')}`)

interface Target {
  readonly method: string
  readonly path: string
}

/** All routes with a body or parameters. */
const routes: readonly Target[] = [
  ...entities.flatMap((name) => [
    { method: 'POST', path: pathOf(name) },
    { method: 'GET', path: pathOf(name) },
    { method: 'GET', path: listPathOf(name) },
    { method: 'PATCH', path: pathOf(name) },
    { method: 'DELETE', path: pathOf(name) },
    { method: 'POST', path: `${pathOf(name)}/restore` },
    { method: 'GET', path: `/ext/removed/${resources[name].list}` },
    { method: 'GET', path: `/ext/query/${resources[name].list}` },
  ]),
  { method: 'GET', path: '/api/me' },
  { method: 'PATCH', path: '/api/me' },
  { method: 'GET', path: '/ext/people' },
  { method: 'GET', path: '/ext/reports/hours' },
]

const properties = 5
const parameters = fuzzed({ runs: 150, properties })

type Headers = Readonly<Record<string, string>>

describe('The REST host', () => {
  let rest: RestUnderTest
  let token: string
  let knownIds: string[]
  before(async () => {
    rest = await startRestUnderTest({ LOG_LEVEL: 'silent' })
    const workspace = await seed(rest)
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
    const me = await rest.administrator.call('GET', '/api/me')
    await rest.stop()
    assert.deepEqual(valuesOf([...answers, me], 'status'), [200, 200, 200], 'The host is healthy afterwards.')
  })

  /** Asserts that the response is no server error, and that every error has the envelope. */
  function assertNoServerError(answer: Answer, request: string) {
    assert.ok(
      answer.status >= 200 && answer.status < 500,
      `${answer.status} for ${request}: ${JSON.stringify(answer.body)}`,
    )
    if (answer.status >= 400) assertEnvelope(answer, answer.status)
  }

  async function send({ method, path }: Target, query: string, headers: Headers, body?: string) {
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

  test('responds to every generated JSON body without a 5xx', async () => {
    const writes = fc.constantFrom(...routes.filter(({ method }) => method !== 'GET'))
    await fc.assert(
      fc.asyncProperty(
        writes,
        anyBody(() => knownIds),
        async (route, body) => {
          assertNoServerError(
            await send(route, '', {}, body),
            `${route.method} ${route.path} ${body.slice(0, 2000)}`,
          )
        },
      ),
      parameters,
    )
  })

  test('responds to every generated query without a 5xx', async () => {
    const reads = fc.constantFrom(...routes.filter(({ method }) => method === 'GET'))
    await fc.assert(
      fc.asyncProperty(
        reads,
        anyQuery(() => knownIds),
        async (route, query) => {
          assertNoServerError(await send(route, query, {}), `${route.method} ${route.path}${query}`)
        },
      ),
      parameters,
    )
  })

  test('responds to every generated header without a 5xx', async () => {
    await fc.assert(
      fc.asyncProperty(target, anyHeaders(token), async (route, headers) => {
        assertNoServerError(
          await send(route, '', headers, '{}'),
          `${route.method} ${route.path} ${JSON.stringify(headers)}`,
        )
      }),
      parameters,
    )
  })

  test('responds to every generated path and method without a 5xx', async () => {
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
      fuzzed({ runs: 20, properties }),
    )
  })

  test('rejects three megabytes, deep nesting and unsupported types on every route with a body', async () => {
    const levels = 20_000
    const rejections: readonly { body: string; headers: Headers; status: number }[] = [
      { body: JSON.stringify({ name: 'x'.repeat(3_000_000) }), headers: {}, status: 413 },
      { body: `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`, headers: {}, status: 400 },
      { body: `{"name":${'['.repeat(levels)}${']'.repeat(levels)}}`, headers: {}, status: 400 },
      { body: '<x/>', headers: { 'content-type': 'text/xml' }, status: 415 },
    ]
    const attempts = routes
      // The body of an upload is a file of any size and kind.
      .filter(({ method, path }) => method !== 'GET' && `${method} ${path}` !== 'POST /ext/attachment')
      .flatMap((route) => rejections.map((rejection) => ({ route, ...rejection })))
    await Promise.all(
      attempts.map(async ({ route, body, headers, status }) => {
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
