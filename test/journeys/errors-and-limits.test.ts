import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { assertEnvelope, assertSecurityHeaders } from '../support/assertions.ts'
import { openCommandCalls } from '../support/command-calls.ts'
import { startCommandsUnderTest } from '../support/command-host.ts'
import { connectDirectly } from '../support/direct-connection.ts'
import { fixture } from '../support/fixture.ts'
import { callRaw } from '../support/raw-request.ts'
import { type Answer, send, startRestUnderTest } from '../support/rest-host.ts'

describe('An error', { concurrency: true }, () => {
  let token: string

  const rest = fixture(startRestUnderTest)
  before(async () => {
    token = rest.administrator.token
  })

  /** Sends a body as text, with any content type. */
  async function post(text: string, type = 'application/json', method = 'POST', path = '/api/workflow') {
    const response = await fetch(`${rest.address}${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': type },
      body: text,
    })
    return { status: response.status, headers: response.headers, body: await response.json() } as Answer
  }

  for (const path of [
    '/nothing',
    '/api',
    '/api/nothing',
    '/api/workflow/17',
    '/api/workflows/restore/all',
    '/api/%00',
  ])
    test(`for the unknown address ${path} is a 404 in the envelope`, async () => {
      for (const method of ['GET', 'POST', 'PATCH', 'DELETE'])
        assertEnvelope(await rest.call(method, path, { token }), 404)
    })

  const methods: readonly (readonly [method: string, path: string, allowed: readonly string[]])[] = [
    ['PUT', '/api/workflow', ['DELETE', 'GET', 'PATCH', 'POST']],
    ['POST', '/api/workflows', ['GET']],
    ['DELETE', '/api/workflows', ['GET']],
    ['GET', '/api/workflow/restore', ['POST']],
    ['DELETE', '/api/me', ['GET', 'PATCH']],
    ['PUT', '/api/me/password', ['POST']],
    ['QUERY', '/api/workflows', ['GET']],
    ['POST', '/healthz', ['GET']],
  ]
  for (const [method, path, allowed] of methods) {
    test(`of ${method} on ${path} is a 405 with the allowed methods`, async () => {
      const answer = await rest.call(method, path, { token })
      assertEnvelope(answer, 405)
      const named = answer.headers.get('allow')?.split(/, */) ?? []
      assert.deepEqual(named.filter((name) => !['HEAD', 'OPTIONS'].includes(name)).sort(), allowed)
    })
  }

  test('of a body that is too large is a 413', async () => {
    assertEnvelope(await post(JSON.stringify({ name: 'x'.repeat(3_000_000), order: 1 })), 413)
  })

  for (const type of [
    'text/plain',
    'application/xml',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
  ])
    test(`of a body of the type ${type} is a 415`, async () => {
      assertEnvelope(await post('name=Done&order=1', type), 415)
    })

  test('does not occur for a JSON body whose type has a charset or capitals', async () => {
    for (const type of [
      'application/json; charset=utf-8',
      'Application/JSON',
      'application/json;charset=UTF-8',
    ])
      assert.equal((await post('{"name":"Done","order":1}', type)).status, 200, type)
  })

  for (const text of [
    '{',
    '{"name":',
    'nope',
    '{"name":"a"}}',
    "{'name':1}",
    '{"name":"a",}',
    '\u0000',
    '{"a":1} {"b":2}',
  ])
    test(`of the broken body ${JSON.stringify(text)} is a 400 under generalErrors`, async () => {
      assertEnvelope(await post(text), 400, ['generalErrors'])
    })

  for (const text of ['[]', '[{"name":"a"}]', '17', '"name"', 'null', 'true'])
    test(`of the body ${text}, which is no object, is a 400 under generalErrors`, async () => {
      assertEnvelope(await post(text), 400, ['generalErrors'])
    })

  test('of an absent or empty body reports every required field under its own key', async () => {
    const required: Readonly<Record<string, readonly string[]>> = {
      organization: ['name'],
      project: ['name', 'organizationId'],
      assignment: [
        'amountHours',
        'assignmentTypeId',
        'endDate',
        'name',
        'projectId',
        'startDate',
        'userId',
        'workflowId',
      ],
      assignmentType: ['name'],
      impediment: ['name'],
      workflow: ['name', 'order'],
      user: ['login', 'name', 'password'],
      appointment: ['amountHours', 'assignmentId', 'keepDate', 'userId'],
      assignmentImpediment: ['assignmentId', 'impedimentId'],
      userAssignment: ['assignmentId', 'userId'],
      userProject: ['projectId', 'userId'],
    }
    for (const [resource, keys] of Object.entries(required)) {
      const path = `/api/${resource}`
      assertEnvelope(await rest.call('POST', path, { token }), 400, keys)
      assertEnvelope(await rest.call('POST', path, { token, body: {} }), 400, keys)
      assertEnvelope(await post('', 'application/json', 'POST', path), 400, keys)
      assertEnvelope(await rest.call('DELETE', path, { token }), 400, ['ids'])
      assertEnvelope(await rest.call('POST', `${path}/restore`, { token }), 400, ['ids'])
      assertEnvelope(await rest.call('GET', path, { token }), 400, ['id'])
    }
    assertEnvelope(await rest.call('PATCH', '/api/workflow', { token }), 400, ['id', 'name', 'order'])
    assertEnvelope(await rest.call('PATCH', '/api/me', { token }), 400, ['name'])
    const passwords = await rest.call('POST', '/api/me/password', { token })
    assertEnvelope(passwords, 400, ['currentPassword', 'newPassword'])
  })

  test('has the same message for all validation errors', async () => {
    const answers = await Promise.all([
      rest.call('POST', '/api/workflow', { token }),
      rest.call('GET', '/api/workflows?pageSize=0', { token }),
      rest.call('PATCH', '/api/me', { token }),
      post('{'),
    ])
    assert.equal(new Set(answers.map(({ body }) => body.message)).size, 1)
  })

  test('because of a missing token comes before the body is read', async () => {
    const head = [
      'POST /api/workflow HTTP/1.1',
      'Host: x',
      'Content-Type: application/json',
      'Content-Length: 2000000',
    ]
    const answer = await callRaw(rest.address, `${head.join('\r\n')}\r\n\r\n{"name`)
    assertEnvelope(answer, 401)
    assertEnvelope(
      await rest.call('POST', '/api/workflow', { headers: { 'content-type': 'text/plain' } }),
      401,
    )
  })

  test('of a malformed request also has the envelope', async () => {
    const line = `Authorization: Bearer ${token}`
    for (const [bytes, status] of [
      [`GET /api/workflows?search=%zz HTTP/1.1\r\nHost: x\r\n${line}\r\n\r\n`, [200, 400]],
      [`GET /api/%zz HTTP/1.1\r\nHost: x\r\n${line}\r\n\r\n`, [400, 404]],
      [`GET /api/workflows HTTP/1.1\r\n${line}\r\n\r\n`, [400]],
      [`GET /api/workflows HTTP/1.1\r\nHost: x\r\nExpect: a-miracle\r\n${line}\r\n\r\n`, [417]],
      [`GET /api/workflows HTTP/1.1\r\nHost: x\r\nX-Large: ${'x'.repeat(40_000)}\r\n\r\n`, [431]],
      ['GARBAGE\r\n\r\n', [400]],
    ] as const) {
      const answer = await callRaw(rest.address, bytes)
      assert.ok(
        (status as readonly number[]).includes(answer.status),
        `${answer.status} for ${bytes.slice(0, 50)}`,
      )
      if (answer.status !== 200) assertEnvelope(answer, answer.status)
    }
  })

  test('because of an internal error is a 500 that reveals nothing about it', async () => {
    await using separateHost = await startRestUnderTest({ LOG_LEVEL: 'silent' })
    await using direct = await connectDirectly(separateHost.database)
    await direct.query('alter table workflows rename to renamed')
    const answers = [
      await separateHost.call('GET', '/api/workflows', { token: separateHost.administrator.token }),
      await separateHost.call('POST', '/api/workflow', {
        token: separateHost.administrator.token,
        body: { name: 'a', order: 1 },
      }),
    ]
    for (const answer of answers) {
      assertEnvelope(answer, 500)
      assert.doesNotMatch(JSON.stringify(answer.body), /workflows|relation|select|insert|\bat \/|42P01/i)
    }
  })

  test('does not occur for the root and the health checks of a healthy host', async () => {
    const hello = await rest.call('GET', '/')
    assert.deepEqual([hello.status, hello.body], [200, 'Hello World!'])
    assert.match(hello.headers.get('content-type') ?? '', /^text\/plain/)
    for (const path of ['/healthz', '/readyz']) {
      const answer = await rest.call('GET', path)
      assert.equal(answer.status, 200)
      assertSecurityHeaders(answer.headers)
    }
    assertSecurityHeaders(hello.headers)
    assertSecurityHeaders((await rest.call('GET', '/api/workflows', { token })).headers)
  })

  test('is the response of /readyz if the schema is old or the database is missing', async () => {
    await using separateHost = await startRestUnderTest({ LOG_LEVEL: 'silent' })
    const direct = await connectDirectly(separateHost.database)
    const ready = async () => (await separateHost.call('GET', '/readyz')).status
    assert.equal(await ready(), 200)
    await direct.query('create table kept as select * from migrations')
    await direct.query('delete from migrations where name = (select max(name) from migrations)')
    assertEnvelope(await separateHost.call('GET', '/readyz'), 503)
    await direct.query('insert into migrations select * from kept on conflict do nothing')
    assert.equal(await ready(), 200)
    const [{ name }] = (await direct.query('select current_database() as name')).rows
    await direct.end()
    await using otherDatabase = await connectDirectly(rest.database)
    await otherDatabase.query(`alter database ${name} allow_connections false`)
    // Waits until the connections have ended.
    await otherDatabase.query(
      'select pg_terminate_backend(pid, 60000) from pg_stat_activity where datname = $1',
      [name],
    )
    assertEnvelope(await separateHost.call('GET', '/readyz'), 503)
    assert.equal((await separateHost.call('GET', '/healthz')).status, 200)
    const failed = await separateHost.call('GET', '/api/workflows', {
      token: separateHost.administrator.token,
    })
    assertEnvelope(failed, failed.status)
    assert.ok(failed.status >= 500)
    await otherDatabase.query(`alter database ${name} allow_connections true`)
    assert.equal(await ready(), 200)
  })
})

describe('With HOURS_STEP=1', { concurrency: true }, () => {
  test('REST rejects finer hours', async () => {
    await using rest = await startRestUnderTest({ HOURS_STEP: '1' })
    const errorsFor = async (resource: string, amountHours: number) => {
      const { token } = rest.administrator
      const { body } = await rest.call('POST', `/api/${resource}`, { token, body: { amountHours } })
      return body.errors.amountHours
    }
    assert.deepEqual(await errorsFor('appointment', 1.5), ['AmountHours must be a multiple of 1.'])
    assert.deepEqual(await errorsFor('assignment', 0.25), ['AmountHours must be a multiple of 1.'])
    assert.equal(await errorsFor('assignment', 3), undefined)
  })

  test('commands reject finer hours with the same message', async () => {
    await using host = await startCommandsUnderTest({ HOURS_STEP: '1' })
    await using calls = openCommandCalls(host.target)
    const { token } = host.administrator
    const body = {
      name: 'x',
      startDate: { seconds: 1 },
      endDate: { seconds: 2 },
      projectId: host.administrator.id,
      workflowId: host.administrator.id,
      userId: host.administrator.id,
      assignmentTypeId: host.administrator.id,
    }
    const { details } = await calls.call('CreateAssignment', { ...body, amountHours: 1.5 }, { token })
    assert.equal(details, 'AmountHours must be a multiple of 1.')
  })
})

describe('Server-Timing', () => {
  const rest = fixture(startRestUnderTest)
  const person = fixture(() => rest.signUp())
  const timingOf = async (path: string, { token }: { readonly token?: string }, address = rest.address) =>
    (await send(address, 'GET', path, token === undefined ? {} : { token })).headers.get('server-timing')
  const shape = /^total;dur=(\d+\.\d), store;dur=(\d+\.\d), queue;dur=(\d+\.\d)$/

  test('shows administrators the durations of their request, on every route', async () => {
    for (const path of ['/api/projects', '/ext/query/comments', '/api/projects?pageNumber=0']) {
      const [, total, store, queue] = shape.exec((await timingOf(path, rest.administrator)) ?? '') ?? []
      assert.ok(Number(total) > 0, path)
      assert.ok(Number(total) + 0.2 >= Number(store) + Number(queue), `${path}: ${total} ${store} ${queue}`)
    }
    const [, , store] = shape.exec((await timingOf('/api/projects', rest.administrator)) ?? '') ?? []
    assert.ok(Number(store) > 0)
  })

  test('is not sent to other callers', async () => {
    for (const path of ['/api/projects', '/ext/query/comments'])
      assert.equal(await timingOf(path, person), null)
    assert.equal(await timingOf('/api/projects', {}), null)
    assert.equal(await timingOf('/healthz', rest.administrator), null)
  })
})

test('Without the extensions there is no Server-Timing', async () => {
  await using rest = await startRestUnderTest({ EXTENSIONS: 'off' })
  const { token } = rest.administrator
  const { status, headers } = await send(rest.address, 'GET', '/api/projects', { token })
  assert.equal(status, 200)
  assert.equal(headers.get('server-timing'), null)
})
