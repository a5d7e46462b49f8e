import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { type CommandCalls, openCommandCalls } from '../support/command-calls.ts'
import { type CommandsUnderTest, startCommandsUnderTest } from '../support/command-host.ts'
import { furnish, type Workspace } from '../support/furnish.ts'
import { listen } from '../support/live-events.ts'
import { type RestUnderTest, startRestUnderTest } from '../support/rest-host.ts'

describe('Commands and REST on one store', { concurrency: true }, () => {
  let rest: RestUnderTest
  let commands: CommandsUnderTest
  let calls: CommandCalls
  let workspace: Workspace

  before(async () => {
    rest = await startRestUnderTest()
    // With connections and a change watch of its own, as in another process.
    commands = await startCommandsUnderTest({}, { beside: rest })
    calls = openCommandCalls(commands.target)
    workspace = await furnish(rest)
  })
  after(async () => {
    calls.close()
    await commands.stop()
    await rest.stop()
  })

  const call = async (name: string, request: object) => {
    const { code, details, result } = await calls.call(name, request, { token: commands.administrator.token })
    assert.equal(code, 0, `${name}: ${details}`)
    return result
  }
  const read = async (path: string) =>
    (await rest.call('GET', path, { token: rest.administrator.token })).body

  test('a record written by a command is the record that REST shows, to the microsecond', async () => {
    const { workflow } = await call('CreateWorkflow', { name: 'Testing', order: 7 })
    const shown = (await read(`/api/workflow?id=${workflow.id}`)).workflow
    const { seconds, nanos } = workflow.createdAt
    const created = `${new Date(Number(seconds) * 1000).toISOString().slice(0, 19)}.${String(nanos / 1000).padStart(6, '0')}`
    assert.equal(shown.createdAt.replace(/0*Z$/, ''), created.replace(/0*$/, ''))
    assert.deepEqual([shown.name, shown.order], ['Testing', 7])
  })

  for (const [verb, write] of [
    ['creates', () => call('CreateImpediment', { name: 'Beside: created' })],
    ['updates', (id: string) => call('UpdateImpediment', { id, name: 'Beside: updated' })],
    ['removes', (id: string) => call('RemoveImpediment', { ids: [id] })],
  ] as const) {
    test(`a live listing on REST hears within a second what a command ${verb}`, async () => {
      const { id } = await workspace.make('impediment', { name: `Beside: before ${verb}` })
      const { token } = rest.administrator
      const live = await listen(rest.address, '/api/impediments?search=beside', { token })
      await live.next()
      // The listing has just sent an event, and sends at most one a second.
      await new Promise((resolve) => setTimeout(resolve, 1000))
      const startedAt = performance.now()
      await write(id)
      await live.next()
      assert.ok(performance.now() - startedAt < 1500)
      live.close()
    })
  }

  test('of many who change one version at once, by command and by REST, one succeeds', async () => {
    const { organizationId } = workspace
    const id = await workspace.project()
    for (let round = 0; round < 10; round++) {
      const { project } = await call('GetProjectById', { id })
      const shown = (await read(`/api/project?id=${id}`)).project
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
                expectedVersion: shown.updatedAt ?? shown.createdAt,
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
