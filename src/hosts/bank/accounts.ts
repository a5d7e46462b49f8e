import { setImmediate as endOfTurn } from 'node:timers/promises'
import { type Connection, type ConnectionOptions, openConnection } from './connection.ts'
import { type Apply, batchTransactions, type MeasureCall } from './transactions.ts'

/** The clients' limits by client id. The set is closed, and no limit ever changes. */
export type Limits = ReadonlyMap<number, string>

/** The operations on the clients' accounts. */
export interface Accounts {
  readonly limits: Limits
  readonly apply: Apply
  readonly readStatement: ReadStatement
}

export interface OpenAccounts extends Accounts {
  /** Reads the statement of one account. Rejects while the store does not answer. Concurrent checks share a read. */
  checkStore(): Promise<unknown>
  close(): Promise<void>
}

/**
 * All transactions share one connection, so that each call batches as many as possible. All statements share
 * a second connection.
 */
export async function openAccounts(
  options: ConnectionOptions,
  measureCall?: MeasureCall,
): Promise<OpenAccounts> {
  const writeConnection = openConnection(options)
  const readConnection = openConnection({ ...options, pipeline: true })
  const limits = await readLimits(readConnection)
  const readStatement = createStatementReader(readConnection)
  await warmUpTransactions(writeConnection)
  for (const account of limits.keys()) await warmUpStatements(account, readStatement)
  const [firstAccount = 0] = limits.keys()
  return {
    limits,
    apply: batchTransactions(writeConnection, measureCall),
    readStatement,
    checkStore: () => readStatement(firstAccount),
    close: async () => void (await Promise.all([writeConnection.close(), readConnection.close()])),
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
 * Prepares statements and plans without changing data, so that the first transaction is as fast as later
 * transactions.
 */
async function warmUpTransactions(connection: Connection): Promise<void> {
  await connection.query({ name: '', text: applyAndUndo, values: [] })
  const apply = batchTransactions(connection)
  for (let count = 0; count < warmUpCalls; count++) {
    await Promise.allSettled([apply(warmUpTransaction)])
    await Promise.allSettled([apply(warmUpTransaction), apply(warmUpTransaction)])
  }
}

async function warmUpStatements(account: number, readStatement: ReadStatement): Promise<void> {
  for (let count = 0; count < warmUpCalls; count++) await readStatement(account)
}

/** No account has the number 0, so the call finds no row and is rejected. */
const warmUpTransaction = { account: 0, amount: 1, description: 'warm-up' }

/** The first calls on a connection are slower, because they fill its caches. */
const warmUpCalls = 6

/** Applies and undoes in one statement, so that nothing can run in between. */
const applyAndUndo = `
  do $$
  begin
    for count in 1..${warmUpCalls} loop
      perform bank.apply_one(1, 1, 'warm-up');
      perform bank.apply('{1,2}', '{1,1}', '{warm-up,warm-up}');
    end loop;
    raise no_data_found;
  exception when no_data_found then null;
  end $$`

/** Returns an account's statement as JSON, never older than the call. */
type ReadStatement = (account: number) => Promise<string>

export function createStatementReader(connection: Connection): ReadStatement {
  const readers = new Map<number, () => Promise<string>>()
  return (account) => {
    const reader = readers.get(account)
    if (reader !== undefined) return reader()
    const newReader = shareQueries(() => readWithRetry(account, connection))
    readers.set(account, newReader)
    return newReader()
  }
}

/** Lets requests that arrive while a query is in flight share the next one. No result is cached. */
function shareQueries(query: () => Promise<string>): () => Promise<string> {
  // A request may share a query only until it is sent, because the result must not be older than the request.
  let unsent: Promise<string> | undefined
  let sent: Promise<string> | undefined
  const send = async () => {
    const startedAt = performance.now()
    await sent?.catch((error) => {
      if (hasTimeToRetry(startedAt)) return
      // The database has been silent for long, so the next query would fail late, too.
      unsent = undefined
      throw error
    })
    await endOfTurn()
    unsent = undefined
    const sentQuery = query()
    sent = sentQuery
    const discard = () => {
      if (sent === sentQuery) sent = undefined
    }
    sentQuery.then(discard, discard)
    return sentQuery
  }
  return () => {
    unsent ??= send()
    return unsent
  }
}

/** Retries once after a broken connection if time permits, because a read changes nothing. */
async function readWithRetry(account: number, connection: Connection): Promise<string> {
  const startedAt = performance.now()
  const row = await connection.query(statementQuery(account)).catch((error) => {
    if (!hasTimeToRetry(startedAt)) throw error
    return connection.query(statementQuery(account))
  })
  const statement = row?.[0]
  if (statement == null) throw new Error('The account is missing.')
  return statement
}

/**
 * A retry begins within this time or not at all, because the retry may take the full time limit of a query,
 * and clients get a response within three seconds.
 */
const retryMilliseconds = 400
const hasTimeToRetry = (startedAt: number) => performance.now() - startedAt < retryMilliseconds

/** A single query sees a single snapshot, so balance and entries agree despite concurrent commits. */
const statementQuery = (account: number) => ({
  name: 'statement',
  text: 'select bank.statement($1)',
  values: [String(account)],
})
