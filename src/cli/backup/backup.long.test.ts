import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { promisify } from 'node:util'
import pg from 'pg'
import { cheapPasswords } from '../../../test/support/cheap-passwords.ts'
import { type FreshDatabase, freshDatabase, isDistributed } from '../../../test/support/fresh-database.ts'
import { until } from '../../../test/support/until.ts'
import { openBudgets } from '../../config/budgets.ts'
import { readAttachmentSettings } from '../../config/host-settings.ts'
import { readSettings } from '../../config/settings.ts'
import { readStoreSettings } from '../../config/store-settings.ts'
import { changesSince, currentSnapshot } from '../../db/change-log.ts'
import { startEmbeddedStore } from '../../db/embedded/start-embedded-store.ts'
import { migrate, migrateWithin } from '../../db/migrate.ts'
import { newId } from '../../db/rows.ts'
import { sql } from '../../db/sql.ts'
import { pathOfFile } from '../../features/attachments/file-store.ts'
import { seedStore } from '../seed-store.ts'
import { readStoredTables } from './copy.ts'
import { openFileTarget } from './files.ts'
import { checkBackup, restoreBackup } from './restore-backup.ts'
import { writeBackup } from './run-backup.ts'

const picture = Buffer.from('89504e470d0a1a0a00', 'hex')

