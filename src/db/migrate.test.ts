import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import pg from 'pg'
import { type FreshDatabase, freshDatabase } from '../../test/support/fresh-database.ts'
import { explainUnsuitable, migrate } from './migrate.ts'

describe('A server that cannot hold a store', () => {
  let fresh: FreshDatabase
  let direct: pg.Client
  let latin: string
  before(async () => {
    fresh = await freshDatabase()
    direct = new pg.Client({ connectionString: fresh.url })
    await direct.connect()
    latin = `${direct.database}_latin1`
    await direct.query(
      `create database ${latin} encoding 'LATIN1' locale_provider libc lc_collate 'C' lc_ctype 'C' template template0`,
    )
  })
  after(async () => {
    await direct.query(`drop database ${latin} with (force)`)
    await direct.end()
    await fresh.drop()
  })

  test('is rejected for its encoding before anything is written', async () => {
    const url = fresh.url.replace(`${direct.database}`, latin)
    await assert.rejects(
      migrate(url),
      /^Error: The encoding of the database is LATIN1\. Create the database with: .*encoding 'UTF8'/,
    )
    const other = new pg.Client({ connectionString: url })
    await other.connect()
    const { rows } = await other.query(
      `select count(*)::int as tables from pg_class where relnamespace = 'public'::regnamespace`,
    )
    await other.end()
    assert.deepEqual(rows, [{ tables: 0 }])
  })

  test('is rejected if its version is older than 15', () => {
    const explain = (version: string, versionNumber: number) =>
      explainUnsuitable({ version, versionNumber, encoding: 'UTF8' })
    assert.equal(
      explain('14.12 (Debian)', 140_012),
      'The database server is PostgreSQL 14.12 (Debian). Use 15 or newer.',
    )
    assert.equal(explain('15.0', 150_000), undefined)
  })
})
