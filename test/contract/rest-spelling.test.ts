import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { listen } from '../support/live-events.ts'
import { onRest } from './every-host.ts'
import { entities, listPathOf, pathOf, resources } from './resources.ts'

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

  for (const [path, errors] of [
    ['/api/projects?PAGESIZE=500', { pageSize: ['PageSize must be a whole number from 1 to 100.'] }],
    [`/api/projects?UserId=${randomUUID()}`, { userId: ['Projects cannot be filtered by userId.'] }],
    [`/api/users?ProjectID=${randomUUID()}`, { projectId: ['Users cannot be filtered by projectId.'] }],
    [
      `/api/assignments?assignmentTypeId=${randomUUID()}`,
      {
        assignmentTypeId: ['Assignments cannot be filtered by assignmentTypeId.'],
      },
    ],
    [
      `/api/assignments?impedimentId=${randomUUID()}`,
      {
        impedimentId: ['Assignments cannot be filtered by impedimentId.'],
      },
    ],
    [
      `/api/assignmentImpediments?impedimentId=${randomUUID()}`,
      {
        impedimentId: ['AssignmentImpediments cannot be filtered by impedimentId.'],
      },
    ],
    ['/api/projects?IDS=', { ids: ['Ids must be UUIDs separated by commas.'] }],
    ['/api/projects?OrganizationID=', { organizationId: ['OrganizationId must be a UUID.'] }],
    ['/api/projects?pageSize=5&PageSize=5', { pageSize: ['PageSize must be given once.'] }],
    ['/api/projects?Active=true&active=true', { active: ['Active must be given once.'] }],
    ['/api/projects?color=1&Color=1&COLOR=2', { color: ['Color must be given once.'] }],
    [`/api/project?id=${randomUUID()}&ID=${randomUUID()}`, { id: ['Id must be given once.'] }],
    [
      '/ext/comments?AT=2026-01-01',
      {
        at: ['At is supported under /ext/query/ and when reading one row only.'],
      },
    ],
    ['/ext/changes?ProjectID=none', { projectId: ['ProjectId must be a UUID.'] }],
    ['/ext/changes?projectId=', { projectId: ['ProjectId must be a UUID.'] }],
    [`/ext/changes?userId=${randomUUID()}`, { userId: ['Changes cannot be filtered by userId.'] }],
    [
      `/ext/history?projectId=${randomUUID()}&UserId=${randomUUID()}`,
      {
        userId: ['Changes cannot be filtered by userId.'],
      },
    ],
    ['/ext/query/projects?PAGESIZE=500', { pageSize: ['PageSize must be a whole number from 1 to 100.'] }],
    ['/ext/query/projects?filter=name%20eq%20%27a%27&Filter=x', { filter: ['Filter must be given once.'] }],
  ] as const)
    test(`${path.replaceAll(/[0-9a-f-]{36}/g, '…')} is rejected under the name that is declared`, async () => {
      assert.deepEqual(await errorsOf(path), errors)
    })

  test('a live listing rejects what the plain list rejects, before it starts', async () => {
    for (const key of ['UserId', 'assignmentTypeId', 'impedimentId', 'Name']) {
      const live = await listen(tracker.address, `/api/projects?${key}=${randomUUID()}`, {
        token: tracker.administrator.token,
      })
      assert.equal(live.status, 400)
      const { errors } = JSON.parse(live.refusal)
      assert.match(JSON.stringify(errors), /^\{"(\w+)":\["Projects cannot be filtered by \1\."\]\}$/)
    }
  })

  test('what is supported works in any capitals, in a list, a live listing and a single record', async () => {
    const [row] = await Promise.all([tracker.make('assignment'), tracker.make('assignment')])
    const query = `PageSize=1&PROJECTID=${row.projectId}&IDs=${row.id}&SortColumn=NAME&Datefrom=2020-01-01`
    const { status, body } = await ask(`/api/assignments?${query}`)
    assert.deepEqual([status, body.result.pageSize, body.result.totalCount], [200, 1, 1])
    assert.equal(body.result.data[0].id, row.id)
    const live = await listen(tracker.address, `/api/assignments?${query}`, {
      token: tracker.administrator.token,
    })
    assert.deepEqual((await live.next()).data, body)
    live.close()
    const { body: found } = await ask(`${pathOf('assignment')}?ID=${row.id}`)
    assert.equal(found.assignment.id, row.id)
  })

  test('keys that name nothing of ours change nothing', async () => {
    const { body } = await ask('/api/workflows?PageSize=3')
    const { body: same } = await ask('/api/workflows?pageSize=3&_=17&color=red&utm_source=mail&__proto__=1')
    assert.deepEqual(same, body)
  })

  test('an empty search is none', async () => {
    const [plain, empty] = await Promise.all([ask('/api/projects'), ask('/api/projects?Search=')])
    assert.equal(empty.status, 200)
    assert.equal(empty.body.result.totalCount >= plain.body.result.totalCount, true)
  })
})

const spellings: Readonly<Record<string, (path: string) => string>> = {
  capitals: (path) => path.toUpperCase(),
  'a capital at the beginning': (path) =>
    path.replace(/\/(\w)(\w*)$/, (_, one, rest) => `/${one.toUpperCase()}${rest}`),
  'a slash at the end': (path) => `${path}/`,
  escapes: (path) => path.replace(/a|e/, (letter) => `%${letter.charCodeAt(0).toString(16)}`),
}

onRest('The spelling of paths', (tracker) => {
  for (const [words, spell] of Object.entries(spellings)) {
    const call = (method: string, path: string, body?: object) =>
      tracker.call(method, spell(path), { token: tracker.administrator.token, ...(body && { body }) })

    for (const entity of entities)
      test(`does not matter to ${entity}: ${words}`, async () => {
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

    test(`changes nothing of what a route rejects: ${words}`, async () => {
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

    test(`a key is used once, whatever the spelling: ${words}`, async () => {
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
    for (const [path, id] of [
      ['/API/Projects/', /^1$/],
      ['/EXT/Comments/', /^[\w-]+~[\w-]{22}$/],
    ] as const) {
      const live = await listen(tracker.address, path, { token: tracker.administrator.token })
      assert.match((await live.next()).id, id)
      live.close()
    }
  })

  test('does not matter to health, documents and pages', async () => {
    for (const path of [
      ...['/Healthz', '/READYZ/', '/swagger', '/swagger/', '/swagger/index.html', '/Swagger/Index.html'],
      ...['/swagger/extensions/', '/swagger/extensions/index.html', '/SWAGGER/v1/Swagger.json'],
    ])
      assert.equal((await tracker.call('GET', path)).status, 200, path)
  })
})
