import type pg from 'pg'
import type { Budgets } from '../config/budgets.ts'
import { uncertain } from '../model/problem.ts'
import { ask } from './ask.ts'
import type { Connections, Prepare } from './connections.ts'
import type { Execution } from './execution.ts'
import { isConflict, isLostConnection, isRejectedByServer } from './failures.ts'
import { createPlaces, type Places } from './fair-queue.ts'
import { type GroupedWrites, groupWrites } from './group-commit.ts'
import { inTime, retried, type TimeLimits } from './in-time.ts'
import { acquire, answered, type ConnectionLimits, release } from './pooled-connections.ts'
import type { Queries, Sql } from './sql.ts'
import { type Call, type Waiting, type Works, waited } from './work.ts'

/** Everything that writes, on its own connection pool. */
export interface Transactions {
  /** Statements that write and are a transaction each, sent in one round trip. */
  readonly single: SingleWrites
  /**
   * Commits everything that `work` does, or nothing. After a conflict `work` runs again, so it must have no
   * effect but writing rows. The limits of a request apply unless others are given.
   */
  transaction<Result>(work: (transaction: Queries) => Promise<Result>, limits?: TimeLimits): Promise<Result>
  /** Calls back after each committed transaction of this process, until the returned function is called. */
  onCommit(listener: () => void): () => void
  close(): Promise<void>
}

export interface SingleWrites extends Queries {
  /** Absent within a transaction, whose writes are never batched with those of other callers. */
  readonly grouped?: GroupedWrites
}

export interface TransactionOptions extends Pick<Works, 'current'> {
  readonly prepare: Prepare
  readonly limits: TimeLimits
  readonly budgets: Budgets
  readonly poolSize: number | undefined
  readonly execution: Execution
  readonly call: Call
}

/**
 * A group commit skips rows that are locked. It still waits for keys that another transaction is inserting,
 * and a transaction of many rows may hold such a key for a second.
 */
const lockMillisecondsTogether = 20

export function openTransactions(connections: Connections, options: TransactionOptions): Transactions {
  const { limits, budgets, poolSize, current } = options
  const pool = connections.openPool(poolSize ?? budgets.budget('storeTransactions').max, limits)
  const acquireConnection = lendFrom(pool, enteringShares(placesOf(budgets, limits), current))
  const commits = createCommits(current)
  const transaction = transactionsBy(connections, acquireConnection, options, commits)
  const grouped = openGroupCommit(connections, options, commits)
  return {
    single: {
      query: singleBy(sendingAlone(connections, acquireConnection, limits), options, transaction, commits),
      grouped: grouped.write,
    },
    transaction,
    onCommit: commits.onCommit,
    async close() {
      await Promise.all([pool.end(), grouped.close()])
    },
  }
}

function transactionsBy(
  connections: Connections,
  acquireConnection: AcquireConnection,
  { prepare, limits: limitsOfRequest, call, execution }: TransactionOptions,
  { committed }: Commits,
): Transactions['transaction'] {
  return async (work, limits = limitsOfRequest) => {
    const steps = {
      begin: (client: pg.PoolClient) => connections.begin(client, limits),
      send: <Row>(client: pg.PoolClient, statement: Sql) =>
        call({ kind: 'in transaction', statement, limits }, ({ endsAt }) =>
          answered(client, endsAt, ask<Row>(client, prepare(statement))),
        ),
      work: ({ query }: Queries) => work({ query: (statement) => execution.execute(query, statement) }),
    }
    const result = await call({ kind: 'transaction', limits }, (waiting) =>
      retried(waiting, () => runTransaction(acquireConnection, waiting, steps), mayPass),
    )
    committed()
    return result
  }
}

function singleBy(
  sendAlone: SendAlone,
  { call, execution }: TransactionOptions,
  transaction: Transactions['transaction'],
  { committed }: Commits,
): SingleWrites['query'] {
  const query = async <Row>(statement: Sql) => {
    const rows = await call({ kind: 'write', statement }, (waiting) =>
      retried(waiting, () => sendAlone<Row>(statement, waiting), mayPass),
    )
    committed()
    return rows
  }
  return execution.alone({ query, transaction })
}

/** Uses its own pool, because its connections have a shorter lock timeout. */
function openGroupCommit(
  connections: Connections,
  { limits, budgets, call, execution }: TransactionOptions,
  { committed }: Commits,
) {
  const groupLimits = { ...limits, lockMilliseconds: lockMillisecondsTogether }
  const pool = connections.openPool(budgets.budget('storeGatheredWrites').max, groupLimits)
  const send = sendingAlone(connections, lendFrom(pool), groupLimits)
  const write = groupWrites({ call, committed, isPossible: execution.canShare, send })
  return { write, close: () => pool.end() }
}

interface Commits {
  /** The current request has committed something. */
  committed(): void
  readonly onCommit: Transactions['onCommit']
}

