import { request } from 'node:http'
import { describe, test } from 'node:test'
import { openBudgets } from '../../src/config/budgets.ts'
import { connectDirectly, untilWaiting } from '../support/direct-connection.ts'
import { fixture } from '../support/fixture.ts'
import { startRestUnderTest } from '../support/rest-host.ts'
import { until } from '../support/until.ts'

describe('A client that leaves while its token is checked', () => {
  const budgets = openBudgets()
  const rest = fixture(startRestUnderTest, { Auth__SessionValidationCacheSeconds: '0' }, { budgets })

  test('keeps no slot for its batch', async () => {
    const { token } = await rest.signUp()
    const connections = () => budgets.states().find(({ name }) => name === 'httpConnections')?.used ?? 0
    const before = connections()
    const client = await connectDirectly(rest.database)
    await client.query('begin; lock signin_sessions in access exclusive mode')
    const sent = request(`${rest.address}/ext/batch`, {
      method: 'POST',
      agent: false,
      headers: {
        authorization: `Bearer ${token}`,
        'content-type': 'application/json',
        'content-length': 100,
      },
    })
    sent.on('error', () => undefined).flushHeaders()
    await untilWaiting(client)
    sent.destroy()
    await until(() => connections() <= before, 'the host to notice that the client has left')
    await client.query('rollback')
    await client.end()
    // This request is handled after the first request. By then, the first request would have its slot.
    await rest.call('POST', '/ext/batch', { token, body: { items: [] } })
    await until(() => budgets.budget('batches').used() === 0, 'the slot to be released')
  })
})
