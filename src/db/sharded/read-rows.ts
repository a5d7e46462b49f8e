import { type Queries, type StepwiseStatement, sql, unprepared } from '../sql.ts'
import type {
  changedRows,
  changeMessages,
  messagesAbout,
  newestEntries,
  pageOfFeed,
  pageOfList,
  pageOfQuery,
  ReadAccess,
  ReadAccessOf,
  Reference,
  readableAmong,
  rowWithLastChange,
} from '../stepwise-statements.ts'
import { atPlaces, type Place, type StoredRow } from './places.ts'

type InputOf<Statement> = Statement extends StepwiseStatement<infer Input> ? Input : never

/** Reads a page. Each node counts its rows, and returns no more of them than the page needs. */
export async function readList(
  queries: Queries,
  { record, rows, orderAndLimit, lastChange }: InputOf<typeof pageOfList>,
): Promise<StoredRow[]> {
  // The date is queried first, so that the rows are never older than it.
  const [lastChangeRow] = await queries.query<StoredRow>(sql`select ${lastChange}`)
  const [[total], page] = await Promise.all([
    queries.query<StoredRow>(sql`select count(*) as "totalCount" from ${rows}`),
    queries.query<{ readonly text: string }>(sql`select ${record} as text from ${rows} ${orderAndLimit}`),
  ])
  return [{ records: `[${page.map(({ text }) => text).join()}]`, ...total, ...lastChangeRow }]
}

export async function readRow(
  queries: Queries,
  { row: statement, lastChange }: InputOf<typeof rowWithLastChange>,
): Promise<StoredRow[]> {
  // The date is queried first, so that the row is never older than it.
  const [lastChangeRow] = await queries.query<StoredRow>(sql`select ${lastChange()}`)
  const [row] = await queries.query<StoredRow>(statement())
  return row ? [{ ...row, ...lastChangeRow }] : []
}

/** Returns the page. An empty page has one row without an id, with the count and the date. */
export async function readQuery(
  queries: Queries,
  { lastChange, count, page, references }: InputOf<typeof pageOfQuery>,
): Promise<StoredRow[]> {
  // The date is queried first, so that the rows are never older than it.
  const [lastChangeRow] = await queries.query<StoredRow>(sql`select ${lastChange}`)
  const [total] = count ? await queries.query<StoredRow>(sql`select ${count}`) : [{ totalCount: null }]
  const rows = await queries.query<StoredRow>(unprepared(page()))
  const completed = rows.map((row) => ({ ...row }))
  await addReferences(queries, references(), completed, completed)
  if (completed.length === 0) return [{ id: null, ...total, ...lastChangeRow }]
  return completed.map((row) => ({ ...row, ...total, ...lastChangeRow }))
}

/**
 * Copies the columns of the rows that `owners` refer to into the records of `targets` with the same index,
 * with one statement for each reference.
 */
async function addReferences(
  queries: Queries,
  references: readonly Reference[],
  owners: readonly StoredRow[],
  targets: readonly Record<string, unknown>[],
): Promise<void> {
  for (const { column, rowsOf, columns, alias, references: nested } of references) {
    const ids = [...new Set(owners.map((owner) => owner[column]).filter((id) => typeof id === 'string'))]
    const rows = ids.length === 0 ? [] : await queries.query<StoredRow>(unprepared(rowsOf(ids)))
    const found = new Map(rows.map((row) => [row.id, row]))
    const matches = owners.flatMap((owner, index) => {
      const row = found.get(owner[column])
      const target = targets[index]
      return row && target ? [{ row, target }] : []
    })
    for (const { row, target } of matches) for (const name of columns) target[`${alias}.${name}`] = row[name]
    await addReferences(
      queries,
      nested,
      matches.map(({ row }) => row),
      matches.map(({ target }) => target),
    )
  }
}

interface Changed {
  readonly resource: string
  readonly id: string
}

/** Reads changed rows from their nodes, one resource at a time. A row being moved may be missing. */
export async function readChanged(
  queries: Queries,
  { changes, fields, countMax, tables: tablesOf }: InputOf<typeof changedRows>,
): Promise<StoredRow[]> {
  const tables = tablesOf()
  const found = await queries.query<Changed & Place>(sql`
    select logged.resource, logged.row_id as id, place.assignment_id, ${fields} ${changes}
    join unnest(${tables.map(({ resource }) => resource)}::text[], ${tables.map(({ table }) => table)}::text[])
      as kept (resource, table_name) on kept.resource = logged.resource
    left join row_places as place on place.id = logged.row_id and place.table_name = kept.table_name`)
  // If there are so many changes, the caller ignores their rows.
  if (found.length > countMax) return found.map((change) => ({ ...change, current: null }))
  const current = new Map<string, unknown>()
  for (const { resource, table, rows } of tables) {
    const places = found.filter((change) => change.resource === resource)
    if (places.length === 0) continue
    const statement = sql`${rows} where ${atPlaces(table, places)}`
    const currentRows = await queries.query<{ id: string; current: unknown }>(statement)
    for (const row of currentRows) current.set(`${resource} ${row.id}`, row.current)
  }
  return found.map((change) => ({
    ...change,
    current: current.get(`${change.resource} ${change.id}`) ?? null,
  }))
}

