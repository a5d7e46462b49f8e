import { type Connection, type ConnectionOptions, openConnection } from './connection.ts'
import { openStatements, type ReadStatement } from './statement.ts'
import { type Apply, openTransactions } from './transactions.ts'
import { warmReading, warmWriting } from './warm-database.ts'

/** The clients' limits by their ids. The set is closed, and no limit ever changes. */
export type Limits = ReadonlyMap<number, string>

/** What can be done with the clients' accounts. */
export interface Accounts {
  readonly limits: Limits
  readonly apply: Apply
  readonly readStatement: ReadStatement
}

export interface OpenAccounts extends Accounts {
  close(): Promise<void>
}

/** One connection for all transactions, which gathers the most of them in a call, and one for all statements. */
export async function openAccounts(options: ConnectionOptions): Promise<OpenAccounts> {
  const writing = openConnection(options)
  const reading = openConnection({ ...options, pipeline: true })
  const limits = await readLimits(reading)
  const readStatement = openStatements(reading)
  await warmWriting(writing)
  for (const account of limits.keys()) await warmReading(account, readStatement)
  return {
    limits,
    apply: openTransactions(writing),
    readStatement,
    close: async () => void (await Promise.all([writing.close(), reading.close()])),
  }
}

async function readLimits(connection: Connection): Promise<Limits> {
  const row = await connection.query({
    name: 'limits',
    text: `select string_agg(id || ':' || credit_limit, ',' order by id) from bank.account`,
    values: [],
  })
  const pairs = (row?.[0] ?? '').split(',').map((pair) => pair.split(':'))
  return new Map(pairs.map(([id, limit]) => [Number(id), limit ?? '']))
}
