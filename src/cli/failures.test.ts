import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { type ChildEnvironment, freePort, runCli, spawnStart } from '../../test/support/child-host.ts'
import { type FreshDatabase, freshDatabase, withDatabase } from '../../test/support/fresh-database.ts'
import { until } from '../../test/support/until.ts'
import { raw } from '../db/sql.ts'
import { grantPrivileges, privilegesOfHosts, roleOf } from './roles.ts'

const folder = mkdtempSync(join(tmpdir(), 'failures-'))
after(() => rmSync(folder, { recursive: true, force: true }))

interface Line {
  readonly level: number
  readonly time: number
  readonly host: string
  readonly msg: string
  readonly reason?: string
  readonly [name: string]: unknown
}

/** Parses the output. Every line must be a line of the log, even the line of a failure. */
const linesOf = (output: string): readonly Line[] =>
  output
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Line)

/** Starts hosts that must fail. Returns the reason in the last log line, and all messages. */
async function failStart(environment: ChildEnvironment, hosts: readonly string[], code = 1) {
  const result = await runCli({ DATA_DIR: join(folder, 'data'), ...environment }, ['start', ...hosts])
  assert.deepEqual([result.code, result.stderr], [code, ''], result.stdout)
  const lines = linesOf(result.stdout)
  const last = lines.at(-1)
  assert.deepEqual([last?.level, last?.host, last?.msg], [60, 'start', 'The start failed.'])
  assert.equal(typeof last?.time, 'number')
  return { reason: last?.reason ?? '', messages: lines.map(({ msg }) => msg) }
}

