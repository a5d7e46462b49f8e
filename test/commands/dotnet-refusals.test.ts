import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, describe, test } from 'node:test'
import { status } from '@grpc/grpc-js'
import { violationsIn } from '../support/bad-request.ts'
import { dotnetPath } from '../support/dotnet-calls.ts'
import { type DotnetUnderTest, startDotnetUnderTest } from '../support/dotnet-host.ts'
import type { Fields } from '../support/dotnet-workspace.ts'
import { encode, float64 } from '../support/message-pack-encoder.ts'

describe('A .NET client gets', { concurrency: true }, () => {
  let dotnet: DotnetUnderTest
  before(async () => {
    dotnet = await startDotnetUnderTest()
  })
  after(() => dotnet.stop())

  const fails = async (
    name: string,
    fields: Fields,
    message: string,
    as?: Parameters<DotnetUnderTest['ask']>[2],
  ) => {
    const { code, result } = await dotnet.ask(name, fields, as)
    assert.equal(code, status.OK)
    assert.deepEqual([result.Success, result.Message], [false, message])
  }
  const invalid = async (name: string, fields: Fields, ...details: readonly string[]) => {
    const { metadata } = await dotnet.refused(name, fields, status.INVALID_ARGUMENT, details.join(' '))
    assert.deepEqual(Object.values(violationsIn(metadata)).flat(), details)
  }

  test('of a missing row by a result without success, on get, update and remove', async () => {
    const Id = randomUUID()
    await fails('GetWorkflowById', { Id }, 'Workflow was not found.')
    await fails('UpdateWorkflow', { Id, Name: 'x', Order: 1 }, 'Workflow was not found.')
    const zero = '00000000-0000-0000-0000-000000000000'
    await fails('GetWorkflowById', { Id: zero }, 'Workflow was not found.')
    await fails('UpdateWorkflow', { Id: zero, Name: 'x', Order: 1 }, 'Workflow was not found.')
    await fails('RemoveWorkflow', { Ids: [Id] }, 'Workflow was not found.')
    await fails('RemoveWorkflow', { Ids: [zero] }, 'Workflow was not found.')
  })

  test('the same of a row that it cannot see', async () => {
    const outsider = await dotnet.commands.signUp()
    const { ProjectId: Id, OrganizationId } = dotnet.workspace.ids
    await fails('GetProjectById', { Id }, 'Project was not found.', outsider)
    await fails('UpdateProject', { Id, Name: 'Mine', OrganizationId }, 'Project was not found.', outsider)
  })

  test('of everything that is wrong with a message, by INVALID_ARGUMENT in the words of REST', async () => {
    await invalid('CreateProject', {}, 'Name is required.', 'OrganizationId is required.')
    await invalid(
      'CreateProject',
      { Name: ' ', OrganizationId: 'x' },
      'Name is required.',
      'OrganizationId must be a UUID.',
    )
    await invalid('GetProjectById', { Id: 7 }, 'Id must be a UUID.')
    await invalid('UpdateImpediment', { Name: ['x'] }, 'Id is required.', 'Name must be text.')
    await invalid('RemoveProject', {}, 'Ids is required.')
    await invalid('RemoveProject', { Ids: [null] }, 'Ids must contain UUIDs only.')
    await invalid('RemoveProject', { Ids: [] }, 'Ids must contain 1 to 100 UUIDs.')
    const order = 'Order must be a whole number from 0 to 2147483647.'
    for (const Order of [-1, 2 ** 31, -(2 ** 40), 2n ** 64n - 1n, 1.5, float64(Number.NaN), '1', true]) {
      await invalid('CreateWorkflow', { Name: 'x', Order }, order)
    }
    await invalid('CreateWorkflow', { Name: 'x', Order: null }, 'Order is required.')
  })

  test('of a parameter of a list that has a wrong type, by its name', async () => {
    const sentences = {
      Ids: 'Ids must be UUIDs separated by commas.',
      Search: 'Search must be text.',
      SortColumn: 'SortColumn must be text.',
      SortOrder: 'SortOrder must be ASC or DESC.',
      OrganizationId: 'OrganizationId must be a UUID.',
    }
    for (const [name, sentence] of Object.entries(sentences)) {
      for (const value of [7, true, ['x'], { x: 1 }])
        await invalid('ListProjects', { Pagination: { [name]: value } }, sentence)
    }
  })

  test('of a broken rule and of a reference to nothing, by INVALID_ARGUMENT', async () => {
    const { ids } = dotnet.workspace
    const dates = { StartDate: '2026-01-05T00:00:00.000001Z', EndDate: '2026-01-05T00:00:00Z' }
    await invalid(
      'CreateAssignment',
      { Name: 'x', ...dates, AmountHours: 1, ...ids },
      'End date must be on or after start date.',
    )
    const time = { KeepDate: '2026-01-05T00:00:00Z', ...ids }
    await invalid('CreateAppointment', time, 'AmountHours must be greater than 0.')
    await invalid('CreateAppointment', { ...time, AmountHours: null }, 'AmountHours is required.')
    await invalid(
      'CreateAppointment',
      { ...time, AmountHours: 0.125 },
      'AmountHours must be a multiple of 0.01.',
    )
    await invalid(
      'CreateAppointment',
      {
        KeepDate: '0001-01-01T00:00:00Z',
        AmountHours: 1,
        AssignmentId: ids.AssignmentId,
        UserId: ids.UserId,
      },
      'KeepDate is required.',
    )
    const { code, details } = await dotnet.ask('CreateProject', { Name: 'x', OrganizationId: randomUUID() })
    assert.deepEqual([code, details.startsWith('OrganizationId ')], [status.INVALID_ARGUMENT, true])
  })

  test('of bad paging by INVALID_ARGUMENT, and that a list needs its Pagination', async () => {
    await dotnet.refused('ListProjects', {}, status.INVALID_ARGUMENT, 'Pagination is required.')
    await dotnet.refused(
      'ListProjects',
      { Pagination: null },
      status.INVALID_ARGUMENT,
      'Pagination is required.',
    )
    const pages = { PageNumber: 0, PageSize: 101, SortOrder: 'up' }
    await invalid(
      'ListProjects',
      { Pagination: pages },
      'PageNumber must be a whole number from 1 to 21474836.',
      'PageSize must be a whole number from 1 to 100.',
      'SortOrder must be ASC or DESC.',
    )
    await invalid(
      'ListProjects',
      { Pagination: { UserId: 'me' } },
      'UserId must be a UUID.',
      'Projects cannot be filtered by userId.',
    )
    await invalid(
      'ListAppointments',
      { Pagination: { DateFrom: 'soon' } },
      'DateFrom must be an ISO-8601 date and time.',
    )
  })

  test('that a body cannot be read, by INVALID_ARGUMENT', async () => {
    const { token } = dotnet.commands.administrator
    const path = dotnetPath('Project', 'GetProjectByIdCommand')
    for (const body of [
      Buffer.alloc(0),
      Buffer.of(0xc1),
      Buffer.of(0xc0),
      encode([1]),
      Buffer.alloc(64, 0xff),
    ]) {
      const { code, details } = await dotnet.calls.send(path, body, { token })
      assert.deepEqual([code, details], [status.INVALID_ARGUMENT, 'The message could not be read.'])
    }
  })

  test('that there is no session, by UNAUTHENTICATED, whatever the body holds', async () => {
    const { administrator, identity } = dotnet.commands
    const forRest = await identity.serviceToken(administrator.login, 'svc.api')
    for (const token of [undefined, 'nonsense', forRest]) {
      const details = 'A valid access token is required.'
      await dotnet.refused('ListProjects', null, status.UNAUTHENTICATED, details, { token })
    }
  })

  test('that it may not, by PERMISSION_DENIED', async () => {
    const person = await dotnet.commands.signUp()
    const denied = (name: string, details: string) =>
      dotnet.refused(name, {}, status.PERMISSION_DENIED, details, person)
    await denied('CreateOrganization', 'Only administrators may change organizations.')
    await denied('ListUsers', 'Only administrators may read users.')
  })

  test('that there is no such command, by UNIMPLEMENTED', async () => {
    const { token } = dotnet.commands.administrator
    const paths = [
      dotnetPath('Project', 'RestoreProjectCommand'),
      dotnetPath('Project', 'CreateUserCommand'),
      dotnetPath('Project', 'createProjectCommand'),
      dotnetPath('Project', 'CreateProjectCommand', 'Other.Namespace'),
      `${dotnetPath('Project', 'CreateProjectCommand')}/`,
      `${dotnetPath('Project', 'CreateProjectCommand')}Execute`,
    ]
    for (const path of paths) {
      assert.equal((await dotnet.calls.send(path, encode({}), { token })).code, status.UNIMPLEMENTED, path)
    }
  })
})
