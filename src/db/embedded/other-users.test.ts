import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import pg from 'pg'
import { isDedicated } from './accounts.ts'
import { startEmbeddedStore } from './start-embedded-store.ts'
import { copyOfStore, fast, launch, queryRows, sharedStore } from './testing/stores.ts'

const isRoot = process.getuid?.() === 0
const notRoot = isRoot ? false : 'only root can become another user'
const nobody = { uid: 65_534, gid: 65_534 }

/** Shared accounts of the system, as which other programs run. */
const sharedAccounts = ['postgres', 'nobody', 'daemon', 'www-data']

const socketDirectoryOf = (url: string) =>
  new URL(url.replace('@/', '@x/')).searchParams.get('host') ?? assert.fail()
const passwordFileIn = (dataDirectory: string) => join(dataDirectory, 'postgres.password')

async function tryToConnect(url: string, password: string, user = 'tracker'): Promise<string> {
  const client = new pg.Client({
    host: socketDirectoryOf(url),
    port: 5432,
    database: 'tracker',
    user,
    password,
  })
  client.on('error', () => {})
  try {
    await client.connect()
  } catch (error) {
    return (error as Error).message
  }
  await client.end()
  return 'connected'
}

/** Lists the files that this user can open, and the socket if it accepts the connection. */
function listReachable(
  user: { uid: number; gid: number },
  dataDirectory: string,
  socketDirectory: string,
): string[] {
  // The script does not call process.exit(), because that would drop output that was not flushed yet.
  const source = `
    const { openSync, readdirSync } = require('node:fs')
    const paths = JSON.parse(process.argv[1])
    for (const path of paths) try { openSync(path); console.log(path) } catch {}
    const socket = require('node:net').connect(process.argv[2] + '/.s.PGSQL.5432')
    socket.on('connect', () => { console.log('socket'); socket.destroy() }).on('error', () => {})`
  const paths = readdirSync(dataDirectory, { recursive: true }).map((name) =>
    join(dataDirectory, String(name)),
  )
  assert.ok(paths.length > 100)
  // The source is passed inline, because this checkout may be closed to other users.
  const { stdout, status, stderr } = spawnSync(
    'setpriv',
    [`--reuid=${user.uid}`, `--regid=${user.gid}`, '--clear-groups', process.execPath, '-e', source].concat(
      JSON.stringify(paths),
      socketDirectory,
    ),
    { cwd: '/', encoding: 'utf8', maxBuffer: 10_000_000 },
  )
  assert.equal(status, 0, stderr)
  return stdout.split('\n').filter((line) => line !== '')
}

describe('other users of the machine', () => {
  test('need a password on the socket, no matter who they are', async (t) => {
    const dataDirectory = await sharedStore()
    const store = await startEmbeddedStore({ dataDirectory, settings: fast })
    t.after(store.stop)
    const password = readFileSync(passwordFileIn(dataDirectory), 'utf8').trim()
    assert.match(password, /^[0-9a-f]{48}$/)
    assert.equal(statSync(passwordFileIn(dataDirectory)).mode & 0o777, 0o600)
    assert.equal(await tryToConnect(store.url, password), 'connected')
    for (const wrong of ['', 'tracker', 'postgres', password.toUpperCase(), password.slice(1)])
      assert.match(await tryToConnect(store.url, wrong), /password/, wrong)
    assert.match(await tryToConnect(store.url, '', 'postgres'), /password/)
    const [role] = await queryRows(store.url, `select rolpassword from pg_authid where rolname = 'tracker'`)
    assert.match(String(role?.rolpassword), /^SCRAM-SHA-256\$/)
    assert.deepEqual(await queryRows(store.url, 'select distinct type, auth_method from pg_hba_file_rules'), [
      { type: 'local', auth_method: 'scram-sha-256' },
    ])
    assert.deepEqual(await queryRows(store.url, 'show listen_addresses'), [{ listen_addresses: '' }])
  })

  test('cannot read files of the store or reach its socket', { skip: notRoot }, async (t) => {
    const dataDirectory = await copyOfStore()
    const store = await startEmbeddedStore({ dataDirectory, settings: fast })
    t.after(store.stop)
    const socketDirectory = socketDirectoryOf(store.url)
    assert.ok(existsSync(join(socketDirectory, '.s.PGSQL.5432')))
    for (const line of readFileSync('/etc/passwd', 'utf8').split('\n')) {
      const [name = '', , uid, gid] = line.split(':')
      if (sharedAccounts.includes(name))
        assert.deepEqual(
          listReachable({ uid: Number(uid), gid: Number(gid) }, dataDirectory, socketDirectory),
          [],
          name,
        )
    }
    const { uid, gid } = statSync(join(dataDirectory, 'postgres'))
    assert.ok(
      listReachable({ uid, gid }, dataDirectory, socketDirectory).includes('socket'),
      'The owner of the cluster can reach the socket.',
    )
  })

  test('own no file of the cluster', { skip: notRoot }, async (t) => {
    const dataDirectory = await copyOfStore()
    const store = await startEmbeddedStore({ dataDirectory, settings: fast })
    t.after(store.stop)
    const cluster = join(dataDirectory, 'postgres')
    // The running server removes some of its files.
    const owners = readdirSync(cluster, { recursive: true }).flatMap(
      (path) => statSync(join(cluster, String(path)), { throwIfNoEntry: false })?.uid ?? [],
    )
    const [owner = assert.fail('the cluster is empty'), ...otherOwners] = new Set(owners)
    assert.deepEqual(otherOwners, [])
    assert.ok(isDedicated(owner), String(owner))
  })
})

