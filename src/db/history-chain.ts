import { createHash } from 'node:crypto'
import { waitUntilSettled } from './change-log.ts'
import type { Database, Queries } from './database.ts'
import { raw, type Sql, sql } from './sql.ts'

/** A day whose entries no longer change. */
export interface ClosedDay {
  readonly day: string
  readonly entries: number
  readonly head: string
}

/** Limits the entries per query, so that a day of any size needs little memory. */
const pageSize = 5000

/** Serializes an entry as one line. A restored backup changes the transaction number, so it is omitted. */
const entryLine =
  raw(`jsonb_build_array(sequence, floor(extract(epoch from at) * 1000000)::bigint::text, resource, row_id, action,
  project_id, caller, fields, session, client, host, request)::text`)

const isOnDay = (day: string): Sql =>
  sql`at >= ${day}::date::timestamp at time zone 'UTC' and at < (${day}::date + 1)::timestamp at time zone 'UTC'`

/**
 * Computes the head of a day. The day has a chain of hashes, one per entry. Each hash includes the previous
 * hash, and the first includes the head of the previous day.
 */
async function computeHead(
  database: Queries,
  day: string,
  previousHead: string,
): Promise<Omit<ClosedDay, 'day'>> {
  let head = hash(`${day}\n${previousHead}`)
  let entries = 0
  const [start] = await database.query<{ first: number | null }>(
    sql`select min(sequence) as first from history where ${isOnDay(day)}`,
  )
  for (let next = start?.first ?? null; next !== null; ) {
    const page = await database.query<{ sequence: number; line: string }>(sql`
      select sequence, ${entryLine} as line from history where ${isOnDay(day)} and sequence >= ${next} order by sequence limit ${pageSize}::int`)
    for (const entry of page) head = hash(`${head}\n${entry.line}`)
    entries += page.length
    const last = page.at(-1)
    next = last && page.length === pageSize ? last.sequence + 1 : null
  }
  return { entries, head }
}

const hash = (text: string): string => createHash('sha256').update(text).digest('hex')

/**
 * Closes the days that have ended. Returns the days that cannot be closed yet, because a transaction that may
 * have written their entries is still open. The next hourly run tries again.
 */
export async function closeDays(database: Database): Promise<readonly string[]> {
  const [now] = await database.query<{ today: string; first: string }>(sql`
    select ${dateText(raw('now()'))} as today, ${dateText(raw('at'))} as first from history_begin`)
  if (!now) return []
  let last = await findLastClosed(database)
  const ended: string[] = []
  for (let day = last ? dayAfter(last.day) : now.first; day < now.today; day = dayAfter(day)) ended.push(day)
  if (ended.length === 0 || !(await waitUntilSettled(database))) return ended
  for (const day of ended) {
    const closed = { day, ...(await computeHead(database, day, last?.head ?? '')) }
    await database.singleWrites.query(sql`
      insert into history_days (day, entries, head) values (${day}::date, ${closed.entries}, ${closed.head})
      on conflict (day) do nothing returning true`)
    last = closed
  }
  return []
}

const dateText = (timestamp: Sql): Sql => sql`to_char(${timestamp} at time zone 'UTC', 'YYYY-MM-DD')`

async function findLastClosed(database: Queries): Promise<ClosedDay | undefined> {
  const [last] = await database.query<ClosedDay>(
    sql`select to_char(day, 'YYYY-MM-DD') as day, entries, head from history_days order by day desc limit 1`,
  )
  return last
}

const dayAfter = (day: string): string =>
  new Date(Date.parse(`${day}T00:00:00Z`) + 86_400_000).toISOString().slice(0, 10)

export const readClosedDays = (database: Queries): Promise<ClosedDay[]> =>
  database.query<ClosedDay>(
    sql`select to_char(day, 'YYYY-MM-DD') as day, entries, head from history_days order by day`,
  )

/** A head as it is recorded outside the store. */
type Head = Pick<ClosedDay, 'day' | 'head'>

/** Compares the history with the stored and the recorded heads. Returns a sentence for each difference. */
export async function verifyHistory(
  database: Database,
  recordedHeads: readonly Head[] = [],
): Promise<string[]> {
  const closed = await readClosedDays(database)
  // Only the head of a purged day is left.
  const [begin] = await database.query<{ first: string }>(
    sql`select ${dateText(raw('at'))} as first from history_begin`,
  )
  const problems = compareHeads(recordedHeads, closed)
  let previous: ClosedDay | undefined
  for (const day of closed) {
    if (previous && dayAfter(previous.day) !== day.day)
      problems.push(`${day.day}: the days before it are missing.`)
    if (day.day >= (begin?.first ?? ''))
      problems.push(...(await verifyDay(database, day, previous?.head ?? '')))
    previous = day
  }
  return problems
}

function compareHeads(recordedHeads: readonly Head[], closed: readonly ClosedDay[]): string[] {
  const heads = new Map(closed.map(({ day, head }) => [day, head]))
  return recordedHeads.flatMap(({ day, head }) => {
    if (!heads.has(day)) return [`${day}: it was closed, but the store no longer has it.`]
    return heads.get(day) === head ? [] : [`${day}: the head differs from the recorded one.`]
  })
}

async function verifyDay(
  database: Queries,
  { day, entries, head }: ClosedDay,
  previousHead: string,
): Promise<string[]> {
  const found = await computeHead(database, day, previousHead)
  if (found.head === head) return []
  return [
    found.entries === entries
      ? `${day}: an entry was changed since it was closed.`
      : `${day}: it has ${found.entries} entries, and had ${entries} when it was closed.`,
  ]
}