// The history and the messages are on the coordinator, where no statement can query the nodes for each row.
// So entries are read first, then the rows that they refer to.

interface Entry {
  readonly resource: string
  readonly rowId: string
}

async function filterReadable<Found extends Entry>(
  queries: Queries,
  accessOf: ReadAccessOf,
  entries: readonly Found[],
): Promise<readonly Found[]> {
  const readable = new Set<string>()
  for (const [name, resourceEntries] of Map.groupBy(entries, ({ resource }) => resource)) {
    const ids = [...new Set(resourceEntries.map(({ rowId }) => rowId))]
    for (const id of await readableIds(queries, accessOf(name), ids)) readable.add(`${name} ${id}`)
  }
  return entries.filter(({ resource, rowId }) => readable.has(`${resource} ${rowId}`))
}

async function readableIds(
  queries: Queries,
  access: ReadAccess,
  ids: readonly string[],
): Promise<readonly string[]> {
  if (access === 'none') return []
  if (access === 'all') return ids
  const found = await queries.query<{ id: string }>(
    sql`select row.id from ${access.table} as row where row.id = any(${ids}::uuid[]) and ${access.condition}`,
  )
  return found.map(({ id }) => id)
}

const batchSize = 500

/** Reads in batches until it has found enough entries that the caller may read. */
export async function readNewest(
  queries: Queries,
  { accessOf, count, before: start, entries }: InputOf<typeof newestEntries>,
): Promise<readonly unknown[]> {
  const found: unknown[] = []
  let before = start
  for (;;) {
    const batch = await queries.query<Entry & { readonly sequence: number }>(entries(batchSize, before))
    found.push(...(await filterReadable(queries, accessOf, batch)))
    if (batch.length < batchSize || found.length >= count) return found.slice(0, count)
    before = batch.at(-1)?.sequence
  }
}

export const readAccessibleEntries = async (
  queries: Queries,
  { accessOf, entries }: InputOf<typeof readableAmong>,
): Promise<readonly unknown[]> => filterReadable(queries, accessOf, await queries.query<Entry>(entries()))

export async function readFeed(
  queries: Queries,
  { accessOf, pageSize, entries }: InputOf<typeof pageOfFeed>,
): Promise<readonly unknown[]> {
  const found = await queries.query<Entry & { readonly sequence: number | null }>(entries())
  const readable = await filterReadable(
    queries,
    accessOf,
    found.filter(({ sequence }) => sequence !== null),
  )
  const [first] = found
  return readable.length > 0 ? readable.slice(0, pageSize) : [{ ...first, sequence: null }]
}

interface Message extends StoredRow {
  readonly id: unknown
  /** Such as `assignment.update`; `test` for a message that refers to no row. */
  readonly type: string
  readonly rowId: string
}

export async function readMessages(
  queries: Queries,
  { accessOf, messages }: InputOf<typeof messagesAbout>,
): Promise<readonly unknown[]> {
  const all = await queries.query<Message>(messages())
  const readable = await readableMessages(queries, accessOf, all)
  return all.map((message) => ({ ...message, isReadable: readable.has(message) }))
}

export async function changeReadableMessages(
  queries: Queries,
  { accessOf, messages, change }: InputOf<typeof changeMessages>,
): Promise<readonly unknown[]> {
  const readable = await readableMessages(queries, accessOf, await queries.query<Message>(messages()))
  return queries.query(change([...readable].map(({ id }) => id)))
}

async function readableMessages(
  queries: Queries,
  accessOf: ReadAccessOf,
  found: readonly Message[],
): Promise<ReadonlySet<Message>> {
  const tests = found.filter(({ type }) => type === 'test')
  const entries = found
    .filter(({ type }) => type !== 'test')
    .map((message) => ({ message, resource: message.type.split('.', 1)[0] ?? '', rowId: message.rowId }))
  const readable = await filterReadable(queries, accessOf, entries)
  return new Set([...tests, ...readable.map(({ message }) => message)])
}
