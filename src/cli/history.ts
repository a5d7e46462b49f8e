import { readFile } from 'node:fs/promises'
import pg from 'pg'
import { pgTypeParsers } from '../db/columns.ts'
import { type ClosedDay, closeDays, readClosedDays, verifyHistory } from '../db/history-chain.ts'
import { render, sql } from '../db/sql.ts'
import {
  changeColumns,
  changeProperties,
  type StoredChange,
  serializeChange,
} from '../features/changes/serialize-change.ts'
import { csvHeader, csvLine } from '../http/csv.ts'
import type { Caller } from '../model/caller.ts'
import { withDatabase, withStore } from './shared-store.ts'
import { UsageError } from './usage.ts'

/** `npm run cli -- verify-history [FILE]`: verifies the hash chain, and compares it with FILE from `history-heads`. */
export async function runVerifyHistory([file]: readonly string[]): Promise<void> {
  const recordedHeads = file === undefined ? [] : parseHeads(await readFile(file, 'utf8'))
  await withDatabase(async (database) => {
    // Also verifies the days that have ended since the last hourly job.
    const openDays = await closeDays(database)
    const problems = await verifyHistory(database, recordedHeads)
    if (problems.length > 0) throw new Error(['The history was changed:', ...problems].join('\n  '))
    const days = await readClosedDays(database)
    const newest = days.at(-1)
    const count = `${days.length} closed ${days.length === 1 ? 'day' : 'days'}`
    console.log(`The history is intact: ${count}${newest ? `, up to ${newest.day}` : ''}.`)
    warnOfOpenDays(openDays)
  })
}

function warnOfOpenDays(days: readonly string[]): void {
  if (days.length > 0)
    console.warn(`These days are not closed yet, because a transaction is still open: ${days.join(', ')}.`)
}

/**
 * `npm run cli -- history-heads` prints one line of JSON for each closed day. Operators store the output
 * elsewhere, because users with write access to the database could rewrite the whole chain.
 */
export async function runHistoryHeads(): Promise<void> {
  await withDatabase(async (database) => {
    warnOfOpenDays(await closeDays(database))
    for (const day of await readClosedDays(database)) console.log(JSON.stringify(day))
  })
}

/** `npm run cli -- export-history [jsonl|csv]`: prints the complete history. */
export async function runExportHistory([format = 'jsonl']: readonly string[]): Promise<void> {
  if (format !== 'jsonl' && format !== 'csv') throw new UsageError('The format must be jsonl or csv.')
  // Errors are handled in the callback of each write. Without a listener, the event would end the process.
  process.stdout.on('error', () => undefined)
  await withStore({ createIfMissing: false }, async ({ url }) => {
    if (format === 'csv') await write(csvHeader(changeProperties))
    const formatLine = format === 'csv' ? formatCsv : formatJson
    for await (const page of historyPages(url)) await write(page.map(formatLine).join(''))
  }).catch((error) => {
    // A reader such as `head` closes the pipe when it has enough lines. That is no failure.
    if (error.code !== 'EPIPE') throw error
  })
}

const write = (text: string): Promise<void> =>
  new Promise((resolve, reject) => {
    process.stdout.write(text, (error) => (error ? reject(error) : resolve()))
  })

const pageSize = 1000

/**
 * Reads all pages in one snapshot. Transactions do not commit in the order of their sequence numbers, so with
 * one snapshot per page, a change that commits late could be missing.
 */
export async function* historyPages(url: string): AsyncGenerator<StoredChange[], void> {
  const client = new pg.Client({ connectionString: url, application_name: 'history', types: pgTypeParsers })
  // A lost connection also rejects the query in progress, so it is reported there.
  client.on('error', () => undefined)
  try {
    await client.connect()
    await client.query('begin isolation level repeatable read read only')
    // The export is as slow as the reader of its output, so time limits of the server must not end it.
    await client.query('set local statement_timeout = 0; set local idle_in_transaction_session_timeout = 0')
    for (let last = 0; ; ) {
      const { text, values } = render(
        sql`select ${changeColumns} from history as entry where entry.sequence > ${last}::bigint
          order by entry.sequence limit ${pageSize}::int`,
      )
      const { rows } = await client.query<StoredChange>(text, values)
      const newest = rows.at(-1)
      if (newest === undefined) return
      yield rows
      last = newest.sequence
    }
  } finally {
    // If the connection is already lost, the query has reported that.
    await client.end().catch(() => undefined)
  }
}

/** Operators have access to the database, so the export hides nothing from them. */
const operator: Caller = { id: '', isAdministrator: true }

const serialize = (change: StoredChange) => serializeChange(change, operator)

const formatJson = (change: StoredChange): string => `${JSON.stringify(serialize(change))}\n`

function formatCsv(change: StoredChange): string {
  const entry = serialize(change)
  return csvLine(
    changeProperties.map((name) => {
      const value = entry[name]
      return typeof value === 'object' && value !== null ? JSON.stringify(value) : value
    }),
  )
}

type Head = Pick<ClosedDay, 'day' | 'head'>

const parseHeads = (text: string): Head[] =>
  text
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map(parseHead)

function parseHead(line: string): Head {
  const { day, head } = parseJson(line) ?? {}
  if (typeof day !== 'string' || typeof head !== 'string')
    throw new Error(`This line is not the head of a day: ${line}`)
  return { day, head }
}

function parseJson(text: string): Partial<Head> | null {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