function createCommits(current: Works['current']): Commits {
  const listeners = new Set<() => void>()
  return {
    committed() {
      const work = current()
      if (work) work.hasCommitted = true
      for (const listener of listeners) listener()
    },
    onCommit(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
  }
}

/** A write that waits too long for a place is rejected as overloaded, before the silent-store timeout. */
const placesOf = (budgets: Budgets, { statementMilliseconds }: TimeLimits) =>
  createPlaces({
    atOnce: budgets.budget('storeTransactions'),
    atOncePerAccount: budgets.budget('storeTransactionsOfAccount'),
    waiting: budgets.budget('storeTransactionsWaiting'),
    waitingPerAccount: budgets.budget('storeTransactionsWaitingOfAccount'),
    waitMillisecondsMax: statementMilliseconds,
  })

/** Waits for a connection, which the caller then has to itself until it is released. */
type AcquireConnection = (waiting: Waiting) => Promise<AcquiredConnection>

export interface AcquiredConnection {
  readonly client: pg.PoolClient
  /** The connection has not answered anything lately, so it may be dead. */
  readonly isSilent: boolean
  /** Must be called exactly once, with the failure if there was one. */
  release(failure?: unknown): void
}

/** Under load a connection is used again much sooner. */
const silentMilliseconds = 20

/** Serves callers in the order in which they ask, once they have their share. */
function lendFrom(pool: pg.Pool, enter?: EnterShare): AcquireConnection {
  const heardAt = new WeakMap<pg.PoolClient, number>()
  return async (waiting) => {
    const leave = await enter?.(waiting)
    try {
      const client = await waited(waiting, acquire(pool, waiting.endsAt))
      return {
        client,
        isSilent: performance.now() - (heardAt.get(client) ?? Number.NEGATIVE_INFINITY) > silentMilliseconds,
        release(failure) {
          if (failure === undefined) heardAt.set(client, performance.now())
          release(client, failure)
          leave?.()
        },
      }
    } catch (error) {
      leave?.()
      throw error
    }
  }
}

/** Waits for a place if the current request needs one, and returns the function that leaves it. */
type EnterShare = (waiting: Waiting) => Promise<(() => void) | undefined>

/**
 * Limits each holder to its share, because a write that waits for a locked row keeps its connection: the
 * writes to one row could take all of them. Background work does not wait for a share.
 */
const enteringShares =
  (places: Places, current: Works['current']): EnterShare =>
  async (waiting) => {
    const work = current()
    // Waiting for a second connection while holding the first could deadlock with others that do the same.
    const holder = work?.connections === 0 ? work.holder : undefined
    if (!work || holder === undefined) return undefined
    if (!places.enter(holder)) {
      const coming = places.wait(holder)
      const leaveLate = () => coming.then(() => places.leave(holder), ignore)
      await waited(waiting, inTime(waiting.endsAt, coming, leaveLate))
    }
    work.connections += 1
    return () => {
      work.connections -= 1
      places.leave(holder)
    }
  }

const ignore = () => undefined

type SendAlone = <Row>(statement: Sql, waiting: Waiting) => Promise<Row[]>

/**
 * Sends a statement that is a transaction, once. A connection that has been silent is probed first: a hanging
 * server may still execute a statement when it recovers, and its caller would not know.
 */
const sendingAlone =
  (connections: Connections, acquireConnection: AcquireConnection, limits: ConnectionLimits): SendAlone =>
  async <Row>(statement: Sql, waiting: Waiting) => {
    const { client, isSilent, release } = await acquireConnection(waiting)
    let failure: unknown
    let isSent = false
    try {
      if (isSilent) await answered(client, waiting.endsAt, client.query(''))
      isSent = true
      return await answered(client, waiting.endsAt, connections.run<Row>(client, statement, limits))
    } catch (error) {
      failure = error
      throw isSent && isLostConnection(error) && !isRejectedByServer(error) ? unknownOutcome(error) : error
    } finally {
      release(failure)
    }
  }

export interface Steps<Result> {
  begin(client: pg.PoolClient): Promise<unknown>
  send<Row>(client: pg.PoolClient, statement: Sql): Promise<Row[]>
  work(transaction: Queries): Promise<Result>
}

async function runTransaction<Result>(
  acquireConnection: AcquireConnection,
  waiting: Waiting,
  { begin, send, work }: Steps<Result>,
): Promise<Result> {
  const { client, release } = await acquireConnection(waiting)
  let failure: unknown
  let isCommitting = false
  try {
    // Not awaited here: it travels in one packet with the first statement.
    const begun = answered(client, waiting.endsAt, begin(client))
    const [result] = await Promise.all([work({ query: (statement) => send(client, statement) }), begun])
    waiting.renew()
    isCommitting = true
    await answered(client, waiting.endsAt, client.query('commit'))
    return result
  } catch (error) {
    failure = error
    // The outcome is unknown, so the transaction must never be repeated automatically.
    if (isCommitting && !isConflict(error)) throw unknownOutcome(error)
    failure = (await rolledBack(client)) ?? error
    throw error
  } finally {
    release(failure)
  }
}

/**
 * A rollback that would take longer is replaced by closing the connection, because the caller may have waited
 * for a silent store already.
 */
export const rollbackMillisecondsMax = 1000

/** Resolves with the error when the rollback failed. */
const rolledBack = (client: pg.PoolClient): Promise<unknown> =>
  answered(client, performance.now() + rollbackMillisecondsMax, client.query('rollback')).then(
    () => undefined,
    (error: unknown) => error,
  )

const unknownOutcome = (error: unknown) =>
  uncertain(new Error('The outcome of a commit is unknown.', { cause: error }))

/** The store has answered with a conflict, so the time limit restarts. */
function mayPass(error: unknown, waiting: Waiting): boolean {
  if (isConflict(error)) waiting.renew()
  return isConflict(error) || isLostConnection(error)
}
