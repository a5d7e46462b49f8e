import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { openEventStream } from '../support/live-events.ts'
import type { Answer } from '../support/rest-host.ts'
import type { Input, Row } from './driver.ts'
import { onRest } from './every-host.ts'
import { done, invalid, recordIn } from './outcomes.ts'
import {
  a,
  commonFields,
  creatable,
  type Entity,
  entities,
  listPathOf,
  pathOf,
  requiredOnCreate,
  resources,
} from './resources.ts'
import { assertEnvelope } from './rest-driver.ts'

/** For each kind of field, values of other types. */
const wrongTypes = {
  text: [5, true, {}, ['x']],
  uuid: [5, true, {}, [randomUUID()]],
  number: ['5', '', true, {}, [5]],
  date: [5, true, {}, ['2026-01-01']],
}

const kindOf = (entity: Entity, field: string): keyof typeof wrongTypes => {
  if (field === 'id' || field.endsWith('Id')) return 'uuid'
  if (field.endsWith('Date') || field === 'expectedVersion') return 'date'
  const isNumber = field === 'amountHours' || field === 'order' || field in resources[entity].ranges
  return isNumber ? 'number' : 'text'
}

const requestOnly: Partial<Record<Entity, string[]>> = { user: ['password'], project: ['expectedVersion'] }

