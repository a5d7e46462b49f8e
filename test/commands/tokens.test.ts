import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { status } from '@grpc/grpc-js'
import { invalidateAccounts } from '../../src/accounts/sessions.ts'
import { type Sql, sql } from '../../src/db/sql.ts'
import { openCommandCalls } from '../support/command-calls.ts'
import { type Person, startCommandsUnderTest } from '../support/command-host.ts'
import { fixture } from '../support/fixture.ts'
import { measureRunningTime } from '../support/running-time.ts'
import { startTestIssuer, type TokenOptions } from '../support/test-issuer.ts'

const grant = { audience: 'svc-grpc', scope: 'svc.grpc' }

describe('A token for commands', { concurrency: true }, () => {
  const issuer = fixture(startTestIssuer)
  const host = fixture(() =>
    startCommandsUnderTest({ Auth__SessionValidationCacheSeconds: '0', Jwt__Issuer: issuer.issuer }),
  )
  const calls = fixture(() => openCommandCalls(host.target))

  const codeOf = async (token: string) =>
    status[(await calls.call('ListProjects', { pagination: {} }, { token })).code]
  const write = (statement: Sql) => host.database.transaction((store) => store.query(statement))
  const issued = (account: Person, options: Partial<TokenOptions>) =>
    issuer.token({ account, ...grant, ...options })

  const invalidTokens: readonly { readonly name: string; readonly options: Partial<TokenOptions> }[] = [
    { name: 'for the REST host', options: { audience: 'svc-api', scope: 'svc.api' } },
    { name: 'for this host without its scope', options: { scope: 'svc.api' } },
    { name: 'of another issuer', options: { claims: { iss: 'https://elsewhere.example.com' } } },
    { name: 'that has just expired', options: { claims: { exp: Math.floor(Date.now() / 1000) } } },
    { name: 'of another type', options: { header: { typ: 'JWT' } } },
    { name: 'with another security stamp', options: { claims: { 'svc:security_stamp': 'x' } } },
    { name: 'of a session that does not exist', options: { sid: 'nothing' } },
    { name: 'with an administrator claim for an account without the role', options: { admin: true } },
  ]
  for (const { name, options } of invalidTokens) {
    test(`${name} is rejected`, async () => {
      assert.equal(await codeOf(await issued(await host.signUp(), options)), 'UNAUTHENTICATED')
    })
  }

  test('that has just expired opens no stream and no page of diagnostics', async () => {
    const expired = await issued(await host.signUp(), { claims: { exp: Math.floor(Date.now() / 1000) } })
    const { code } = await calls.follow('FollowChanges', {}, { token: expired }).ended
    assert.equal(status[code], 'UNAUTHENTICATED')
    const headers = { authorization: `Bearer ${expired}` }
    assert.equal((await fetch(`${host.diagnostics}/`, { headers })).status, 401)
  })

  test('ends its stream when it expires', async () => {
    const person = await host.signUp()
    const exp = Math.floor(Date.now() / 1000) + 3
    const milliseconds = measureRunningTime()
    const secondsLeft = exp - Date.now() / 1000
    const token = await issued(person, { claims: { exp } })
    const stream = calls.follow('FollowChanges', { after: 'now' }, { token })
    const { code } = await stream.ended
    assert.ok(Date.now() >= exp * 1000, 'It ended before its token.')
    const secondsLate = milliseconds() / 1000 - secondsLeft
    assert.equal(status[code], 'UNAUTHENTICATED')
    assert.ok(secondsLate < 1.5, `It ended ${secondsLate} s after its token.`)
  })

  const endings: readonly { readonly event: string; end(person: Person): Promise<unknown> }[] = [
    {
      event: 'the session has ended',
      end: ({ id }) => write(sql`update signin_sessions set ended_at = now() where user_id = ${id}`),
    },
    {
      event: 'the account was removed',
      end: ({ id }) => write(sql`update users set active = false where id = ${id}`),
    },
    {
      event: 'the password was changed',
      end: ({ id }) => host.database.transaction((store) => invalidateAccounts(store, [id])),
    },
  ]
  for (const { event, end } of endings) {
    test(`stops working when ${event}`, async () => {
      const person = await host.signUp()
      const token = await issuer.signIn(host.database, person.id, grant)
      assert.equal(await codeOf(token), 'OK')
      await end(person)
      assert.equal(await codeOf(token), 'UNAUTHENTICATED')
    })
  }
})

/** The token of an account in these tests is that of its service client. */
describe('A service client of the identity host', { concurrency: true }, () => {
  const host = fixture(startCommandsUnderTest)
  const calls = fixture(() => openCommandCalls(host.target))

  const codeOf = async (token: string, command = 'ListProjects') =>
    status[(await calls.call(command, { pagination: {} }, { token })).code]

  test('calls commands with a token for them, alone or together with REST', async () => {
    const { login } = await host.signUp()
    for (const { scope, code } of [
      { scope: 'svc.grpc', code: 'OK' },
      { scope: 'svc.grpc svc.api', code: 'OK' },
      { scope: 'svc.api', code: 'UNAUTHENTICATED' },
    ])
      assert.equal(await codeOf(await host.identity.serviceToken(login, scope)), code, scope)
  })

  test('lists users only for an administrator', async () => {
    assert.equal(await codeOf((await host.signUp()).token, 'ListUsers'), 'PERMISSION_DENIED')
    assert.equal(await codeOf(host.administrator.token, 'ListUsers'), 'OK')
  })

  test('cannot change accounts with a token that was just revoked', async () => {
    const { id, login } = await host.signUp()
    await host.database.query(sql`insert into administrators (user_id, given_by) values (${id}, ${id})`)
    const token = await host.identity.serviceToken(login, 'svc.grpc')
    assert.equal(await codeOf(token, 'ListUsers'), 'OK')
    await host.database.transaction((store) => invalidateAccounts(store, [id]))
    // Reads may use the cached session check; changes must not.
    assert.equal(await codeOf(token, 'ListUsers'), 'OK')
    const { id: other } = await host.signUp()
    const account = { name: 'Late', login: 'late@example.com', password: 'Another-Horse-456' }
    for (const { command, request } of [
      { command: 'CreateUser', request: account },
      { command: 'UpdateUser', request: { id: other, ...account } },
      { command: 'RemoveUser', request: { ids: [other] } },
    ] as const)
      assert.equal(status[(await calls.call(command, request, { token })).code], 'UNAUTHENTICATED', command)
  })
})

/** A busy machine may need this much longer. */
const slackMilliseconds = 2000

describe('Between two session checks,', () => {
  test('a revoked token is rejected soon after the cache time', async () => {
    await using host = await startCommandsUnderTest({ Auth__SessionValidationCacheSeconds: '1' })
    await using calls = openCommandCalls(host.target)
    const { id, token } = await host.signUp()
    const code = async () => (await calls.call('ListProjects', { pagination: {} }, { token })).code
    assert.equal(await code(), status.OK)
    await host.database.transaction((store) => invalidateAccounts(store, [id]))
    const milliseconds = measureRunningTime()
    while ((await code()) === status.OK) {
      assert.ok(milliseconds() < 1000 + slackMilliseconds, 'the token is still accepted')
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
    assert.equal(await code(), status.UNAUTHENTICATED)
  })
})
