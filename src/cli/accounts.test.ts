import assert from 'node:assert/strict'
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, afterEach, beforeEach, describe, test } from 'node:test'
import { stripVTControlCharacters } from 'node:util'
import { signedIn } from '../../test/support/browser.ts'
import { type CliResult, freePort, runCli, startChild } from '../../test/support/child-host.ts'
import { connectDirectly } from '../../test/support/direct-connection.ts'
import { fixture } from '../../test/support/fixture.ts'
import { type FreshDatabase, freshDatabase, urlUnderRoleOf } from '../../test/support/fresh-database.ts'
import { insertAccount } from '../../test/support/insert-account.ts'
import { origin } from '../../test/support/known-clients.ts'
import { until } from '../../test/support/until.ts'
import { authorizeOperator, deactivateAccount } from '../accounts/administrators.ts'
import { createPasswords } from '../accounts/passwords.ts'
import type { Environment } from '../config/settings.ts'
import { raw, sql } from '../db/sql.ts'
import { createClient } from '../features/clients/clients.ts'

const password = 'Correct-Horse-1'

interface CommandOptions {
  /** The text that is piped in. */
  readonly input?: string
  readonly settings?: Environment
  /** The host whose role in the database the command uses. */
  readonly host?: 'rest' | 'identity'
}

/** Returns functions that run commands on a store, and read its accounts. */
function operatorOf(fresh: () => FreshDatabase) {
  const run = (args: readonly string[], { input, settings = {}, host = 'rest' }: CommandOptions = {}) =>
    runCli(
      { DATABASE_URL: urlUnderRoleOf(host, fresh().url), Cors__AllowedOrigins__0: origin, ...settings },
      args,
      input,
    )
  return {
    run,
    async succeeds(...command: Parameters<typeof run>) {
      const result = await run(...command)
      assert.equal(result.code, 0, result.stderr)
      return result
    },
    async fails(code: number, message: RegExp, ...command: Parameters<typeof run>) {
      const result = await run(...command)
      assert.deepEqual([result.code, message.test(result.stderr)], [code, true], result.stderr)
      assert.deepEqual(eventsOf(result), [])
    },
    async findAccount(login: string) {
      const [account] = await fresh().database.query<{
        id: string
        name: string
        hash: string
        sessions: number
      }>(
        sql`
        select id, name, password_hash as hash,
          (select count(*)::int from signin_sessions where user_id = users.id and ended_at is null) as sessions
        from users where login = ${login}`,
      )
      return account ?? assert.fail(`There is no ${login}.`)
    },
    addSession: ({ id }: { readonly id: string }) =>
      fresh().database.singleWrites.query(sql`
        insert into signin_sessions (id, user_id, security_stamp, expires_at)
        select ${`session-of-${id}`}, id, security_stamp, now() + interval '1 hour' from users where id = ${id}`),
  }
}

/** Returns the security events that a command has logged, each with its outcome and client. */
const eventsOf = ({ stderr }: CliResult): string[] =>
  stderr
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line))
    .map(({ security, outcome, client }) => [security, outcome, client].filter(Boolean).join(' '))

