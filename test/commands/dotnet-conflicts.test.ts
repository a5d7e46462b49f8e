import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, describe, test } from 'node:test'
import { status } from '@grpc/grpc-js'
import { startCommandsUnderTest } from '../support/command-host.ts'
import { type DotnetCalls, openDotnetCalls } from '../support/dotnet-calls.ts'
import { type DotnetUnderTest, startDotnetUnderTest } from '../support/dotnet-host.ts'
import type { Fields } from '../support/dotnet-workspace.ts'
import { isDistributed } from '../support/fresh-database.ts'
import { connectOutside } from '../support/outside-connection.ts'

describe('A .NET client gets', () => {
  let dotnet: DotnetUnderTest
  before(async () => {
    dotnet = await startDotnetUnderTest()
  })
  after(() => dotnet.stop())

  test('of a taken id or login, by ALREADY_EXISTS', async () => {
    const user = {
      Id: randomUUID(),
      Name: 'Eve',
      Login: `${randomUUID()}@example.com`,
      Password: 'Secret-123',
    }
    await dotnet.workspace.call('User', 'CreateUser', user)
    const exists = (fields: Fields, details: string) =>
      dotnet.refused('CreateUser', { ...user, ...fields }, status.ALREADY_EXISTS, details)
    await exists({ Login: `x${user.Login}` }, 'Id is already taken.')
    await exists({ Id: null }, 'Login is already used by an active account.')
  })

  test('of active dependents, by FAILED_PRECONDITION', async () => {
    const details = 'Organization cannot be removed while it has active projects.'
    await dotnet.refused(
      'RemoveOrganization',
      { Ids: [dotnet.workspace.ids.OrganizationId] },
      status.FAILED_PRECONDITION,
      details,
    )
  })

  test('that others hold the same row for too long, by ABORTED', { skip: isDistributed }, async () => {
    const { commands, workspace } = dotnet
    const { Impediment } = await workspace.call('Impediment', 'CreateImpediment', { Name: 'Held' })
    const outside = await connectOutside(commands.database)
    // New connections wait for a lock from now on as long as a busy store may let them.
    await outside.query(
      `do $$ begin execute format('alter database %I set lock_timeout = ''20ms''', current_database()); end $$`,
    )
    await besideIt({}, async ({ calls, administrator }) => {
      await outside.query('begin')
      await outside.query('select from impediments where id = $1 for update', [Impediment.Id])
      const fields = { Id: Impediment.Id, Name: 'Changed' }
      const answer = await calls.call('Impediment', 'UpdateImpedimentCommand', fields, administrator)
      await outside.end()
      const sentence = 'The same rows were changed at the same time. Please try again.'
      assert.deepEqual([status[answer.code], answer.details], ['ABORTED', sentence])
    })
  })

  test('that it calls too often, by RESOURCE_EXHAUSTED and when to come again', async () => {
    const limits = { RateLimit__Command__PermitLimit: '2', RateLimit__Command__QueueLimit: '0' }
    await besideIt(limits, async ({ calls, administrator }) => {
      const call = () => calls.call('Project', 'ListProjectsCommand', { Pagination: {} }, administrator)
      assert.deepEqual([(await call()).code, (await call()).code], [status.OK, status.OK])
      const { code, metadata } = await call()
      assert.equal(code, status.RESOURCE_EXHAUSTED)
      assert.match(String(metadata.get('retry-after')), /^\d+$/)
    })
  })

  /** Another host of the same store. */
  async function besideIt(
    environment: Readonly<Record<string, string>>,
    use: (other: { calls: DotnetCalls; administrator: { token: string } }) => Promise<void>,
  ) {
    const host = await startCommandsUnderTest(environment, { beside: dotnet.commands })
    const calls = openDotnetCalls(host.target)
    try {
      await use({ calls, administrator: host.administrator })
    } finally {
      calls.close()
      await host.stop()
    }
  }
})
