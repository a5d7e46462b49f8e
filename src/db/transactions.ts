import type pg from 'pg'
import type { Budgets } from '../config/budgets.ts'
import { Problem, uncertain } from '../model/problem.ts'
import type { Connections, Prepare } from './connections.ts'
import {
  isAborted,
  isConflict,
  isLostConnection,
  isRejectedByServer,
  type TimeLimits,
  withDeadline,
} from './failures.ts'
import { createSlots, type Slots } from './fair-queue.ts'
import { groupWrites, type WriteGrouped } from './group-commit.ts'
import { acquire, type ConnectionLimits, closeUnlessAnswered, release } from './pooled-connections.ts'
import { queryRows } from './query-rows.ts'
import { type Queries, type Sql, sql } from './sql.ts'
import { type Call, type CallState, measureWait, type WorkContext } from './work.ts'

/** Executes everything that writes. It has its own pools of connections. */
export interface Transactions {
  /**
   * Executes single statements that write. Each is a transaction, of one round trip if the connection was
   * used just before and the store is not sharded.
   */
  readonly singleWrites: SingleWrites
  /**
   * Commits everything that `work` does, or nothing. `work` runs again after a conflict, so it must have no
   * other effect than writing rows. By default, the limits of a request apply.
   */
  transaction<Result>(work: (transaction: Queries) => Promise<Result>, limits?: TimeLimits): Promise<Result>
  /** Calls the listener after each commit of this process. Returns a function that removes the listener. */
  onCommit(listener: () => void): () => void
  close(): Promise<void>
}

export interface SingleWrites extends Queries {
  /** Undefined within a transaction, because its writes are never batched with writes of other callers. */
  readonly writeGrouped?: WriteGrouped
}

export interface TransactionOptions extends Pick<WorkContext, 'current'> {
  readonly prepare: Prepare
  readonly limits: TimeLimits
  readonly budgets: Budgets
  readonly poolSize: number | undefined
  readonly execution: Execution
  readonly call: Call
}

/**
 * A group commit skips locked rows, but waits if another transaction is inserting the same key. This limits
 * the wait.
 */
const groupLockMilliseconds = 20

export function openTransactions(connections: Connections, options: TransactionOptions): Transactions {
  const { limits, budgets, poolSize, current } = options
  const pool = connections.openPool(poolSize ?? budgets.budget('storeTransactions').max, limits)
  const enterSlot = createEnterSlot(createTransactionSlots(budgets, limits), current)
  const acquireConnection = acquireFrom(pool, enterSlot)
  const sendAlone = createSendAlone(connections, acquireConnection, limits)
  const commits = createCommits(current)
  const transaction = createTransaction(connections, acquireConnection, options, commits)
  const groupCommit = openGroupCommit(connections, options, commits)
  return {
    singleWrites: {
      query: createSingleQuery(sendAlone, options, transaction, commits),
      writeGrouped: groupCommit.write,
    },
    transaction,
    onCommit: commits.onCommit,
    async close() {
      await Promise.all([pool.end(), groupCommit.close()])
    },
  }
}

function createTransaction(
  connections: Connections,
  acquireConnection: AcquireConnection,
  { prepare, limits: requestLimits, call, execution }: TransactionOptions,
  { recordCommit }: Commits,
): Transactions['transaction'] {
  return async (work, limits = requestLimits) => {
    const steps = {
      begin: (client: pg.PoolClient) => connections.begin(client, limits),
      send: <Row>(client: pg.PoolClient, statement: Sql) =>
        call({ kind: 'in transaction', statement, limits }, ({ endsAt }) =>
          closeUnlessAnswered(client, endsAt, queryRows<Row>(client, prepare(statement))),
        ),
      work: ({ query }: Queries) => work({ query: (statement) => execution.execute(query, statement) }),
    }
    const result = await call({ kind: 'transaction', limits, isTransient }, (state) =>
      runTransaction(acquireConnection, state, steps),
    )
    recordCommit()
    return result
  }
}

function createSingleQuery(
  sendAlone: SendAlone,
  { call, execution }: TransactionOptions,
  transaction: Transactions['transaction'],
  { recordCommit }: Commits,
): SingleWrites['query'] {
  const query = async <Row>(statement: Sql) => {
    const rows = await call({ kind: 'write', statement, isTransient }, (state) =>
      sendAlone<Row>(statement, state),
    )
    recordCommit()
    return rows
  }
  return execution.eachInTransaction({ query, transaction })
}

