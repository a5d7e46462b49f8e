import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { freshDatabase } from '../../test/support/fresh-database.ts'
import { sql } from '../db/sql.ts'
import { historyPages, runVerifyHistory } from './history.ts'

test('The exported history is one snapshot, while changes continue', async (t) => {
  const { url, database, drop } = await freshDatabase()
  t.after(drop)
  const add = (from: number, to: number) =>
    database.transaction((transaction) =>
      transaction.query(sql`
        insert into history (sequence, transaction, at, resource, row_id, action, fields)
        select number, pg_current_xact_id(), now(), 'project', gen_random_uuid(), 'create', '{}' from generate_series(${from}::int, ${to}::int) as number`),
    )
  await add(1, 1500)
  const sequences: number[] = []
  for await (const page of historyPages(url)) {
    sequences.push(...page.map(({ sequence }) => sequence))
    await add(3000 + sequences.length, 3000 + sequences.length)
  }
  assert.deepEqual(
    sequences,
    Array.from({ length: 1500 }, (_, index) => index + 1),
  )
})

test('A file of heads with an invalid line is rejected with this line', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'heads-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  const file = join(folder, 'heads')
  for (const line of ['no JSON', 'null', '{"day":"2026-11-22"}']) {
    writeFileSync(file, `{"day":"2026-11-21","head":"ab"}\n${line}\n`)
    await assert.rejects(runVerifyHistory([file]), { message: `This line is not the head of a day: ${line}` })
  }
})
