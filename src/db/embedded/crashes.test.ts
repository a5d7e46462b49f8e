import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { isServerOf, waitUntil } from './processes.ts'
import { startEmbeddedStore } from './start-embedded-store.ts'
import { fast, launch, queryRows, sharedStore, temporaryDirectory } from './testing/stores.ts'

const isLinux = process.platform === 'linux'

/** A busy machine may take many times as long as a quiet one, which takes a second. */
const waitSeconds = 60

const serverOf = (dataDirectory: string) =>
  Number(readFileSync(join(dataDirectory, 'postgres', 'postmaster.pid'), 'utf8').split('\n')[0])

describe('crashes', { concurrency: 2 }, () => {
  test('kill -9 while a database is created leaves no incomplete database', async (t) => {
    let dataDirectory: string
    const incomplete = () => readdirSync(dataDirectory).filter((name) => name.startsWith('postgres.new-'))
    const isInFlight = () =>
      existsSync(dataDirectory) && incomplete().some((name) => existsSync(join(dataDirectory, name, 'base')))
    const isCreated = () => existsSync(join(dataDirectory, 'postgres'))
    // On a busy machine, the database may be complete before this process kills its creation.
    do {
      dataDirectory = join(temporaryDirectory(), '.data')
      const launched = launch(t, dataDirectory)
      assert.ok(await waitUntil(() => isInFlight() || isCreated(), waitSeconds))
      await launched.kill()
    } while (isCreated())
    mkdirSync(join(dataDirectory, 'postgres.new-older', 'base'), { recursive: true })
    const store = await startEmbeddedStore({ dataDirectory, settings: fast })
    t.after(store.stop)
    assert.deepEqual(incomplete(), [])
    assert.deepEqual(await queryRows(store.url, 'select 1 as one'), [{ one: 1 }])
  })

  test('programs that still create a database after kill -9 are ended by the next start', async (t) => {
    if (!isLinux) return t.skip('other programs are inspected on Linux only')
    const dataDirectory = join(temporaryDirectory(), '.data')
    const directory = join(dataDirectory, 'postgres.new-older')
    mkdirSync(directory, { recursive: true })
    // Behaves like an initdb that still writes files after its start was killed.
    const script = 'while sleep 0.05; do mkdir -p "$2/base"; done'
    const initdb = spawn('/bin/sh', ['-c', script, 'initdb', '-D', directory, '--fast'], { stdio: 'ignore' })
    const ended = once(initdb, 'exit')
    t.after(() => initdb.kill('SIGKILL'))
    const store = await startEmbeddedStore({ dataDirectory, settings: fast })
    t.after(store.stop)
    assert.deepEqual(await ended, [null, 'SIGKILL'])
    assert.equal(existsSync(directory), false)
  })

  describe('of a database that exists', { concurrency: 1 }, () => {
    const countNotes = async (url: string, text: string) =>
      (await queryRows(url, `select 1 from note where text = '${text}'`)).length

    test('kill -9 of the process also ends its database', async (t) => {
      const dataDirectory = await sharedStore()
      const launched = launch(t, dataDirectory)
      await queryRows(await launched.url, `insert into note values ('before kill -9 of the process')`)
      const server = serverOf(dataDirectory)
      await launched.kill()
      assert.ok(await waitUntil(() => !isServerOf(server, join(dataDirectory, 'postgres')), waitSeconds))
      const store = await startEmbeddedStore({ dataDirectory, settings: fast })
      t.after(store.stop)
      assert.equal(await countNotes(store.url, 'before kill -9 of the process'), 1)
    })

    test('a start right after kill -9 waits for the database that is still ending', async (t) => {
      const dataDirectory = await sharedStore()
      const launched = launch(t, dataDirectory)
      await queryRows(await launched.url, `insert into note values ('right before the next start')`)
      await launched.kill()
      const store = await startEmbeddedStore({ dataDirectory, settings: fast })
      t.after(store.stop)
      assert.equal(await countNotes(store.url, 'right before the next start'), 1)
    })

    test('a killed database is restarted at the same address without data loss', async (t) => {
      const dataDirectory = await sharedStore()
      const reported: string[] = []
      const store = await startEmbeddedStore({
        dataDirectory,
        onStateChange: (sentence) => reported.push(sentence),
      })
      t.after(store.stop)
      await queryRows(store.url, `insert into note values ('before kill -9 of the database')`)
      process.kill(serverOf(dataDirectory), 'SIGKILL')
      assert.ok(await waitUntil(() => reported.length > 1, waitSeconds))
      const log = join(dataDirectory, 'postgres.log')
      assert.deepEqual(reported, [
        `The database ended unexpectedly (killed by signal 9). Its log is ${log}.`,
        'The database is running again.',
      ])
      assert.equal(await countNotes(store.url, 'before kill -9 of the database'), 1)
    })

    test('a session that stays busy after its database was killed does not block the next start', async (t) => {
      if (!isLinux) return t.skip('other systems only wait for the session')
      const dataDirectory = await sharedStore()
      const store = await startEmbeddedStore({ dataDirectory, settings: fast })
      const busy = assert.rejects(queryRows(store.url, 'do $$ begin loop perform 1; end loop; end $$'))
      const isBusy = async () =>
        (await queryRows(store.url, `select 1 from pg_stat_activity where query like 'do %'`)).length > 0
      while (!(await isBusy())) await waitUntil(() => false, 0.01)
      process.kill(serverOf(dataDirectory), 'SIGKILL')
      await store.stop()
      const next = await startEmbeddedStore({ dataDirectory, settings: fast })
      t.after(next.stop)
      await busy
      assert.match(
        readFileSync(join(dataDirectory, 'postgres.log'), 'utf8'),
        /pre-existing shared memory block/,
      )
      assert.deepEqual(await queryRows(next.url, 'select 1 as one'), [{ one: 1 }])
    })

    test('kill -9 at any point of a start leaves no database behind', async (t) => {
      const dataDirectory = await sharedStore()
      for (const milliseconds of [90, 110, 130, 150]) {
        const launched = launch(t, dataDirectory)
        await new Promise((resolve) => setTimeout(resolve, milliseconds))
        await launched.kill()
      }
      const isQuiet = () => !existsSync(join(dataDirectory, 'postgres', 'postmaster.pid'))
      assert.ok(
        await waitUntil(isQuiet, waitSeconds),
        readFileSync(join(dataDirectory, 'postgres.log'), 'utf8'),
      )
      const store = await startEmbeddedStore({ dataDirectory, settings: fast })
      await store.stop()
    })

    test('leftover files of a killed database do not block the start', async (t) => {
      if (!isLinux) return t.skip('zombies are recognized on Linux only')
      const dataDirectory = await sharedStore()
      // Only processes of the user that owns the cluster mislead PostgreSQL.
      const { uid, gid } = statSync(join(dataDirectory, 'postgres'))
      const leaveZombie = ['-c', 'sleep 0 & echo $!; exec sleep 60']
      const parent = spawn('/bin/sh', leaveZombie, { uid, gid, stdio: ['ignore', 'pipe', 'ignore'] })
      t.after(() => parent.kill())
      const [line] = await once(parent.stdout, 'data')
      for (const pid of [Number(String(line)), parent.pid]) {
        const lines = [pid, join(dataDirectory, 'postgres'), 1, 5432, dataDirectory, '', '', 'ready']
        writeFileSync(join(dataDirectory, 'postgres', 'postmaster.pid'), `${lines.join('\n')}\n`)
        writeFileSync(
          join(dataDirectory, 'postgres', '.s.PGSQL.5432.lock'),
          `${lines.slice(0, 5).join('\n')}\n`,
        )
        const store = await startEmbeddedStore({ dataDirectory, settings: fast })
        await store.stop()
      }
    })
  })
})
