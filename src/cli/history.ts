import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import pg from 'pg'
import { columnTypes } from '../db/columns.ts'
import { type Database, openDatabase } from '../db/database.ts'
import { type SealedDay, sealedDays, sealHistory, verifyHistory } from '../db/history-chain.ts'
import { render, sql } from '../db/sql.ts'
import { csvHead, csvLine } from '../http/csv.ts'
import type { Caller } from '../model/caller.ts'
import { changeColumns, type StoredChange, serializeChange } from '../records/serialize-record.ts'
import { withStore } from './backup/run-backup.ts'

/** `npm run cli -- verify-history [FILE]`: also compares with a file of heads that was stored outside the system. */
export async function runVerifyHistory([file]: readonly string[]): Promise<void> {
  const kept = file === undefined ? [] : parseHeads(await readFile(file, 'utf8'))
  await withDatabase(async (database) => {
    // Days that have ended since the last hourly run are sealed first, so that they are verified, too.
    await sealHistory(database)
    const problems = await verifyHistory(database, kept)
    if (problems.length > 0) throw new Error(['The history was changed:', ...problems].join('\n  '))
    const days = await sealedDays(database)
    console.log(
      `The history is intact: ${days.length} days are sealed${days.length > 0 ? `, up to ${days.at(-1)?.day}` : ''}.`,
    )
  })
}

/**
 * `npm run cli -- history-heads`: prints one line of JSON a day, to be stored out of reach of everyone who
 * can write to the database.
 */
export async function runHistoryHeads(): Promise<void> {
  await withDatabase(async (database) => {
    await sealHistory(database)
    for (const day of await sealedDays(database)) console.log(JSON.stringify(day))
  })
}

/** `npm run cli -- export-history [csv]`: the complete history, as lines of JSON or as CSV. */
export async function runExportHistory([format = 'jsonl']: readonly string[]): Promise<void> {
  if (format !== 'jsonl' && format !== 'csv') throw new Error('The format must be jsonl or csv.')
  await withStore({ createIfMissing: false }, async ({ url }) => {
    const lineOf =
      format === 'csv' ? csvOf : (change: StoredChange) => `${JSON.stringify(serialize(change))}\n`
    if (format === 'csv') await write(csvHead(columns))
    for await (const page of historyPages(url)) await write(page.map(lineOf).join(''))
  })
}

async function write(text: string): Promise<void> {
  if (!process.stdout.write(text)) await once(process.stdout, 'drain')
}

const pageSize = 1000

/**
 * Reads all pages from one snapshot: between two snapshots, a change with a lower sequence could be committed
 * after one with a higher sequence, and would be missing. Changes in progress are not included.
 */
export async function* historyPages(url: string): AsyncGenerator<StoredChange[], void> {
  const client = new pg.Client({ connectionString: url, application_name: 'history', types: columnTypes })
  // A lost connection also rejects the query in progress, which reports it.
  client.on('error', () => undefined)
  try {
    await client.connect()
    await client.query('begin isolation level repeatable read read only')
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
    await client.end().catch(() => undefined)
  }
}

const columns = [
  'id',
  'at',
  'resource',
  'rowId',
  'action',
  'projectId',
  'callerId',
  'clientId',
  'host',
  'sessionId',
  'requestId',
  'before',
  'after',
] as const

/** The operator of the command has access to the database, so nothing is hidden. */
const operator: Caller = { id: '', isAdministrator: true }

const serialize = (change: StoredChange) => serializeChange(change, operator)

function csvOf(change: StoredChange): string {
  const entry = serialize(change)
  return csvLine(
    columns.map((name) => {
      const value = entry[name]
      return typeof value === 'object' && value !== null ? JSON.stringify(value) : value
    }),
  )
}

function parseHeads(text: string): SealedDay[] {
  return text
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => {
      const { day, entries, head } = JSON.parse(line) as Partial<SealedDay>
      if (typeof day !== 'string' || typeof head !== 'string')
        throw new Error(`This line is not the head of a day: ${line}`)
      return { day, entries: Number(entries), head }
    })
}

const withDatabase = (work: (database: Database) => Promise<void>): Promise<void> =>
  withStore({ createIfMissing: false }, async ({ url }) => {
    const database = openDatabase({ url, applicationName: 'history', namedStatements: false })
    try {
      await work(database)
    } finally {
      await database.close()
    }
  })
