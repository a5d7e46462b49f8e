import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { describe, test } from 'node:test'
import { status } from '@grpc/grpc-js'
import { microsecondsOf } from '../contract/timestamps.ts'
import { violationsIn } from '../support/assertions.ts'
import { openCommandCalls } from '../support/command-calls.ts'
import { startCommandsUnderTest } from '../support/command-host.ts'
import { connectDirectly } from '../support/direct-connection.ts'
import { fixture } from '../support/fixture.ts'
import { isDistributed } from '../support/fresh-database.ts'
import { openEventStream } from '../support/live-events.ts'
import { startRestUnderTest } from '../support/rest-host.ts'
import { measureRunningTime } from '../support/running-time.ts'
import { seed } from '../support/seed.ts'

type Body = Readonly<Record<string, unknown>>

const reference: Body = { name: 'x', organizationId: randomUUID() }
const filters = ['organizationId', 'projectId', 'assignmentId', 'userId', 'workflowId', 'dateFrom', 'dateTo']
const invalidFilters = Object.fromEntries(filters.map((name) => [name, 'no id or date']))

describe('Errors of commands', { concurrency: true }, () => {
  const rest = fixture(startRestUnderTest)
  const commands = fixture(startCommandsUnderTest, { LOG_LEVEL: 'silent' }, { alongside: rest })
  const calls = fixture(() => openCommandCalls(commands.target))
  const workspace = fixture(seed, rest)

  const call = (name: string, request: Body, token = commands.administrator.token) =>
    calls.call(name, request, { token })
  const assertFailed = async (answer: ReturnType<typeof call>, message: string) => {
    const { code, result } = await answer
    assert.equal(code, status.OK)
    assert.deepEqual([result.success, result.message], [false, message])
  }
  const assertRejected = async (answer: ReturnType<typeof call>, code: status, details: string) => {
    const response = await answer
    assert.deepEqual([status[response.code], response.details], [status[code], details])
    return response
  }

  test('a missing row is reported with success: false', async () => {
    const id = randomUUID()
    await assertFailed(call('GetWorkflowById', { id }), 'Workflow was not found.')
    await assertFailed(call('UpdateWorkflow', { id, name: 'x', order: 1 }), 'Workflow was not found.')
    await assertFailed(call('RemoveWorkflow', { ids: [id] }), 'Workflow was not found.')
  })

  test('a row that the caller cannot see is reported like a missing row', async () => {
    const outsider = await commands.signUp()
    const id = await workspace.project()
    await assertFailed(call('GetProjectById', { id }, outsider.token), 'Project was not found.')
  })

  test('a stale version is reported with success: false', async () => {
    const id = await workspace.project()
    const { organizationId } = workspace
    const request = { id, name: 'Late', organizationId, expectedVersion: { seconds: 1, nanos: 0 } }
    await assertFailed(call('UpdateProject', request), 'Project was changed since the expected version.')
  })

  /** A command and a REST request that must be rejected with the same messages. */
  interface InvalidCommand {
    readonly reason: string
    readonly name: string
    readonly request: Body
    readonly method: 'GET' | 'POST' | 'DELETE'
    readonly path: string
    /** Absent for a GET. */
    readonly body?: Body
  }
  const invalidProjectList = (
    reason: string,
    pagination: Readonly<Record<string, string | number>>,
  ): InvalidCommand => {
    const query = new URLSearchParams()
    for (const [key, value] of Object.entries(pagination)) query.set(key, String(value))
    return {
      reason,
      name: 'ListProjects',
      request: { pagination },
      method: 'GET',
      path: `/api/projects?${query}`,
    }
  }
  const workflow = { id: 'x', name: 'n'.repeat(201), order: -1 }
  const invalidCommands: readonly InvalidCommand[] = [
    {
      reason: 'an empty body',
      name: 'CreateProject',
      request: {},
      method: 'POST',
      path: '/api/project',
      body: {},
    },
    {
      reason: 'a body with several violations',
      name: 'CreateWorkflow',
      request: workflow,
      method: 'POST',
      path: '/api/workflow',
      body: workflow,
    },
    {
      reason: 'a reference to nothing',
      name: 'CreateProject',
      request: reference,
      method: 'POST',
      path: '/api/project',
      body: reference,
    },
    {
      reason: 'an end before the start',
      name: 'CreateAssignment',
      request: { endDate: { seconds: 0, nanos: 0 }, startDate: { seconds: 1, nanos: 0 } },
      method: 'POST',
      path: '/api/assignment',
      body: { endDate: '1970-01-01T00:00:00Z', startDate: '1970-01-01T00:00:01Z' },
    },
    {
      reason: 'no ids',
      name: 'RemoveImpediment',
      request: {},
      method: 'DELETE',
      path: '/api/impediment',
      body: {},
    },
    invalidProjectList('a page that is too large', { pageSize: 101 }),
    invalidProjectList('page zero', { pageNumber: 0 }),
    invalidProjectList('an error in every pagination field', {
      pageNumber: 0,
      pageSize: 101,
      sortOrder: 'up',
      search: 'x'.repeat(129),
      ids: 'x',
      ...invalidFilters,
    }),
    invalidProjectList('an unknown order', { sortOrder: 'up' }),
    invalidProjectList('a malformed filter that the list does not support', {
      userId: 'no id',
      dateFrom: '2026-02-30',
    }),
    {
      reason: 'a range that ends before it begins',
      name: 'ListAppointments',
      request: { pagination: { dateFrom: '2026-02-02', dateTo: '2026-02-01' } },
      method: 'GET',
      path: '/api/appointments?dateFrom=2026-02-02&dateTo=2026-02-01',
    },
  ]
  for (const { reason, name, request, method, path, body } of invalidCommands) {
    test(`${reason} is INVALID_ARGUMENT with the messages of REST`, async () => {
      const { token } = rest.administrator
      const response = await rest.call(method, path, body ? { token, body } : { token })
      assert.equal(response.status, 400)
      const messages = Object.values(response.body.errors).flat().join(' ')
      const { metadata } = await assertRejected(call(name, request), status.INVALID_ARGUMENT, messages)
      assert.deepEqual(violationsIn(metadata), response.body.errors)
    })
  }

  test('a list without a Pagination object is INVALID_ARGUMENT', async () => {
    await assertRejected(call('ListProjects', {}), status.INVALID_ARGUMENT, 'Pagination is required.')
  })

  test('an unreadable message is INVALID_ARGUMENT', async () => {
    const { token } = commands.administrator
    const path = '/tracker.commands.v1.Commands/CreateProject'
    const answer = calls.callRaw(path, Buffer.from([0x0a, 0xff]), { token })
    await assertRejected(answer, status.INVALID_ARGUMENT, 'The message could not be read.')
  })

  test('a missing or invalid token is UNAUTHENTICATED', async () => {
    const details = 'A valid access token is required.'
    const withoutToken = calls.call('ListProjects', {})
    await assertRejected(withoutToken, status.UNAUTHENTICATED, details)
    await assertRejected(call('ListProjects', {}, 'nonsense'), status.UNAUTHENTICATED, details)
    // The token for REST has another audience.
    await assertRejected(call('ListProjects', {}, rest.administrator.token), status.UNAUTHENTICATED, details)
  })

  test('a missing role is PERMISSION_DENIED', async () => {
    const { token } = await commands.signUp()
    await assertRejected(
      call('CreateOrganization', {}, token),
      status.PERMISSION_DENIED,
      'Only administrators may change organizations.',
    )
    await assertRejected(
      call('ListUsers', {}, token),
      status.PERMISSION_DENIED,
      'Only administrators may read users.',
    )
  })

  test('a taken id or login is ALREADY_EXISTS', async () => {
    const id = randomUUID()
    const login = `${randomUUID()}@example.com`
    const user = { id, name: 'Eve', login, password: 'Secret-123' }
    assert.equal((await call('CreateUser', user)).result.success, true)
    await assertRejected(
      call('CreateUser', { ...user, login: `x${login}` }),
      status.ALREADY_EXISTS,
      'Id is already taken.',
    )
    const sameLogin = await call('CreateUser', { ...user, id: randomUUID() })
    assert.equal(sameLogin.code, status.ALREADY_EXISTS)
    assert.deepEqual(violationsIn(sameLogin.metadata), { login: [sameLogin.details] })
  })

  test('removing an organization with active projects is FAILED_PRECONDITION', async () => {
    await workspace.project()
    const answer = await call('RemoveOrganization', { ids: [workspace.organizationId] })
    const sentence = 'Organization cannot be removed while it has active projects.'
    assert.deepEqual([answer.code, answer.details], [status.FAILED_PRECONDITION, sentence])
  })

  test('a conflict with other writes is ABORTED', { skip: isDistributed }, async () => {
    await failWhenNamed('contended', '40001')
    const answer = call('CreateImpediment', { name: 'contended' })
    await assertRejected(
      answer,
      status.ABORTED,
      'The same rows were changed at the same time. Please try again.',
    )
  })

  test('an unexpected error is INTERNAL without details', { skip: isDistributed }, async () => {
    await failWhenNamed('broken', 'XX000')
    const answer = call('CreateImpediment', { name: 'broken' })
    const { metadata } = await assertRejected(answer, status.INTERNAL, 'An unexpected error occurred.')
    assert.deepEqual(metadata.get('grpc-status-details-bin'), [])
  })

  test('an unknown command is UNIMPLEMENTED', async () => {
    const { token } = commands.administrator
    for (const path of [
      '/tracker.commands.v1.Commands/RestoreProject',
      '/tracker.commands.v2.Commands/CreateProject',
    ])
      assert.equal((await calls.callRaw(path, Buffer.alloc(0), { token })).code, status.UNIMPLEMENTED)
  })

  /** Makes the database fail with this code when an impediment with this name is inserted. */
  async function failWhenNamed(name: string, code: string) {
    await using direct = await connectDirectly(rest.database)
    const body = `begin if new.name = '${name}' then raise exception using errcode = '${code}'; end if; return new; end`
    await direct.query(`create function fail_${name}() returns trigger language plpgsql as $$ ${body} $$`)
    await direct.query(
      `create trigger fail_${name} before insert on impediments for each row execute function fail_${name}()`,
    )
  }
})