onRest('Malformed requests', (tracker) => {
  const ask = (path: string) => tracker.call('GET', path, { token: tracker.administrator.token })

  for (const entity of creatable) {
    const { own, list } = resources[entity]

    const fields = ['id', ...own, ...(requestOnly[entity] ?? [])]

    for (const at of [0, 1, 2, 3])
      test(`values of other types are rejected under the fields of ${a(entity)} (${at})`, async () => {
        const body = Object.fromEntries(fields.map((field) => [field, wrongTypes[kindOf(entity, field)][at]]))
        await invalid(tracker.update(entity, body, tracker.administrator), ...fields)
        const onCreate = fields.filter((field) => field !== 'expectedVersion')
        const created = await tracker.create(entity, body, tracker.administrator)
        for (const field of onCreate) assert.ok(field in created.errors, field)
        assert.ok(!('generalErrors' in created.errors))
      })

    test(`ids of another type are rejected when removing ${a(entity)}`, async () => {
      for (const ids of [undefined, null, randomUUID(), [5]])
        await invalid(tracker.remove(entity, ids, tracker.administrator), 'ids')
    })

    test(`an absent or empty body gets an error for every field ${a(entity)} needs`, async () => {
      const { token } = tracker.administrator
      const headers = { authorization: `Bearer ${token}` }
      const url = `${tracker.address}${pathOf(entity)}`
      const requests = [
        { method: 'POST', headers },
        { method: 'POST', headers: { ...headers, 'content-type': 'application/json' }, body: '' },
      ]
      for (const request of requests) {
        const response = await fetch(url, request)
        const { errors } = (await response.json()) as { errors: object }
        assert.equal(response.status, 400)
        assert.deepEqual(Object.keys(errors).sort(), requiredOnCreate(entity).sort())
      }
    })

    test(`a repeated key of a query of ${list} is rejected under that key`, async () => {
      const keys = [
        'pageNumber',
        'pageSize',
        'sortColumn',
        'sortOrder',
        'search',
        'ids',
        ...resources[entity].filters,
        'anything',
      ]
      const query = keys.flatMap((key) => [`${key}=1`, `${key}=1`]).join('&')
      const { status, body } = await ask(`${listPathOf(entity)}?${query}`)
      assert.equal(status, 400)
      for (const key of keys) assert.ok(key in body.errors, `${key}: ${JSON.stringify(body)}`)
      const twice = await ask(`${pathOf(entity)}?id=${randomUUID()}&id=${randomUUID()}`)
      assert.deepEqual([twice.status, Object.keys(twice.body.errors)], [400, ['id']])
    })

    test(`reading ${a(entity)} requires its id`, async () => {
      const { status, body } = await ask(pathOf(entity))
      assert.deepEqual([status, Object.keys(body.errors)], [400, ['id']])
    })
  }

  test('a key that is repeated with valid values is rejected, too', async () => {
    for (const query of [
      'pageSize=5&pageSize=5',
      'userId=&userId=',
      'anything=1&anything=2',
      'search=a&search=b',
    ]) {
      const { status, body } = await ask(`/api/assignments?${query}`)
      assert.deepEqual([status, Object.keys(body.errors)], [400, [query.slice(0, query.indexOf('='))]])
    }
  })

  for (const key of ['pageNumber', 'pageSize'])
    for (const value of ['abc', '1.5', '1e1', '0x10', '-1', '10px', '9999999999999999999'])
      test(`${value} is rejected as ${key}`, async () => {
        const { status, body } = await ask(`/api/projects?${key}=${value}`)
        assert.deepEqual([status, Object.keys(body.errors)], [400, [key]])
      })

  const sendMalformed = async (token?: string) => {
    const response = await fetch(`${tracker.address}/api/workflow`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...(token && { authorization: `Bearer ${token}` }) },
      body: '{',
    })
    return response.status
  }

  test('a caller who is not signed in is rejected before a malformed body is read', async () => {
    assert.equal(await sendMalformed(), 401)
  })

  test('empty values for paging, sorting and searching are ignored', async () => {
    const keys = ['pageNumber', 'pageSize', 'sortColumn', 'sortOrder', 'search']
    const { status, body } = await ask(`/api/projects?${keys.map((key) => `${key}=`).join('&')}`)
    assert.equal(status, 200)
    assert.deepEqual([body.result.pageNumber, body.result.pageSize], [1, 10])
  })

  test('half a surrogate pair is rejected under its field and causes no server error', async () => {
    const body = await tracker.valid('organization', { name: 'a\ud800b', description: '\udc00' })
    await invalid(tracker.create('organization', body, tracker.administrator), 'name', 'description')
  })

  test('NUL in a query is rejected and causes no server error', async () => {
    for (const key of ['search', 'ids', 'organizationId', 'sortOrder', 'pageSize'])
      assert.equal((await ask(`/api/projects?${key}=a%00b`)).status, 400, key)
    for (const query of ['sortColumn=na%00me', '%00=1', 'search=%E0%A4%A', 'search=%'])
      assert.ok((await ask(`/api/projects?${query}`)).status < 500, query)
    assert.equal((await ask('/api/project?id=%00')).status, 400)
  })

  for (const text of ['{', '[]', '"text"', '5', 'null', '{"name": }'])
    test(`${text} is not a valid body: 400 under generalErrors`, async () => {
      const { token } = tracker.administrator
      const response = await fetch(`${tracker.address}/api/organization`, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body: text,
      })
      const body = (await response.json()) as { errors: object }
      assertEnvelope(400, body)
      assert.deepEqual([response.status, Object.keys(body.errors)], [400, ['generalErrors']])
    })

  const sendName = async (bytes: Buffer, charset = '') => {
    const { token } = tracker.administrator
    const response = await fetch(`${tracker.address}/api/impediment`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': `application/json${charset}` },
      body: Buffer.concat([Buffer.from('{"name":"'), bytes, Buffer.from('"}')]),
    })
    const body = (await response.json()) as Answer['body']
    if (response.status !== 200) assertEnvelope(response.status, body)
    return { status: response.status, body }
  }

  test('bytes that are not UTF-8 are rejected under generalErrors, never replaced and stored', async () => {
    for (const bytes of ['fc', 'c3', 'eda080', 'f8888080', 'c080'].map((hex) => Buffer.from(hex, 'hex'))) {
      const { status, body } = await sendName(bytes)
      assert.deepEqual([status, Object.keys(body.errors)], [400, ['generalErrors']])
    }
    const { body } = await sendName(Buffer.from('Ü\ufffd'), '; Charset="UTF-8"')
    assert.equal(body.impediment.name, 'Ü\ufffd')
  })

  test('a body in another character set is rejected with 415', async () => {
    for (const charset of ['iso-8859-1', '"ISO-8859-1"', 'utf-16', 'windows-1252'])
      assert.equal((await sendName(Buffer.from('a'), `; charset=${charset}`)).status, 415, charset)
  })

  for (const { status, method, path, type } of [
    { status: 404, method: 'GET', path: '/api/nothing', type: 'application/json' },
    { status: 404, method: 'GET', path: '/api/Projects/x', type: 'application/json' },
    { status: 405, method: 'PUT', path: '/api/project', type: 'application/json' },
    { status: 405, method: 'POST', path: '/api/projects', type: 'application/json' },
    { status: 415, method: 'POST', path: '/api/project', type: 'text/plain' },
  ] as const)
    test(`${method} ${path} with ${type} is answered with ${status} and the envelope`, async () => {
      const { token } = tracker.administrator
      const response = await fetch(`${tracker.address}${path}`, {
        method,
        headers: { authorization: `Bearer ${token}`, 'content-type': type },
        ...(method !== 'GET' && { body: '{}' }),
      })
      assert.equal(response.status, status)
      assertEnvelope(status, await response.json())
    })
})

const keysOf = (value: object) => Object.keys(value).sort()