describe('A backup', () => {
  const folder = mkdtempSync(join(tmpdir(), 'backup-'))
  const file = join(folder, 'first.backup')
  const databases: FreshDatabase[] = []
  let source: FreshDatabase
  const open = async () => {
    const fresh = await freshDatabase()
    databases.push(fresh)
    return fresh
  }
  const openEmpty = async () => {
    const fresh = await open()
    await run(fresh.url, 'drop schema bank cascade; drop schema public cascade; create schema public')
    return fresh
  }
  const attachments = readSettings({ DATA_DIR: join(folder, 'data') }, readAttachmentSettings)
  const attached = { active: newId(), removed: newId() }
  /** Adds an attachment with its file. */
  async function attach(url: string, id: string, size = picture.length) {
    await run(
      url,
      `insert into attachments (id, name, type, size, sha256, assignment_id, user_id)
         select '${id}', 'sketch.png', 'image/png', ${size}, '', a.id, a.user_id from (select * from assignments limit 1) as a`,
    )
    await run(url, `insert into attachment_files (id) values ('${id}')`)
    const path = pathOfFile(attachments.directory, id)
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, picture)
  }
  const restore = async (url: string, name = file) =>
    restoreBackup(url, { file: name }, await checkBackup({ file: name }))

  before(async () => {
    source = await open()
    const { database } = source
    const budgets = openBudgets()
    const settings = readSettings({ DATA_DIR: folder, SVC_DEMO_DATA: 'true' }, readStoreSettings)
    await seedStore({ database, budgets, passwords: cheapPasswords() }, settings)
    await database.query(sql`insert into signin_sessions (id, user_id, security_stamp, expires_at)
      select id::text, id, security_stamp, now() + interval '8 hours' from users`)
    await database.query(sql`update organizations set description = ${'a\ttab, a \\. dot,\n\\N and "ünï" 🛰'}`)
    // Another server has not assigned these transaction ids yet.
    await database.query(
      sql`update changes set transaction = (1 + pg_current_xact_id()::text::bigint * 1000)::text::xid8`,
    )
    // Earlier months have other partitions.
    await database.query(sql`insert into history select sequence + 1000000, transaction, now() - interval '70 days',
      resource, row_id, action, project_id, caller, fields, session, client, host, request from history limit 3`)
    await database.query(sql`insert into webhooks (id, user_id, url, secret, position, since)
      select id, id, 'https://hooks.example', 'secret', 'position', '900000:900000:' from users`)
    // Enough rows to exceed every buffer of the streams.
    await database.query(sql`insert into comments (id, text, assignment_id, user_id)
      select gen_random_uuid(), repeat(md5(line::text), line % 90), a.id, a.user_id
      from generate_series(1, 2000) as line cross join (select * from assignments limit 1) as a`)
    await run(source.url, `select bank.apply('{1,2}', '{5,-7}', '{kept,kept}')`)
    for (const id of [attached.active, attached.removed]) await attach(source.url, id)
    await run(
      source.url,
      `update attachments set active = false, deleted_at = now() where id = '${attached.removed}'`,
    )
    await writeBackup(source.url, folder, { file }, attachments.directory)
  })
  after(async () => {
    for (const fresh of databases) await fresh.drop()
    rmSync(folder, { recursive: true, force: true })
  })

  it('restores every row of every table', async () => {
    const target = await openEmpty()
    await restore(target.url)
    const [original, restored] = [await contentOf(source.url), await contentOf(target.url)]
    assert.deepEqual(Object.keys(restored), Object.keys(original))
    // A restore ends sessions, makes webhooks due and records its own time.
    const adjusted = ['public.history_begin', 'public.signin_sessions', 'public.webhooks']
    for (const [table, rows] of Object.entries(original)) {
      assert.ok(table.startsWith('public.') || rows.length > 0, table)
      if (!adjusted.includes(table)) assert.deepEqual(restored[table], rows, table)
    }
    assert.deepEqual(await migrate(target.url), [])
    const next = `insert into changes (resource, row_id, action) values ('user', gen_random_uuid(), 'create')
      returning sequence > (select max(sequence) from changes) as "isNew"`
    assert.equal((await run(target.url, next))[0]?.isNew, true)
  })

  it('restores the files of attachments, including removed ones', async () => {
    const target = await openEmpty()
    const restored = readSettings({ DATA_DIR: join(folder, 'restored files') }, readAttachmentSettings)
    const checked = await checkBackup({ file })
    assert.equal(checked.end.files, 2)
    await restoreBackup(target.url, { file }, checked, { files: await openFileTarget(restored) })
    for (const id of Object.values(attached))
      assert.deepEqual(readFileSync(pathOfFile(restored.directory, id)), picture)
    assert.deepEqual(readdirSync(join(restored.directory, 'uploads')), [])
  })

  it('leaves out missing and truncated files of attachments', async () => {
    const [lost, truncated] = [newId(), newId()]
    await attach(source.url, lost)
    await attach(source.url, truncated, picture.length + 1)
    rmSync(pathOfFile(attachments.directory, lost))
    const name = join(folder, 'lost.backup')
    const { files } = await writeBackup(source.url, folder, { file: name }, attachments.directory)
    assert.deepEqual(files, { written: 2, missing: 2 })
    await run(source.url, `delete from attachments where id in ('${lost}', '${truncated}')`)
    assert.equal((await checkBackup({ file: name })).end.files, 2)
  })

  it('fails if the directory of attachments does not exist', async () => {
    const elsewhere = join(folder, 'no attachments here')
    const name = join(folder, 'elsewhere.backup')
    await assert.rejects(
      writeBackup(source.url, folder, { file: name }, elsewhere),
      /The store has 2 attachments, and there is no directory .* or add --without-files/,
    )
    const { files } = await writeBackup(source.url, folder, { file: name })
    assert.deepEqual(files, { written: 0, missing: 0 })
  })

  it('ends all sessions, and makes webhooks due, when it is restored', async () => {
    const target = await openEmpty()
    await restore(target.url)
    const snapshot = await currentSnapshot(target.database)
    assert.deepEqual((await changesSince(target.database, snapshot)).resources, [])
    const [state] = await run(
      target.url,
      `select (select count(*)::int from signin_sessions where ended_at is null) as open,
        (select count(*)::int from webhooks where since <> '1:1:') as "notDue",
        (select restored_at > now() - interval '1 minute' from history_begin) as "isRecorded"`,
    )
    assert.deepEqual(state, { open: 0, notDue: 0, isRecorded: true })
  })

  it('is one snapshot, while transactions continue', async () => {
    let isDone = false
    const paying = (async () => {
      while (!isDone) await run(source.url, `select bank.apply('{3,4}', '{9,-9}', '{moved,moved}')`)
    })()
    const name = join(folder, 'busy.backup')
    await writeBackup(source.url, folder, { file: name })
    isDone = true
    await paying
    const target = await openEmpty()
    await restore(target.url, name)
    const sums = `select a.id, balance::text, coalesce(sum(amount), 0)::text as sum, a.seq::int, count(l)::int as rows
      from bank.account as a left join bank.ledger as l on account_id = a.id group by a.id order by a.id`
    const accounts = await run(target.url, sums)
    assert.equal(accounts.length, 5)
    for (const { balance, sum, seq, rows } of accounts) assert.deepEqual([balance, seq], [sum, rows])
  })

  it('of an earlier version is migrated when it is restored', async () => {
    const old = await openEmpty()
    const client = new pg.Client({ connectionString: old.url })
    await client.connect()
    await client.query('begin')
    await migrateWithin(client, (name) => name < '0009')
    await client.query(`insert into organizations (id, name) values (gen_random_uuid(), 'Old organization')`)
    await client.query('commit')
    await client.end()
    const name = join(folder, 'old.backup')
    await writeBackup(old.url, folder, { file: name })
    const target = await openEmpty()
    await restore(target.url, name)
    assert.deepEqual(await run(target.url, 'select name from organizations'), [{ name: 'Old organization' }])
    assert.deepEqual(await migrate(target.url), [])
  })

  it('never replaces a file, and is readable for its owner only', async () => {
    await assert.rejects(
      writeBackup(source.url, folder, { file }),
      /first\.backup already exists and is not overwritten/,
    )
    assert.equal(statSync(file).mode & 0o777, 0o600)
  })

  it('leaves no connection to the store when it cannot begin', { skip: isDistributed }, async () => {
    const { url, database } = await open()
    // The store looks sharded, but the table whose lock blocks commits is missing.
    await run(url, 'create table row_places ()')
    await assert.rejects(writeBackup(url, folder, { file: join(folder, 'none.backup') }), /two_phase_commits/)
    const connections = sql`select from pg_stat_activity
      where application_name = 'backup' and datname = current_database()`
    await until(async () => (await database.query(connections)).length === 0, 'the end of the connections')
  })

  it('is restored into an empty store only', async () => {
    const before = await contentOf(source.url)
    await assert.rejects(restore(source.url), /This store already has tables .*nothing is overwritten/)
    assert.deepEqual(await contentOf(source.url), before)
    const target = await openEmpty()
    const backup = await checkBackup({ file })
    const wrong = { ...backup, end: { ...backup.end, rows: { ...backup.end.rows, 'bank.ledger': 3 } } }
    await assert.rejects(restoreBackup(target.url, { file }, wrong), /bank\.ledger has 2 rows instead of 3/)
    await restore(target.url)
  })

  it('is restored without a time limit', async (t) => {
    const warn = t.mock.method(console, 'warn', () => undefined)
    const target = await openEmpty()
    await run(target.url, 'create schema other; create table other.locked ()')
    const locker = new pg.Client({ connectionString: target.url })
    t.after(() => locker.end())
    await locker.connect()
    // ANALYZE reads every table, and waits for this one.
    await locker.query('begin; lock other.locked in share update exclusive mode')
    const options = encodeURIComponent('-c statement_timeout=500')
    const restoring = restore(`${target.url}${target.url.includes('?') ? '&' : '?'}options=${options}`)
    const analyzing = sql`select pid from pg_stat_activity where datname = current_database()
      and application_name = 'restore' and query = 'analyze' and state = 'active'
      and clock_timestamp() > query_start + interval '600 milliseconds'`
    let hasEnded = false
    const end = () => {
      hasEnded = true
    }
    restoring.then(end, end)
    await until(
      async () => hasEnded || (await target.database.query(analyzing)).length === 1,
      'an analysis that takes longer than the statement timeout of the role',
    )
    assert.equal(hasEnded, false)
    await target.database.query(sql`select pg_cancel_backend(pid) from (${analyzing}) as restoring`)
    await restoring
    assert.match(String(warn.mock.calls[0]?.arguments[0]), /could not be analyzed \(canceling statement/)
  })

  it('is rejected without any change if it is truncated, corrupt or from a newer version', async () => {
    const copy = (name: string) => {
      const path = join(folder, name)
      writeFileSync(path, readFileSync(file))
      return path
    }
    const truncated = copy('truncated.backup')
    truncateSync(truncated, statSync(truncated).size - 100)
    await assert.rejects(checkBackup({ file: truncated }), /truncated\.backup cannot be restored/)
    const changed = copy('changed.backup')
    const bytes = readFileSync(changed)
    bytes[bytes.length >> 1] = (bytes[bytes.length >> 1] ?? 0) ^ 1
    writeFileSync(changed, bytes)
    await assert.rejects(checkBackup({ file: changed }), /changed\.backup cannot be restored/)
    const other = join(folder, 'other.backup')
    writeFileSync(other, 'something else')
    await assert.rejects(checkBackup({ file: other }), /other\.backup cannot be restored/)
    const newer = await open()
    await run(newer.url, `insert into migrations (name, checksum) values ('9999-later.sql', '')`)
    const later = join(folder, 'later.backup')
    await writeBackup(newer.url, folder, { file: later })
    await assert.rejects(checkBackup({ file: later }), /made by a newer version \(9999-later\.sql\)/)
  })

  it('of the embedded store can be made while the store is running', async (t) => {
    const dataDirectory = join(folder, 'running')
    const store = await startEmbeddedStore({ dataDirectory, settings: { fsync: 'off' } })
    t.after(store.stop)
    await migrate(store.url)
    await run(store.url, `insert into organizations (id, name) values (gen_random_uuid(), 'Embedded')`)
    writeFileSync(join(dataDirectory, 'identity-secret'), 'kept secret\n')
    const name = join(folder, 'embedded.backup')
    assert.match(
      await runCli(['backup', name], dataDirectory),
      /embedded\.backup has \d+ rows, \d+ bytes, and was verified/,
    )
    const readRecordedTime = async () =>
      (await run(store.url, 'select made_at as at from latest_backup'))[0]?.at as Date
    const madeAt = await readRecordedTime()
    assert.ok(Math.abs(madeAt.getTime() - Date.now()) < 10 * 60_000, 'the doctor can tell its age')
    assert.match(await runCli(['backed-up'], dataDirectory), /The backup is recorded/)
    assert.ok((await readRecordedTime()) > madeAt)
    assert.match(await runCli(['restore', '--check', name], dataDirectory), /is intact: \d+ rows/)
    await assert.rejects(runCli(['restore', name], dataDirectory), /This store already has tables/)
    const restored = join(folder, 'restored')
    assert.match(
      await runCli(['restore', name], restored),
      /Restored \d+ rows of .* All users have to sign in again\./,
    )
    assert.equal(readFileSync(join(restored, 'identity-secret'), 'utf8'), 'kept secret\n')
    const restoredStore = await startEmbeddedStore({ dataDirectory: restored, settings: { fsync: 'off' } })
    t.after(restoredStore.stop)
    assert.deepEqual(await run(restoredStore.url, 'select name from organizations'), [{ name: 'Embedded' }])
  })

  it('can be encrypted and copied', async (t) => {
    const dataDirectory = join(folder, 'daily')
    const store = await startEmbeddedStore({ dataDirectory, settings: { fsync: 'off' } })
    t.after(store.stop)
    await migrate(store.url)
    const readRecord = async () =>
      (
        await run(store.url, `select now() - made_at < interval '10 minutes' as "isNew" from latest_backup`)
      )[0]
    const [backups, elsewhere, keyFile] = ['backups', 'elsewhere', 'key'].map((name) => join(folder, name))
    mkdirSync(String(elsewhere))
    writeFileSync(String(keyFile), 'ab'.repeat(32))
    const options = [String(backups), '--keep', '2', '--key-file', String(keyFile), '--copy-command']
    const backUp = (copyCommand: string) => runCli(['backup', ...options, copyCommand], dataDirectory)
    const names = () => readdirSync(String(backups)).sort()
    await assert.rejects(
      backUp('exit 3'),
      /is complete, but the command of --copy-command failed with code 3/,
    )
    assert.equal(await readRecord(), undefined)
    const first = 'tracker-20210101T000000.backup'
    renameSync(join(String(backups), String(names()[0])), join(String(backups), first))
    writeFileSync(join(String(backups), 'tracker-notes.backup'), 'not ours')
    writeFileSync(join(String(backups), 'tracker-20200101T000000.backup'), 'old')
    const output = await backUp(`cp "$BACKUP_FILE" '${elsewhere}'`)
    assert.match(output, /and was verified\.\nDeleted tracker-20200101T000000\.backup\.\n$/)
    assert.deepEqual(await readRecord(), { isNew: true })
    const newest = names().at(1)
    assert.deepEqual(names(), [first, newest, 'tracker-notes.backup'])
    assert.deepEqual(readdirSync(String(elsewhere)), [newest])
    const verify = (...args: string[]) => runCli(['backup', 'verify', ...args], dataDirectory)
    const key = ['--key-file', String(keyFile)]
    assert.match(await verify(String(backups), ...key), new RegExp(`${newest} of .* is intact: \\d+ rows`))
    await assert.rejects(verify(String(elsewhere)), /is encrypted\. Add --key-file with its key/)
    await assert.rejects(verify(folder), /There is no backup in/)
    const restored = join(folder, 'restored daily')
    assert.match(
      await runCli(['restore', join(String(elsewhere), String(newest)), ...key], restored),
      /Restored \d+ rows/,
    )
  })
})

async function runCli(args: readonly string[], dataDirectory: string): Promise<string> {
  const { DATABASE_URL: _, ...inherited } = process.env
  const env = { ...inherited, DATA_DIR: dataDirectory }
  const cli = join(import.meta.dirname, '..', '..', 'cli.ts')
  return (await promisify(execFile)(process.execPath, [cli, ...args], { env })).stdout
}

async function run(url: string, statement: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query(statement)).rows
  } finally {
    await client.end()
  }
}

/** Returns all rows of every table, without transaction ids. */
async function contentOf(url: string): Promise<Record<string, unknown[]>> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    const content: Record<string, unknown[]> = {}
    for (const { name, columns } of await readStoredTables(client)) {
      const { rows } = await client.query(
        `select (select jsonb_object_agg(key, value) from jsonb_each(to_jsonb(t)) where key = any ($1)) as row from ${name} as t order by 1`,
        [columns],
      )
      content[name] = rows
    }
    return content
  } finally {
    await client.end()
  }
}
