import assert from 'node:assert/strict'
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterEach, beforeEach, describe, it } from 'node:test'
import { promisify } from 'node:util'
import { type FreshDatabase, freshDatabase } from '../../test/support/fresh-database.ts'
import { awayFromMidnight } from '../../test/support/until.ts'
import { maintenanceLimits } from './failures.ts'
import { closeDays, readClosedDays, verifyHistory } from './history-chain.ts'
import { raw } from './sql.ts'

const run = promisify(execFile)

describe('The chain of the history', () => {
  let fresh: FreshDatabase
  const write = (text: string) => fresh.database.transaction((transaction) => transaction.query(raw(text)))
  beforeEach(async () => {
    // The entries of today must not become entries of a day that has ended.
    await awayFromMidnight()
    fresh = await freshDatabase()
    await write(`update history_begin set at = now() - interval '4 days'`)
    // Creates 40 entries for today, and 40 for each of the four days before.
    await write(`insert into history (sequence, transaction, at, resource, row_id, action, fields)
      select n, pg_current_xact_id(), now() - make_interval(days => (4 - n % 5)::int), 'project', gen_random_uuid(), 'create',
        jsonb_build_object('name', 'Project ' || n) from generate_series(1, 200) as n`)
    await closeDays(fresh.database)
  })
  afterEach(() => fresh.drop())

  it('closes only days that have ended', async () => {
    const days = await readClosedDays(fresh.database)
    assert.deepEqual(
      days.map(({ entries }) => entries),
      [40, 40, 40, 40],
    )
    await closeDays(fresh.database)
    assert.deepEqual(await readClosedDays(fresh.database), days)
    assert.deepEqual(await verifyHistory(fresh.database, days), [])
  })

  const forgeries = [
    {
      name: 'a changed field',
      statement: `update history set fields = '{"name": "Forged"}' where sequence = 7`,
      problem: /an entry was changed/,
    },
    {
      name: 'a changed account',
      statement: `update history set caller = gen_random_uuid() where sequence = 7`,
      problem: /an entry was changed/,
    },
    {
      name: 'a removed entry',
      statement: 'delete from history where sequence = 7',
      problem: /has 39 entries, and had 40/,
    },
    {
      name: 'an added entry',
      statement: `insert into history select 1000, transaction, at, resource, row_id, action, project_id, caller, fields from history where sequence = 7`,
      problem: /has 41 entries, and had 40/,
    },
    {
      name: 'a removed day',
      statement: `delete from history_days where day = (now() - interval '2 days')::date`,
      problem: /days before it are missing/,
    },
  ]
  for (const { name, statement, problem } of forgeries)
    it(`detects ${name}`, async () => {
      await write(statement)
      const problems = await verifyHistory(fresh.database)
      assert.match(problems[0] ?? '', problem)
    })

  it('is recognized as rewritten when it is compared with heads from another place', async () => {
    const recordedHeads = await readClosedDays(fresh.database)
    await write(`update history set fields = '{"name": "Forged"}' where sequence = 7`)
    await write('delete from history_days')
    await closeDays(fresh.database)
    assert.deepEqual(await verifyHistory(fresh.database), [])
    const problems = await verifyHistory(fresh.database, recordedHeads)
    assert.match(problems.join('\n'), /the head differs from the recorded one/)
    await write('delete from history_days')
    assert.match((await verifyHistory(fresh.database, recordedHeads)).join('\n'), /no longer has it/)
  })

  it('continues from the head of the previous day when older months were purged', async () => {
    const days = await readClosedDays(fresh.database)
    await write(
      `update history_begin set at = date_trunc('day', now() at time zone 'UTC') at time zone 'UTC' - interval '2 days'`,
    )
    await write(`delete from history where at < (select at from history_begin)`)
    assert.deepEqual(await verifyHistory(fresh.database, days), [])
    await write('delete from history where sequence = (select min(sequence) from history)')
    assert.equal((await verifyHistory(fresh.database, days)).length, 1)
  })

  const cliFile = join(import.meta.dirname, '..', 'cli.ts')
  const optionsOf = ({ url }: FreshDatabase) => ({ env: { ...process.env, DATABASE_URL: url } })
  const cli = (...parameters: string[]) =>
    run(process.execPath, [cliFile, ...parameters], { ...optionsOf(fresh), maxBuffer: 10_000_000 })

  it('names the days that it cannot close yet', async () => {
    const [yesterday = ''] = (await readClosedDays(fresh.database)).map(({ day }) => day).toReversed()
    await write(`delete from history_days where day = '${yesterday}'`)
    await fresh.database.transaction(async (transaction) => {
      await transaction.query(raw('select pg_current_xact_id()'))
      for (const command of ['verify-history', 'history-heads'])
        assert.match(
          (await cli(command)).stderr,
          new RegExp(`These days are not closed yet, .* still open: ${yesterday}\\.`),
        )
    }, maintenanceLimits)
    assert.deepEqual(await closeDays(fresh.database), [])
    assert.equal((await readClosedDays(fresh.database)).at(-1)?.day, yesterday)
  })

  it('can be exported to a reader that stops early', async () => {
    const child = spawn(process.execPath, [cliFile, 'export-history'], optionsOf(fresh))
    child.stdout.destroy()
    const [errors, [code]] = await Promise.all([text(child.stderr), once(child, 'exit')])
    assert.deepEqual([errors, code], ['', 0])
  })

  it('can be verified and exported by commands', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'heads-'))
    try {
      const heads = join(folder, 'heads')
      writeFileSync(heads, (await cli('history-heads')).stdout)
      assert.match(
        (await cli('verify-history', heads)).stdout,
        /^The history is intact: 4 closed days, up to /,
      )
      const lines = (await cli('export-history')).stdout
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line))
      assert.deepEqual([lines.length, lines[6].id, lines[6].after], [200, '7', { name: 'Project 7' }])
      const csv = (await cli('export-history', 'csv')).stdout.trim().split('\r\n')
      assert.equal(csv.length, 201)
      assert.match(csv[0] ?? '', /^id,at,resource,rowId,action,/)
      await write(`update history set fields = '{"name": "Forged"}' where sequence = 7`)
      await assert.rejects(cli('verify-history', heads), /an entry was changed/)
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  })
})
