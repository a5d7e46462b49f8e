import type pg from 'pg'
import { type Budgets, openBudgets } from '../config/budgets.ts'
import { type Connections, createConnections, type Prepare, preparedStatements } from './connections.ts'
import { isLostConnection, requestLimits, retry, type TimeLimits } from './failures.ts'
import { type LimitedReads, type OpenReads, openLimitedReads } from './limited-reads.ts'
import { queryRows } from './query-rows.ts'
import type { Queries, Sql } from './sql.ts'
import { createWalPositionReader, openStandbys, type StandbyOutcome } from './standbys.ts'
import { chooseExecution } from './stores.ts'
import { openStreamedReads, type StreamedReads, type StreamLimits } from './streamed-reads.ts'
import { openTransactions, type Query, type Transactions } from './transactions.ts'
import {
  createStoreCalls,
  createWorkContext,
  type StatementKind,
  type StatementListener,
  type WorkContext,
} from './work.ts'

export type { SingleWrites } from './transactions.ts'
export type { Queries }

/** The part of `WorkContext` for hosts, with which they attribute statements to requests and commands. */
type WorkPart = 'during' | 'complete' | 'onWork' | 'traceBy' | 'traceHeaders'

/**
 * `query` reads a few rows by their keys. All such statements share one pipelined connection, so a slow
 * statement would block the others. They are repeated if the connection is lost.
 */
export interface Database extends Queries, Omit<Transactions, 'close'>, Pick<WorkContext, WorkPart> {
  /** Serves lists. */
  readonly listReads: LimitedReads
  /** Serves the snapshots of live listings, which must not delay lists. */
  readonly liveListReads: LimitedReads
  /**
   * Reads from a standby that has replayed every commit, or else from the primary. A standby does not know
   * which transactions are in progress, so reads with a snapshot of the change log use the members above.
   */
  readonly standbyListReads: LimitedReads
  readonly standbyLiveListReads: LimitedReads
  /** Counts the outcomes of reads that might have used a standby. Undefined if none is configured. */
  readonly standbyOutcomes: Readonly<Record<StandbyOutcome, number>> | undefined
  /** Serves exports of any length. */
  readonly exports: Pick<StreamedReads, 'stream'>
  /** Calls the listener after a statement or transaction, with its duration including waits. */
  onStatement(listener: StatementListener): void
  close(): Promise<void>
}

export interface DatabaseOptions {
  readonly url: string
  /** The addresses of its standbys. */
  readonly readUrls?: readonly string[]
  readonly applicationName: string
  /** False for poolers that do not support named statements. */
  readonly namedStatements?: boolean
  readonly poolSize?: number
  readonly budgets?: Budgets
  readonly exportLimits?: Partial<StreamLimits>
  /** The time after which a call of a silent store fails. Tests set a shorter one. */
  readonly answerMilliseconds?: number
}

export function openDatabase({
  url,
  readUrls = [],
  applicationName,
  namedStatements = true,
  poolSize,
  budgets = openBudgets(),
  exportLimits,
  answerMilliseconds,
}: DatabaseOptions): Database {
  const limits = requestLimits(answerMilliseconds)
  const prepare = preparedStatements({ named: namedStatements })
  const connectMilliseconds = limits.answerMilliseconds
  const connections = createConnections({ url, applicationName, prepare, connectMilliseconds })
  const reads = openSingleReads(connections, prepare, limits)
  const connectStandby = (standbyUrl: string) =>
    createConnections({
      url: standbyUrl,
      applicationName,
      prepare,
      connectMilliseconds: 1000,
      isForStandbys: true,
    })
  const standbys = openStandbys(readUrls.map(connectStandby), createWalPositionReader(reads))
  const listReads = openLimitedReads(connections, budgets, 'lists', standbys)
  const liveListReads = openLimitedReads(connections, budgets, 'liveLists', standbys)
  const exports = openStreamedReads(connections, budgets, limits, exportLimits)
  const workContext = createWorkContext()
  const { call, onStatement } = createStoreCalls(workContext.current, limits)
  // This read detects whether the store is sharded. A sharded store runs some statements in steps.
  const execution = chooseExecution((statement) =>
    call({ kind: 'read', statement }, ({ endsAt }) => reads.queryUntil(endsAt)(statement)),
  )
  const limitedReads = (kind: StatementKind, query: OpenReads['query']): LimitedReads => ({
    query: (statement, account) =>
      call({ kind, statement }, (state) =>
        execution.execute((step) => query(step, account, state), statement),
      ),
  })
  const transactions = openTransactions(connections, {
    prepare,
    limits,
    budgets,
    poolSize,
    current: workContext.current,
    call,
    execution,
  })
  return {
    listReads: limitedReads('list', listReads.query),
    liveListReads: limitedReads('live list', liveListReads.query),
    standbyListReads: limitedReads('list', listReads.queryStandby),
    standbyLiveListReads: limitedReads('live list', liveListReads.queryStandby),
    standbyOutcomes: readUrls.length > 0 ? standbys.outcomes : undefined,
    exports,
    ...workContext,
    onStatement,
    query: (statement) =>
      call({ kind: 'read', statement }, ({ endsAt }) =>
        execution.execute(reads.queryUntil(endsAt), statement),
      ),
    singleWrites: transactions.singleWrites,
    transaction: transactions.transaction,
    onCommit: transactions.onCommit,
    async close() {
      await standbys.close()
      const all = [reads, listReads, liveListReads, exports, transactions]
      await Promise.all(all.map((each) => each.close()))
    },
  }
}

/** Opens the connection that all single reading statements share. */
function openSingleReads(connections: Connections, prepare: Prepare, limits: TimeLimits) {
  const connection = connections.openPipelined(limits)
  const queryUntil =
    (endsAt: number): Query =>
    <Row>(statement: Sql) => {
      const send = (client: pg.ClientBase) => queryRows<Row>(client, prepare(statement))
      return retry({ endsAt }, () => connection.use(send, endsAt), isLostConnection)
    }
  const query: Query = (statement) => queryUntil(performance.now() + limits.answerMilliseconds)(statement)
  return { queryUntil, query, close: connection.close }
}

/**
 * Returns a database whose writes are a part of this transaction. The time limits of the transaction apply.
 */
export const joinTransaction = (database: Database, transaction: Queries): Database => ({
  ...database,
  singleWrites: transaction,
  transaction: (work) => work(transaction),
})
