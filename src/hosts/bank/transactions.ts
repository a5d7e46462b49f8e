import { setImmediate as endOfTurn } from 'node:timers/promises'
import { type Connection, isTimeout, NothingAppliedError, type Row } from './connection.ts'

export interface Transaction {
  readonly account: number
  /** The amount in cents, negative for a debit. */
  readonly amount: number
  readonly description: string
}

export interface Outcome {
  /**
   * The balance after the transaction, or the unchanged one if it was rejected. It is text because it may
   * exceed the exact range of a number.
   */
  readonly balance: string
  readonly isApplied: boolean
}

/** Resolves when the outcome is durable. */
export type Apply = (transaction: Transaction) => Promise<Outcome>

/** Beyond this size a larger call saves little, and every transaction in it waits for the last one. */
const callTransactionsMax = 200

/** Called with the number of transactions in a call and its duration. */
export type MeasureCall = (transactions: number, seconds: number) => void

/**
 * Keeps one call in flight. Transactions that arrive in the meantime are batched into the next call. The row
 * locks of the database put the calls of all instances in one order.
 */
export function batchTransactions(connection: Connection, measureCall?: MeasureCall): Apply {
  const pending: PendingTransaction[] = []
  let isRunning = false
  const run = async () => {
    while (pending.length > 0) {
      await waitForBatch(pending)
      const startedAt = performance.now()
      const batch = pending.splice(0, callTransactionsMax)
      const failure = await applyAll(connection, batch)
      // The transactions that are still pending were not sent, and would run into the same timeout.
      if (isTimeout(failure))
        for (const { reject } of pending.splice(0)) reject(new NothingAppliedError(failure))
      measureCall?.(batch.length, (performance.now() - startedAt) / 1000)
    }
    isRunning = false
  }
  return (transaction) =>
    new Promise((resolve, reject) => {
      pending.push({ transaction, resolve, reject })
      if (isRunning) return
      isRunning = true
      void run()
    })
}

/**
 * Waits while each turn of the event loop brings more transactions, because fewer, larger calls cost less. A
 * single transaction waits for two turns.
 */
async function waitForBatch(waiting: readonly unknown[]): Promise<void> {
  let count = 0
  await endOfTurn()
  while (waiting.length > count && waiting.length < callTransactionsMax) {
    count = waiting.length
    await endOfTurn()
  }
}

interface PendingTransaction {
  readonly transaction: Transaction
  readonly resolve: (outcome: Outcome) => void
  readonly reject: (error: unknown) => void
}

/** Settles each transaction, never throws, and returns the failure, if any. */
async function applyAll(connection: Connection, batch: readonly PendingTransaction[]): Promise<unknown> {
  try {
    const outcomes = await applyTransactions(
      connection,
      batch.map(({ transaction }) => transaction),
    )
    batch.forEach(({ resolve }, index) => {
      resolve(outcomes[index] as Outcome)
    })
    return undefined
  } catch (error) {
    if (batch.length > 1 && isDataError(error)) {
      // One transaction holds a value that this database cannot store. The others must not fail with it.
      for (const single of batch) await applyAll(connection, [single])
      return undefined
    }
    for (const { reject } of batch) reject(error)
    return error
  }
}

/** The database rolled back because of a value, so sending the same again cannot apply anything twice. */
const isDataError = (error: unknown) =>
  error instanceof NothingAppliedError && error.code?.startsWith('22') === true

/** A single transaction has its own function, because the function for many would take 50% longer. */
function applyTransactions(connection: Connection, transactions: readonly Transaction[]): Promise<Outcome[]> {
  const [first] = transactions
  return first !== undefined && transactions.length === 1
    ? applyOne(connection, first)
    : applyMany(connection, transactions)
}

async function applyOne(
  connection: Connection,
  { account, amount, description }: Transaction,
): Promise<Outcome[]> {
  const row = await connection.query({
    name: 'apply_one',
    text: 'select balance, applied from bank.apply_one($1, $2, $3)',
    values: [String(account), String(amount), description],
  })
  const [balance, applied] = columnsOf(row)
  return [{ balance, isApplied: applied === 't' }]
}

async function applyMany(connection: Connection, transactions: readonly Transaction[]): Promise<Outcome[]> {
  const row = await connection.query({
    name: 'apply',
    text: 'select balances, applied from bank.apply($1, $2, $3)',
    values: [
      `{${transactions.map(({ account }) => account)}}`,
      `{${transactions.map(({ amount }) => amount)}}`,
      `{${transactions.map(({ description }) => quote(description))}}`,
    ],
  })
  const [balances, applied] = columnsOf(row).map(elementsOf)
  if (balances?.length !== transactions.length)
    throw new Error('The database returned results for a different number of transactions.')
  return balances.map((balance, index) => ({ balance, isApplied: applied?.[index] === 't' }))
}

/** Quotes an array element: https://www.postgresql.org/docs/current/arrays.html#ARRAYS-IO */
const quote = (text: string) => `"${text.replace(/["\\]/g, '\\$&')}"`

function columnsOf(row: Row | undefined): [string, string] {
  const [first, second] = row ?? []
  if (first == null || second == null) throw new Error('The account is missing.')
  return [first, second]
}

/** Elements are only numbers and flags, so none is ever quoted. */
const elementsOf = (array: string) => array.slice(1, -1).split(',')