onRest('Shapes of responses', (tracker) => {
  const call = async (method: string, path: string, body?: Input) => {
    const { token } = tracker.administrator
    const answer = await tracker.call(method, path, { token, ...(body && { body }) })
    assert.equal(answer.status, 200, JSON.stringify(answer.body))
    return answer.body
  }

  for (const entity of creatable) {
    const { own } = resources[entity]

    test(`POST, GET, PATCH, DELETE and restore of ${pathOf(entity)} answer as the contract says`, async () => {
      const created = await call('POST', pathOf(entity), await tracker.valid(entity))
      assert.deepEqual(keysOf(created), [entity])
      const row: Row = created[entity]
      assert.deepEqual(keysOf(row), [...commonFields, ...own].sort())

      assert.deepEqual(await call('GET', `${pathOf(entity)}?id=${row.id}`), created)

      const page = await call('GET', `${listPathOf(entity)}?ids=${row.id}`)
      const result = { data: [row], totalCount: 1, pageNumber: 1, pageSize: 10, totalPages: 1 }
      assert.deepEqual(page, { result })

      const updated = await call('PATCH', pathOf(entity), tracker.change(entity, row))
      const stored = await call('GET', `${pathOf(entity)}?id=${row.id}`)
      const outcome = entity === 'project' ? { success: true, message: null } : { success: true }
      assert.deepEqual(updated, { ...outcome, ...stored })
      assert.deepEqual(await call('DELETE', pathOf(entity), { ids: [row.id] }), { success: true })
      assert.deepEqual(await call('POST', `${pathOf(entity)}/restore`, { ids: [row.id] }), { success: true })
    })
  }

  test('hours are written without superfluous digits', async () => {
    const { token } = tracker.administrator
    for (const { hours, text } of [
      { hours: 2, text: '2' },
      { hours: 100000, text: '100000' },
      { hours: 0.25, text: '0.25' },
      { hours: 7.1, text: '7.1' },
    ] as const) {
      const { id } = await tracker.make('appointment', { amountHours: hours })
      const response = await fetch(`${tracker.address}/api/appointment?id=${id}`, {
        headers: { authorization: `Bearer ${token}` },
      })
      assert.match(await response.text(), new RegExp(`"amountHours":${text}[,}]`))
    }
  })

  test('an update of a user without a password does not change the password', async () => {
    for (const values of [{}, { password: null }, { password: '' }]) {
      const user = await tracker.make('user', { password: 'Secret-123' })
      await tracker.update('user', tracker.change('user', user, values), tracker.administrator)
      const body = { currentPassword: 'Secret-123', newPassword: 'Changed-123' }
      const { token } = await tracker.signIn(user, 'Secret-123')
      const answer = await tracker.call('POST', '/api/me/password', { token, body })
      assert.deepEqual([answer.status, answer.body], [200, { success: true }])
    }
  })

  test("changing the password of one's own account sets its updatedAt", async () => {
    const user = await tracker.make('user', { password: 'Secret-123' })
    const body = { currentPassword: 'Secret-123', newPassword: 'Changed-123' }
    await tracker.call('POST', '/api/me/password', {
      token: (await tracker.signIn(user, 'Secret-123')).token,
      body,
    })
    assert.ok((await recordIn(tracker.get('user', user.id, tracker.administrator))).updatedAt)
  })

  test('an update of a user with a password replaces the password', async () => {
    const user = await tracker.make('user', { password: 'Secret-123' })
    const change = tracker.change('user', user, { password: 'Changed-123' })
    await done(tracker.update('user', change, tracker.administrator))
    const { token } = await tracker.signIn(user, 'Changed-123')
    const body = { currentPassword: 'Secret-123', newPassword: 'Another-123' }
    const answer = await tracker.call('POST', '/api/me/password', { token, body })
    assert.equal(answer.status, 400)
    assert.deepEqual(answer.body.errors, { currentPassword: ['The current password is incorrect.'] })
  })
})

