import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import pg from 'pg'
import { cheapPasswords } from '../../../test/support/cheap-passwords.ts'
import {
  type FreshDatabase,
  freshDatabase,
  isDistributed,
  withDatabase,
} from '../../../test/support/fresh-database.ts'
import { until } from '../../../test/support/until.ts'
import { openBudgets } from '../../config/budgets.ts'
import { readSettings } from '../../config/settings.ts'
import { readStoreSettings } from '../../config/store-settings.ts'
import { seedStore } from '../seed-store.ts'
import { checkBackup, restoreBackup } from './restore-backup.ts'
import { runRestored, writeBackup } from './run-backup.ts'

/** Also run on several nodes, by test/operations/citus/run. */
describe('A backup of one or several nodes', () => {
  const folder = mkdtempSync(join(tmpdir(), 'backup-'))
  const empty = `empty_${randomUUID()}`
  let source: FreshDatabase

  before(async () => {
    source = await freshDatabase()
    await run(source.url, `create database "${empty}" template template0`)
    const settings = readSettings({ DATA_DIR: folder, SVC_DEMO_DATA: 'true' }, readStoreSettings)
    const context = { database: source.database, budgets: openBudgets(), passwords: cheapPasswords() }
    await seedStore(context, settings)
  })
  after(async () => {
    await run(source.url, `drop database "${empty}"`)
    await source.drop()
    rmSync(folder, { recursive: true, force: true })
  })

  it('is one snapshot while assignments are created', async () => {
    let isDone = false
    const createUntilDone = async () => {
      while (!isDone) await run(source.url, createAssignment)
    }
    const creating = Promise.all([createUntilDone(), createUntilDone()])
    const file = join(folder, 'busy.backup')
    try {
      await until(
        async () => (await run(source.url, `select from changes where resource = 'made'`)).length > 0,
        'an assignment',
      )
      await writeBackup(source.url, folder, { file })
    } finally {
      isDone = true
      await creating
    }
    const target = withDatabase(source.url, empty)
    await restoreBackup(target, { file }, await checkBackup({ file }))
    const counts = `select (select count(*)::int from assignments where name = 'made') as assignments,
      (select count(*)::int from changes where resource = 'made') as changes`
    const [current] = await run(source.url, counts)
    const [restored] = await run(target, counts)
    assert.ok(Number(restored?.changes) > 0, JSON.stringify(restored))
    assert.ok(Number(restored?.changes) < Number(current?.changes), JSON.stringify([current, restored]))
    assert.equal(restored?.assignments, restored?.changes)
  })

  it('that was restored by other tools is usable after the command `restored`', async (t) => {
    await run(
      source.url,
      `insert into signin_sessions (id, user_id, security_stamp, expires_at)
       select id::text, id, security_stamp, now() + interval '8 hours' from users`,
    )
    const environment = { ...process.env }
    t.after(() => {
      process.env = environment
    })
    process.env.DATABASE_URL = source.url
    process.env.DATA_DIR = folder
    const log = t.mock.method(console, 'log', () => undefined)
    await runRestored()
    assert.deepEqual(log.mock.calls[0]?.arguments, [
      'The restored store is ready. All users have to sign in again.',
    ])
    const [state] = await run(
      source.url,
      `select (select count(*)::int from signin_sessions where ended_at is null) as open,
        (select restored_at > now() - interval '1 minute' from history_begin) as "isRecorded"`,
    )
    assert.deepEqual(state, { open: 0, isRecorded: true })
  })
})

/**
 * Creates an assignment. Its row and its entry in `changes` may be on different nodes. Writing to
 * `two_phase_commits` makes the transaction commit in two phases.
 */
const createAssignment = `
  begin;
  insert into assignments
    (id, name, start_date, end_date, amount_hours, user_id, project_id, workflow_id, assignment_type_id, number, rank)
  select gen_random_uuid(), 'made', start_date, end_date, 1, user_id, project_id, workflow_id, assignment_type_id,
    1000 + floor(random() * 1000000000)::int, rank
  from (select * from assignments limit 1) as template;
  ${isDistributed ? 'delete from two_phase_commits where id = 0;' : ''}
  insert into changes (resource, row_id, action) values ('made', gen_random_uuid(), 'create');
  commit`

async function run(url: string, statements: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query(statements)).rows
  } finally {
    await client.end()
  }
}
