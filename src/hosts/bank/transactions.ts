import { setImmediate as endOfTurn } from 'node:timers/promises'
import { type Connection, isSilence, NothingApplied, type Row } from './connection.ts'

export interface Transaction {
  readonly account: number
  /** In cents; a debit is below zero. */
  readonly amount: number
  readonly description: string
}

export interface Outcome {
  /** After the transaction, or unchanged where it was refused. As text: it may be beyond what a number holds exactly. */
  readonly balance: string
  readonly isApplied: boolean
}

/** Resolves when the outcome is durable. */
export type Apply = (transaction: Transaction) => Promise<Outcome>

/** Beyond this a longer call saves little, and everyone in it waits for the last one. */
const callTransactionsMax = 200

/** Called with how many transactions went in a call, and how long it took. */
export type MeasureCall = (transactions: number, seconds: number) => void

/**
 * One call in flight; whatever arrives meanwhile goes together in the next one, in the order of arrival. There is no
 * timer. The other instances do the same with the same accounts: the database's row locks, held until commit, put all
 * calls in one order.
 */
export function openTransactions(connection: Connection, measureCall?: MeasureCall): Apply {
  const waiting: Waiting[] = []
  let isRunning = false
  const run = async () => {
    while (waiting.length > 0) {
      await gathered(waiting)
      const startedAt = performance.now()
      const together = waiting.splice(0, callTransactionsMax)
      const failure = await applyAll(connection, together)
      // They were not sent, and would wait for the same silence again.
      if (isSilence(failure)) for (const { reject } of waiting.splice(0)) reject(new NothingApplied(failure))
      measureCall?.(together.length, (performance.now() - startedAt) / 1000)
    }
    isRunning = false
  }
  return (transaction) =>
    new Promise((resolve, reject) => {
      waiting.push({ transaction, resolve, reject })
      if (isRunning) return
      isRunning = true
      void run()
    })
}

/**
 * As long as a turn of the event loop brings more, the next one may too: clients that have their answers send again while
 * the last of them are still being answered. Larger calls are fewer calls; a lone transaction waits for two turns.
 */
async function gathered(waiting: readonly unknown[]): Promise<void> {
  let known = 0
  await endOfTurn()
  while (waiting.length > known && waiting.length < callTransactionsMax) {
    known = waiting.length
    await endOfTurn()
  }
}

interface Waiting {
  readonly transaction: Transaction
  readonly resolve: (outcome: Outcome) => void
  readonly reject: (error: unknown) => void
}

/** Answers every one of them, never throws, and returns what went wrong. */
async function applyAll(connection: Connection, together: readonly Waiting[]): Promise<unknown> {
  try {
    const outcomes = await call(
      connection,
      together.map(({ transaction }) => transaction),
    )
    together.forEach(({ resolve }, index) => {
      resolve(outcomes[index] as Outcome)
    })
    return undefined
  } catch (error) {
    if (together.length > 1 && isAboutData(error)) {
      // One of them holds something that this database cannot store; the others must not suffer for it.
      for (const one of together) await applyAll(connection, [one])
      return undefined
    }
    for (const { reject } of together) reject(error)
    return error
  }
}

/** The database has rolled back because of a value, so sending the same again cannot apply anything twice. */
const isAboutData = (error: unknown) =>
  error instanceof NothingApplied && error.code?.startsWith('22') === true

/** A lone transaction has a function of its own: the one for many costs it half as much again. */
function call(connection: Connection, transactions: readonly Transaction[]): Promise<Outcome[]> {
  const [first, ...others] = transactions
  return first !== undefined && others.length === 0
    ? callWithOne(connection, first)
    : callWithMany(connection, transactions)
}

async function callWithOne(
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

async function callWithMany(
  connection: Connection,
  transactions: readonly Transaction[],
): Promise<Outcome[]> {
  const row = await connection.query({
    name: 'apply',
    text: 'select balances, applied from bank.apply($1, $2, $3)',
    values: [
      `{${transactions.map(({ account }) => account)}}`,
      `{${transactions.map(({ amount }) => amount)}}`,
      `{${transactions.map(({ description }) => quoted(description))}}`,
    ],
  })
  const [balances, applied] = columnsOf(row).map(elementsOf)
  if (balances?.length !== transactions.length) throw new Error('The database answered for another number.')
  return balances.map((balance, index) => ({ balance, isApplied: applied?.[index] === 't' }))
}

/** As an element of an array: https://www.postgresql.org/docs/current/arrays.html#ARRAYS-IO */
const quoted = (text: string) => `"${text.replace(/["\\]/g, '\\$&')}"`

function columnsOf(row: Row | undefined): [string, string] {
  const [first, second] = row ?? []
  if (first == null || second == null) throw new Error('The account is missing.')
  return [first, second]
}

/** Numbers and flags only: nothing in them is ever quoted. */
const elementsOf = (array: string) => array.slice(1, -1).split(',')
