import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { status } from '@grpc/grpc-js'
import { CommandError, openCommandClient } from '../../clients/typescript/src/commands.ts'
import { openCommandCalls } from '../support/command-calls.ts'
import { startCommandsUnderTest } from '../support/command-host.ts'
import { openDotnetCalls } from '../support/dotnet-calls.ts'
import { fixture } from '../support/fixture.ts'

const commentCommands = ['CreateComment', 'GetCommentById', 'ListComments', 'RemoveComment', 'UpdateComment']
const day = '2026-03-02'

describe('The commands of the extensions', { concurrency: true }, () => {
  let assignmentId: string

  const host = fixture(startCommandsUnderTest)
  const client = fixture(() => openCommandClient({ target: host.target, token: host.administrator.token }))
  before(async () => {
    const { organization } = await client.createOrganization({ name: 'Harbour' })
    const { workflow } = await client.createWorkflow({ name: 'Doing', order: 1 })
    const { assignmentType } = await client.createAssignmentType({ name: 'Repair' })
    const { project } = await client.createProject({ name: 'Pier', organizationId: organization?.id ?? '' })
    const { assignment } = await client.createAssignment({
      name: 'Mend the rail',
      startDate: day,
      endDate: day,
      amountHours: 1,
      projectId: project?.id ?? '',
      workflowId: workflow?.id ?? '',
      userId: host.administrator.id,
      assignmentTypeId: assignmentType?.id ?? '',
    })
    assignmentId = assignment?.id ?? ''
  })

  test('are called through the typed client', async () => {
    const text = '# Rail\n\n* measured: **2.4 m**\n* [plan](https://example.com/plan)'
    const { comment } = await client.createComment({ text, assignmentId, userId: host.administrator.id })
    assert.ok(comment)
    assert.equal(comment.text, text)
    const { result } = await client.listComments({ pagination: { assignmentId, search: '2.4 m' } })
    assert.deepEqual(result?.data, [comment])
    const change = { id: comment.id, text: 'Done.', assignmentId, userId: host.administrator.id }
    assert.deepEqual(await client.updateComment(change), {
      success: true,
      message: 'Comment updated successfully.',
      comment: (await client.getCommentById({ id: comment.id })).comment,
    })
    assert.deepEqual(await client.removeComment({ ids: [comment.id] }), {
      success: true,
      message: 'Comment removed successfully.',
    })
    const gone = await client.getCommentById({ id: comment.id })
    assert.deepEqual([gone.success, gone.message], [false, 'Comment was not found.'])
  })

  test('let members of the project read a comment, and only its author change it', async () => {
    const [author, reader] = await Promise.all([host.signUp(), host.signUp()])
    const { assignment } = await client.getAssignmentById({ id: assignmentId })
    for (const { id } of [author, reader])
      await client.createUserProject({ userId: id, projectId: assignment?.projectId ?? '' })
    const authorClient = openCommandClient({ target: host.target, token: author.token })
    const readerClient = openCommandClient({ target: host.target, token: reader.token })
    const { comment } = await authorClient.createComment({ text: 'Mine', assignmentId, userId: author.id })
    assert.ok(comment)
    assert.deepEqual((await readerClient.getCommentById({ id: comment.id })).comment, comment)
    const ofAuthor = { text: 'As if', assignmentId, userId: author.id }
    for (const write of [
      () => readerClient.createComment(ofAuthor),
      () => readerClient.updateComment({ ...ofAuthor, id: comment.id }),
      () => readerClient.removeComment({ ids: [comment.id] }),
    ])
      await assert.rejects(
        write,
        (error) => error instanceof CommandError && error.code === 'PERMISSION_DENIED',
      )
    authorClient.close()
    readerClient.close()
  })

  test('do not compile with a filter that the resource does not have', async () => {
    // @ts-expect-error: comments belong to assignments, not to workflows
    const list = () => client.listComments({ pagination: { workflowId: assignmentId } })
    await assert.rejects(list, /Comments cannot be filtered by workflowId\./)
    // @ts-expect-error: projects have no dates
    await assert.rejects(() => client.listProjects({ pagination: { dateFrom: day } }), /cannot be filtered/)
  })
})

describe('With EXTENSIONS=off, the command host', () => {
  const host = fixture(startCommandsUnderTest, { EXTENSIONS: 'off' })

  test('has no commands of the extensions, in either encoding', async () => {
    const { token } = host.administrator
    const calls = openCommandCalls(host.target)
    const dotnet = openDotnetCalls(host.target)
    for (const name of commentCommands) {
      assert.equal((await calls.call(name, {}, { token })).code, status.UNIMPLEMENTED, name)
      assert.equal((await dotnet.call('Comment', `${name}Command`, {}, { token })).code, status.UNIMPLEMENTED)
    }
    const { code } = await calls.call('ListOrganizations', { pagination: {} }, { token })
    assert.equal(code, status.OK)
    calls.close()
    dotnet.close()
  })
})
