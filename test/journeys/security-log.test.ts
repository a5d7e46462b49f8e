import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { openBudgets } from '../../src/config/budgets.ts'
import { listMessage, listOrganizations } from '../commands/assert-serves.ts'
import {
  claimsOf,
  createPkce,
  openBrowser,
  postSignIn,
  refresh,
  signedIn,
  signIn,
  signOut,
} from '../support/browser.ts'
import { password } from '../support/cheap-passwords.ts'
import { startCommandsUnderTest } from '../support/command-host.ts'
import { arriveFrom, type ExternalAccount, startExternalProvider } from '../support/external-provider.ts'
import { fixture } from '../support/fixture.ts'
import { framed, grpcHeaders, openRawCalls } from '../support/raw-calls.ts'
import { registrationOf, signInTo, wiki } from '../support/registered-clients.ts'
import { startRestUnderTest } from '../support/rest-host.ts'
import { until } from '../support/until.ts'

type Line = Readonly<Record<string, unknown>>

const root = join(import.meta.dirname, '..', '..')
const newPassword = 'Another-Horse-456'

describe('The security log', () => {
  const written: string[] = []
  const environment = { LOG_LEVEL: 'info', ...registrationOf(wiki) }
  const rest = fixture(startRestUnderTest, environment, {
    destination: { write: (line) => void written.push(line) },
  })

  /**
   * Returns the events of `work` without values that differ in each run. Asserts the request id and the
   * address.
   */
  const eventsOf = async (work: () => Promise<unknown>): Promise<Line[]> => {
    const from = written.length
    await work()
    const lines: Line[] = written.slice(from).map((line) => JSON.parse(line))
    return lines
      .filter(({ security }) => security !== undefined)
      .map(({ level: _level, time: _time, msg: _msg, reqId: _id, requestId, address, ...line }) => {
        assert.match(String(requestId), /^[\w-]{8,}$/)
        assert.equal(address, '127.0.0.1')
        return line
      })
  }
  const client = 'svc-webclient'
  const identity = () => rest.identity.address
  const attempt = (login: string, secret: string) =>
    postSignIn(openBrowser(identity()), createPkce(), { login, password: secret })
  const hashOf = ({ loginHash }: Line = {}) => {
    assert.match(String(loginHash), /^[0-9a-f]{16}$/)
    return loginHash
  }

  test('records successful, failed and locked sign-ins', async () => {
    const { id: account, login } = await rest.signUp()
    const [right] = await eventsOf(() => attempt(login, password))
    const { session, ...event } = right ?? {}
    assert.deepEqual(event, { security: 'sign-in', outcome: 'right', account, client })
    assert.equal(typeof session, 'string')
    const wrong = { security: 'sign-in', outcome: 'wrong', account, client }
    for (let count = 1; count <= 4; count += 1)
      assert.deepEqual(await eventsOf(() => attempt(login, 'Wrong-Horse-1')), [wrong])
    assert.deepEqual(await eventsOf(() => attempt(login, 'Wrong-Horse-1')), [
      { security: 'lockout-begun', outcome: 'sign-in', account, client },
      wrong,
    ])
    const [locked] = await eventsOf(() => attempt(login, password))
    assert.equal(locked?.outcome, 'locked')
  })

  test('contains no unknown login', async () => {
    const typed = 'My-Secret-Password-1'
    const [first] = await eventsOf(() => attempt(typed, 'x'))
    const [second] = await eventsOf(() => attempt(` ${typed.toUpperCase()}`, 'x'))
    const [other] = await eventsOf(() => attempt('somebody@example.com', 'x'))
    assert.equal(hashOf(first), hashOf(second))
    assert.notEqual(hashOf(first), hashOf(other))
    assert.doesNotMatch(written.join(''), /My-Secret|MY-SECRET|somebody@/)
  })

  test('records changed passwords and acts of administrators', async () => {
    const { id: account, login, token } = await rest.signUp({ name: 'Mara' })
    const session = claimsOf(token).sid
    const body = { currentPassword: password, newPassword }
    assert.deepEqual(await eventsOf(() => rest.call('POST', '/api/me/password', { token, body })), [
      { security: 'password-changed', account, by: account, client, session },
    ])
    const root = rest.administrator
    const actor = { by: root.id, client, session: claimsOf(root.token).sid, account }
    const changed = (outcome: string) => ({ security: 'account-changed', outcome, ...actor })
    const as = (method: string, path: string, body: object) => () => root.call(method, path, body)
    const update = { id: account, name: 'Mara', login, password }
    assert.deepEqual(await eventsOf(as('PATCH', '/api/user', update)), [
      changed('update'),
      { security: 'password-changed', ...actor },
    ])
    assert.deepEqual(await eventsOf(as('DELETE', '/api/user', { ids: [account] })), [changed('remove')])
    assert.deepEqual(await eventsOf(as('POST', '/api/user/restore', { ids: [account] })), [
      changed('restore'),
    ])
    const created = await eventsOf(as('POST', '/api/user', { name: 'N', login: 'n@example.com', password }))
    assert.deepEqual([created.length, created[0]?.outcome, created[0]?.by], [1, 'create', root.id])
    // A rejected request records nothing.
    assert.deepEqual(await eventsOf(as('DELETE', '/api/user', { ids: ['x'] })), [])
    assert.deepEqual(await eventsOf(as('PATCH', '/api/user', { ...update, login: 'n@example.com' })), [])
  })

  test('records a wrong password at a change only if it starts a lockout', async () => {
    const { id: account, token } = await rest.signUp()
    const body = { currentPassword: 'Wrong-Horse-1', newPassword }
    const change = () => rest.call('POST', '/api/me/password', { token, body })
    for (let count = 1; count <= 4; count += 1) assert.deepEqual(await eventsOf(change), [])
    const locked = { security: 'lockout-begun', outcome: 'password-change', account, client }
    assert.deepEqual(await eventsOf(change), [{ ...locked, session: claimsOf(token).sid }])
  })

  test('records sessions that end, with the reason', async () => {
    const { id: account, login, token } = await rest.signUp()
    const signInAgain = () => signedIn(identity(), { login })
    const ended = (outcome: string, session: unknown) => ({ security: 'session-ended', outcome, session })
    const first = await signInAgain()
    const { sid } = claimsOf(first.tokens.access_token)
    assert.deepEqual(await eventsOf(() => signOut(first.browser, { id_token_hint: first.tokens.id_token })), [
      ended('sign-out', sid),
    ])
    const second = await signInAgain()
    const { sid: secondId } = claimsOf(second.tokens.access_token)
    const other = await rest.signUp()
    const events = await eventsOf(() =>
      signIn(second.browser, createPkce(), { login: other.login, request: { prompt: 'login' } }),
    )
    assert.deepEqual(events.slice(1), [ended('another account', secondId)])
    const third = claimsOf((await signInAgain()).tokens.access_token).sid
    const by = { account, by: account, client }
    assert.deepEqual(
      await eventsOf(() => rest.call('DELETE', '/ext/sessions', { token, body: { ids: [third] } })),
      [{ ...ended('on request', third), ...by }],
    )
    const { security, outcome } = ended('all of the account', undefined)
    assert.deepEqual(await eventsOf(() => rest.call('POST', '/ext/sessions/end-all', { token })), [
      { security, outcome, ...by },
    ])
  })

  test('records tokens that clients revoke', async () => {
    const { login } = await rest.signUp()
    const { browser, tokens } = await signedIn(identity(), { login })
    const revoke = (token: string) => browser.post('/connect/revocation', { token, client_id: client })
    const revoked = (outcome: string) => [{ security: 'token-revoked', outcome, client }]
    assert.deepEqual(await eventsOf(() => revoke(tokens.access_token)), revoked('access token'))
    assert.deepEqual(await eventsOf(() => revoke(tokens.refresh_token)), revoked('refresh token'))
    assert.deepEqual(await eventsOf(() => revoke(tokens.refresh_token)), [])
  })

  test('records the consent that users give and deny to clients', async () => {
    const { id: account, login } = await rest.signUp()
    const browser = openBrowser(identity())
    for (const [answer, outcome] of Object.entries({ deny: 'denied', allow: 'granted' })) {
      const events = await eventsOf(() => signInTo(browser, wiki, { login, answer }))
      const { session, ...consent } = events.find(({ security }) => security === 'consent') ?? {}
      assert.deepEqual(consent, { security: 'consent', outcome, account, client: wiki.id })
      assert.equal(typeof session, 'string')
    }
  })

  test('records a refresh token that is used twice', async () => {
    const { login } = await rest.signUp()
    const { browser, tokens } = await signedIn(identity(), { login })
    const session = claimsOf(tokens.access_token).sid
    await refresh(browser, tokens.refresh_token)
    assert.deepEqual(await eventsOf(() => refresh(browser, tokens.refresh_token)), [
      { security: 'refresh-replayed', outcome: 'refresh token', client, session },
      { security: 'session-ended', outcome: 'replay', client, session },
    ])
  })

  test('records a token for another host and wrong client credentials', async () => {
    const { id: account, login } = await rest.signUp()
    const token = await rest.identity.serviceToken(login, 'svc.grpc')
    const [rejected] = await eventsOf(() => rest.call('GET', '/api/me', { token }))
    assert.deepEqual(rejected, {
      security: 'token-refused',
      outcome: 'audience',
      account,
      client: claimsOf(token).client_id,
    })
    const form = {
      grant_type: 'client_credentials',
      client_id: 'a-secret-in-the-wrong-field',
      client_secret: 'x',
    }
    assert.deepEqual(await eventsOf(() => openBrowser(identity()).post('/connect/token', form)), [
      { security: 'client-refused', outcome: 'wrong credentials' },
    ])
    assert.doesNotMatch(written.join(''), /wrong-field/)
  })

  test('records rejections of the limiter once a second', async () => {
    const lines: string[] = []
    await using limited = await startRestUnderTest(
      { LOG_LEVEL: 'warn', RateLimit__Rest__PermitLimit: '1', RateLimit__Rest__QueueLimit: '0' },
      { destination: { write: (line) => void lines.push(line) } },
    )
    for (let count = 0; count < 30; count += 1) await limited.call('GET', '/')
    const rejections = lines
      .map((line) => JSON.parse(line))
      .filter(({ security }) => security === 'requests-refused')
    assert.ok(rejections.length >= 1 && rejections.length < 29, `${rejections.length} lines`)
    assert.equal(rejections[0].count, 1)
    assert.equal(rejections[0].address, '127.0.0.1')
  })

  test('contains no password, no token and only documented events', async () => {
    const log = written.join('')
    assert.ok(!log.includes(password) && !log.includes(newPassword))
    assert.doesNotMatch(log, /eyJ[\w-]+\.eyJ/)
    const source = await readFile(join(root, 'src/observability/security-log.ts'), 'utf8')
    const table = await readFile(join(root, 'docs/security-events.md'), 'utf8')
    const names = [...source.matchAll(/^ {2}'?([a-z-]+)'?: '(?:info|warn)',$/gm)].map(([, name]) => name)
    assert.equal(names.length, 25)
    for (const name of names) assert.ok(table.includes(`| \`${name}\` |`), `${name} is not in the table`)
  })
})

