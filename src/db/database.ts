import type pg from 'pg'
import { type Budgets, openBudgets } from '../config/budgets.ts'
import { ask } from './ask.ts'
import { type Connections, createConnections, type Prepare, preparedStatements } from './connections.ts'
import type { Query } from './execution.ts'
import { isLostConnection } from './failures.ts'
import { limitsOfRequests, retried, type TimeLimits } from './in-time.ts'
import { type LimitedReads, type OpenReads, openLimitedReads } from './limited-reads.ts'
import { createPositions } from './position.ts'
import type { Queries, Sql } from './sql.ts'
import { openStandbys, type StandbyOutcome } from './standbys.ts'
import { chooseExecution } from './stores.ts'
import { openStreamedReads, type StreamedReads, type StreamLimits } from './streamed-reads.ts'
import { openTransactions, type Transactions } from './transactions.ts'
import { createCalls, createWorks, type StatementKind, type StatementListener, type Works } from './work.ts'

export type { SingleWrites } from './transactions.ts'
export type { Queries }

type WorkPart = 'during' | 'complete' | 'onWork' | 'traceBy' | 'traceHeaders'

/**
 * `query` is for single statements that only read a few rows by their keys: they share one pipelined
 * connection, which no slow statement may block, and are repeated when it drops.
 */
export interface Database extends Queries, Omit<Transactions, 'close'>, Pick<Works, WorkPart> {
  /** Serves lists. */
  readonly lists: LimitedReads
  /** Serves the snapshots of live listings, which must not delay lists. */
  readonly liveLists: LimitedReads
  /**
   * Reads of rows alone, from a standby that has everything committed so far, if there is one. Reads that
   * take a snapshot as a starting point for later changes use the ones above, because standbys do not know
   * which transactions were in progress.
   */
  readonly listsAnywhere: LimitedReads
  readonly liveListsAnywhere: LimitedReads
  /** Counts the outcomes of reads that might have used a standby; undefined where none is configured. */
  readonly standbyReads: Readonly<Record<StandbyOutcome, number>> | undefined
  /** Serves exports of any length. */
  readonly exports: Pick<StreamedReads, 'stream'>
  /**
   * Calls back when a statement or a transaction has ended, with its duration, including the wait for a
   * connection.
   */
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
  /** The time after which a silent store is given up; tests use a shorter one. */
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
  const limits = limitsOfRequests(answerMilliseconds)
  const prepare = preparedStatements({ named: namedStatements })
  const connectMilliseconds = limits.answerMilliseconds
  const connections = createConnections({ url, applicationName, prepare, connectMilliseconds })
  const reads = openReads(connections, prepare, limits)
  const atStandby = (each: string) =>
    createConnections({ url: each, applicationName, prepare, connectMilliseconds: 1000, isForStandbys: true })
  const standbys = openStandbys(readUrls.map(atStandby), createPositions(reads))
  const ofLists = openLimitedReads(connections, budgets, 'lists', standbys)
  const ofLiveLists = openLimitedReads(connections, budgets, 'liveLists', standbys)
  const exports = openStreamedReads(connections, budgets, limits, exportLimits)
  const works = createWorks()
  const { call, onStatement } = createCalls(works.current, limits)
  const execution = chooseExecution((statement) =>
    call({ kind: 'read', statement }, ({ endsAt }) => reads.by(endsAt)(statement)),
  )
  const lists = (kind: StatementKind, query: OpenReads['query']): LimitedReads => ({
    query: (statement, account) =>
      call({ kind, statement }, (waiting) =>
        execution.execute((one) => query(one, account, waiting), statement),
      ),
  })
  const transactions = openTransactions(connections, {
    prepare,
    limits,
    budgets,
    poolSize,
    current: works.current,
    call,
    execution,
  })
  return {
    lists: lists('list', ofLists.query),
    liveLists: lists('live list', ofLiveLists.query),
    listsAnywhere: lists('list', ofLists.queryAnywhere),
    liveListsAnywhere: lists('live list', ofLiveLists.queryAnywhere),
    standbyReads: readUrls.length > 0 ? standbys.outcomes : undefined,
    exports,
    ...works,
    onStatement,
    query: (statement) =>
      call({ kind: 'read', statement }, ({ endsAt }) => execution.execute(reads.by(endsAt), statement)),
    single: transactions.single,
    transaction: transactions.transaction,
    onCommit: transactions.onCommit,
    async close() {
      await standbys.close()
      const all = [reads, ofLists, ofLiveLists, exports, transactions]
      await Promise.all(all.map((each) => each.close()))
    },
  }
}

/** Single statements that read, on the one connection that they share. */
function openReads(connections: Connections, prepare: Prepare, limits: TimeLimits) {
  const connection = connections.openPipelined(limits)
  const by =
    (endsAt: number): Query =>
    <Row>(statement: Sql) => {
      const send = (client: pg.ClientBase) => ask<Row>(client, prepare(statement))
      return retried({ endsAt }, () => connection.use(send, endsAt), isLostConnection)
    }
  const query: Query = (statement) => by(performance.now() + limits.answerMilliseconds)(statement)
  return { by, query, close: connection.close }
}

/** The same database, whose writes join this transaction: they are committed with it, or not at all. */
export const within = (database: Database, transaction: Queries): Database => ({
  ...database,
  single: transaction,
  transaction: (work) => work(transaction),
})
