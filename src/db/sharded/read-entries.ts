import { type Queries, type StepwiseStatement, sql } from '../sql.ts'
import type {
  changeMessages,
  messagesAbout,
  newestEntries,
  pageOfFeed,
  ReadableRows,
  readableAmong,
} from '../stepwise-statements.ts'
import type { StoredRow } from './conditions.ts'

/**
 * The history and the messages are on the coordinator, where no statement can query the nodes for each row.
 * So entries are read first, then the rows they refer to.
 */

interface Entry {
  readonly resource: string
  readonly rowId: string
}

async function filterReadable<Found extends Entry>(
  queries: Queries,
  rows: ReadableRows,
  entries: readonly Found[],
): Promise<readonly Found[]> {
  const seen = new Set<string>()
  for (const [name, ofResource] of Map.groupBy(entries, ({ resource }) => resource)) {
    const ids = [...new Set(ofResource.map(({ rowId }) => rowId))]
    for (const id of await readableIds(queries, rows(name), ids)) seen.add(`${name} ${id}`)
  }
  return entries.filter(({ resource, rowId }) => seen.has(`${resource} ${rowId}`))
}

async function readableIds(
  queries: Queries,
  rows: ReturnType<ReadableRows>,
  ids: readonly string[],
): Promise<readonly string[]> {
  if (rows === 'none') return []
  if (rows === 'all') return ids
  const found = await queries.query<{ id: string }>(
    sql`select row.id from ${rows.table} as row where row.id = any(${ids}::uuid[]) and ${rows.condition}`,
  )
  return found.map(({ id }) => id)
}

type InputOf<Statement> = Statement extends StepwiseStatement<infer Input> ? Input : never

const batchSize = 500

/** Reads in batches until it has found enough entries that the caller may read. */
export async function readNewest(
  queries: Queries,
  { rows, count, before: first, entries }: InputOf<typeof newestEntries>,
): Promise<readonly unknown[]> {
  const found: unknown[] = []
  let before = first
  for (;;) {
    const part = await queries.query<Entry & { readonly sequence: number }>(entries(batchSize, before))
    found.push(...(await filterReadable(queries, rows, part)))
    if (part.length < batchSize || found.length >= count) return found.slice(0, count)
    before = part.at(-1)?.sequence
  }
}

export const readReadable = async (
  queries: Queries,
  { rows, entries }: InputOf<typeof readableAmong>,
): Promise<readonly unknown[]> => filterReadable(queries, rows, await queries.query<Entry>(entries()))

export async function readFeed(
  queries: Queries,
  { rows, pageSize, entries }: InputOf<typeof pageOfFeed>,
): Promise<readonly unknown[]> {
  const found = await queries.query<Entry & { readonly sequence: number | null }>(entries())
  const readable = await filterReadable(
    queries,
    rows,
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
  { rows, messages }: InputOf<typeof messagesAbout>,
): Promise<readonly unknown[]> {
  const all = await queries.query<Message>(messages())
  const readable = await readableMessages(queries, rows, all)
  return all.map((one) => ({ ...one, isReadable: readable.has(one) }))
}

export async function writeMessages(
  queries: Queries,
  { rows, messages, change }: InputOf<typeof changeMessages>,
): Promise<readonly unknown[]> {
  const readable = await readableMessages(queries, rows, await queries.query<Message>(messages()))
  return queries.query(change([...readable].map(({ id }) => id)))
}

async function readableMessages(
  queries: Queries,
  rows: ReadableRows,
  found: readonly Message[],
): Promise<ReadonlySet<Message>> {
  const tests = found.filter(({ type }) => type === 'test')
  const entries = found
    .filter(({ type }) => type !== 'test')
    .map((message) => ({ message, resource: message.type.split('.', 1)[0] ?? '', rowId: message.rowId }))
  const readable = await filterReadable(queries, rows, entries)
  return new Set([...tests, ...readable.map(({ message }) => message)])
}
