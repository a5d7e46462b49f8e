import assert from 'node:assert/strict'
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { startEmbeddedStore } from './start-embedded-store.ts'
import { copyOfStore, fast, launch, queryRows, sharedStore, temporaryDirectory } from './testing/stores.ts'

test('the first start creates the database', async (t) => {
  const dataDirectory = await sharedStore()
  const store = await startEmbeddedStore({ dataDirectory, settings: fast })
  t.after(store.stop)
  assert.deepEqual(await queryRows(store.url, `select text from note where text = 'kept'`), [
    { text: 'kept' },
  ])
})

test('the database has the expected name, time zone, collation and socket', async (t) => {
  const dataDirectory = await sharedStore()
  const store = await startEmbeddedStore({ dataDirectory })
  t.after(store.stop)
  const [row] = await queryRows(
    store.url,
    `select current_database() as name, current_user as user, current_setting('timezone') as timezone,
       current_setting('server_encoding') as encoding, current_setting('fsync') as fsync, lower('ÀΩЖ') as folded,
       'Ж' ilike 'ж' as alike, current_setting('listen_addresses') as addresses`,
  )
  assert.deepEqual(row, {
    name: 'tracker',
    user: 'tracker',
    timezone: 'UTC',
    encoding: 'UTF8',
    fsync: 'on',
    folded: 'àωж',
    alike: true,
    addresses: '',
  })
  assert.equal(statSync(join(dataDirectory, 'postgres')).mode & 0o777, 0o700)
})

test('a second start on the same directory is rejected with a clear error, from any process', async (t) => {
  const dataDirectory = await sharedStore()
  const store = await startEmbeddedStore({ dataDirectory, settings: fast })
  t.after(store.stop)
  const sentence =
    `Another server is already using ${dataDirectory} (process ${process.pid}). ` +
    'Stop it first, or set DATA_DIR to another directory.'
  await assert.rejects(startEmbeddedStore({ dataDirectory }), { message: sentence })
  await assert.rejects(launch(t, dataDirectory).url, { message: `error: ${sentence}` })
  assert.deepEqual(await queryRows(store.url, `select text from note where text = 'kept'`), [
    { text: 'kept' },
  ])
})

test('of several simultaneous starts exactly one succeeds', async (t) => {
  const dataDirectory = await sharedStore()
  const starts = await Promise.allSettled([1, 2, 3].map(() => launch(t, dataDirectory).url))
  assert.equal(starts.filter(({ status }) => status === 'fulfilled').length, 1)
})

test('stopping twice has the same effect as stopping once', async () => {
  const dataDirectory = await sharedStore()
  const store = await startEmbeddedStore({ dataDirectory, settings: fast })
  await Promise.all([store.stop(), store.stop()])
  await store.stop()
  assert.equal(existsSync(join(dataDirectory, 'postgres', 'postmaster.pid')), false)
  const next = await startEmbeddedStore({ dataDirectory, settings: fast })
  await next.stop()
})

test('stopping does not wait for a session that is busy', async () => {
  const store = await startEmbeddedStore({ dataDirectory: await sharedStore(), settings: fast })
  const busy = assert.rejects(queryRows(store.url, 'select pg_sleep(60)'))
  await store.stop()
  await busy
})

test('a directory with a long path, blanks, commas and quotes works', async (t) => {
  const dataDirectory = await copyOfStore(`a, "b" 'c' é ${'long'.repeat(30)}`)
  const store = await startEmbeddedStore({ dataDirectory, settings: fast })
  t.after(store.stop)
  assert.deepEqual(await queryRows(store.url, `select text from note where text = 'kept'`), [
    { text: 'kept' },
  ])
  const socketDirectory = new URL(store.url.replace('@/', '@x/')).searchParams.get('host') ?? ''
  assert.equal(statSync(socketDirectory).mode & 0o777, 0o700)
  await store.stop()
  assert.equal(existsSync(socketDirectory), false)
})

test('a short directory name with commas and quotes keeps its socket inside', async (t) => {
  const dataDirectory = await copyOfStore(`a, "b" 'c' é`)
  const store = await startEmbeddedStore({ dataDirectory, settings: fast })
  t.after(store.stop)
  assert.deepEqual(await queryRows(store.url, `select text from note where text = 'kept'`), [
    { text: 'kept' },
  ])
  assert.ok(existsSync(join(dataDirectory, 'postgres', '.s.PGSQL.5432')))
})

test('a setting that does not exist is reported with the text of the log', async () => {
  const dataDirectory = await sharedStore()
  const start = startEmbeddedStore({ dataDirectory, settings: { ...fast, no_such_setting: 1 } })
  await assert.rejects(start, /The database did not start \(exit code 1\).*no_such_setting/s)
  const store = await startEmbeddedStore({ dataDirectory, settings: fast })
  await store.stop()
})

test('a directory named postgres that is no cluster is not touched', async () => {
  const dataDirectory = temporaryDirectory()
  mkdirSync(join(dataDirectory, 'postgres'))
  writeFileSync(join(dataDirectory, 'postgres', 'letter.txt'), 'mine')
  await assert.rejects(
    startEmbeddedStore({ dataDirectory }),
    /postgres holds something other than a database/,
  )
  assert.equal(readFileSync(join(dataDirectory, 'postgres', 'letter.txt'), 'utf8'), 'mine')
})

test('a log of more than ten megabytes is rotated', async (t) => {
  const dataDirectory = await sharedStore()
  writeFileSync(join(dataDirectory, 'postgres.log'), 'x'.repeat(10 * 1024 * 1024 + 1))
  const store = await startEmbeddedStore({ dataDirectory, settings: fast })
  t.after(store.stop)
  assert.ok(statSync(join(dataDirectory, 'postgres.log')).size < 100_000)
  assert.ok(statSync(join(dataDirectory, 'postgres.previous.log')).size > 10_000_000)
})
