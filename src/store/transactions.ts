import type pg from 'pg'
import type { Budgets } from '../configuration/budgets.ts'
import { ask } from './ask.ts'
import type { Connections } from './connections.ts'
import type { Forms } from './distributed/forms.ts'
import { createPlaces } from './fair-queue.ts'
import { type GatheredWrites, gatherWrites } from './gathered-writes.ts'
import { type Lend, lendAny, lendFairly } from './lend-connections.ts'
import { answered } from './pooled-connections.ts'
import type { Prepare } from './prepared-statements.ts'
import type { Queries } from './queries.ts'
import { retriedTransaction, runSingle, runTransaction } from './run-transactions.ts'
import type { Sql } from './sql.ts'
import type { Call, createTiming, Waiting } from './statement-times.ts'
import type { TimeLimits } from './time-limits.ts'
import type { Works } from './work.ts'

/** Everything that writes, on a pool of its own. */
export interface Transactions {
  /** Statements that write and are a transaction each, in one round trip. */
  readonly single: SingleWrites
  /**
   * Everything `work` does is committed, or none of it. It is run again after a conflict, so it must only write rows. The limits are
   * those of a request unless given.
   */
  transaction<Result>(work: (transaction: Queries) => Promise<Result>, limits?: TimeLimits): Promise<Result>
  /** Calls back after each committed transaction of this process. */
  onCommit(listener: () => void): void
  close(): Promise<void>
}

export interface SingleWrites extends Queries {
  /** Within a transaction there is none: what it writes is nobody else's. */
  readonly gathered?: GatheredWrites
}

export interface TransactionOptions
  extends Pick<ReturnType<typeof createTiming>, 'timed'>,
    Pick<Works, 'current'> {
  readonly prepare: Prepare
  readonly limits: TimeLimits
  readonly budgets: Budgets
  readonly poolSize: number | undefined
  readonly forms: Forms
  readonly call: Call
}

/**
 * Rows that somebody has locked are passed over; what is left are keys that somebody else is inserting, which a transaction of many
 * rows may keep open for a second.
 */
const lockMillisecondsTogether = 20

export function openTransactions(connections: Connections, options: TransactionOptions): Transactions {
  const { limits: limitsOfRequest, budgets, poolSize, current } = options
  const pool = connections.openPool(poolSize ?? budgets.budget('storeTransactions').max, limitsOfRequest)
  const lend = lendFairly(pool, placesOf(budgets, limitsOfRequest), current)
  const commits = createCommits(current)
  const transaction = transactionsBy(connections, lend, options, commits)
  const gathered = openGathered(connections, options, commits)
  return {
    single: {
      query: singleBy(connections, lend, options, { transaction, commits }),
      gathered: gathered.write,
    },
    transaction,
    onCommit: commits.onCommit,
    async close() {
      await Promise.all([pool.end(), gathered.close()])
    },
  }
}

function transactionsBy(
  connections: Connections,
  lend: Lend,
  { prepare, limits: limitsOfRequest, timed, call, forms }: TransactionOptions,
  commits: Commits,
): Transactions['transaction'] {
  return async (work, limits = limitsOfRequest) => {
    const steps = {
      begin: (client: pg.PoolClient) => connections.begin(client, limits),
      send: <Row>(client: pg.PoolClient, statement: Sql) =>
        timed({ kind: 'in transaction', statement, limits }, ({ endsAt }) =>
          answered(client, endsAt, ask<Row>(client, prepare(statement))),
        ),
      work: ({ query }: Queries) => work({ query: (statement) => forms.run(query, statement) }),
    }
    const result = await call({ kind: 'transaction', limits }, (waiting) =>
      retriedTransaction(waiting, () => runTransaction(lend, waiting, steps)),
    )
    commits.noteOwn()
    commits.notify()
    return result
  }
}

function singleBy(
  connections: Connections,
  lend: Lend,
  { limits, call, forms }: TransactionOptions,
  { transaction, commits }: Pick<Transactions, 'transaction'> & { readonly commits: Commits },
): SingleWrites['query'] {
  return async <Row>(statement: Sql) => {
    if (statement.inTurn && (await call({ kind: 'read' }, () => forms.isInTurn(statement))))
      return transaction(({ query }) => query<Row>(statement))
    const run = (client: pg.PoolClient) => connections.run<Row>(client, statement, limits)
    const rows = await call({ kind: 'write', statement }, (waiting) =>
      retriedTransaction(waiting, () => runSingle(lend, waiting, run)),
    )
    commits.noteOwn()
    commits.notify()
    return rows
  }
}

/** On connections of their own, because of their limit for locks. */
function openGathered(
  connections: Connections,
  { limits, budgets, call, forms }: TransactionOptions,
  { noteOwn, notify }: Commits,
) {
  const gatheredLimits = { ...limits, lockMilliseconds: lockMillisecondsTogether }
  const pool = connections.openPool(budgets.budget('storeGatheredWrites').max, gatheredLimits)
  const lend = lendAny(pool)
  const write = gatherWrites({
    call,
    noteOwn,
    // A distributed store takes several statements for each.
    isPossible: forms.isKnownWhole,
    async send<Row>(statement: Sql, waiting: Waiting) {
      const run = (client: pg.PoolClient) => connections.run<Row>(client, statement, gatheredLimits)
      const rows = await runSingle(lend, waiting, run)
      notify()
      return rows
    },
  })
  return { write, close: () => pool.end() }
}

interface Commits {
  /** What is under way has written something that stays. */
  noteOwn(): void
  notify(): void
  readonly onCommit: Transactions['onCommit']
}

function createCommits(current: Works['current']): Commits {
  const listeners: (() => void)[] = []
  return {
    noteOwn() {
      const work = current()
      if (work) work.hasCommitted = true
    },
    notify() {
      for (const listener of listeners) listener()
    },
    onCommit: (listener) => void listeners.push(listener),
  }
}

/** Whoever waits that long for a place is told so, before the store would be taken for silent. */
const placesOf = (budgets: Budgets, { statementMilliseconds }: TimeLimits) =>
  createPlaces({
    atOnce: budgets.budget('storeTransactions'),
    atOncePerAccount: budgets.budget('storeTransactionsOfAccount'),
    waiting: budgets.budget('storeTransactionsWaiting'),
    waitingPerAccount: budgets.budget('storeTransactionsWaitingOfAccount'),
    waitMillisecondsMax: statementMilliseconds,
  })
