import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { describe, test } from 'node:test'
import { status } from '@grpc/grpc-js'
import { sql } from '../../src/db/sql.ts'
import { isEarlier } from '../../src/model/field-kinds.ts'
import { startCommandsUnderTest } from '../support/command-host.ts'
import {
  dotnetPath,
  type Fields,
  openDotnetCalls,
  seedDotnet,
  toMessageFields,
} from '../support/dotnet-calls.ts'
import { fixture } from '../support/fixture.ts'
import { blockArray, framed, wholeBlock } from '../support/lz4-encoder.ts'
import { encode } from '../support/message-pack-encoder.ts'

/** The words for what a command has done, in its message of success. */
const participles = {
  Create: 'created',
  Get: 'retrieved',
  List: 'retrieved',
  Remove: 'removed',
  Update: 'updated',
}

describe('A .NET client', { concurrency: true }, () => {
  const commands = fixture(startCommandsUnderTest)
  const calls = fixture(() => openDotnetCalls(commands.target))
  const workspace = fixture(() => seedDotnet(calls, commands.administrator.token))

  const call = (entity: string, name: string, fields: Fields) => workspace.call(entity, name, fields)
  const succeeds = async (entity: string, name: string, fields: Fields) => {
    const result = await call(entity, name, fields)
    const participle = Object.entries(participles).find(([verb]) => name.startsWith(verb))?.[1]
    assert.deepEqual([result.Success, result.Message], [true, `${entity} ${participle} successfully.`])
    return result
  }
  const recordOf = async (entity: string, id: string) =>
    (await succeeds(entity, `Get${entity}ById`, { Id: id }))[entity]

  const day = '2026-03-02T00:00:00Z'
  const instant = '2026-03-02T09:08:07.654321Z'
  interface Lifecycle {
    readonly entity: string
    /** Returns the fields of a new record that refers to these ids. */
    readonly fieldsOf: (ids: Fields) => Fields
    readonly change: Fields
  }
  const lifecycles: readonly Lifecycle[] = [
    {
      entity: 'Organization',
      fieldsOf: () => ({ Name: 'Harbour', Description: null }),
      change: { Description: 'On the sea' },
    },
    {
      entity: 'Workflow',
      fieldsOf: () => ({ Name: 'Doing', Order: 0 }),
      change: { Order: 2_147_483_647 },
    },
    { entity: 'AssignmentType', fieldsOf: () => ({ Name: 'Feature' }), change: { Name: 'Änderung 🚢' } },
    { entity: 'Impediment', fieldsOf: () => ({ Name: 'Waiting' }), change: { Name: 'Waiting for parts' } },
    {
      entity: 'Project',
      fieldsOf: ({ OrganizationId }) => ({ Name: 'Pier', OrganizationId }),
      change: { Name: 'New pier' },
    },
    {
      entity: 'Assignment',
      fieldsOf: ({ ProjectId, WorkflowId, UserId, AssignmentTypeId }) => ({
        Name: 'Lay',
        Description: 'x'.repeat(2000),
        StartDate: day,
        EndDate: instant,
        AmountHours: 0,
        ProjectId,
        WorkflowId,
        UserId,
        AssignmentTypeId,
      }),
      change: { Description: null, AmountHours: 99_999.75, EndDate: '2514-05-30T01:53:04.000001Z' },
    },
    {
      entity: 'Appointment',
      fieldsOf: ({ AssignmentId, UserId }) => ({
        Description: 'Dug',
        KeepDate: instant,
        AmountHours: 8,
        AssignmentId,
        UserId,
      }),
      change: { KeepDate: '1969-12-31T23:59:59.999999Z', AmountHours: 0.25 },
    },
    {
      entity: 'AssignmentImpediment',
      fieldsOf: ({ AssignmentId, ImpedimentId }) => ({ Description: null, AssignmentId, ImpedimentId }),
      change: { Description: 'Lost' },
    },
    {
      entity: 'UserAssignment',
      fieldsOf: ({ UserId, AssignmentId }) => ({ UserId, AssignmentId }),
      change: {},
    },
    { entity: 'UserProject', fieldsOf: ({ UserId, ProjectId }) => ({ UserId, ProjectId }), change: {} },
  ]
  for (const { entity, fieldsOf, change } of lifecycles) {
    test(`creates, gets, lists, updates and removes: ${entity}`, async () => {
      const fields = fieldsOf(workspace.ids)
      const zero = '00000000-0000-0000-0000-000000000000'
      const { [entity]: created } = await succeeds(entity, `Create${entity}`, { Id: zero, ...fields })
      const { Id, CreatedAt } = created
      assert.match(Id, /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/)
      assert.match(CreatedAt, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,6})?Z$/)
      // Fields that are newer than these clients are nil, because the clients send no values for them.
      const nils = Object.fromEntries(Object.keys(created).map((name) => [name, null]))
      const common = { ...nils, Id, CreatedAt, UpdatedAt: null, DeletedAt: null, Active: true }
      assert.deepEqual(created, { ...common, ...fields })
      assert.deepEqual(await recordOf(entity, Id), created)

      await succeeds(entity, `Update${entity}`, { Id: Id.toUpperCase(), ...fields, ...change })
      const changed = await recordOf(entity, Id)
      assert.ok(isEarlier(CreatedAt, changed.UpdatedAt))
      assert.deepEqual(changed, { ...common, UpdatedAt: changed.UpdatedAt, ...fields, ...change })

      const { Result } = await succeeds(entity, `List${entity}s`, { Pagination: { ...page, Ids: Id } })
      assert.deepEqual(Result, { Data: [changed], TotalCount: 1, PageNumber: 1, PageSize: 10 })

      await succeeds(entity, `Remove${entity}`, { Ids: [Id, Id.toUpperCase()] })
      const gone = await call(entity, `Get${entity}ById`, { Id })
      assert.equal(gone.Success, false)
      assert.equal(gone[entity], null)
      assert.match(gone.Message, / was not found\.$/)
    })
  }

  test('creates, gets, lists, updates and removes: User, whose password is never returned', async () => {
    const login = `${randomUUID()}@example.com`
    const fields = { Name: 'Grace', Login: login, Password: 'Secret-123' }
    const { User } = await succeeds('User', 'CreateUser', fields)
    const { Id } = User
    assert.deepEqual(Object.keys(User).sort(), userKeys)
    const [before] = await storedUser(Id)
    for (const Password of [null, '']) {
      await succeeds('User', 'UpdateUser', { Id, Name: 'Hopper', Login: null, Password })
    }
    assert.deepEqual(await storedUser(Id), [before])
    assert.equal((await recordOf('User', Id)).Login, login)
    await succeeds('User', 'UpdateUser', { Id, ...fields, Password: 'Another-456' })
    assert.notEqual((await storedUser(Id))[0]?.hash, before?.hash)
    const { Result } = await succeeds('User', 'ListUsers', { Pagination: { ...page, Search: login } })
    assert.deepEqual([Result.Data.length, Object.keys(Result.Data[0]).sort()], [1, userKeys])
    await succeeds('User', 'RemoveUser', { Ids: [Id] })
    assert.equal((await call('User', 'GetUserById', { Id })).Success, false)
  })

  const userKeys = ['Active', 'CreatedAt', 'DeletedAt', 'Id', 'Login', 'Name', 'UpdatedAt']

  const storedUser = (id: string) =>
    commands.database.query<{ hash: string }>(
      sql`select password_hash as hash, security_stamp as stamp from users where id = ${id}`,
    )

  test('may send a name for an appointment', async () => {
    const { AssignmentId, UserId } = workspace.ids
    const fields = { KeepDate: day, AmountHours: 1, AssignmentId, UserId, Name: 'Not stored' }
    const { Appointment } = await succeeds('Appointment', 'CreateAppointment', fields)
    await succeeds('Appointment', 'UpdateAppointment', { Id: Appointment.Id, ...fields, Name: 5 })
    assert.ok(!('Name' in (await recordOf('Appointment', Appointment.Id))))
  })

  test('may send back the version of a project any number of times without a false conflict', async () => {
    const { OrganizationId } = workspace.ids
    const { Project } = await succeeds('Project', 'CreateProject', { Name: 'Pier', OrganizationId })
    let version = Project.CreatedAt
    for (let round = 0; round < 20; round++) {
      const fields = { Id: Project.Id, Name: `Pier ${round}`, OrganizationId, ExpectedVersion: version }
      await succeeds('Project', 'UpdateProject', fields)
      version = (await recordOf('Project', Project.Id)).UpdatedAt
    }
    const stale = { Id: Project.Id, Name: 'Late', OrganizationId, ExpectedVersion: Project.CreatedAt }
    const { Success, Message } = await call('Project', 'UpdateProject', stale)
    assert.deepEqual([Success, Message], [false, 'Project was changed since the expected version.'])
    for (const ExpectedVersion of [null, '0001-01-01T00:00:00Z']) {
      await succeeds('Project', 'UpdateProject', { ...stale, ExpectedVersion })
    }
  })

  test('clears a description by sending nil or by omitting it', async () => {
    const fields = { Name: 'Harbour', Description: 'On the sea' }
    const { Organization } = await succeeds('Organization', 'CreateOrganization', fields)
    const { Id } = Organization
    await succeeds('Organization', 'UpdateOrganization', { Id, ...fields, Description: null })
    assert.equal((await recordOf('Organization', Id)).Description, null)
    await succeeds('Organization', 'UpdateOrganization', { Id, ...fields })
    await succeeds('Organization', 'UpdateOrganization', { Id, Name: 'Harbour' })
    assert.equal((await recordOf('Organization', Id)).Description, null)
  })

  test('gets the requested page in the requested order', async () => {
    const word = randomUUID()
    for (const Name of ['b', 'c', 'a'])
      await succeeds('Impediment', 'CreateImpediment', { Name: `${word} ${Name}` })
    const Pagination = { ...page, PageSize: 2, SortColumn: 'name', SortOrder: 'desc', Search: word }
    const names = async (PageNumber: number) => {
      const { Result } = await succeeds('Impediment', 'ListImpediments', {
        Pagination: { ...Pagination, PageNumber },
      })
      assert.deepEqual([Result.TotalCount, Result.PageNumber, Result.PageSize], [3, PageNumber, 2])
      return Result.Data.map(({ Name }: { Name: string }) => Name.at(-1))
    }
    assert.deepEqual([await names(1), await names(2), await names(3)], [['c', 'b'], ['a'], []])
  })

  test('may omit the trailing slash', async () => {
    const { token } = commands.administrator
    const path = dotnetPath('Project', 'GetProjectByIdCommand').slice(0, -1)
    const { result } = await calls.send(path, encode({ Id: workspace.ids.ProjectId }), { token })
    assert.equal(result.Project.Id, workspace.ids.ProjectId)
  })

  test('may compress a body in one block, in several, in the older form, or not at all', async () => {
    const { token } = commands.administrator
    const body = encode({ Name: 'Long', Description: 'the same again, '.repeat(120) })
    const half = Math.floor(body.length / 2)
    const forms = {
      plain: body,
      one: framed(body),
      several: blockArray([body.subarray(0, half), Buffer.alloc(0), body.subarray(half)]),
      older: wholeBlock(body),
    }
    assert.ok(forms.one.length < body.length / 10)
    for (const sentBody of Object.values(forms)) {
      const path = dotnetPath('Organization', 'CreateOrganizationCommand')
      const { code, result } = await calls.send(path, sentBody, { token })
      assert.equal(code, status.OK)
      assert.equal(result.Organization.Description, 'the same again, '.repeat(120).trim())
    }
  })

  test('makes many calls at once over one connection', async () => {
    const names = Array.from({ length: 300 }, (_, index) => `Parallel ${index}`)
    const results = await Promise.all(
      names.map((Name) => call('AssignmentType', 'CreateAssignmentType', { Name })),
    )
    assert.deepEqual(
      results.map(({ AssignmentType }) => AssignmentType.Name),
      names,
    )
    assert.equal(new Set(results.map(({ AssignmentType }) => AssignmentType.Id)).size, names.length)
  })

  test('finds the commands under the configured namespace', async () => {
    await using otherHost = await startCommandsUnderTest(
      { COMMAND_DOTNET_NAMESPACE: 'Acme.Commands' },
      { alongside: commands },
    )
    await using otherCalls = openDotnetCalls(otherHost.target)
    const body = encode(toMessageFields({ Id: workspace.ids.ProjectId }))
    const { token } = otherHost.administrator
    const sendTo = (path: string) => otherCalls.send(path, body, { token })
    const { result } = await sendTo(dotnetPath('Project', 'GetProjectByIdCommand', 'Acme.Commands'))
    assert.equal(result.Project.Id, workspace.ids.ProjectId)
    const { code } = await sendTo(dotnetPath('Project', 'GetProjectByIdCommand'))
    assert.equal(code, status.UNIMPLEMENTED)
  })
})

/** .NET clients always send every key of a Pagination, with nil for keys that are not set. */
const page = {
  PageNumber: 1,
  PageSize: 10,
  SortColumn: 'Id',
  SortOrder: 'ASC',
  Search: null,
  Ids: null,
  OrganizationId: null,
  ProjectId: null,
  AssignmentId: null,
  UserId: null,
  WorkflowId: null,
  DateFrom: null,
  DateTo: null,
}