test('The security log records first, further and rejected sign-ins with external providers', async (t) => {
  const written: string[] = []
  const external = await startExternalProvider()
  const corp = external.settings('corp', { LinkByVerifiedEmail: 'true', CreateAccounts: 'true' })
  const rest = await startRestUnderTest(
    { LOG_LEVEL: 'info', ...corp },
    { destination: { write: (line: string) => void written.push(line) } },
  )
  t.after(() => Promise.all([rest.stop(), external.stop()]))
  const { id: account, login } = await rest.signUp()
  const arrive = async (person: ExternalAccount): Promise<Record<string, unknown>[]> => {
    const from = written.length
    await arriveFrom(external, rest.identity.address, { provider: 'corp', person })
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
  const { session, ...event } = right ?? {}
  assert.deepEqual(event, {
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

/** Collects the lines of the hosts' log. The clock of the budget is stopped. */
function openLog() {
  const written: string[] = []
  return {
    destination: { write: (line: string) => void written.push(line) },
    budgets: openBudgets({ unauthenticatedLines: 3 }, () => 0),
    linesOf: (message: string) =>
      written.map((line) => JSON.parse(line)).filter(({ msg }) => msg === message),
  }
}
const countWithoutToken = 40
const countWithToken = 8
const linesWithoutTokenMax = 3

test('Requests without a token add a limited number of lines to the log', async () => {
  const { destination, budgets, linesOf } = openLog()
  await using rest = await startRestUnderTest({ LOG_LEVEL: 'info' }, { destination, budgets })
  const { token, id } = await rest.signUp()
  const requests = (expectedStatus: number) =>
    linesOf('A request has ended.').filter(
      ({ path, status }) => path === '/api/projects' && status === expectedStatus,
    )
  for (let count = 0; count < countWithoutToken; count += 1) await rest.call('GET', '/api/projects')
  for (let count = 0; count < countWithToken; count += 1) await rest.call('GET', '/api/projects', { token })
  await until(() => requests(200).length === countWithToken, 'a line for each request with a token')
  assert.equal(requests(401).length, linesWithoutTokenMax)
  const [withToken, anonymous] = [requests(200)[0], requests(401)[0]]
  assert.deepEqual([withToken.address, withToken.account], ['127.0.0.1', id])
  assert.deepEqual([anonymous.address, anonymous.account], ['127.0.0.1', undefined])
  const [state] = budgets.states().filter(({ name }) => name === 'unauthenticatedLines')
  assert.equal(state?.rejected, countWithoutToken - linesWithoutTokenMax)
})

test('Calls without a token add a limited number of lines to the log', async () => {
  const { destination, budgets, linesOf } = openLog()
  await using host = await startCommandsUnderTest({ LOG_LEVEL: 'info' }, { destination, budgets })
  await using raw = openRawCalls(host.target)
  const call = (token?: string) => raw.send(grpcHeaders(listOrganizations, token), framed(listMessage))
  for (let count = 0; count < countWithoutToken; count += 1) await call()
  for (let count = 0; count < countWithToken; count += 1) await call(host.administrator.token)
  const calls = (expectedCode: string) =>
    linesOf('A call has ended.').filter(({ code }) => code === expectedCode)
  await until(() => calls('OK').length === countWithToken, 'a line for each call with a token')
  assert.equal(calls('UNAUTHENTICATED').length, linesWithoutTokenMax)
  const [withToken] = calls('OK')
  assert.deepEqual([withToken.address, withToken.account], ['127.0.0.1', host.administrator.id])
})
