import type { changedRows, datedRow, pageOfList, pageOfQuery, Reference } from '../named-statements.ts'
import { type NamedStatement, type Queries, rare, sql } from '../sql.ts'
import type { StoredRow } from './known-rows.ts'
import { atPlaces, type Place } from './places.ts'

type PiecesOf<Statement> = Statement extends NamedStatement<infer Pieces> ? Pieces : never

/** Each node counts its own rows, and sends at most as many of them as the page has. */
export async function readList(
  queries: Queries,
  { record, rows, cut, lastChange }: PiecesOf<typeof pageOfList>,
): Promise<StoredRow[]> {
  // Queried first, so that the rows are never older than their date.
  const [change] = await queries.query<StoredRow>(sql`select ${lastChange} as "lastChangeSecond"`)
  const [[total], page] = await Promise.all([
    queries.query<StoredRow>(sql`select count(*) as "totalCount" from ${rows}`),
    queries.query<{ readonly text: string }>(sql`select ${record} as text from ${rows} ${cut}`),
  ])
  return [{ records: `[${page.map(({ text }) => text).join()}]`, ...total, ...change }]
}

export async function readRow(
  queries: Queries,
  { row: statement, lastChange }: PiecesOf<typeof datedRow>,
): Promise<StoredRow[]> {
  // The date is queried first, so that the row is never older.
  const [change] = await queries.query<StoredRow>(sql`select ${lastChange}`)
  const [row] = await queries.query<StoredRow>(statement)
  return row ? [{ ...row, ...change }] : []
}

export async function readQuery(
  queries: Queries,
  { lastChange, count, page, references }: PiecesOf<typeof pageOfQuery>,
): Promise<StoredRow[]> {
  // Queried before the rows, so that they are never older than this date.
  const [change] = await queries.query<StoredRow>(sql`select ${lastChange}`)
  const [total] = count ? await queries.query<StoredRow>(sql`select ${count}`) : [{ totalCount: null }]
  const rows = await queries.query<StoredRow>(rare(page()))
  const whole = rows.map((row) => ({ ...row }))
  await addReferences(queries, references(), whole, whole)
  return whole.length > 0
    ? whole.map((row) => ({ ...row, ...total, ...change }))
    : [{ id: null, ...total, ...change }]
}

/**
 * Adds the rows that `owners` refer to to `into`, under the names of the references, with one statement each.
 */
async function addReferences(
  queries: Queries,
  references: readonly Reference[],
  owners: readonly StoredRow[],
  into: readonly Record<string, unknown>[],
): Promise<void> {
  for (const { column, rowsOf, columns, alias, references: further } of references) {
    const ids = [...new Set(owners.map((owner) => owner[column]).filter((id) => typeof id === 'string'))]
    const rows = ids.length === 0 ? [] : await queries.query<StoredRow>(rare(rowsOf(ids)))
    const found = new Map(rows.map((row) => [row.id, row]))
    const met = owners.flatMap((owner, number) => {
      const row = found.get(owner[column])
      const target = into[number]
      return row && target ? [{ row, target }] : []
    })
    for (const { row, target } of met) for (const name of columns) target[`${alias}.${name}`] = row[name]
    await addReferences(
      queries,
      further,
      met.map(({ row }) => row),
      met.map(({ target }) => target),
    )
  }
}

interface Changed {
  readonly resource: string
  readonly id: string
}

/** Queries rows on their nodes, all of one resource at once. A row that has just moved is missed. */
export async function readChanged(
  queries: Queries,
  { changes, fields, countMax, tables: tablesOf }: PiecesOf<typeof changedRows>,
): Promise<StoredRow[]> {
  const tables = tablesOf()
  const found = await queries.query<Changed & Place>(sql`
    select logged.resource, logged.row_id as id, place.assignment_id, ${fields} ${changes}
    join unnest(${tables.map(({ resource }) => resource)}::text[], ${tables.map(({ table }) => table)}::text[])
      as kept (resource, table_name) on kept.resource = logged.resource
    left join row_places as place on place.id = logged.row_id and place.table_name = kept.table_name`)
  const now = new Map<string, unknown>()
  for (const { resource, table, rows } of found.length > countMax ? [] : tables) {
    const places = found.filter((one) => one.resource === resource)
    if (places.length === 0) continue
    for (const row of await queries.query<{ id: string; now: unknown }>(
      sql`${rows} where ${atPlaces(table, places)}`,
    ))
      now.set(`${resource} ${row.id}`, row.now)
  }
  return found.map((one) => ({ ...one, now: now.get(`${one.resource} ${one.id}`) ?? null }))
}
