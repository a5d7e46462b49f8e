import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { openBudgets } from '../../src/config/budgets.ts'
import { assertEnvelope } from '../support/assert-envelope.ts'
import { type Person, startRestUnderTest } from '../support/rest-host.ts'

test('Only an account that keeps too many keys is rejected with 429', async () => {
  const rest = await startRestUnderTest({}, { budgets: openBudgets({ keysOfAccount: 2 }) })
  try {
    const post = (name: string, by: Person) =>
      rest.call('POST', '/api/organization', {
        token: by.token,
        body: { name },
        headers: { 'idempotency-key': randomUUID() },
      })
    const { administrator } = rest
    const statuses: number[] = []
    for (const name of ['A', 'B', 'C']) statuses.push((await post(name, administrator)).status)
    assert.deepEqual(statuses, [200, 200, 429])
    assertEnvelope(await post('D', await rest.signUp()), 403)
    const unkeyed = await rest.call('POST', '/api/organization', {
      token: administrator.token,
      body: { name: 'E' },
    })
    assert.equal(unkeyed.status, 200)
  } finally {
    await rest.stop()
  }
})
