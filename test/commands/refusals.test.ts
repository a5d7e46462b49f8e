import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, describe, test } from 'node:test'
import { status } from '@grpc/grpc-js'
import { violationsIn } from '../support/bad-request.ts'
import { type CommandCalls, openCommandCalls } from '../support/command-calls.ts'
import { type CommandsUnderTest, startCommandsUnderTest } from '../support/command-host.ts'
import { isDistributed } from '../support/fresh-database.ts'
import { furnish, type Workspace } from '../support/furnish.ts'
import { connectOutside } from '../support/outside-connection.ts'
import { type RestUnderTest, startRestUnderTest } from '../support/rest-host.ts'

type Body = Readonly<Record<string, unknown>>

const reference: Body = { name: 'x', organizationId: randomUUID() }
const filters = ['organizationId', 'projectId', 'assignmentId', 'userId', 'workflowId', 'dateFrom', 'dateTo']
const allFilters = Object.fromEntries(filters.map((name) => [name, 'me']))
const page = (pagination: Body): Body => ({ pagination })

describe('A rejected command', { concurrency: true }, () => {
  let rest: RestUnderTest
  let commands: CommandsUnderTest
  let calls: CommandCalls
  let workspace: Workspace

  before(async () => {
    rest = await startRestUnderTest()
    commands = await startCommandsUnderTest({ LOG_LEVEL: 'silent' }, { beside: rest })
    calls = openCommandCalls(commands.target)
    workspace = await furnish(rest)
  })
  after(async () => {
    calls.close()
    await commands.stop()
    await rest.stop()
  })

  const call = (name: string, request: Body, token = commands.administrator.token) =>
    calls.call(name, request, { token })
  const fails = async (answer: ReturnType<typeof call>, message: string) => {
    const { code, result } = await answer
    assert.equal(code, status.OK)
    assert.deepEqual([result.success, result.message], [false, message])
  }
  const refused = async (answer: ReturnType<typeof call>, code: status, details: string) => {
    const given = await answer
    assert.deepEqual([status[given.code], given.details], [status[code], details])
    return given
  }

  test('because of a missing row is a result without success, on get, update and remove', async () => {
    const id = randomUUID()
    await fails(call('GetWorkflowById', { id }), 'Workflow was not found.')
    await fails(call('UpdateWorkflow', { id, name: 'x', order: 1 }), 'Workflow was not found.')
    await fails(call('RemoveWorkflow', { ids: [id] }), 'Workflow was not found.')
  })

  test('because of a row that cannot be seen says the same', async () => {
    const outsider = await commands.signUp()
    const id = await workspace.project()
    await fails(call('GetProjectById', { id }, outsider.token), 'Project was not found.')
  })

  test('because of a stale version is a result without success', async () => {
    const id = await workspace.project()
    const { organizationId } = workspace
    const request = { id, name: 'Late', organizationId, expectedVersion: { seconds: 1, nanos: 0 } }
    await fails(call('UpdateProject', request), 'Project was changed since the expected version.')
  })

  const invalid: readonly (readonly [string, string, Body, string, string, Body])[] = [
    ['an empty body', 'CreateProject', {}, 'POST', '/api/project', {}],
    [
      'a body with several violations',
      'CreateWorkflow',
      { id: 'x', name: 'n'.repeat(201), order: -1 },
      'POST',
      '/api/workflow',
      { id: 'x', name: 'n'.repeat(201), order: -1 },
    ],
    ['a reference to nothing', 'CreateProject', reference, 'POST', '/api/project', reference],
    [
      'an end before the start',
      'CreateAssignment',
      { endDate: { seconds: 0, nanos: 0 }, startDate: { seconds: 1, nanos: 0 } },
      'POST',
      '/api/assignment',
      { endDate: '1970-01-01T00:00:00Z', startDate: '1970-01-01T00:00:01Z' },
    ],
    ['no ids', 'RemoveImpediment', {}, 'DELETE', '/api/impediment', {}],
    ['too large a page', 'ListProjects', page({ pageSize: 101 }), 'GET', '/api/projects?pageSize=101', {}],
    ['page zero', 'ListProjects', page({ pageNumber: 0 }), 'GET', '/api/projects?pageNumber=0', {}],
    [
      'everything in its paging',
      'ListProjects',
      page({
        pageNumber: 0,
        pageSize: 101,
        sortOrder: 'up',
        search: 'x'.repeat(129),
        ids: 'x',
        ...allFilters,
      }),
      'GET',
      `/api/projects?${new URLSearchParams({ pageNumber: '0', pageSize: '101', sortOrder: 'up', search: 'x'.repeat(129), ids: 'x', ...allFilters })}`,
      {},
    ],
    ['an unknown order', 'ListProjects', page({ sortOrder: 'up' }), 'GET', '/api/projects?sortOrder=up', {}],
    [
      'a filter that is malformed and unsupported at once',
      'ListProjects',
      page({ userId: 'me', dateFrom: '2026-02-30' }),
      'GET',
      '/api/projects?userId=me&dateFrom=2026-02-30',
      {},
    ],
    [
      'a range that ends before it begins',
      'ListAppointments',
      page({ dateFrom: '2026-02-02', dateTo: '2026-02-01' }),
      'GET',
      '/api/appointments?dateFrom=2026-02-02&dateTo=2026-02-01',
      {},
    ],
  ]
  for (const [what, name, request, method, path, body] of invalid) {
    test(`because of ${what} is INVALID_ARGUMENT in the words of REST, with every violation`, async () => {
      const { token } = rest.administrator
      const twin = await rest.call(method, path, { token, ...(method !== 'GET' && { body }) })
      assert.equal(twin.status, 400)
      const every = Object.values(twin.body.errors).flat().join(' ')
      const { metadata } = await refused(call(name, request), status.INVALID_ARGUMENT, every)
      assert.deepEqual(violationsIn(metadata), twin.body.errors)
    })
  }

  test('because a list has no Pagination object is INVALID_ARGUMENT', async () => {
    await refused(call('ListProjects', {}), status.INVALID_ARGUMENT, 'Pagination is required.')
  })

  test('because of an unreadable message is INVALID_ARGUMENT', async () => {
    const { token } = commands.administrator
    const path = '/tracker.commands.v1.Commands/CreateProject'
    const answer = calls.callRaw(path, Buffer.from([0x0a, 0xff]), { token })
    await refused(answer, status.INVALID_ARGUMENT, 'The message could not be read.')
  })

  test('without a session is UNAUTHENTICATED, whatever it holds', async () => {
    const details = 'A valid access token is required.'
    await refused(calls.call('ListProjects', {}), status.UNAUTHENTICATED, details)
    await refused(calls.call('ListProjects', {}, { token: 'nonsense' }), status.UNAUTHENTICATED, details)
    await refused(call('ListProjects', {}, rest.administrator.token), status.UNAUTHENTICATED, details)
  })

  test('because of the role is PERMISSION_DENIED, before the request is looked at', async () => {
    const { token } = await commands.signUp()
    await refused(
      call('CreateOrganization', {}, token),
      status.PERMISSION_DENIED,
      'Only administrators may change organizations.',
    )
    await refused(
      call('ListUsers', {}, token),
      status.PERMISSION_DENIED,
      'Only administrators may read users.',
    )
  })

  test('because of a taken id or login is ALREADY_EXISTS', async () => {
    const [id, login] = [randomUUID(), `${randomUUID()}@example.com`]
    const user = { id, name: 'Eve', login, password: 'Secret-123' }
    assert.equal((await call('CreateUser', user)).result.success, true)
    await refused(
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
    await refused(answer, status.ABORTED, 'The same rows were changed at the same time. Please try again.')
  })

  test('because of an unexpected error is INTERNAL and reveals nothing about it', {
    skip: isDistributed,
  }, async () => {
    await failWhenNamed('broken', 'XX000')
    const answer = call('CreateImpediment', { name: 'broken' })
    const { metadata } = await refused(answer, status.INTERNAL, 'An unexpected error occurred.')
    assert.deepEqual(metadata.get('grpc-status-details-bin'), [])
  })

  test('because there is no such command is UNIMPLEMENTED', async () => {
    const { token } = commands.administrator
    for (const path of [
      '/tracker.commands.v1.Commands/RestoreProject',
      '/tracker.commands.v2.Commands/CreateProject',
    ])
      assert.equal((await calls.callRaw(path, Buffer.alloc(0), { token })).code, status.UNIMPLEMENTED)
  })

  /** A store that rejects rows of this name like something it does not support. */
  async function failWhenNamed(name: string, code: string) {
    const outside = await connectOutside(rest.database)
    const body = `begin if new.name = '${name}' then raise exception using errcode = '${code}'; end if; return new; end`
    await outside.query(`create function fail_${name}() returns trigger language plpgsql as $$ ${body} $$`)
    await outside.query(
      `create trigger fail_${name} before insert on impediments for each row execute function fail_${name}()`,
    )
    await outside.end()
  }
})