describe('The accounts of a store', () => {
  const fresh = fixture(freshDatabase)
  const { succeeds, fails, findAccount, addSession } = operatorOf(() => fresh)

  test('can be created with the role of an administrator', async () => {
    const created = await succeeds(
      ['account', 'create', 'ann@example.com', '--name', 'Ann', '--administrator'],
      { input: `${password}\n` },
    )
    assert.deepEqual(eventsOf(created), [
      'account-changed create command line',
      'administrator-changed given command line',
    ])
    assert.ok(!(created.stdout + created.stderr).includes(password))
    const { id, name, hash } = await findAccount('ann@example.com')
    assert.equal(name, 'Ann')
    assert.ok(await createPasswords().verify(hash, password))
    const [entry] = await fresh.database.query(
      sql`select action, client from history where resource = 'user' and row_id = ${id}`,
    )
    assert.deepEqual(entry, { action: 'create', client: 'command line' })
    const { stdout } = await succeeds(['account', 'list', 'ann@'])
    assert.equal(stdout, 'ann@example.com  administrator  Ann\n')
  })

  test('must have a valid password and a valid, unique login', async () => {
    const create = (login: string) => ['account', 'create', login]
    const input = `${password}\n`
    await insertAccount(fresh.database, { login: 'taken@example.com' })
    await Promise.all([
      fails(1, /must be at least 8 characters/, create('bob@example.com'), { input: 'short\n' }),
      fails(1, /most common passwords/, create('bob@example.com'), { input: 'Password1!\n' }),
      fails(1, /already/, create('TAKEN@example.com'), { input }),
      fails(1, /Login must be at most/, create('x'.repeat(1000)), { input }),
      fails(2, /no password/, create('bob@example.com')),
      fails(2, /LOGIN is missing/, ['account', 'create']),
      fails(2, /Unknown option/, [...create('bob@example.com'), '--password', password]),
      fails(2, /too many/, [...create('bob@example.com'), password]),
      fails(1, /There is no account nobody/, ['account', 'reset-password', 'nobody', '--link']),
    ])
  })

  test('can be created with --link, and each new link ends the previous one', async () => {
    const created = await succeeds(['account', 'create', 'link@example.com', '--link'])
    const [, secret] = /^http:\/\/app\.example\.test\/new-password#(svl_\w+)$/m.exec(created.stdout) ?? []
    assert.ok(secret, created.stdout)
    assert.deepEqual(eventsOf(created), [
      'account-changed create command line',
      'link-made password command line',
    ])
    const next = await succeeds(['account', 'reset-password', 'link@example.com', '--link'])
    assert.match(next.stdout, /#svl_\w+\n$/)
    const links = await fresh.database.query<{ isOpen: boolean }>(
      sql`select ended_at is null as "isOpen" from account_links order by created_at`,
    )
    assert.deepEqual(
      links.map(({ isOpen }) => isOpen),
      [false, true],
    )
    await fails(2, /EXTENSIONS=off/, ['account', 'reset-password', 'link@example.com', '--link'], {
      settings: { EXTENSIONS: 'off' },
    })
  })

  test('get a new password, which ends their sessions; without a terminal, --yes is required', async () => {
    const account = await insertAccount(fresh.database, { login: 'carl@example.com' })
    await addSession(account)
    const reset = ['account', 'reset-password', 'carl@example.com']
    await fails(2, /ends all sessions.*--yes is required/, reset, { input: `${password}\n` })
    await fails(1, /most common passwords/, [...reset, '--yes'], { input: 'Password1!\n' })
    assert.equal((await findAccount('carl@example.com')).sessions, 1)
    assert.deepEqual(eventsOf(await succeeds([...reset, '--yes'], { input: `${password}\r\n` })), [
      'password-changed command line',
    ])
    const { hash, sessions } = await findAccount('carl@example.com')
    assert.equal(sessions, 0)
    assert.ok(await createPasswords().verify(hash, password))
  })

  test('are reactivated, if needed with a new password', async () => {
    const { id, login } = await insertAccount(fresh.database, { login: 'gus@example.com' })
    await succeeds(['account', 'deactivate', login, '--yes'])
    const isDeactivated = async () =>
      (await fresh.database.query(sql`select from deactivated_accounts where user_id = ${id}`)).length > 0
    assert.ok(await isDeactivated())
    // A stolen password can be replaced before the account is reactivated. A link would not help, because the
    // account cannot sign in.
    await fails(1, /is deactivated/, ['account', 'reset-password', login, '--link'])
    const reset = await succeeds(['account', 'reset-password', login, '--yes'], {
      input: 'Correct-Horse-3\n',
    })
    assert.match(reset.stdout, /was changed.*\nThe account is still deactivated/)
    assert.ok(await createPasswords().verify((await findAccount(login)).hash, 'Correct-Horse-3'))
    assert.ok(await isDeactivated())
    const reactivated = await succeeds(['account', 'reactivate', login])
    assert.deepEqual(eventsOf(reactivated), ['account-changed reactivate command line'])
    assert.match(reactivated.stdout, /gus@example\.com was reactivated/)
    assert.ok(!(await isDeactivated()))
    const again = await succeeds(['account', 'reactivate', login])
    assert.deepEqual([again.stdout, eventsOf(again)], ['gus@example.com is not deactivated.\n', []])
    await fails(1, /There is no account/, ['account', 'reactivate', 'nobody@example.com'])
  })

  test('lose their second factors', async () => {
    const account = await insertAccount(fresh.database, { login: 'fay@example.com' })
    await addSession(account)
    const remove = ['account', 'remove-factors', 'fay@example.com', '--yes']
    await fails(1, /Second factor was not found/, remove, { host: 'identity' })
    await fresh.database.singleWrites.query(sql`insert into authenticator_apps (user_id, sealed_secret, last_step, created_at)
      values (${account.id}, ${Buffer.alloc(60)}, 0, now())`)
    const removed = await succeeds(remove, {
      settings: { MAIL_FROM: 'tracker@example.com' },
      host: 'identity',
    })
    assert.deepEqual(eventsOf(removed), ['factor-changed taken away command line'])
    assert.equal((await findAccount('fay@example.com')).sessions, 0)
    assert.deepEqual(await fresh.database.query(sql`select purpose from mails`), [{ purpose: 'factors' }])
  })

  test('are listed as text with escaped control characters, and as JSON', async () => {
    const name = 'Red \u{9b}31m'
    await insertAccount(fresh.database, { login: 'zoe@example.com', name })
    const { stdout } = await succeeds(['account', 'list', 'ZOE'])
    assert.equal(stdout, 'zoe@example.com    Red \\u009b31m\n')
    const { stdout: json } = await succeeds(['account', 'list', 'zoe@', '--json'])
    const { login, isAdministrator, isDeactivated, ...otherFields } = JSON.parse(json)
    assert.deepEqual([login, isAdministrator, isDeactivated], ['zoe@example.com', false, false])
    assert.deepEqual(Object.keys(otherFields).sort(), ['createdAt', 'id', 'name'])
    // `%` is no wildcard: with one, `z%e` would match the login.
    assert.equal((await succeeds(['account', 'list', 'z%e'])).stdout, '')
  })

  test('are changed in a terminal after a confirmation', async (t) => {
    if (!hasScript) return t.skip('script (util-linux) is not installed: there is no terminal')
    const { login } = await insertAccount(fresh.database, { login: 'terry@example.com' })
    const reset = ['account', 'reset-password', login]
    const answer = (answers: readonly string[]) => runInTerminal(fresh.url, reset, answers)
    assert.match(await answer(['n']), /Continue\? \[y\/N\] n\s+Nothing was changed/)
    // Backspace makes readline draw the line again, with the question.
    assert.match(await answer(['nx\x7f']), /Continue\? \[y\/N\] nx.*This ends .*Continue\? \[y\/N\] n\s/)
    assert.match(await answer(['y', 'Correct-Horse-2', 'Correct-Horse-3']), /two passwords differ/)
    const changed = await answer(['y', 'Correct-Horse-2', 'Correct-Horse-2'])
    assert.match(changed, /The password of terry@example\.com was changed/)
    assert.doesNotMatch(changed, /Correct-Horse/)
    const { hash } = await findAccount(login)
    assert.ok(await createPasswords().verify(hash, 'Correct-Horse-2'))
  })
})

describe('The administrators of a store', () => {
  let fresh: FreshDatabase
  beforeEach(async () => {
    fresh = await freshDatabase()
  })
  afterEach(() => fresh.drop())
  const { run, succeeds, fails, findAccount, addSession } = operatorOf(() => fresh)

  test('can be appointed, and all but the last can be deactivated', async () => {
    const deactivate = (login: string) => ['account', 'deactivate', login, '--yes']
    await addSession(await insertAccount(fresh.database, { login: 'ann@example.com' }))
    await succeeds(['account', 'make-administrator', 'ann@example.com'])
    for (const login of ['carl@example.com', 'dora@example.com'])
      await insertAccount(fresh.database, { login })
    await fails(2, /--yes is required/, ['account', 'deactivate', 'ann@example.com'])
    await fails(1, /ann@example\.com is the last administrator/, deactivate('ann@example.com'))
    // The setting SVC_ADMIN_LOGINS makes an account an administrator, too. Without the extensions, ann's role
    // is ignored, so that dora is the only one.
    await fails(1, /last administrator/, deactivate('dora@example.com'), {
      settings: { SVC_ADMIN_LOGINS: 'dora@example.com', EXTENSIONS: 'off' },
    })
    const made = await succeeds(['account', 'make-administrator', 'dora@example.com'])
    assert.deepEqual(eventsOf(made), ['administrator-changed given command line'])
    const again = await succeeds(['account', 'make-administrator', 'dora@example.com'])
    assert.deepEqual([again.stdout, eventsOf(again)], ['dora@example.com is already an administrator.\n', []])
    await fails(2, /EXTENSIONS=off/, ['account', 'make-administrator', 'carl@example.com'], {
      settings: { EXTENSIONS: 'off' },
    })
    const deactivated = await succeeds(deactivate('ann@example.com'))
    assert.deepEqual(eventsOf(deactivated), ['account-changed deactivate command line'])
    assert.equal((await findAccount('ann@example.com')).sessions, 0)
    await fails(1, /is deactivated.*account reactivate ann@/, [
      'account',
      'make-administrator',
      'ann@example.com',
    ])
    await fails(1, /dora@example\.com is the last administrator/, deactivate('dora@example.com'))
  })

  test('always include one, even if two operators deactivate the last two at the same time', async (t) => {
    const [first, second] = [
      await insertAccount(fresh.database, { login: 'dora@example.com' }),
      await insertAccount(fresh.database, { login: 'eve@example.com' }),
    ]
    for (const { login } of [first, second]) await succeeds(['account', 'make-administrator', login])
    const options = { adminLogins: [] }
    const { promise: mayCommit, resolve: commit } = Promise.withResolvers<void>()
    const deactivation = fresh.database.transaction(async (transaction) => {
      const account = { userId: first.id, login: first.login }
      const deactivation = { userId: first.id, by: first.id }
      await deactivateAccount(transaction, deactivation, authorizeOperator(options, account))
      await mayCommit
    })
    const direct = await connectDirectly(fresh.database)
    t.after(() => direct.end())
    const countWaiting = async () =>
      (
        await direct.query(
          "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
        )
      ).rowCount
    const secondDeactivation = run(['account', 'deactivate', second.login, '--yes'])
    try {
      await until(async () => (await countWaiting()) === 1, 'the second operator to wait for the first')
    } finally {
      commit()
    }
    await deactivation
    assert.match((await secondDeactivation).stderr, /eve@example\.com is the last administrator/)
  })
})

test('The clients of a store are listed without their secrets', async (t) => {
  const fresh = await freshDatabase()
  t.after(fresh.drop)
  const { succeeds } = operatorOf(() => fresh)
  const { id } = await insertAccount(fresh.database, { login: 'owner@example.com' })
  const { client, secret } = await createClient(
    fresh,
    { id, isAdministrator: true },
    { name: 'Portal', redirectUris: ['https://portal.example.com/in'] },
  )
  const { stdout } = await succeeds(['client', 'list'])
  assert.equal(stdout, `${client.id}  with a secret  Portal  https://portal.example.com/in\n`)
  assert.ok(secret && !(await succeeds(['client', 'list', '--json'])).stdout.includes(secret))
})

const hasScript = (() => {
  try {
    return /util-linux/.test(execFileSync('script', ['--version'], { encoding: 'utf8' }))
  } catch {
    return false
  }
})()

/** Answers each question of a command, and returns the output of the terminal without control sequences. */
async function runInTerminal(
  url: string,
  args: readonly string[],
  answers: readonly string[],
): Promise<string> {
  const command = [process.execPath, 'src/cli.ts', ...args].join(' ')
  const child = spawn('script', ['--quiet', '--return', '--command', command, '/dev/null'], {
    cwd: join(import.meta.dirname, '..', '..'),
    env: { ...process.env, DATABASE_URL: url },
    stdio: 'pipe',
  })
  const remainingAnswers = [...answers]
  let output = ''
  const text = () => stripVTControlCharacters(output)
  let answeredLength = 0
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    output += chunk
    // The output arrives in chunks, so a question may be seen twice. The next one follows a line break.
    const isAsked =
      /(: |\] )$/.test(text()) && (answeredLength === 0 || text().includes('\n', answeredLength))
    if (!isAsked || remainingAnswers.length === 0) return
    answeredLength = text().length
    child.stdin.write(`${remainingAnswers.shift()}\r`)
  })
  await once(child, 'close')
  return text()
}