onRest('The spelling of query keys', (tracker) => {
  const ask = (path: string, accept = 'application/json') =>
    tracker.call('GET', path, { token: tracker.administrator.token, headers: { accept } })

  const errorsOf = async (path: string) => {
    const { status, body } = await ask(path)
    assert.equal(status, 400, `${path}: ${JSON.stringify(body)}`)
    return body.errors
  }

  const lists = [
    ...entities.map(listPathOf),
    ...entities.map((entity) => `/ext/removed/${resources[entity].list}`),
    ...entities.map((entity) => `/ext/export/${resources[entity].list}`),
    '/ext/people',
    '/ext/export/people',
  ]

  for (const list of lists)
    test(`does not matter to ${list}: limits and filters hold in any capitals`, async () => {
      const { sortOrder, ids, expectedVersion } = await errorsOf(
        `${list}?SORTORDER=up&Ids=none&EXPECTEDVERSION=1`,
      )
      assert.deepEqual(sortOrder, ['SortOrder must be ASC or DESC.'])
      assert.deepEqual(ids, ['Ids must be UUIDs separated by commas.'])
      assert.match(expectedVersion[0], /^[A-Z][A-Za-z]+ cannot be filtered by expectedVersion\.$/)
    })

  for (const { path, errors } of [
    {
      path: '/api/projects?PAGESIZE=500',
      errors: { pageSize: ['PageSize must be a whole number from 1 to 100.'] },
    },
    {
      path: `/api/projects?UserId=${randomUUID()}`,
      errors: { userId: ['Projects cannot be filtered by userId.'] },
    },
    {
      path: `/api/users?ProjectID=${randomUUID()}`,
      errors: { projectId: ['Users cannot be filtered by projectId.'] },
    },
    {
      path: `/api/assignments?assignmentTypeId=${randomUUID()}`,
      errors: { assignmentTypeId: ['Assignments cannot be filtered by assignmentTypeId.'] },
    },
    {
      path: `/api/assignments?impedimentId=${randomUUID()}`,
      errors: { impedimentId: ['Assignments cannot be filtered by impedimentId.'] },
    },
    {
      path: `/api/assignmentImpediments?impedimentId=${randomUUID()}`,
      errors: { impedimentId: ['AssignmentImpediments cannot be filtered by impedimentId.'] },
    },
    { path: '/api/projects?IDS=', errors: { ids: ['Ids must be UUIDs separated by commas.'] } },
    { path: '/api/projects?OrganizationID=', errors: { organizationId: ['OrganizationId must be a UUID.'] } },
    { path: '/api/projects?pageSize=5&PageSize=5', errors: { pageSize: ['PageSize must be given once.'] } },
    { path: '/api/projects?Active=true&active=true', errors: { active: ['Active must be given once.'] } },
    { path: '/api/projects?color=1&Color=1&COLOR=2', errors: { color: ['Color must be given once.'] } },
    {
      path: `/api/project?id=${randomUUID()}&ID=${randomUUID()}`,
      errors: { id: ['Id must be given once.'] },
    },
    {
      path: '/ext/comments?AT=2026-01-01',
      errors: { at: ['At is supported under /ext/query/ and when reading one row only.'] },
    },
    { path: '/ext/changes?ProjectID=none', errors: { projectId: ['ProjectId must be a UUID.'] } },
    { path: '/ext/changes?projectId=', errors: { projectId: ['ProjectId must be a UUID.'] } },
    {
      path: `/ext/changes?userId=${randomUUID()}`,
      errors: { userId: ['Changes cannot be filtered by userId.'] },
    },
    {
      path: `/ext/history?projectId=${randomUUID()}&UserId=${randomUUID()}`,
      errors: { userId: ['Changes cannot be filtered by userId.'] },
    },
    {
      path: '/ext/query/projects?PAGESIZE=500',
      errors: { pageSize: ['PageSize must be a whole number from 1 to 100.'] },
    },
    {
      path: '/ext/query/projects?filter=name%20eq%20%27a%27&Filter=x',
      errors: { filter: ['Filter must be given once.'] },
    },
  ] as const)
    test(`${path.replaceAll(/[0-9a-f-]{36}/g, '…')} is rejected under the declared name`, async () => {
      assert.deepEqual(await errorsOf(path), errors)
    })

  test('a live listing rejects what the plain list rejects, before it starts', async () => {
    for (const key of ['UserId', 'assignmentTypeId', 'impedimentId', 'Name']) {
      const live = await openEventStream(tracker.address, `/api/projects?${key}=${randomUUID()}`, {
        token: tracker.administrator.token,
      })
      assert.equal(live.status, 400)
      const { errors } = JSON.parse(live.rejection)
      assert.match(JSON.stringify(errors), /^\{"(\w+)":\["Projects cannot be filtered by \1\."\]\}$/)
    }
  })

  test('what is supported works in any capitals, in a list, a live listing and a single record', async () => {
    const [row] = await Promise.all([tracker.make('assignment'), tracker.make('assignment')])
    const query = `PageSize=1&PROJECTID=${row.projectId}&IDs=${row.id}&SortColumn=NAME&Datefrom=2020-01-01`
    const { status, body } = await ask(`/api/assignments?${query}`)
    assert.deepEqual([status, body.result.pageSize, body.result.totalCount], [200, 1, 1])
    assert.equal(body.result.data[0].id, row.id)
    const live = await openEventStream(tracker.address, `/api/assignments?${query}`, {
      token: tracker.administrator.token,
    })
    assert.deepEqual((await live.next()).data, body)
    live.close()
    const { body: found } = await ask(`${pathOf('assignment')}?ID=${row.id}`)
    assert.equal(found.assignment.id, row.id)
  })

  test('unknown keys change nothing', async () => {
    const { body } = await ask('/api/workflows?PageSize=3')
    const { body: same } = await ask('/api/workflows?pageSize=3&_=17&color=red&utm_source=mail&__proto__=1')
    assert.deepEqual(same, body)
  })

  test('an empty search is ignored', async () => {
    const plain = await ask('/api/projects')
    const empty = await ask('/api/projects?Search=')
    assert.equal(empty.status, 200)
    assert.equal(empty.body.result.totalCount >= plain.body.result.totalCount, true)
  })
})

