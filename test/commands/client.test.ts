import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, describe, test } from 'node:test'
import { CommandError, openCommandClient } from '../../clients/typescript/src/commands.ts'
import { type CommandsUnderTest, startCommandsUnderTest } from '../support/command-host.ts'

describe('The typed client', { concurrency: true }, () => {
  let host: CommandsUnderTest
  let client: ReturnType<typeof openCommandClient>

  before(async () => {
    host = await startCommandsUnderTest()
    client = openCommandClient({ target: host.target, token: async () => host.administrator.token })
  })
  after(async () => {
    client.close()
    await host.stop()
  })

  test('creates, reads, lists, changes and removes, with whole records in the answers', async () => {
    const { organization } = await client.createOrganization({ name: 'Harbour' })
    assert.ok(organization)
    const { id, createdAt } = organization
    assert.deepEqual(organization, {
      id,
      name: 'Harbour',
      description: null,
      createdAt,
      updatedAt: null,
      deletedAt: null,
      active: true,
    })
    assert.match(createdAt, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,6})?Z$/)
    assert.deepEqual(await client.getOrganizationById({ id }), {
      success: true,
      message: 'Organization retrieved successfully.',
      organization,
    })
    const { result } = await client.listOrganizations({ pagination: { ids: id } })
    assert.deepEqual(result, {
      data: [organization],
      totalCount: 1,
      pageNumber: 1,
      pageSize: 10,
      totalPages: 1,
    })
    const update = await client.updateOrganization({ id, name: 'Harbour', description: 'By the sea' })
    assert.deepEqual(update, {
      success: true,
      message: 'Organization updated successfully.',
      organization: (await client.getOrganizationById({ id })).organization,
    })
    assert.deepEqual(await client.updateOrganization({ id: randomUUID(), name: 'Nowhere' }), {
      success: false,
      message: 'Organization was not found.',
      organization: null,
    })
    assert.deepEqual(await client.removeOrganization({ ids: [id] }), {
      success: true,
      message: 'Organization removed successfully.',
    })
    const gone = await client.getOrganizationById({ id })
    assert.deepEqual(gone, { success: false, message: 'Organization was not found.', organization: null })
  })

  test('accepts timestamps in any form the hosts read, and echoes a version without a conflict', async () => {
    const { organization } = await client.createOrganization({ name: 'Quay' })
    const { project } = await client.createProject({ name: 'Pier', organizationId: organization?.id ?? '' })
    assert.ok(project)
    for (const name of ['Pier 1', 'Pier 2']) {
      const { project: current } = await client.getProjectById({ id: project.id })
      assert.ok(current)
      const expectedVersion = current.updatedAt ?? current.createdAt
      const { success } = await client.updateProject({ ...current, name, expectedVersion })
      assert.equal(success, true)
    }
    const request = { ...project, expectedVersion: '2020-01-01T00:00+01:00' }
    const stale = await client.updateProject(request)
    assert.equal(stale.success, false)
    await assert.rejects(client.updateProject({ ...project, expectedVersion: 'soon' }), TypeError)
  })

  test('throws errors with their status and every sentence by field', async () => {
    const refusal = client.createWorkflow({ name: ' ', order: -1 })
    await assert.rejects(refusal, (error) => {
      assert.ok(error instanceof CommandError)
      const every = 'Name is required. Order must be a whole number from 0 to 2147483647.'
      assert.deepEqual([error.code, error.message], ['INVALID_ARGUMENT', every])
      assert.deepEqual(error.errors, {
        name: ['Name is required.'],
        order: ['Order must be a whole number from 0 to 2147483647.'],
      })
      return true
    })
  })

  test('gives up after its timeout, and when it is aborted', async () => {
    const options = [{ withinMilliseconds: 0 }, { signal: AbortSignal.abort() }]
    const codes = ['DEADLINE_EXCEEDED', 'CANCELLED']
    for (const [index, option] of options.entries()) {
      const call = client.getProjectById({ id: randomUUID() }, option)
      await assert.rejects(call, (error) => error instanceof CommandError && error.code === codes[index])
    }
  })

  test('rejects to compile what the declarations do not know', () => {
    const never = async () => {
      // @ts-expect-error: a project belongs to an organization
      await client.createProject({ name: 'x' })
      // @ts-expect-error: an order is a number
      await client.createWorkflow({ name: 'x', order: '1' })
      // @ts-expect-error: a workflow has no colour
      await client.createWorkflow({ name: 'x', order: 1, colour: 'red' })
      const { user } = await client.getUserById({ id: '' })
      // @ts-expect-error: a password is never shown
      assert.equal(user?.password, undefined)
      // @ts-expect-error: restoring is not a command
      await client.restoreProject({ ids: [] })
    }
    assert.equal(typeof never, 'function')
  })
})