/**
 * Creates a store as earlier versions left it: open, without a password, to any user who reaches the socket.
 */
async function storeOfEarlierVersion(owner?: { uid: number; gid: number }): Promise<string> {
  const dataDirectory = await copyOfStore()
  const store = await startEmbeddedStore({ dataDirectory, settings: fast })
  await queryRows(store.url, 'alter role tracker password null')
  await store.stop()
  rmSync(passwordFileIn(dataDirectory))
  const rules = ['local all all trust', 'host all all 127.0.0.1/32 trust', 'host all all ::1/128 trust', '']
  writeFileSync(join(dataDirectory, 'postgres', 'pg_hba.conf'), rules.join('\n'))
  if (owner) execFileSync('chown', ['-R', `${owner.uid}:${owner.gid}`, join(dataDirectory, 'postgres')])
  return dataDirectory
}

describe('a store of an earlier version', () => {
  test('requires a password from its next start on', async () => {
    const dataDirectory = await storeOfEarlierVersion(isRoot ? nobody : undefined)
    const urls = new Set<string>()
    for (let starts = 0; starts < 2; starts += 1) {
      const store = await startEmbeddedStore({ dataDirectory, settings: fast })
      assert.match(await tryToConnect(store.url, ''), /password/)
      assert.deepEqual(await queryRows(store.url, `select text from note where text = 'kept'`), [
        { text: 'kept' },
      ])
      urls.add(store.url)
      await store.stop()
    }
    assert.equal(urls.size, 1)
    if (isRoot) assert.ok(isDedicated(statSync(join(dataDirectory, 'postgres')).uid))
  })

  test('of an ordinary user requires a password, too', {
    skip: notRoot,
  }, async (t) => {
    const dataDirectory = await storeOfEarlierVersion()
    execFileSync('chown', ['-R', `${nobody.uid}:${nobody.gid}`, dataDirectory])
    const launched = launch(t, dataDirectory, { user: nobody })
    const url = await launched.url
    assert.match(await tryToConnect(url, ''), /password/)
    assert.deepEqual(await queryRows(url, `select text from note where text = 'kept'`), [{ text: 'kept' }])
    assert.equal(statSync(join(dataDirectory, 'postgres')).uid, nobody.uid)
    await launched.end()
  })

  test('gets a new password if its start was interrupted or its password was lost', async () => {
    const dataDirectory = await storeOfEarlierVersion()
    writeFileSync(passwordFileIn(dataDirectory), 'cut sho', { mode: 0o644 })
    const first = await startEmbeddedStore({ dataDirectory, settings: fast })
    await first.stop()
    rmSync(passwordFileIn(dataDirectory))
    const second = await startEmbeddedStore({ dataDirectory, settings: fast })
    assert.notEqual(second.url, first.url)
    assert.match(await tryToConnect(second.url, ''), /password/)
    assert.deepEqual(await queryRows(second.url, `select text from note where text = 'kept'`), [
      { text: 'kept' },
    ])
    await second.stop()
  })
})

test('a store starts with the password file of another store', async () => {
  const dataDirectory = await copyOfStore()
  const other = await copyOfStore()
  const store = await startEmbeddedStore({ dataDirectory: other, settings: fast })
  await store.stop()
  rmSync(passwordFileIn(dataDirectory))
  await (await startEmbeddedStore({ dataDirectory, settings: fast })).stop()
  execFileSync('cp', [passwordFileIn(dataDirectory), passwordFileIn(other)])
  const mixed = await startEmbeddedStore({ dataDirectory: other, settings: fast })
  assert.deepEqual(await queryRows(mixed.url, `select text from note where text = 'kept'`), [
    { text: 'kept' },
  ])
  await mixed.stop()
})