/** The connections need their own pool, because they have a shorter lock timeout. */
function openGroupCommit(
  connections: Connections,
  { limits, budgets, call, execution }: TransactionOptions,
  { recordCommit }: Commits,
) {
  const groupLimits = { ...limits, lockMilliseconds: groupLockMilliseconds }
  const pool = connections.openPool(budgets.budget('storeGroupCommits').max, groupLimits)
  const send = createSendAlone(connections, acquireFrom(pool), groupLimits)
  const write = groupWrites({ call, recordCommit, canGroup: execution.canGroupWrites, send })
  return { write, close: () => pool.end() }
}

interface Commits {
  /** Called after each commit: marks the current request, and calls the listeners. */
  recordCommit(): void
  readonly onCommit: Transactions['onCommit']
}

function createCommits(current: WorkContext['current']): Commits {
  const listeners = new Set<() => void>()
  return {
    recordCommit() {
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

/**
 * Waiting for a slot has a shorter limit than a call of the store, so a write that waits too long is rejected
 * as overloaded.
 */
const createTransactionSlots = (budgets: Budgets, { statementMilliseconds }: TimeLimits) =>
  createSlots({
    atOnce: budgets.budget('storeTransactions'),
    atOncePerAccount: budgets.budget('storeTransactionsOfAccount'),
    waiting: budgets.budget('storeTransactionsWaiting'),
    waitingPerAccount: budgets.budget('storeTransactionsWaitingOfAccount'),
    waitMillisecondsMax: statementMilliseconds,
  })

/** Waits for a connection and reserves it until it is released. */
type AcquireConnection = (state: CallState) => Promise<AcquiredConnection>

interface AcquiredConnection {
  readonly client: pg.PoolClient
  /** True if the connection has not answered recently and may be dead. */
  readonly isSilent: boolean
  /** Must be called exactly once, with the error if the work has failed. */
  release(failure?: unknown): void
}

/** A connection that was unused for longer may be dead. */
const silentMilliseconds = 20

/**
 * Without `enter`, serves callers in order of arrival. `enter` serves accounts in rotation, and limits their
 * connections.
 */
function acquireFrom(pool: pg.Pool, enter?: EnterSlot): AcquireConnection {
  const lastAnswerAt = new WeakMap<pg.PoolClient, number>()
  return async (state) => {
    const leave = await enter?.(state)
    try {
      const client = await measureWait(state, acquire(pool, state.endsAt))
      return {
        client,
        isSilent:
          performance.now() - (lastAnswerAt.get(client) ?? Number.NEGATIVE_INFINITY) > silentMilliseconds,
        release(failure) {
          if (failure === undefined) lastAnswerAt.set(client, performance.now())
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

/** Waits for a slot if the current request needs one. Returns the function that releases the slot. */
type EnterSlot = (state: CallState) => Promise<(() => void) | undefined>

/**
 * Limits each holder to its share of the connections. Otherwise the writes to one locked row could use all
 * connections. Background work needs no slot.
 */
const createEnterSlot =
  (slots: Slots, current: WorkContext['current']): EnterSlot =>
  async (state) => {
    const work = current()
    // A request that has a slot does not enter again: if requests waited for a slot while they hold one, they
    // could wait for each other.
    const holder = work?.connections === 0 ? work.holder : undefined
    if (!work || holder === undefined) return undefined
    if (!slots.enter(holder)) {
      const pending = slots.wait(holder)
      const leaveWhenEntered = () => pending.then(() => slots.leave(holder), ignore)
      await measureWait(state, withDeadline(state.endsAt, pending, leaveWhenEntered))
    }
    work.connections += 1
    return () => {
      work.connections -= 1
      slots.leave(holder)
    }
  }

const ignore = () => undefined

type SendAlone = <Row>(statement: Sql, state: CallState) => Promise<Row[]>

/**
 * Sends a statement as a transaction, without retries. A connection that may be dead is checked first,
 * because a server that hangs could execute the statement after its caller has given up.
 */
const createSendAlone =
  (connections: Connections, acquireConnection: AcquireConnection, limits: ConnectionLimits): SendAlone =>
  async <Row>(statement: Sql, state: CallState) => {
    const { client, isSilent, release } = await acquireConnection(state)
    let failure: unknown
    let isSent = false
    try {
      if (isSilent) await closeUnlessAnswered(client, state.endsAt, client.query(''))
      isSent = true
      return await closeUnlessAnswered(client, state.endsAt, connections.run<Row>(client, statement, limits))
    } catch (error) {
      failure = error
      throw isSent && isLostConnection(error) && !isRejectedByServer(error) ? unknownOutcome(error) : error
    } finally {
      release(failure)
    }
  }

interface Steps<Result> {
  begin(client: pg.PoolClient): Promise<unknown>
  send<Row>(client: pg.PoolClient, statement: Sql): Promise<Row[]>
  work(transaction: Queries): Promise<Result>
}

async function runTransaction<Result>(
  acquireConnection: AcquireConnection,
  state: CallState,
  { begin, send, work }: Steps<Result>,
): Promise<Result> {
  const { client, release } = await acquireConnection(state)
  let failure: unknown
  let isCommitting = false
  // After an error, PostgreSQL rejects every further statement without the reason. This variable keeps the
  // error that aborted the transaction.
  let abortedBy: unknown
  const query = <Row>(statement: Sql) =>
    send<Row>(client, statement).catch((error: unknown) => {
      if (!isAborted(error)) abortedBy = error
      throw error
    })
  try {
    // The first statement is sent without waiting for the answer to `begin`.
    const begun = closeUnlessAnswered(client, state.endsAt, begin(client))
    const [result] = await Promise.all([work({ query }), begun])
    // Each statement has its own time limit, so that of the call may have passed.
    state.renew()
    isCommitting = true
    await closeUnlessAnswered(client, state.endsAt, client.query('commit'))
    return result
  } catch (caught) {
    const error = isAborted(caught) ? abortedBy : caught
    failure = error
    // A conflict proves that nothing was committed. After any other error, the outcome counts as unknown, so
    // the transaction must not be repeated.
    if (isCommitting && !isConflict(error)) throw unknownOutcome(error)
    failure = (await rollBack(client)) ?? error
    throw error
  } finally {
    release(failure)
  }
}

/** The caller may already have waited for the store, so this is shorter than the limit of a call. */
export const rollbackMillisecondsMax = 1000

/** Returns the error if the rollback fails. */
const rollBack = (client: pg.PoolClient): Promise<unknown> =>
  closeUnlessAnswered(client, performance.now() + rollbackMillisecondsMax, client.query('rollback')).then(
    () => undefined,
    (error: unknown) => error,
  )

const unknownOutcome = (error: unknown) =>
  uncertain(new Error('The outcome of a commit is unknown.', { cause: error }))

/** Returns whether a retry may help. A conflict shows that the store answers, so it restarts the time limit. */
function isTransient(error: unknown, state: CallState): boolean {
  if (isConflict(error)) state.renew()
  return isConflict(error) || isLostConnection(error)
}

export type Query = <Row>(statement: Sql) => Promise<Row[]>

/** How a kind of store executes statements: as they are, or in several steps (`stores.ts`). */
export interface Execution {
  /** Executes a statement with `query`, which belongs to a connection or a transaction. */
  execute<Row>(query: Query, statement: Sql): Promise<Row[]>
  /** Returns a query that executes each statement, with all of its steps, as a transaction. */
  eachInTransaction(senders: SendFunctions): Query
  /** Whether one statement can write for several callers. */
  canGroupWrites(): boolean
}

export interface SendFunctions {
  readonly query: Query
  readonly transaction: <Result>(
    work: (transaction: { readonly query: Query }) => Promise<Result>,
  ) => Promise<Result>
}

type SavepointResult<Result> = { readonly result: Result } | { readonly problem: Problem }

/** Runs a part of a transaction. If it throws a `Problem`, only this part is rolled back. */
export async function runInSavepoint<Result>(
  transaction: Queries,
  work: () => Promise<Result>,
): Promise<SavepointResult<Result>> {
  await transaction.query(sql`savepoint attempt`)
  try {
    return { result: await work() }
  } catch (error) {
    // All other errors roll back the whole transaction. It runs again if the error is a conflict.
    if (!(error instanceof Problem)) throw error
    await transaction.query(sql`rollback to savepoint attempt`)
    return { problem: error }
  } finally {
    await transaction.query(sql`release savepoint attempt`).catch(() => undefined)
  }
}
