import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { openCommandCalls } from '../support/command-calls.ts'
import { startCommandsUnderTest } from '../support/command-host.ts'
import { startRestUnderTest } from '../support/rest-host.ts'

describe('With HOURS_STEP=1, for clients that declare whole hours,', { concurrency: true }, () => {
  test('REST rejects finer hours', async () => {
    const rest = await startRestUnderTest({ HOURS_STEP: '1' })
    const send = async (entity: string, amountHours: number) => {
      const { token } = rest.administrator
      const { body } = await rest.call('POST', `/api/${entity}`, { token, body: { amountHours } })
      return body.errors.amountHours
    }
    assert.deepEqual(await send('appointment', 1.5), ['AmountHours must be a multiple of 1.'])
    assert.deepEqual(await send('assignment', 0.25), ['AmountHours must be a multiple of 1.'])
    assert.equal(await send('assignment', 3), undefined)
    await rest.stop()
  })

  test('so do the commands, in the same words', async () => {
    const host = await startCommandsUnderTest({ HOURS_STEP: '1' })
    const calls = openCommandCalls(host.target)
    const { token } = host.administrator
    const body = {
      name: 'x',
      startDate: { seconds: 1 },
      endDate: { seconds: 2 },
      projectId: host.administrator.id,
      workflowId: host.administrator.id,
      userId: host.administrator.id,
      assignmentTypeId: host.administrator.id,
    }
    const { details } = await calls.call('CreateAssignment', { ...body, amountHours: 1.5 }, { token })
    assert.equal(details, 'AmountHours must be a multiple of 1.')
    calls.close()
    await host.stop()
  })
})
