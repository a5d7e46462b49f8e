import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { status } from '@grpc/grpc-js'
import { endSignIns } from '../../src/accounts/end-sign-ins.ts'
import { type Sql, sql } from '../../src/store/sql.ts'
import { type CommandCalls, openCommandCalls } from '../support/command-calls.ts'
import { type CommandsUnderTest, type Person, startCommandsUnderTest } from '../support/command-host.ts'
import type { TokenOptions } from '../support/test-issuer.ts'

describe('A token for commands', { concurrency: true }, () => {
  let host: CommandsUnderTest
  let calls: CommandCalls

  before(async () => {
    host = await startCommandsUnderTest({ Auth__SessionValidationCacheSeconds: '0' })
    calls = openCommandCalls(host.target)
  })
  after(async () => {
    calls.close()
    await host.stop()
  })

  const codeOf = async (token: string, command = 'ListProjects') =>
    status[(await calls.call(command, { pagination: {} }, { token })).code]
  const write = (statement: Sql) => host.database.transaction((store) => store.query(statement))
  const issued = (account: Person, options: Partial<TokenOptions>) =>
    host.issuer.token({ account, audience: 'svc-grpc', scope: 'svc.grpc', ...options })

  const wrong: readonly (readonly [string, Partial<TokenOptions>])[] = [
    ['for the REST host', { audience: 'svc-api', scope: 'svc.api' }],
    ['for this host without its scope', { scope: 'svc.api' }],
    ['of another issuer', { claims: { iss: 'https://elsewhere.example.com' } }],
    ['that expired', { claims: { exp: Math.floor(Date.now() / 1000) - 90 } }],
    ['of another type', { header: { typ: 'JWT' } }],
    ['with another security stamp', { claims: { 'svc:security_stamp': 'x' } }],
    ['of a session that does not exist', { sid: 'nothing' }],
  ]
  for (const [what, options] of wrong) {
    test(`${what} is refused`, async () => {
      assert.equal(await codeOf(await issued(await host.signUp(), options)), 'UNAUTHENTICATED')
    })
  }

  test('of a service client, for both hosts and without a session, is accepted', async () => {
    const token = await issued(await host.signUp(), {
      audience: ['svc-api', 'svc-grpc'],
      scope: 'svc.api svc.grpc',
    })
    assert.equal(await codeOf(token), 'OK')
  })

  const endings: readonly (readonly [string, (person: Person) => Promise<unknown>])[] = [
    [
      'the session has ended',
      ({ id }) => write(sql`update signin_sessions set ended_at = now() where user_id = ${id}`),
    ],
    ['the account was removed', ({ id }) => write(sql`update users set active = false where id = ${id}`)],
    ['the password was changed', ({ id }) => host.database.transaction((store) => endSignIns(store, id))],
  ]
  for (const [what, end] of endings) {
    test(`stops working when ${what}`, async () => {
      const person = await host.signUp()
      assert.equal(await codeOf(person.token), 'OK')
      await end(person)
      assert.equal(await codeOf(person.token), 'UNAUTHENTICATED')
    })
  }

  test('with the administrator claim of somebody who is none is refused', async () => {
    assert.equal(await codeOf(await issued(await host.signUp(), { admin: true })), 'UNAUTHENTICATED')
  })

  test('without the administrator claim does not list users, with it does', async () => {
    assert.equal(await codeOf((await host.signUp()).token, 'ListUsers'), 'PERMISSION_DENIED')
    assert.equal(await codeOf(host.administrator.token, 'ListUsers'), 'OK')
  })
})

describe('Between two session checks', () => {
  test('a token is believed for the time of the cache, and no longer', async () => {
    const host = await startCommandsUnderTest({ Auth__SessionValidationCacheSeconds: '1' })
    const calls = openCommandCalls(host.target)
    try {
      const { id, token } = await host.signUp()
      const code = async () => (await calls.call('ListProjects', { pagination: {} }, { token })).code
      assert.equal(await code(), status.OK)
      await host.database.transaction((store) => endSignIns(store, id))
      const endsAt = performance.now() + 3000
      while ((await code()) === status.OK) {
        assert.ok(performance.now() < endsAt, 'the token is refused within the time of the cache')
        await new Promise((resolve) => setTimeout(resolve, 50))
      }
      assert.equal(await code(), status.UNAUTHENTICATED)
    } finally {
      calls.close()
      await host.stop()
    }
  })
})
