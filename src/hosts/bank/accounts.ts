import { type Connection, type ConnectionOptions, openConnection } from './connection.ts'
import { openStatements, type ReadStatement } from './statement.ts'
import { type Apply, type MeasureCall, openTransactions } from './transactions.ts'

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

/** One connection for all transactions, so that each call has as many as possible, and one for all statements. */
export async function openAccounts(
  options: ConnectionOptions,
  measureCall?: MeasureCall,
): Promise<OpenAccounts> {
  const writing = openConnection(options)
  const reading = openConnection({ ...options, pipeline: true })
  const limits = await readLimits(reading)
  const readStatement = openStatements(reading)
  await warmWriting(writing)
  for (const account of limits.keys()) await warmReading(account, readStatement)
  return {
    limits,
    apply: openTransactions(writing, measureCall),
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

/** Prepares statements and plans, so that the first transaction is as fast as the thousandth. Changes nothing. */
async function warmWriting(connection: Connection): Promise<void> {
  await connection.query({ name: '', text: applyAndUndo, values: [] })
  const apply = openTransactions(connection)
  for (let count = 0; count < plansMade; count++) {
    await Promise.allSettled([apply(transaction)])
    await Promise.allSettled([apply(transaction), apply(transaction)])
  }
}

async function warmReading(account: number, readStatement: ReadStatement): Promise<void> {
  for (let count = 0; count < plansMade; count++) await readStatement(account)
}

/** No account has the number 0, so whatever is sent for it finds no row and is refused. */
const transaction = { account: 0, amount: 1, description: 'warm-up' }

/** PostgreSQL plans a statement anew five times before it keeps a plan. */
const plansMade = 6

/** One statement, so that nothing can come between the doing and the undoing. */
const applyAndUndo = `
  do $$
  begin
    for count in 1..${plansMade} loop
      perform bank.apply_one(1, 1, 'warm-up');
      perform bank.apply('{1,2}', '{1,1}', '{warm-up,warm-up}');
    end loop;
    raise no_data_found;
  exception when no_data_found then null;
  end $$`
