import { readFile } from 'node:fs/promises'
import { type Database, openDatabase } from '../db/database.ts'
import { type SealedDay, sealedDays, sealHistory, verifyHistory } from '../db/history-chain.ts'
import { sql } from '../db/sql.ts'
import { csvHead, csvLine } from '../http/csv.ts'
import { changeColumns, type StoredChange, serializeChange } from '../records/serialize-record.ts'
import { useStore } from './backup/run-backup.ts'

/** `npm run cli -- verify-history [FILE]`: also compares with a file of heads that was stored outside the system. */
export async function runVerifyHistory([file]: readonly string[]): Promise<void> {
  const kept = file === undefined ? [] : parseHeads(await readFile(file, 'utf8'))
  await withStore(async (database) => {
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
  await withStore(async (database) => {
    await sealHistory(database)
    for (const day of await sealedDays(database)) console.log(JSON.stringify(day))
  })
}

/** `npm run cli -- export-history [csv]`: the complete history, as lines of JSON or as CSV. */
export async function runExportHistory([format = 'jsonl']: readonly string[]): Promise<void> {
  if (format !== 'jsonl' && format !== 'csv') throw new Error('The format must be jsonl or csv.')
  await withStore(async (database) => {
    const lineOf = format === 'csv' ? csvOf : (change: StoredChange) => `${JSON.stringify(shown(change))}\n`
    if (format === 'csv') process.stdout.write(csvHead(columns))
    for await (const page of pagesOf(database)) process.stdout.write(page.map(lineOf).join(''))
  })
}

async function* pagesOf(database: Database): AsyncGenerator<StoredChange[], void> {
  for (let last: number | undefined = 0; last !== undefined; ) {
    const page: StoredChange[] = await database.query<StoredChange>(
      sql`select ${changeColumns} from history as entry where entry.sequence > ${last} order by entry.sequence limit 1000`,
    )
    yield page
    last = page.at(-1)?.sequence
  }
}

const columns = [
  ...[
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
  ],
  ...['before', 'after'],
] as const

/** An operator with access to the database may read all of it. */
const shown = (change: StoredChange) => serializeChange(change, { id: '', isAdministrator: true })

function csvOf(change: StoredChange): string {
  const entry = shown(change)
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

const withStore = (work: (database: Database) => Promise<void>): Promise<void> =>
  useStore({ mayMake: false }, async ({ url }) => {
    const database = openDatabase({ url, applicationName: 'history', namedStatements: false })
    try {
      await work(database)
    } finally {
      await database.close()
    }
  })