describe('The embedded store', () => {
  const folder = mkdtempSync(join(tmpdir(), 'cli-accounts-'))
  after(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }))

  test('can be changed while the hosts run, and while they are stopped', async () => {
    const port = await freePort()
    const identity = `http://127.0.0.1:${port}`
    const environment = {
      DATA_DIR: folder,
      IDENTITY_PORT: String(port),
      Jwt__Issuer: identity,
      Cors__AllowedOrigins__0: origin,
      SVC_DEMO_DATA: 'false',
    }
    assert.match((await runCli(environment, ['account', 'list'])).stderr, /There is no store in/)
    let host = await startChild(environment)
    const login = 'demo@example.com'
    const changePassword = (newPassword: string) =>
      runCli(environment, ['account', 'reset-password', login, '--yes'], `${newPassword}\n`)
    const signIn = async (currentPassword: string) =>
      (await signedIn(identity, { login, password: currentPassword })).tokens?.access_token
    const generated = readFileSync(join(folder, 'demo-password'), 'utf8').trim()
    try {
      assert.ok(await signIn(generated))
      assert.equal((await changePassword('Correct-Horse-2')).code, 0)
      assert.ok(await signIn('Correct-Horse-2'))
      await host.end('SIGTERM')
      const stopped = await changePassword('Correct-Horse-3')
      assert.equal(stopped.code, 0, stopped.stderr)
      host = await startChild(environment)
      assert.ok(await signIn('Correct-Horse-3'))
    } finally {
      await host.end('SIGTERM')
    }
  })
})

test('A command on a store without a schema advises `prepare`', async (t) => {
  const { url, database, drop } = await freshDatabase()
  t.after(drop)
  await database.transaction((transaction) => transaction.query(raw('drop table migrations')))
  const { code, stderr } = await runCli({ DATABASE_URL: url }, ['account', 'list'])
  assert.deepEqual([code, /npm run cli -- prepare/.test(stderr)], [1, true], stderr)
})

test('The help of a command or of a group, and the version, need no store', async () => {
  const help = await runCli({}, ['account', 'reset-password', '--help'])
  assert.deepEqual([help.code, help.stderr], [0, ''])
  assert.match(help.stdout, /^npm run cli -- account reset-password LOGIN \[--link\] \[--yes\]\n/)
  const group = await runCli({}, ['account', '--help'])
  assert.equal(group.stdout.match(/npm run cli -- account /g)?.length, 7)
  const unknown = await runCli({}, ['account', 'destroy'])
  assert.deepEqual([unknown.code, unknown.stdout], [2, ''])
  assert.match((await runCli({}, ['version'])).stdout, /^tracker \d+\.\d+\.\d+, schema \d{4}-\S+, Node \d+/)
})