describe('A start that fails', () => {
  let fresh: FreshDatabase
  // Roles belong to the server, which other tests may share.
  const prefix = `failures_${randomBytes(4).toString('hex')}_`
  const empty = `${prefix}empty`
  const roles = Object.keys(privilegesOfHosts).map((host) => roleOf(prefix, host))
  before(async () => {
    fresh = await freshDatabase()
    for (const role of roles) await fresh.database.query(raw(`create role ${role}`))
    await grantPrivileges(fresh.url, prefix)
    await fresh.database.query(raw('insert into seeded_account (user_id) values (null)'))
    await fresh.database.query(raw(`create database ${empty}`))
  })
  after(async () => {
    await fresh.database.query(raw(`drop database ${empty} with (force)`))
    for (const role of roles)
      for (const verb of ['drop owned by', 'drop role']) await fresh.database.query(raw(`${verb} ${role}`))
    await fresh.drop()
  })
  const underRole = (host: string, url = fresh.url) =>
    `${url}${url.includes('?') ? '&' : '?'}options=${encodeURIComponent(`-c role=${roleOf(prefix, host)}`)}`

  test('at an address without a server names DATABASE_URL', async () => {
    const port = await freePort()
    // `localhost` may have several addresses. Node then reports all their errors in one.
    for (const host of ['127.0.0.1', 'localhost']) {
      const DATABASE_URL = `postgresql://ann:hidden@${host}:${port}/tracker`
      const { reason } = await failStart({ DATABASE_URL }, ['rest'])
      assert.match(reason, new RegExp(`ECONNREFUSED .*:${port}\\. Check host and port in DATABASE_URL`))
      assert.doesNotMatch(reason, /hidden/)
    }
  })

  test('on a database that does not exist names DATABASE_URL', async () => {
    const { reason } = await failStart({ DATABASE_URL: withDatabase(fresh.url, 'nowhere') }, ['rest'])
    assert.match(reason, /"nowhere" does not exist\. Check the name of the database in DATABASE_URL/)
  })

  test('with a wrong password names DATABASE_URL', async (t) => {
    if (!/:[^@/]+@/.test(fresh.url)) return t.skip('this server requires no password')
    const DATABASE_URL = fresh.url.replace(/:[^@/:]+@/, ':hidden@')
    const { reason } = await failStart({ DATABASE_URL }, ['rest'])
    assert.match(reason, /password authentication failed .*Check user and password in DATABASE_URL.*%2F/)
    assert.doesNotMatch(reason, /hidden/)
  })

  test('under the role of another host names the table and the command `prepare`', async () => {
    for (const [role, host, table] of [
      ['bank', 'rest', 'table users'],
      ['rest', 'identity', 'table identity_keys'],
      ['rest', 'bank', 'schema bank'],
    ] as const) {
      const { reason } = await failStart({ DATABASE_URL: underRole(role) }, [host])
      const expected = `permission denied for ${table}\\. The role of DATABASE_URL lacks .*cli -- prepare`
      assert.match(reason, new RegExp(expected))
    }
  })

  test('because the database is not prepared names the command `prepare`', async () => {
    const DATABASE_URL = underRole('rest', withDatabase(fresh.url, empty))
    const { reason } = await failStart({ DATABASE_URL }, ['rest'])
    assert.match(reason, /permission denied for .*cli -- prepare` has migrated/)
  })

  test('because the secret of identity is missing prints only the reason', async (t) => {
    const IDENTITY_PORT = String(await freePort())
    const environment = { DATABASE_URL: fresh.url, IDENTITY_PORT, LOG_LEVEL: 'info' }
    const first = spawnStart(
      { ...environment, DATA_DIR: join(folder, 'first'), Identity__KeyEncryptionSecret: 'a'.repeat(40) },
      ['identity'],
    )
    t.after(() => first.process.kill('SIGKILL'))
    await until(() => first.output().includes('The host has started.'), 'the keys')
    const { reason, messages } = await failStart(environment, ['identity'])
    assert.match(reason, /encrypted with another secret\. Set Identity__KeyEncryptionSecret/)
    assert.deepEqual(messages, ['The start failed.'])
    // A generated secret would be used instead of the right one, even after a restore.
    assert.ok(!existsSync(join(folder, 'data', 'identity-secret')))
  })

  test('because a host is unknown names all hosts, and exits with 2', async () => {
    const { reason } = await failStart({}, ['rset'], 2)
    assert.equal(reason, 'There is no host named rset. Hosts: web, rest, identity, commands, bank.')
  })

  test('because a directory cannot be created names DATA_DIR', async () => {
    const file = join(folder, 'file')
    writeFileSync(file, '')
    const { reason } = await failStart({ DATA_DIR: join(file, 'data') }, ['rest'])
    assert.match(reason, /ENOTDIR.*Set DATA_DIR \(.*file\/data\) to a directory that this user may write to/)
  })

  test('because of missing privileges has the same explanation as a backup and a migration', async () => {
    for (const [args, url] of [
      [['backup', join(folder, 'never.backup')], fresh.url],
      [['prepare'], withDatabase(fresh.url, empty)],
    ] as const) {
      const { code, stderr } = await runCli({ DATABASE_URL: underRole('rest', url) }, args)
      assert.equal(code, 1)
      assert.match(stderr, /^permission denied for .*such as tracker_migrations\.\n$/)
    }
  })
})

describe('A wrong command line exits with 2, and prints the mistake and the usage', () => {
  for (const [args, mistake, usage] of [
    [['migrate', '--typo'], "Unknown option '--typo'.", 'npm run cli -- migrate'],
    [['doctor', '--typo'], "Unknown option '--typo'.", 'npm run doctor'],
    [
      ['distribute', 'many'],
      'The number of shards must be from 1 to 999, such as 16.',
      'npm run cli -- distribute [SHARDS]',
    ],
    [
      ['export-history', 'xml'],
      'The format must be jsonl or csv.',
      'npm run cli -- export-history [jsonl|csv]',
    ],
    [['backup', 'verify'], 'FILE is missing.', 'npm run backup -- verify FILE [--key-file FILE]'],
    [['history-heads', 'heads'], 'There are too many arguments.', 'npm run cli -- history-heads'],
    [
      ['client', 'list', '--json=yes'],
      "Option '--json' does not take an argument.",
      'npm run cli -- client list [--json]',
    ],
  ] as const)
    test(args.join(' '), async () => {
      const { code, stdout, stderr } = await runCli({ DATA_DIR: join(folder, 'none') }, args)
      assert.deepEqual([code, stdout, stderr], [2, '', `${mistake}\n\n${usage}\n`])
    })

  test('but `start` prints the mistake as a line of the log', async () => {
    assert.equal((await failStart({}, ['--typo'], 2)).reason, "Unknown option '--typo'.")
  })
})

describe('Restoring a backup that cannot be read', () => {
  const fail = async (args: readonly string[]) => {
    const { code, stderr } = await runCli({ DATA_DIR: join(folder, 'restored') }, args)
    assert.equal(code, 1)
    return stderr
  }

  test('names the newest backup if the path is a directory', async () => {
    const backups = join(folder, 'backups')
    mkdirSync(backups)
    assert.equal(await fail(['restore', backups]), `There is no backup in ${backups}.\n`)
    const newest = join(backups, 'tracker-20261122T030000.backup')
    for (const file of [join(backups, 'tracker-20261121T030000.backup'), newest]) writeFileSync(file, '')
    assert.equal(
      await fail(['restore', backups]),
      `${backups} is a directory. Name a backup in it; the newest is ${newest}.\n`,
    )
  })

  test('names the backup or the key file that is missing', async () => {
    const missing = join(folder, 'missing')
    for (const command of [['restore'], ['backup', 'verify']]) {
      assert.equal(await fail([...command, missing]), `There is no file ${missing}. Name a backup.\n`)
      assert.equal(await fail([...command, `${missing}/`]), `There is no backup in ${missing}/.\n`)
    }
    const withKey = ['restore', join(folder, 'file'), '--key-file', missing]
    assert.match(await fail(withKey), /^The key file cannot be read: ENOENT.*missing/)
  })

  test('creates no store', () => {
    assert.ok(!readdirSync(folder).includes('restored'))
  })
})

describe('The output of a start without a terminal', () => {
  test('is a log with the embedded store, a warning about it, each address, and the stop', async () => {
    const environment = {
      LOG_LEVEL: 'info',
      DATA_DIR: join(folder, 'own'),
      REST_PORT: String(await freePort()),
      WEB_PORT: String(await freePort()),
    }
    const child = spawnStart(environment, ['rest', 'web'])
    await until(() => child.output().split('The host has started.').length === 3, 'the start of both hosts')
    child.process.kill('SIGTERM')
    assert.equal(await child.exited, 0)
    const lines = linesOf(child.output())
    const found = (message: string) =>
      lines.filter(({ msg }) => msg === message).map(({ level, time, msg, ...values }) => values)
    assert.deepEqual(found('DATABASE_URL is not set: the embedded store in the data folder is used.'), [
      { host: 'start', dataDirectory: environment.DATA_DIR },
    ])
    const passwordFile = join(environment.DATA_DIR, 'demo-password')
    assert.deepEqual(found('The store is ready.'), [
      {
        host: 'store',
        store: `embedded PostgreSQL in ${environment.DATA_DIR}`,
        account: 'demo@example.com',
        passwordFile,
      },
    ])
    // Both hosts start at the same time, so either may be first.
    const started = new Map(found('The host has started.').map(({ host, address }) => [host, address]))
    assert.deepEqual(
      started,
      new Map([
        ['rest', `http://localhost:${environment.REST_PORT}`],
        ['web', `http://localhost:${environment.WEB_PORT}`],
      ]),
    )
    assert.deepEqual(found('The hosts are stopping.'), [{ host: 'start', because: 'SIGTERM' }])
  })

  test('has no warning if no store is used', async () => {
    const WEB_PORT = String(await freePort())
    const child = spawnStart({ LOG_LEVEL: 'info', DATA_DIR: join(folder, 'none'), WEB_PORT }, ['web'])
    await until(() => child.output().includes('The host has started.'), 'the start')
    child.process.kill('SIGTERM')
    await child.exited
    assert.deepEqual(
      linesOf(child.output()).map(({ msg }) => msg),
      ['The host has started.', 'The hosts are stopping.'],
    )
    assert.ok(!readdirSync(folder).includes('none'))
  })
})