describe('Commands and REST on one store', { concurrency: true }, () => {
  const rest = fixture(startRestUnderTest)
  // The command host has its own connections and its own change watch, as in a separate process.
  const commands = fixture(startCommandsUnderTest, {}, { alongside: rest })
  const calls = fixture(() => openCommandCalls(commands.target))
  const workspace = fixture(seed, rest)

  const call = async (name: string, request: object) => {
    const { code, details, result } = await calls.call(name, request, { token: commands.administrator.token })
    assert.equal(code, 0, `${name}: ${details}`)
    return result
  }
  const read = async (path: string) => (await rest.administrator.call('GET', path)).body

  test('REST returns a record that a command wrote', async () => {
    const { workflow } = await call('CreateWorkflow', { name: 'Testing', order: 7 })
    const record = (await read(`/api/workflow?id=${workflow.id}`)).workflow
    const { seconds, nanos } = workflow.createdAt
    assert.equal(microsecondsOf(record.createdAt), BigInt(seconds) * 1_000_000n + BigInt(nanos / 1000))
    assert.deepEqual([record.name, record.order], ['Testing', 7])
  })

  for (const { verb, write, isShown } of [
    {
      verb: 'creates',
      write: () => call('CreateImpediment', { name: 'Live: created' }),
      isShown: (listing: string) => listing.includes('Live: created'),
    },
    {
      verb: 'updates',
      write: (id: string) => call('UpdateImpediment', { id, name: 'Live: updated' }),
      isShown: (listing: string) => listing.includes('Live: updated'),
    },
    {
      verb: 'removes',
      write: (id: string) => call('RemoveImpediment', { ids: [id] }),
      isShown: (listing: string, id: string) => !listing.includes(id),
    },
  ]) {
    test(`a live listing of REST is updated when a command ${verb} a record`, async () => {
      const { id } = await workspace.make('impediment', { name: `Live: before ${verb}` })
      const { token } = rest.administrator
      await using live = await openEventStream(rest.address, '/api/impediments?search=live', { token })
      await live.next()
      // A listing sends at most one event per second.
      await new Promise((resolve) => setTimeout(resolve, 1000))
      const milliseconds = measureRunningTime()
      await write(id)
      // The other tests change the listing, too.
      await live.nextWhere(({ data }) => isShown(JSON.stringify(data), id))
      assert.ok(milliseconds() < 5000)
    })
  }

  test('only one of many concurrent changes of one version succeeds', async () => {
    const { organizationId } = workspace
    const id = await workspace.project()
    for (let round = 0; round < 10; round++) {
      const { project } = await call('GetProjectById', { id })
      const record = (await read(`/api/project?id=${id}`)).project
      const body = { id, organizationId, name: `Round ${round}` }
      const updateByCommand = async (index: number) => {
        const expectedVersion = project.updatedAt ?? project.createdAt
        const request = { ...body, name: `Command ${round} ${index}`, expectedVersion }
        return (await call('UpdateProject', request)).success === true
      }
      const updateByRest = async (index: number) => {
        const expectedVersion = record.updatedAt ?? record.createdAt
        const change = { ...body, name: `REST ${round} ${index}`, expectedVersion }
        return (await rest.administrator.call('PATCH', '/api/project', change)).status === 200
      }
      const indexes = [0, 1, 2, 3, 4]
      const successes = await Promise.all([...indexes.map(updateByCommand), ...indexes.map(updateByRest)])
      assert.equal(successes.filter(Boolean).length, 1, `round ${round}`)
    }
  })

  test('only one of several clients can remove a row', async () => {
    const rows = await Promise.all(
      Array.from({ length: 10 }, (_, index) =>
        workspace.make('workflow', { name: `Row ${index}`, order: 1 }),
      ),
    )
    const assertRemovedOnce = async (id: string) => {
      const [byCommand, byRest] = await Promise.all([
        call('RemoveWorkflow', { ids: [id] }),
        rest.administrator.call('DELETE', '/api/workflow', { ids: [id] }),
        call('UpdateWorkflow', { id, name: 'Changed', order: 2 }),
      ])
      const successes = [byCommand.success, byRest.status === 200].filter(Boolean)
      assert.equal(successes.length, 1)
      assert.equal((await call('GetWorkflowById', { id })).success, false)
    }
    await Promise.all(rows.map(({ id }) => assertRemovedOnce(id)))
  })
})
