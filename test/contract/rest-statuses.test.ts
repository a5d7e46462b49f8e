import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { sql } from '../../src/db/sql.ts'
import { startRestUnderTest } from '../support/rest-host.ts'
import type { Caller, Input } from './driver.ts'
import { onRest, type Tracker } from './every-host.ts'
import { assertEnvelope, type RestHost } from './rest-driver.ts'

interface Request {
  readonly method: string
  readonly path: string
  readonly as?: Caller
  readonly body?: Input
}

interface Case {
  readonly status: number
  readonly cause: string
  readonly requestFor: (tracker: Tracker<RestHost>) => Promise<Request>
}

const cases: readonly Case[] = [
  {
    status: 400,
    cause: 'an invalid body',
    requestFor: async () => ({ method: 'POST', path: '/api/project', body: {} }),
  },
  {
    status: 400,
    cause: 'an invalid query',
    requestFor: async () => ({ method: 'GET', path: '/api/projects?pageSize=0' }),
  },
  {
    status: 400,
    cause: 'a reference to a missing record',
    requestFor: async () => ({
      method: 'POST',
      path: '/api/project',
      body: { name: 'Pier', organizationId: randomUUID() },
    }),
  },
  {
    status: 400,
    cause: 'the restoration of a row whose parent is removed',
    requestFor: async ({ make, makeRemoved, remove, administrator }) => {
      const { id } = await make('organization')
      const project = await makeRemoved('project', { organizationId: id })
      await remove('organization', [id], administrator)
      return { method: 'POST', path: '/api/project/restore', body: { ids: [project.id] } }
    },
  },
  {
    status: 401,
    cause: 'no token',
    requestFor: async () => ({ method: 'GET', path: '/api/projects', as: undefined }),
  },
  {
    status: 401,
    cause: 'a malformed token',
    requestFor: async () => ({ method: 'GET', path: '/api/projects', as: { token: 'a.b.c' } }),
  },
  {
    status: 401,
    cause: 'a token whose session has ended',
    requestFor: async ({ signUp, database }) => {
      const as = await signUp()
      await database.query(sql`delete from signin_sessions where user_id = ${as.id}`)
      return { method: 'GET', path: '/api/projects', as }
    },
  },
  {
    status: 401,
    cause: 'a token whose account is removed',
    requestFor: async ({ signUp, remove, administrator }) => {
      const as = await signUp()
      await remove('user', [as.id], administrator)
      return { method: 'GET', path: '/api/projects', as }
    },
  },
  {
    status: 403,
    cause: 'a catalog record by a caller who is not an administrator',
    requestFor: async ({ signUp }) => ({
      method: 'POST',
      path: '/api/workflow',
      as: await signUp(),
      body: { name: 'Mine', order: 1 },
    }),
  },
  {
    status: 403,
    cause: 'a row in a project the caller is not a member of',
    requestFor: async ({ signUp, valid }) => ({
      method: 'POST',
      path: '/api/assignment',
      as: await signUp(),
      body: await valid('assignment'),
    }),
  },
  {
    status: 404,
    cause: 'an unknown id',
    requestFor: async () => ({ method: 'GET', path: `/api/project?id=${randomUUID()}` }),
  },
  {
    status: 404,
    cause: 'an invisible id',
    requestFor: async ({ signUp, make }) => {
      const [as, project] = await Promise.all([signUp(), make('project')])
      return { method: 'GET', path: `/api/project?id=${project.id}`, as }
    },
  },
  {
    status: 404,
    cause: 'the removal of an unknown id',
    requestFor: async () => ({ method: 'DELETE', path: '/api/project', body: { ids: [randomUUID()] } }),
  },
  {
    status: 404,
    cause: 'the restoration of a row that is still active',
    requestFor: async ({ make }) => {
      const { id } = await make('project')
      return { method: 'POST', path: '/api/project/restore', body: { ids: [id] } }
    },
  },
  {
    status: 409,
    cause: 'an id that is taken',
    requestFor: async ({ make, valid }) => {
      const { id } = await make('project')
      return { method: 'POST', path: '/api/project', body: await valid('project', { id }) }
    },
  },
  {
    status: 409,
    cause: 'a login that is taken',
    requestFor: async ({ make, valid }) => {
      const { login } = await make('user')
      return { method: 'POST', path: '/api/user', body: await valid('user', { login }) }
    },
  },
  {
    status: 409,
    cause: 'a stale project version',
    requestFor: async ({ make, change }) => {
      const project = await make('project')
      const body = change('project', project, { expectedVersion: '2001-01-01T00:00:00Z' })
      return { method: 'PATCH', path: '/api/project', body }
    },
  },
  {
    status: 409,
    cause: 'a removal with active dependents',
    requestFor: async ({ make }) => {
      const { id } = await make('organization')
      await make('project', { organizationId: id })
      return { method: 'DELETE', path: '/api/organization', body: { ids: [id] } }
    },
  },
  {
    status: 409,
    cause: 'the restoration of an account whose login is taken',
    requestFor: async ({ make, makeRemoved }) => {
      const user = await makeRemoved('user')
      await make('user', { login: user.login })
      return { method: 'POST', path: '/api/user/restore', body: { ids: [user.id] } }
    },
  },
]

onRest('Statuses of the per-resource operations', (tracker) => {
  for (const { status, cause, requestFor } of cases)
    test(`${cause} is answered with ${status} and the envelope`, async () => {
      const request = await requestFor(tracker)
      const as = 'as' in request ? request.as : tracker.administrator
      const { method, path, body } = request
      const answer = await tracker.call(method, path, { token: as?.token, body })
      assert.equal(answer.status, status, JSON.stringify(answer.body))
      assertEnvelope(status, answer.body)
    })

  test('validation failures share one message', async () => {
    const { token } = tracker.administrator
    const answers = await Promise.all([
      tracker.call('POST', '/api/project', { token, body: {} }),
      tracker.call('GET', '/api/users?pageSize=0', { token }),
      tracker.call('DELETE', '/api/workflow', { token, body: { ids: [] } }),
    ])
    assert.equal(new Set(answers.map(({ body }) => body.message)).size, 1)
  })

  test('requests beyond the limit per minute are answered with 429, Retry-After and the envelope', async () => {
    const limits = { RateLimit__Rest__PermitLimit: '1', RateLimit__Rest__QueueLimit: '0' }
    await using limited = await startRestUnderTest(limits)
    const { token } = limited.administrator
    await limited.call('GET', '/api/projects', { token })
    const { status, headers, body } = await limited.call('GET', '/api/projects', { token })
    assert.equal(status, 429)
    assertEnvelope(429, body)
    assert.match(headers.get('retry-after') ?? '', /^\d+$/)
  })
})
