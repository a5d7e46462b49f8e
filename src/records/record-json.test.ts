import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { freshDatabase } from '../../test/support/fresh-database.ts'
import { columnName, selectColumns, tableOf } from '../db/columns.ts'
import type { Row } from '../db/rows.ts'
import { sql } from '../db/sql.ts'
import { resources } from '../resources/all.ts'
import type { ListedResource } from '../resources/define-resource.ts'
import { person } from '../resources/user.ts'
import { recordsJsonSql, serializeRecord } from './record-json.ts'

/**
 * Contains every character that JSON escapes or might escape, and text that looks like the end of a value.
 */
const unusualText = `${String.fromCharCode(...Array.from({ length: 31 }, (_, code) => code + 1))}"\\/\u007f\u0085\u2028\u2029\u{1f980}é+00:00","id":null}`

/** The values of each kind of column. Each position is one row. */
const valuesOfKind: Readonly<Record<string, readonly unknown[]>> = {
  text: [unusualText, '', 'null', '2026-01-05 09:00:00+00'],
  uuid: Array(4).fill('0199a3c4-7d1e-7c52-9d0b-6f3a1c2e4b58'),
  timestamp: [
    '2026-01-05T09:00:00.000001Z',
    '0001-01-01T00:00:00Z',
    '9999-12-31T23:59:59.999999Z',
    '2026-03-29T01:30:00.5Z',
  ],
  number: [0.07, 0, 100_000, 4.5],
  integer: [1, 7, 1000, 2_000_000],
  boolean: [true, false, true, false],
}

describe('JSON from the database', () => {
  let fresh: Awaited<ReturnType<typeof freshDatabase>>
  before(async () => {
    fresh = await freshDatabase()
  })
  after(() => fresh.drop())

  for (const resource of [...resources, person]) {
    it(`equals the JSON of the host for ${resource.pluralNoun} in every time zone`, async () => {
      const stored = [...valuesOfKind.uuid!.keys()].map((position) => rowOf(resource, position))
      const rows = sql`jsonb_populate_recordset(null::${tableOf(resource)}, ${JSON.stringify([...stored, {}])}) as row`
      for (const zone of ['UTC', 'America/Sao_Paulo', 'Asia/Kathmandu']) {
        const { values, records } = await fresh.database.transaction(async (transaction) => {
          await transaction.query(sql`select set_config('timezone', ${zone}, true)`)
          const values = await transaction.query<Row>(sql`select ${selectColumns(resource)} from ${rows}`)
          const [found] = await transaction.query<{ records: string }>(
            sql`select ${recordsJsonSql(resource, sql`select row.* from ${rows}`)} as records`,
          )
          return { values, records: found?.records }
        })
        assert.equal(records, JSON.stringify(values.map((row) => serializeRecord(resource, row))), zone)
      }
    })
  }

  it('is an empty array if there are no records', async () => {
    const [found] = await fresh.database.query<{ records: string }>(
      sql`select ${recordsJsonSql(person, sql`select * from users where false`)} as records`,
    )
    assert.equal(found?.records, '[]')
  })
})

/** The row as JSON of the stored columns. */
const rowOf = ({ columns, fields }: ListedResource, position: number) => ({
  ...Object.fromEntries(
    columns.map((name) => [
      columnName(name),
      valuesOfKind[fields[name]?.wire ?? commonKinds[name] ?? '']?.[position],
    ]),
  ),
  active: position % 2 === 0,
})

const commonKinds: Readonly<Record<string, string>> = {
  id: 'uuid',
  createdAt: 'timestamp',
  updatedAt: 'timestamp',
  deletedAt: 'timestamp',
}
