import { createHash } from 'node:crypto'
import { hasSettled } from './change-log.ts'
import type { Database, Queries } from './database.ts'
import { raw, type Sql, sql } from './sql.ts'

export interface SealedDay {
  readonly day: string
  readonly entries: number
  readonly head: string
}

/** Entries per query, so that a day of any size needs little memory. */
const pageSize = 5000

/**
 * Serializes an entry as one line, without the number of its transaction, which another server may change.
 */
const line =
  raw(`jsonb_build_array(sequence, floor(extract(epoch from at) * 1000000)::bigint::text, resource, row_id, action,
  project_id, caller, fields, session, client, host, request)::text`)

const within = (day: string): Sql =>
  sql`at >= ${day}::date::timestamp at time zone 'UTC' and at < (${day}::date + 1)::timestamp at time zone 'UTC'`

/**
 * Computes the head of a day: each hash covers the one before, and the first the head of the previous day.
 */
export async function chainOf(
  database: Queries,
  day: string,
  before: string,
): Promise<Omit<SealedDay, 'day'>> {
  let head = hash(`${day}\n${before}`)
  let entries = 0
  const [start] = await database.query<{ first: number | null }>(
    sql`select min(sequence) as first from history where ${within(day)}`,
  )
  for (let next = start?.first ?? null; next !== null; ) {
    const page = await database.query<{ sequence: number; line: string }>(sql`
      select sequence, ${line} as line from history where ${within(day)} and sequence >= ${next} order by sequence limit ${pageSize}::int`)
    for (const entry of page) head = hash(`${head}\n${entry.line}`)
    entries += page.length
    const last = page.at(-1)
    next = last && page.length === pageSize ? last.sequence + 1 : null
  }
  return { entries, head }
}

const hash = (text: string): string => createHash('sha256').update(text).digest('hex')

/** Seals every day that has ended and has settled. Several instances compute the same heads. */
export async function sealHistory(database: Database): Promise<void> {
  // A transaction is still open, perhaps since yesterday: the next hourly run tries again.
  if (!(await hasSettled(database))) return
  const [now] = await database.query<{ today: string; first: string }>(sql`
    select ${dateText(raw('now()'))} as today, ${dateText(raw('at'))} as first from history_begin`)
  if (!now) return
  let last = await lastSealed(database)
  for (let day = last ? dayAfter(last.day) : now.first; day < now.today; day = dayAfter(day)) {
    const sealed = { day, ...(await chainOf(database, day, last?.head ?? '')) }
    await database.single.query(sql`
      insert into history_days (day, entries, head) values (${day}::date, ${sealed.entries}, ${sealed.head})
      on conflict (day) do nothing returning true`)
    last = sealed
  }
}

const dateText = (timestamp: Sql): Sql => sql`to_char(${timestamp} at time zone 'UTC', 'YYYY-MM-DD')`

async function lastSealed(database: Queries): Promise<SealedDay | undefined> {
  const [last] = await database.query<SealedDay>(
    sql`select to_char(day, 'YYYY-MM-DD') as day, entries, head from history_days order by day desc limit 1`,
  )
  return last
}

const dayAfter = (day: string): string =>
  new Date(Date.parse(`${day}T00:00:00Z`) + 86_400_000).toISOString().slice(0, 10)

export const sealedDays = (database: Queries): Promise<SealedDay[]> =>
  database.query<SealedDay>(
    sql`select to_char(day, 'YYYY-MM-DD') as day, entries, head from history_days order by day`,
  )

/** Lists the differences from the heads in the store and from those kept elsewhere, one sentence each. */
export async function verifyHistory(database: Database, kept: readonly SealedDay[] = []): Promise<string[]> {
  const sealed = await sealedDays(database)
  // A day whose entries were purged has only its head left.
  const [begin] = await database.query<{ first: string }>(
    sql`select ${dateText(raw('at'))} as first from history_begin`,
  )
  const problems = comparedWith(kept, sealed)
  let before: SealedDay | undefined
  for (const day of sealed) {
    if (before && dayAfter(before.day) !== day.day)
      problems.push(`${day.day}: the days before it are missing.`)
    if (day.day >= (begin?.first ?? ''))
      problems.push(...(await problemsOf(database, day, before?.head ?? '')))
    before = day
  }
  return problems
}

function comparedWith(kept: readonly SealedDay[], sealed: readonly SealedDay[]): string[] {
  const heads = new Map(sealed.map(({ day, head }) => [day, head]))
  return kept.flatMap(({ day, head }) => {
    if (!heads.has(day)) return [`${day}: it was sealed, but the store no longer has it.`]
    return heads.get(day) === head ? [] : [`${day}: the head is not the one that was kept.`]
  })
}

async function problemsOf(
  database: Queries,
  { day, entries, head }: SealedDay,
  before: string,
): Promise<string[]> {
  const found = await chainOf(database, day, before)
  if (found.head === head) return []
  return [
    found.entries === entries
      ? `${day}: an entry was changed since it was sealed.`
      : `${day}: it has ${found.entries} entries, and had ${entries} when it was sealed.`,
  ]
}
