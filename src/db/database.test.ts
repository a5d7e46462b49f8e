import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import pg from 'pg'
import { type FreshDatabase, freshDatabase } from '../../test/support/fresh-database.ts'
import { Problem } from '../model/problem.ts'
import { openDatabase } from './database.ts'
import { migrate } from './migrate.ts'
import { raw, sql } from './sql.ts'

describe('the database', () => {
  let fresh: FreshDatabase
  let other: pg.Client
  before(async () => {
    fresh = await freshDatabase()
    other = new pg.Client({ connectionString: fresh.url })
    await other.connect()
    await other.query('create table counter (id int primary key, value int not null)')
    await other.query('insert into counter values (1, 0), (2, 0)')
  })
  after(async () => {
    await other.end()
    await fresh.drop()
  })
  const endSessions = () =>
    other.query(
      'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
    )

  it('commits all of a transaction, or none of it', async () => {
    const failing = fresh.database.transaction(async (transaction) => {
      await transaction.query(sql`update counter set value = 99 where id = 1`)
      throw new Error('half-way')
    })
    await assert.rejects(failing, /half-way/)
    assert.deepEqual(await fresh.database.query(sql`select value from counter where id = 1`), [{ value: 0 }])
  })

  it('continues reading after its connection was cut', async () => {
    await fresh.database.query(sql`select 1`)
    await endSessions()
    const reads = Array.from({ length: 50 }, () => fresh.database.query(sql`select 1 as one`))
    for (const rows of await Promise.all(reads)) assert.deepEqual(rows, [{ one: 1 }])
  })

  it('retries a transaction whose connection was cut before its commit', async () => {
    let attempts = 0
    await fresh.database.transaction(async (transaction) => {
      attempts += 1
      await transaction.query(sql`update counter set value = value + 1 where id = 1`)
      if (attempts === 1) await endSessions()
      await transaction.query(sql`select 1`)
    })
    assert.equal(attempts, 2)
    assert.deepEqual(await fresh.database.query(sql`select value from counter where id = 1`), [{ value: 1 }])
  })

  it('retries a deadlocked transaction', async () => {
    const bump = (first: number, second: number) =>
      fresh.database.transaction(async (transaction) => {
        await transaction.query(sql`update counter set value = value + 1 where id = ${first}`)
        await new Promise((resolve) => setTimeout(resolve, 50))
        await transaction.query(sql`update counter set value = value + 1 where id = ${second}`)
      })
    await Promise.all([bump(1, 2), bump(2, 1)])
    assert.deepEqual(await fresh.database.query(sql`select value from counter where id = 2`), [{ value: 2 }])
  })

  it('retries a conflict even if the error of a later statement is noticed first', async () => {
    let attempts = 0
    const conflict = raw(`do $$ begin raise exception using errcode = '40001'; end $$`)
    await fresh.database.transaction(async ({ query }) => {
      attempts += 1
      let first: Promise<unknown> = query(attempts === 1 ? conflict : sql`select 1 as one`)
      // Delays the first result by some microtasks, so that the error of the second statement arrives before
      // it.
      for (let steps = 0; steps < 20; steps += 1) first = first.then((rows) => rows)
      const both = Promise.all([first, query(sql`select 2 as two`)])
      // Blocks the event loop for 100 ms, so that both answers have arrived when the next read happens.
      setImmediate(() => {
        for (const end = performance.now() + 100; performance.now() < end; );
      })
      await both
    })
    assert.equal(attempts, 2)
  })

  it('gives up on a conflict that does not end', async () => {
    const conflict = Object.assign(new Error('could not serialize'), { code: '40001' })
    await assert.rejects(
      fresh.database.transaction(() => Promise.reject(conflict)),
      (error) => error instanceof Problem && error.kind === 'contended',
    )
  })

  it('returns a numeric as a number', async () => {
    assert.deepEqual(await fresh.database.query(sql`select 0.25::numeric as hours`), [{ hours: 0.25 }])
  })

  it('keeps every microsecond of a timestamp', async () => {
    await other.query(`alter database ${other.database} set timezone to 'America/Sao_Paulo'`)
    const reopened = openDatabase({ url: fresh.url, applicationName: 'test' })
    const [row] = await reopened.query(sql`select '2026-10-08T12:34:56.789012Z'::timestamptz as instant`)
    assert.deepEqual(row, { instant: '2026-10-08T12:34:56.789012Z' })
    await reopened.close()
  })

  it('returns timestamps as text in one form', async () => {
    await other.query(`alter database ${other.database} set datestyle to 'German'`)
    const reopened = openDatabase({ url: fresh.url, applicationName: 'test' })
    const timestamp = sql`select instant, (instant at time zone 'UTC')::text as formatted from (select '2026-10-08T12:34:56Z'::timestamptz as instant)`
    const results = [
      reopened.query(timestamp),
      reopened.singleWrites.query(timestamp),
      reopened.transaction(({ query }) => query(timestamp)),
      reopened.listReads.query(timestamp, 'account'),
    ]
    for (const rows of await Promise.all(results))
      assert.deepEqual(rows, [{ instant: '2026-10-08T12:34:56Z', formatted: '2026-10-08 12:34:56' }])
    await reopened.close()
    await other.query(`alter database ${other.database} reset datestyle`)
  })

  it('works without named statements, as behind a pooler', async () => {
    const plain = openDatabase({ url: fresh.url, applicationName: 'test', namedStatements: false })
    const rows = await Promise.all(
      [1, 2, 3].map((number) => plain.query(sql`select ${number}::int as number`)),
    )
    assert.deepEqual(rows.flat(), [{ number: 1 }, { number: 2 }, { number: 3 }])
    await plain.close()
  })

  it('is migrated once by four instances that start together', async () => {
    await other.query(`create database ${other.database}_empty`)
    const url = fresh.url.replace(String(other.database), `${other.database}_empty`)
    const applied = await Promise.all([1, 2, 3, 4].map(() => migrate(url)))
    assert.equal(applied.filter(({ length }) => length > 0).length, 1)
    await other.query(`drop database ${other.database}_empty with (force)`)
  })

  it('is rejected only if a newer version has removed something from its schema', async () => {
    await other.query(`insert into migrations (name, checksum) values ('9998-more.sql', '')`)
    assert.deepEqual(await migrate(fresh.url), [])
    // `contracts` is a verb here: the migration removes something.
    await other.query(`insert into migrations (name, checksum, contracts) values ('9999-less.sql', '', true)`)
    await assert.rejects(migrate(fresh.url), {
      message:
        'A newer version has changed this store (9999-less.sql), and this version cannot work with it. ' +
        'Start the newer version, or restore a backup from before.',
    })
    await other.query(`delete from migrations where name like '999%'`)
  })

  it('is up to date if version 0.1.0 created it', async () => {
    // Version 0.1.0 had no column `contracts`.
    await other.query('alter table migrations drop column contracts')
    assert.deepEqual(await migrate(fresh.url), [])
    await other.query('alter table migrations add column contracts boolean not null default false')
  })

  it('is rejected if the text of a migration has changed since it was applied', async () => {
    await other.query("update migrations set checksum = 'other' where name = '0001-tracker.sql'")
    await assert.rejects(migrate(fresh.url), /0001-tracker.sql was applied with another text/)
  })
})
