import assert from 'node:assert/strict'
import { test } from 'node:test'
import { arriveFrom, type OutsideAccount, startOutsideProvider } from '../support/outside-provider.ts'
import { startRestUnderTest } from '../support/rest-host.ts'

test('The security log records sign-ins with external providers, first ones, and rejected ones', async (t) => {
  const written: string[] = []
  const outside = await startOutsideProvider()
  const corp = outside.settings('corp', { LinkByVerifiedEmail: 'true', CreateAccounts: 'true' })
  const rest = await startRestUnderTest(
    { LOG_LEVEL: 'info', ...corp },
    { destination: { write: (line: string) => void written.push(line) } },
  )
  t.after(() => Promise.all([rest.stop(), outside.stop()]))
  const { id: account, login } = await rest.signUp()
  const arrive = async (person: OutsideAccount): Promise<Record<string, unknown>[]> => {
    const from = written.length
    await arriveFrom(outside, rest.identity.address, { provider: 'corp', person })
    return written
      .slice(from)
      .map((line) => JSON.parse(line))
      .filter(({ security }) => security !== undefined)
      .map(({ level: _level, time: _time, msg: _msg, reqId: _id, requestId, address, ...event }) => {
        assert.ok(requestId && address)
        return event
      })
  }
  const [connected, right] = await arrive({ sub: 'known', email: login, email_verified: true })
  const provider = 'corp'
  assert.deepEqual(connected, {
    security: 'identity-connected',
    outcome: 'verified address',
    account,
    provider,
  })
  const { session, ...others } = right ?? {}
  assert.deepEqual(others, {
    security: 'sign-in',
    outcome: 'right',
    account,
    client: 'svc-webclient',
    provider,
  })
  assert.equal(typeof session, 'string')
  assert.deepEqual(await arrive({ sub: 'stranger' }), [
    { security: 'outside-refused', outcome: 'no account', provider },
  ])
  const made = await arrive({ sub: 'new', email: 'made@example.com', email_verified: true })
  assert.deepEqual(
    made.map(({ security, outcome }) => [security, outcome]),
    [
      ['account-changed', 'create'],
      ['identity-connected', 'new account'],
      ['sign-in', 'right'],
    ],
  )
  assert.doesNotMatch(written.join(''), /eyJ[\w-]+\.eyJ/)
})
