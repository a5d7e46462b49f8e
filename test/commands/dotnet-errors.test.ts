import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { connect } from 'node:http2'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { status } from '@grpc/grpc-js'
import { dotnetContracts } from '../../scripts/dotnet-contracts.ts'
import { commandsOfEdition } from '../../src/hosts/commands/main.ts'
import { pathsOf } from '../../src/hosts/commands/register-commands.ts'
import { violationsIn } from '../support/assertions.ts'
import { startCommandsUnderTest } from '../support/command-host.ts'
import { connectDirectly } from '../support/direct-connection.ts'
import type { Fields } from '../support/dotnet-calls.ts'
import {
  type DotnetCalls,
  dotnetPath,
  openDotnetCalls,
  startDotnetUnderTest,
} from '../support/dotnet-calls.ts'
import { fixture } from '../support/fixture.ts'
import { isDistributed } from '../support/fresh-database.ts'
import { framed } from '../support/lz4-encoder.ts'
import { decode } from '../support/message-pack-decoder.ts'
import { encode, float64 } from '../support/message-pack-encoder.ts'

describe('A .NET client gets', { concurrency: true }, () => {
  const dotnet = fixture(startDotnetUnderTest)

  const assertFails = async (
    name: string,
    fields: Fields,
    message: string,
    caller?: { readonly token: string | undefined },
  ) => {
    const { code, result } = await dotnet.ask(name, fields, caller)
    assert.equal(code, status.OK)
    assert.deepEqual([result.Success, result.Message], [false, message])
  }
  const assertInvalid = async (name: string, fields: Fields, ...details: readonly string[]) => {
    const { metadata } = await dotnet.rejected(name, fields, status.INVALID_ARGUMENT, details.join(' '))
    assert.deepEqual(Object.values(violationsIn(metadata)).flat(), details)
  }

  test('a result without success for a missing row, on get, update and remove', async () => {
    const Id = randomUUID()
    await assertFails('GetWorkflowById', { Id }, 'Workflow was not found.')
    await assertFails('UpdateWorkflow', { Id, Name: 'x', Order: 1 }, 'Workflow was not found.')
    const zero = '00000000-0000-0000-0000-000000000000'
    await assertFails('GetWorkflowById', { Id: zero }, 'Workflow was not found.')
    await assertFails('UpdateWorkflow', { Id: zero, Name: 'x', Order: 1 }, 'Workflow was not found.')
    await assertFails('RemoveWorkflow', { Ids: [Id] }, 'Workflow was not found.')
    await assertFails('RemoveWorkflow', { Ids: [zero] }, 'Workflow was not found.')
  })

  test('the same result for a row that it cannot see', async () => {
    const outsider = await dotnet.commands.signUp()
    const { ProjectId: Id, OrganizationId } = dotnet.workspace.ids
    await assertFails('GetProjectById', { Id }, 'Project was not found.', outsider)
    await assertFails(
      'UpdateProject',
      { Id, Name: 'Mine', OrganizationId },
      'Project was not found.',
      outsider,
    )
  })

  test('INVALID_ARGUMENT with the messages of REST for everything that is wrong with a message', async () => {
    await assertInvalid('CreateProject', {}, 'Name is required.', 'OrganizationId is required.')
    await assertInvalid(
      'CreateProject',
      { Name: ' ', OrganizationId: 'x' },
      'Name is required.',
      'OrganizationId must be a UUID.',
    )
    await assertInvalid('GetProjectById', { Id: 7 }, 'Id must be a UUID.')
    await assertInvalid('UpdateImpediment', { Name: ['x'] }, 'Id is required.', 'Name must be text.')
    await assertInvalid('RemoveProject', {}, 'Ids is required.')
    await assertInvalid('RemoveProject', { Ids: [null] }, 'Ids must contain UUIDs only.')
    await assertInvalid('RemoveProject', { Ids: [] }, 'Ids must contain 1 to 100 UUIDs.')
    const order = 'Order must be a whole number from 0 to 2147483647.'
    for (const Order of [-1, 2 ** 31, -(2 ** 40), 2n ** 64n - 1n, 1.5, float64(Number.NaN), '1', true]) {
      await assertInvalid('CreateWorkflow', { Name: 'x', Order }, order)
    }
    await assertInvalid('CreateWorkflow', { Name: 'x', Order: null }, 'Order is required.')
  })

  test('INVALID_ARGUMENT with the name of a list parameter of the wrong type', async () => {
    const sentences = {
      Ids: 'Ids must be UUIDs separated by commas.',
      Search: 'Search must be text.',
      SortColumn: 'SortColumn must be text.',
      SortOrder: 'SortOrder must be ASC or DESC.',
      OrganizationId: 'OrganizationId must be a UUID.',
    }
    for (const [name, sentence] of Object.entries(sentences)) {
      for (const value of [7, true, ['x'], { x: 1 }])
        await assertInvalid('ListProjects', { Pagination: { [name]: value } }, sentence)
    }
  })

  test('INVALID_ARGUMENT for a violated rule and for a reference to a missing row', async () => {
    const { ids } = dotnet.workspace
    const dates = { StartDate: '2026-01-05T00:00:00.000001Z', EndDate: '2026-01-05T00:00:00Z' }
    await assertInvalid(
      'CreateAssignment',
      { Name: 'x', ...dates, AmountHours: 1, ...ids },
      'End date must be on or after start date.',
    )
    const appointment = { KeepDate: '2026-01-05T00:00:00Z', ...ids }
    await assertInvalid('CreateAppointment', appointment, 'AmountHours must be greater than 0.')
    await assertInvalid(
      'CreateAppointment',
      { ...appointment, AmountHours: null },
      'AmountHours is required.',
    )
    await assertInvalid(
      'CreateAppointment',
      { ...appointment, AmountHours: 0.125 },
      'AmountHours must be a multiple of 0.01.',
    )
    await assertInvalid(
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

  test('INVALID_ARGUMENT for invalid paging and for a list without Pagination', async () => {
    await dotnet.rejected('ListProjects', {}, status.INVALID_ARGUMENT, 'Pagination is required.')
    await dotnet.rejected(
      'ListProjects',
      { Pagination: null },
      status.INVALID_ARGUMENT,
      'Pagination is required.',
    )
    const pages = { PageNumber: 0, PageSize: 101, SortOrder: 'up' }
    await assertInvalid(
      'ListProjects',
      { Pagination: pages },
      'PageNumber must be a whole number from 1 to 21474836.',
      'PageSize must be a whole number from 1 to 100.',
      'SortOrder must be ASC or DESC.',
    )
    await assertInvalid(
      'ListProjects',
      { Pagination: { UserId: 'me' } },
      'UserId must be a UUID.',
      'Projects cannot be filtered by userId.',
    )
    await assertInvalid(
      'ListAppointments',
      { Pagination: { DateFrom: 'soon' } },
      'DateFrom must be an ISO-8601 date and time.',
    )
  })

  test('INVALID_ARGUMENT for an unreadable body', async () => {
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

  test('UNAUTHENTICATED without a valid token', async () => {
    const { administrator, identity } = dotnet.commands
    const forRest = await identity.serviceToken(administrator.login, 'svc.api')
    for (const token of [undefined, 'nonsense', forRest]) {
      const details = 'A valid access token is required.'
      await dotnet.rejected('ListProjects', null, status.UNAUTHENTICATED, details, { token })
    }
  })

  test('PERMISSION_DENIED for a command that it may not use', async () => {
    const person = await dotnet.commands.signUp()
    const assertDenied = (name: string, details: string) =>
      dotnet.rejected(name, {}, status.PERMISSION_DENIED, details, person)
    await assertDenied('CreateOrganization', 'Only administrators may change organizations.')
    await assertDenied('ListUsers', 'Only administrators may read users.')
  })

  test('UNIMPLEMENTED for an unknown command', async () => {
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

describe('A .NET client gets', () => {
  const dotnet = fixture(startDotnetUnderTest)

  test('ALREADY_EXISTS for an id or login that is in use', async () => {
    const user = {
      Id: randomUUID(),
      Name: 'Eve',
      Login: `${randomUUID()}@example.com`,
      Password: 'Secret-123',
    }
    await dotnet.workspace.call('User', 'CreateUser', user)
    const assertTaken = (fields: Fields, details: string) =>
      dotnet.rejected('CreateUser', { ...user, ...fields }, status.ALREADY_EXISTS, details)
    await assertTaken({ Login: `x${user.Login}` }, 'Id is already taken.')
    await assertTaken({ Id: null }, 'Login is already used by an active account.')
  })

  test('FAILED_PRECONDITION for a row with active dependents', async () => {
    const details = 'Organization cannot be removed while it has active projects.'
    await dotnet.rejected(
      'RemoveOrganization',
      { Ids: [dotnet.workspace.ids.OrganizationId] },
      status.FAILED_PRECONDITION,
      details,
    )
  })

  test('ABORTED if another transaction locks the row for too long', { skip: isDistributed }, async () => {
    const { commands, workspace } = dotnet
    const { Impediment } = await workspace.call('Impediment', 'CreateImpediment', { Name: 'Held' })
    const direct = await connectDirectly(commands.database)
    // From now on, new connections wait for a lock for only 20 ms.
    await direct.query(
      `do $$ begin execute format('alter database %I set lock_timeout = ''20ms''', current_database()); end $$`,
    )
    await alongside({}, async ({ calls, administrator }) => {
      await direct.query('begin')
      await direct.query('select from impediments where id = $1 for update', [Impediment.Id])
      const fields = { Id: Impediment.Id, Name: 'Changed' }
      const answer = await calls.call('Impediment', 'UpdateImpedimentCommand', fields, administrator)
      await direct.end()
      const sentence = 'The same rows were changed at the same time. Please try again.'
      assert.deepEqual([status[answer.code], answer.details], ['ABORTED', sentence])
    })
  })

  test('RESOURCE_EXHAUSTED with retry-after when it exceeds the rate limit', async () => {
    const limits = { RateLimit__Command__PermitLimit: '2', RateLimit__Command__QueueLimit: '0' }
    await alongside(limits, async ({ calls, administrator }) => {
      const call = () => calls.call('Project', 'ListProjectsCommand', { Pagination: {} }, administrator)
      assert.deepEqual([(await call()).code, (await call()).code], [status.OK, status.OK])
      const { code, metadata } = await call()
      assert.equal(code, status.RESOURCE_EXHAUSTED)
      assert.match(String(metadata.get('retry-after')), /^\d+$/)
    })
  })

  /** Runs `use` with another host on the same store. */
  async function alongside(
    environment: Readonly<Record<string, string>>,
    use: (other: { calls: DotnetCalls; administrator: { token: string } }) => Promise<void>,
  ) {
    await using host = await startCommandsUnderTest(environment, { alongside: dotnet.commands })
    await using calls = openDotnetCalls(host.target)
    await use({ calls, administrator: host.administrator })
  }
})

test('A request with the exact headers of a .NET client gets a response', async (t) => {
  const dotnet = await startDotnetUnderTest()
  t.after(dotnet.stop)
  const { ProjectId, OrganizationId } = dotnet.workspace.ids
  const body = framed(encode({ Id: ProjectId, Name: 'Updated Project', OrganizationId }))
  const session = connect(`http://${dotnet.commands.target}`)
  const stream = session.request({
    ':method': 'POST',
    ':path': '/GrpcServer.Contracts.Commands.Project.UpdateProjectCommand/',
    'content-type': 'application/grpc',
    'user-agent': 'grpc-dotnet/2.71.0 (.NET 10.0; CLR 10.0; net10.0; linux; x64)',
    te: 'trailers',
    'grpc-accept-encoding': 'identity,gzip,deflate',
    'grpc-timeout': '5S',
    'grpc-previous-rpc-attempts': '1',
    authorization: `Bearer ${dotnet.commands.administrator.token}`,
  })
  const prefix = Buffer.alloc(5)
  prefix.writeUInt32BE(body.length, 1)
  for (const byte of Buffer.concat([prefix, body])) stream.write(Buffer.of(byte))
  stream.end()
  const chunks: Buffer[] = []
  const trailers = new Promise<Record<string, unknown>>((resolve) => stream.once('trailers', resolve))
  const headers = new Promise<Record<string, unknown>>((resolve) => stream.once('response', resolve))
  for await (const chunk of stream) chunks.push(chunk as Buffer)
  assert.deepEqual([(await headers)[':status'], (await trailers)['grpc-status']], [200, '0'])
  assert.match(String((await headers)['content-type']), /^application\/grpc/)
  const answer = Buffer.concat(chunks)
  assert.deepEqual([answer[0], answer.readUInt32BE(1)], [0, answer.length - 5])
  const { Project, ...outcome } = decode(answer.subarray(5)) as {
    readonly Project: Readonly<Record<string, unknown>>
  }
  assert.deepEqual(outcome, { Success: true, Message: 'Project updated successfully.' })
  assert.deepEqual([Project.Id, Project.Name], [ProjectId, 'Updated Project'])
  // .NET clients ping every minute, and the HTTP/2 server of Node answers these pings.
  await new Promise((resolve) => session.ping(resolve))
  session.close()
})

const committedContracts = readFileSync(
  join(import.meta.dirname, '..', '..', 'clients', 'dotnet', 'Contracts.g.cs'),
  'utf8',
)

test('The C# classes are those of the commands: npm run contract writes them', () => {
  assert.equal(committedContracts, dotnetContracts(commandsOfEdition('v1')))
})

test('A C# class has the full name by which its command is called', () => {
  const names = new Set<string>()
  let namespace = ''
  for (const line of committedContracts.split('\n')) {
    namespace = /^namespace (\S+)/.exec(line)?.[1] ?? namespace
    const name = /public sealed class (\w+) : ICommand/.exec(line)?.[1]
    if (name) names.add(`/${namespace}.${name}/`)
  }
  const paths = commandsOfEdition('v1').map(
    (command) => pathsOf(command, 'GrpcServer.Contracts.Commands')[1]?.path,
  )
  assert.deepEqual([...names].sort(), paths.sort())
})
