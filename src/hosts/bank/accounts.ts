import { setImmediate as endOfTurn } from 'node:timers/promises'
import { type Connection, type ConnectionOptions, openConnection } from './connection.ts'
import { type Apply, type MeasureCall, openTransactions } from './transactions.ts'

/** The clients' limits by client id. The set is closed, and no limit ever changes. */
export type Limits = ReadonlyMap<number, string>

/** The operations on the clients' accounts. */
export interface Accounts {
  readonly limits: Limits
  readonly apply: Apply
  readonly readStatement: ReadStatement
}

export interface OpenAccounts extends Accounts {
  close(): Promise<void>
}

/**
 * All transactions share one connection, so that each call batches as many as possible; all statements share
 * another.
 */
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

/**
 * Prepares statements and plans, so that the first transaction is as fast as the thousandth. Changes no data.
 */
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

/** No account has the number 0, so the call finds no row and is rejected. */
const transaction = { account: 0, amount: 1, description: 'warm-up' }

/** PostgreSQL plans a prepared statement five times before it keeps a generic plan. */
const plansMade = 6

/** Both happen in one statement, so that nothing can run between applying and undoing. */
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

/** Returns an account's statement as JSON, read after this call was made. */
type ReadStatement = (account: number) => Promise<string>

export function openStatements(connection: Connection): ReadStatement {
  const shared = new Map<number, () => Promise<string>>()
  return (account) => {
    const known = shared.get(account)
    if (known !== undefined) return known()
    const share = shareUnsent(() => read(account, connection))
    shared.set(account, share)
    return share()
  }
}

/** Requests that arrive while a query is in flight share the next one; no result is cached. */
function shareUnsent(ask: () => Promise<string>): () => Promise<string> {
  let unsent: Promise<string> | undefined
  let sent: Promise<string> | undefined
  const send = async () => {
    const startedAt = performance.now()
    await sent?.catch((error) => {
      if (hasTime(startedAt)) return
      unsent = undefined
      throw error
    })
    await endOfTurn()
    unsent = undefined
    const asked = ask()
    sent = asked
    const discard = () => {
      if (sent === asked) sent = undefined
    }
    asked.then(discard, discard)
    return asked
  }
  return () => {
    unsent ??= send()
    return unsent
  }
}

/** A read is idempotent, so after a broken connection it is retried once if time permits. */
async function read(account: number, connection: Connection): Promise<string> {
  const startedAt = performance.now()
  const row = await connection.query(query(account)).catch((error) => {
    if (!hasTime(startedAt)) throw error
    return connection.query(query(account))
  })
  const statement = row?.[0]
  if (statement == null) throw new Error('The account is missing.')
  return statement
}

/** A retry may take as long as the database may stay silent. */
const retryMilliseconds = 400
const hasTime = (startedAt: number) => performance.now() - startedAt < retryMilliseconds

/** A single query sees a single snapshot, so balance and entries agree despite concurrent commits. */
const query = (account: number) => ({
  name: 'statement',
  text: 'select bank.statement($1)',
  values: [String(account)],
})