const spellings: Readonly<Record<string, (path: string) => string>> = {
  capitals: (path) => path.toUpperCase(),
  'a capital at the beginning': (path) =>
    path.replace(/\/(\w)(\w*)$/, (_, first, rest) => `/${first.toUpperCase()}${rest}`),
  'a slash at the end': (path) => `${path}/`,
  escapes: (path) => path.replace(/a|e/, (letter) => `%${letter.charCodeAt(0).toString(16)}`),
}

onRest('The spelling of paths', (tracker) => {
  for (const [spelling, spell] of Object.entries(spellings)) {
    const call = (method: string, path: string, body?: object) =>
      tracker.call(method, spell(path), { token: tracker.administrator.token, ...(body && { body }) })

    for (const entity of creatable)
      test(`does not matter to ${entity}: ${spelling}`, async () => {
        const { status, body } = await call('POST', pathOf(entity), await tracker.valid(entity))
        assert.equal(status, 200, JSON.stringify(body))
        const row = body[entity]
        const { body: page } = await tracker.call('GET', `${spell(listPathOf(entity))}?ids=${row.id}`, {
          token: tracker.administrator.token,
        })
        assert.deepEqual(page.result.data, [row])
        assert.equal((await call('PATCH', pathOf(entity), tracker.change(entity, row))).status, 200)
        assert.equal((await call('DELETE', pathOf(entity), { ids: [row.id] })).status, 200)
        const restored = await call('POST', `${pathOf(entity)}/restore`, { ids: [row.id] })
        assert.equal(restored.status, 200)
      })

    test(`does not matter to what a route rejects: ${spelling}`, async () => {
      assert.equal((await tracker.call('GET', spell('/api/projects'))).status, 401)
      const member = await tracker.signUp()
      assert.equal((await tracker.call('GET', spell('/api/users'), { token: member.token })).status, 403)
      assert.equal((await call('PUT', '/api/project')).status, 405)
      assert.equal((await call('GET', '/api/nothing')).status, 404)
      const { status, body } = await tracker.call('GET', `${spell('/ext/comments')}?at=2026-01-01`, {
        token: tracker.administrator.token,
      })
      assert.deepEqual([status, Object.keys(body.errors)], [400, ['at']])
    })

    test(`an idempotency key counts for every spelling: ${spelling}`, async () => {
      const headers = { 'idempotency-key': randomUUID() }
      const { token } = tracker.administrator
      const request = { token, headers, body: { name: 'Once' } }
      const first = await tracker.call('POST', '/api/impediment', request)
      const second = await tracker.call('POST', spell('/api/impediment'), request)
      assert.deepEqual(second.body, first.body)
      assert.equal(second.headers.get('idempotency-replayed'), 'true')
    })
  }

  test('does not matter to a live listing, nor to how its snapshots are numbered', async () => {
    for (const { path, id } of [
      { path: '/API/Projects/', id: /^1$/ },
      { path: '/EXT/Comments/', id: /^[\w-]+~[\w-]{22}$/ },
    ] as const) {
      await using live = await openEventStream(tracker.address, path, { token: tracker.administrator.token })
      assert.match((await live.next()).id, id)
    }
  })

  test('does not matter to health, documents and pages', async () => {
    for (const path of [
      '/Healthz',
      '/READYZ/',
      '/swagger',
      '/swagger/',
      '/swagger/index.html',
      '/Swagger/Index.html',
      '/swagger/extensions/',
      '/swagger/extensions/index.html',
      '/SWAGGER/v1/Swagger.json',
    ])
      assert.equal((await tracker.call('GET', path)).status, 200, path)
  })
})
