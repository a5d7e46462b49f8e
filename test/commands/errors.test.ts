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
import { seed } from '../support/seed.ts'

type Body = Readonly<Record<string, unknown>>

const reference: Body = { name: 'x', organizationId: randomUUID() }
const filters = ['organizationId', 'projectId', 'assignmentId', 'userId', 'workflowId', 'dateFrom', 'dateTo']
const allFilters = Object.fromEntries(filters.map((name) => [name, 'no id or date']))
const page = (pagination: Body): Body => ({ pagination })

describe('A command that is rejected', { concurrency: true }, () => {
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

  test('because of a missing row is answered with success: false, on get, update and remove', async () => {
    const id = randomUUID()
    await assertFailed(call('GetWorkflowById', { id }), 'Workflow was not found.')
    await assertFailed(call('UpdateWorkflow', { id, name: 'x', order: 1 }), 'Workflow was not found.')
    await assertFailed(call('RemoveWorkflow', { ids: [id] }), 'Workflow was not found.')
  })

  test('because of a row that the caller cannot see is answered in the same way', async () => {
    const outsider = await commands.signUp()
    const id = await workspace.project()
    await assertFailed(call('GetProjectById', { id }, outsider.token), 'Project was not found.')
  })

  test('because of a stale version is answered with success: false', async () => {
    const id = await workspace.project()
    const { organizationId } = workspace
    const request = { id, name: 'Late', organizationId, expectedVersion: { seconds: 1, nanos: 0 } }
    await assertFailed(call('UpdateProject', request), 'Project was changed since the expected version.')
  })

  /** A command, and the request of REST that must be rejected with the same messages. */
  interface InvalidCommand {
    readonly reason: string
    readonly name: string
    readonly request: Body
    readonly method: 'GET' | 'POST' | 'DELETE'
    readonly path: string
    /** Absent for a GET. */
    readonly body?: Body
  }
  /** A list of projects, with the same parameters for the command and for REST. */
  const projectsWith = (reason: string, parameters: Readonly<Record<string, string | number>>) => ({
    reason,
    name: 'ListProjects',
    request: page(parameters),
    method: 'GET' as const,
    path: `/api/projects?${new URLSearchParams(Object.entries(parameters).map(([key, value]) => [key, String(value)]))}`,
  })
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
    projectsWith('too large a page', { pageSize: 101 }),
    projectsWith('page zero', { pageNumber: 0 }),
    projectsWith('an error in every pagination field', {
      pageNumber: 0,
      pageSize: 101,
      sortOrder: 'up',
      search: 'x'.repeat(129),
      ids: 'x',
      ...allFilters,
    }),
    projectsWith('an unknown order', { sortOrder: 'up' }),
    projectsWith('a filter that is malformed and unsupported at once', {
      userId: 'no id',
      dateFrom: '2026-02-30',
    }),
    {
      reason: 'a range that ends before it begins',
      name: 'ListAppointments',
      request: page({ dateFrom: '2026-02-02', dateTo: '2026-02-01' }),
      method: 'GET',
      path: '/api/appointments?dateFrom=2026-02-02&dateTo=2026-02-01',
    },
  ]
  for (const { reason, name, request, method, path, body } of invalidCommands) {
    test(`because of ${reason} is INVALID_ARGUMENT with all messages of REST`, async () => {
      const { token } = rest.administrator
      const twin = await rest.call(method, path, { token, ...(body && { body }) })
      assert.equal(twin.status, 400)
      const messages = Object.values(twin.body.errors).flat().join(' ')
      const { metadata } = await assertRejected(call(name, request), status.INVALID_ARGUMENT, messages)
      assert.deepEqual(violationsIn(metadata), twin.body.errors)
    })
  }

  test('because a list has no Pagination object is INVALID_ARGUMENT', async () => {
    await assertRejected(call('ListProjects', {}), status.INVALID_ARGUMENT, 'Pagination is required.')
  })

  test('because of an unreadable message is INVALID_ARGUMENT', async () => {
    const { token } = commands.administrator
    const path = '/tracker.commands.v1.Commands/CreateProject'
    const answer = calls.callRaw(path, Buffer.from([0x0a, 0xff]), { token })
    await assertRejected(answer, status.INVALID_ARGUMENT, 'The message could not be read.')
  })

  test('because of a missing or invalid token is UNAUTHENTICATED, whatever its message is', async () => {
    const details = 'A valid access token is required.'
    await assertRejected(calls.call('ListProjects', {}), status.UNAUTHENTICATED, details)
    await assertRejected(
      calls.call('ListProjects', {}, { token: 'nonsense' }),
      status.UNAUTHENTICATED,
      details,
    )
    // A token for REST has another audience.
    await assertRejected(call('ListProjects', {}, rest.administrator.token), status.UNAUTHENTICATED, details)
  })

  test('because of the role is PERMISSION_DENIED, before its message is validated', async () => {
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

  test('because of a taken id or login is ALREADY_EXISTS', async () => {
    const id = randomUUID()
    const login = `${randomUUID()}@example.com`
    const user = { id, name: 'Eve', login, password: 'Secret-123' }
    assert.equal((await call('CreateUser', user)).result.success, true)
    await assertRejected(
      call('CreateUser', { ...user, login: `x${login}` }),
      status.ALREADY_EXISTS,
      'Id is already taken.',
    )
    const again = await call('CreateUser', { ...user, id: randomUUID() })
    assert.equal(again.code, status.ALREADY_EXISTS)
    assert.deepEqual(violationsIn(again.metadata), { login: [again.details] })
  })

  test('because of active dependents is FAILED_PRECONDITION and names them', async () => {
    await workspace.project()
    const answer = await call('RemoveOrganization', { ids: [workspace.organizationId] })
    const sentence = 'Organization cannot be removed while it has active projects.'
    assert.deepEqual([answer.code, answer.details], [status.FAILED_PRECONDITION, sentence])
  })

  test('because the same rows keep changing is ABORTED', { skip: isDistributed }, async () => {
    await failWhenNamed('contended', '40001')
    const answer = call('CreateImpediment', { name: 'contended' })
    await assertRejected(
      answer,
      status.ABORTED,
      'The same rows were changed at the same time. Please try again.',
    )
  })

  test('because of an unexpected error is INTERNAL and reveals nothing about it', {
    skip: isDistributed,
  }, async () => {
    await failWhenNamed('broken', 'XX000')
    const answer = call('CreateImpediment', { name: 'broken' })
    const { metadata } = await assertRejected(answer, status.INTERNAL, 'An unexpected error occurred.')
    assert.deepEqual(metadata.get('grpc-status-details-bin'), [])
  })

  test('because of an unknown name is UNIMPLEMENTED', async () => {
    const { token } = commands.administrator
    for (const path of [
      '/tracker.commands.v1.Commands/RestoreProject',
      '/tracker.commands.v2.Commands/CreateProject',
    ])
      assert.equal((await calls.callRaw(path, Buffer.alloc(0), { token })).code, status.UNIMPLEMENTED)
  })

  /** Makes the store fail with this code when a row with this name is inserted. */
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
  // This host has its own connections and its own change watch, as in another process.
  const commands = fixture(startCommandsUnderTest, {}, { alongside: rest })
  const calls = fixture(() => openCommandCalls(commands.target))
  const workspace = fixture(seed, rest)

  const call = async (name: string, request: object) => {
    const { code, details, result } = await calls.call(name, request, { token: commands.administrator.token })
    assert.equal(code, 0, `${name}: ${details}`)
    return result
  }
  const read = async (path: string) => (await rest.administrator.call('GET', path)).body

  test('a record written by a command is the record that REST shows, to the microsecond', async () => {
    const { workflow } = await call('CreateWorkflow', { name: 'Testing', order: 7 })
    const record = (await read(`/api/workflow?id=${workflow.id}`)).workflow
    const { seconds, nanos } = workflow.createdAt
    assert.equal(microsecondsOf(record.createdAt), BigInt(seconds) * 1_000_000n + BigInt(nanos / 1000))
    assert.deepEqual([record.name, record.order], ['Testing', 7])
  })

  for (const { verb, write } of [
    { verb: 'creates', write: () => call('CreateImpediment', { name: 'Beside: created' }) },
    { verb: 'updates', write: (id: string) => call('UpdateImpediment', { id, name: 'Beside: updated' }) },
    { verb: 'removes', write: (id: string) => call('RemoveImpediment', { ids: [id] }) },
  ]) {
    test(`a live listing on REST is sent again within 1.5 seconds when a command ${verb} a record`, async () => {
      const { id } = await workspace.make('impediment', { name: `Beside: before ${verb}` })
      const { token } = rest.administrator
      await using live = await openEventStream(rest.address, '/api/impediments?search=beside', { token })
      await live.next()
      // The listing has just sent an event, and sends at most one a second.
      await new Promise((resolve) => setTimeout(resolve, 1000))
      const startedAt = performance.now()
      await write(id)
      await live.next()
      assert.ok(performance.now() - startedAt < 1500)
    })
  }

  test('of many concurrent changes of one version, by command and by REST, one succeeds', async () => {
    const { organizationId } = workspace
    const id = await workspace.project()
    for (let round = 0; round < 10; round++) {
      const { project } = await call('GetProjectById', { id })
      const record = (await read(`/api/project?id=${id}`)).project
      const body = { id, organizationId, name: `Round ${round}` }
      const answers = await Promise.all([
        ...Array.from({ length: 5 }, (_, index) =>
          call('UpdateProject', {
            ...body,
            name: `Command ${round} ${index}`,
            expectedVersion: project.updatedAt ?? project.createdAt,
          }).then(({ success }) => success),
        ),
        ...Array.from({ length: 5 }, (_, index) =>
          rest
            .call('PATCH', '/api/project', {
              token: rest.administrator.token,
              body: {
                ...body,
                name: `REST ${round} ${index}`,
                expectedVersion: record.updatedAt ?? record.createdAt,
              },
            })
            .then(({ status }) => status === 200),
        ),
      ])
      assert.equal(answers.filter(Boolean).length, 1, `round ${round}`)
    }
  })

  test('of many clients that remove and change the same rows at once, none gets a wrong result', async () => {
    const rows = await Promise.all(
      Array.from({ length: 10 }, (_, index) =>
        workspace.make('workflow', { name: `Row ${index}`, order: 1 }),
      ),
    )
    const { token } = rest.administrator
    const outcomes = await Promise.all(
      rows.flatMap(({ id }) => [
        call('RemoveWorkflow', { ids: [id] }).then(({ success }) => ({ id, removed: success })),
        rest
          .call('DELETE', '/api/workflow', { token, body: { ids: [id] } })
          .then(({ status }) => ({ id, removed: status === 200 })),
        call('UpdateWorkflow', { id, name: 'Changed', order: 2 }).then(() => ({ id, removed: false })),
      ]),
    )
    for (const { id } of rows) {
      assert.equal(outcomes.filter((outcome) => outcome.id === id && outcome.removed).length, 1)
      assert.equal((await call('GetWorkflowById', { id })).success, false)
    }
  })
})
