import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { chmodSync, chownSync, lstatSync, readdirSync, readlinkSync, rmSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, test } from 'node:test'
import { isDedicated } from './accounts.ts'
import { startEmbeddedStore, systemBinaries } from './start-embedded-store.ts'
import {
  closedDirectory,
  copyOfStore,
  fast,
  launch,
  queryRows,
  temporaryDirectory,
} from './testing/stores.ts'

const notRoot = process.getuid?.() === 0 ? false : 'only root can become another user'
const nobody = { uid: 65_534, gid: 65_534 }
const ownerOf = (dataDirectory: string) => statSync(join(dataDirectory, 'postgres')).uid

const hasNamespaces = spawnSync('unshare', ['--user', '--map-user=65534', 'true']).status === 0
const noNamespaces = notRoot || (hasNamespaces ? false : 'this system allows no user namespaces')

function canReachSources(user: { uid: number; gid: number }): boolean {
  const { status } = spawnSync(process.execPath, ['-e', '0', import.meta.filename], { ...user, cwd: '/' })
  return status === 0 && spawnSync('cat', [import.meta.filename], { ...user, cwd: '/' }).status === 0
}

// Each test has its own directory, and initdb takes most of the time.
describe('choosing binaries, account and directory', { concurrency: 3 }, () => {
  test('a database that an ordinary user starts belongs to that user', { skip: notRoot }, async (t) => {
    if (!canReachSources(nobody)) return t.skip('no other user can read this checkout')
    const directory = closedDirectory()
    chownSync(directory, nobody.uid, nobody.gid)
    const launched = launch(t, join(directory, '.data'), { user: nobody })
    assert.match(await launched.url, /^postgresql:/)
    assert.equal(ownerOf(join(directory, '.data')), nobody.uid)
    assert.equal(statSync(join(directory, '.data')).mode & 0o777, 0o700)
    await launched.end()
  })

  test('a user without a name starts an existing database', { skip: notRoot }, async (t) => {
    const user = { uid: 54321, gid: 54321 }
    if (!canReachSources(user)) return t.skip('no other user can read this checkout')
    const dataDirectory = await copyOfStore()
    spawnSync('chown', ['-R', '54321:54321', dataDirectory])
    const launched = launch(t, dataDirectory, { user })
    assert.match(await launched.url, /^postgresql:/)
    await launched.end()
  })

  test('a user without write permission gets a clear error', { skip: notRoot }, async (t) => {
    if (!canReachSources(nobody)) return t.skip('no other user can read this checkout')
    const launched = launch(t, await copyOfStore(), { user: nobody })
    await assert.rejects(launched.url, /This user cannot write to .* Start as the user who created it/)
  })

  test('root starts the database as a dedicated user id that can reach the directory', {
    skip: notRoot,
  }, async () => {
    assert.ok(isDedicated(ownerOf(await copyOfStore())))
  })

  test('root starts the database below a directory that is closed to others', {
    skip: noNamespaces,
  }, async () => {
    const directory = closedDirectory()
    const dataDirectory = join(directory, '.data')
    for (const mode of [0o700, 0o755]) {
      chmodSync(directory, mode)
      const store = await startEmbeddedStore({ dataDirectory, settings: fast })
      assert.deepEqual(await queryRows(store.url, 'select 1 as one'), [{ one: 1 }])
      assert.equal(ownerOf(dataDirectory), 0)
      await store.stop()
    }
  })

  test('root continues with a database whose directory was closed to all others later', {
    skip: noNamespaces,
  }, async (t) => {
    const dataDirectory = await copyOfStore()
    chmodSync(dirname(dataDirectory), 0o700)
    const store = await startEmbeddedStore({ dataDirectory, settings: fast })
    t.after(store.stop)
    assert.deepEqual(await queryRows(store.url, 'select text from note'), [{ text: 'kept' }])
  })

  test('without user namespaces the database of a closed directory moves to /var/lib', {
    skip: notRoot,
  }, async (t) => {
    const dataDirectory = join(closedDirectory(), '.data')
    for (const query of ['create table note()', 'select * from note']) {
      const launched = launch(t, dataDirectory, { path: '' })
      const url = await launched.url
      const home = dirname(readlinkSync(join(dataDirectory, 'postgres')))
      assert.equal(dirname(home), '/var/lib')
      process.on('exit', () => rmSync(home, { recursive: true, force: true }))
      await queryRows(url, query)
      await launched.end()
    }
  })

  test('a database in a directory that was closed later is not moved automatically', {
    skip: notRoot,
  }, async (t) => {
    const dataDirectory = await copyOfStore()
    chmodSync(dirname(dataDirectory), 0o700)
    const launched = launch(t, dataDirectory, { path: '' })
    await assert.rejects(
      launched.url,
      /No PostgreSQL 18, which made .*, can run here and reach it.* DATABASE_URL/,
    )
    assert.ok(lstatSync(join(dataDirectory, 'postgres')).isDirectory())
  })

  test('the PostgreSQL of the system is used if none is packaged', async (t) => {
    const binaryDirectories = systemBinaries()
    if (binaryDirectories.length === 0) return t.skip('this system has no PostgreSQL')
    const dataDirectory = join(temporaryDirectory(), '.data')
    const store = await startEmbeddedStore({ dataDirectory, settings: fast, binaryDirectories })
    t.after(store.stop)
    assert.deepEqual(await queryRows(store.url, `select lower('ÀΩЖ') as folded`), [{ folded: 'àωж' }])
  })

  test('a database made by another version is rejected with a clear error', async (t) => {
    const binaryDirectories = systemBinaries().filter((directory) => !directory.includes('/18/'))
    if (binaryDirectories.length === 0) return t.skip('this system has no other PostgreSQL')
    const start = startEmbeddedStore({ dataDirectory: await copyOfStore(), binaryDirectories })
    await assert.rejects(start, /No PostgreSQL 18, which made .*, can run here/)
  })

  test('without any PostgreSQL the error names the remedy', async () => {
    const dataDirectory = temporaryDirectory()
    await assert.rejects(startEmbeddedStore({ dataDirectory, binaryDirectories: [] }), {
      message:
        'No PostgreSQL is packaged for this platform: install PostgreSQL 15 or newer. ' +
        'Or set DATABASE_URL to a PostgreSQL server of your own.',
    })
    assert.deepEqual(readdirSync(dataDirectory).sort(), ['postgres.lock', 'postgres.owner'])
  })
})
