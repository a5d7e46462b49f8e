import { type Budgets, openBudgets } from '../configuration/budgets.ts'
import { ask } from './ask.ts'
import { createConnections } from './connections.ts'
import { chooseForms } from './distributed/forms.ts'
import { isLostConnection } from './failures.ts'
import { type LimitedReads, openLimitedReads } from './limited-reads.ts'
import { createPositions } from './position.ts'
import { preparedStatements } from './prepared-statements.ts'
import type { Queries } from './queries.ts'
import { refuseUnavailable } from './refuse-unavailable.ts'
import { retried } from './retry.ts'
import type { Sql } from './sql.ts'
import { openStandbys, type StandbyOutcome } from './standbys.ts'
import { createTiming, type StatementKind, type StatementListener } from './statement-times.ts'
import { openStreamedReads, type StreamedReads, type StreamLimits } from './streamed-reads.ts'
import { openTransactions, type Transactions } from './transactions.ts'
import { createWorks, type Works } from './work.ts'

export type { SingleWrites } from './transactions.ts'
export type { Queries }

type WorkPart = 'during' | 'complete' | 'onWork' | 'traceBy' | 'traceHeaders'

/**
 * `query` is for single statements that only read a few rows by their keys: they share one pipelined connection, which
 * nothing slow may hold up, and are repeated when it drops.
 */
export interface Database extends Queries, Omit<Transactions, 'close'>, Pick<Works, WorkPart> {
  /** For lists. */
  readonly lists: Pick<LimitedReads, 'query'>
  /** For the snapshots of live listings, which never hold a list up. */
  readonly liveLists: Pick<LimitedReads, 'query'>
  /**
   * The same for reads that look at rows alone: at a standby that has everything committed so far, where there is one. What
   * takes a snapshot to go on from later stays above: standbys do not know which transactions were under way.
   */
  readonly listsAnywhere: Pick<LimitedReads, 'query'>
  readonly liveListsAnywhere: Pick<LimitedReads, 'query'>
  /** What became of the reads that might have gone to a standby; nothing where none is configured. */
  readonly standbyReads: Readonly<Record<StandbyOutcome, number>> | undefined
  /** For exports, of any length. */
  readonly exports: Pick<StreamedReads, 'stream'>
  /** Calls back when a statement or a transaction has ended, with how long it took, the wait for a connection included. */
  onStatement(listener: StatementListener): void
  close(): Promise<void>
}

export interface DatabaseOptions {
  readonly url: string
  /** Standbys of it, each by its own address. */
  readonly readUrls?: readonly string[]
  readonly applicationName: string
  /** Off for poolers that do not know named statements. */
  readonly namedStatements?: boolean
  readonly poolSize?: number
  readonly budgets?: Budgets
  readonly exportLimits?: Partial<StreamLimits>
}

/** No statement of ours takes this long; one that does would hold a connection for ever. */
const limits = { statementMilliseconds: 30_000 }

export function openDatabase({
  url,
  readUrls = [],
  applicationName,
  namedStatements = true,
  poolSize,
  budgets = openBudgets(),
  exportLimits,
}: DatabaseOptions): Database {
  const prepare = preparedStatements({ named: namedStatements })
  const connections = createConnections({ url, applicationName, prepare })
  const reads = connections.openPipelined(limits)
  const read = <Row>(statement: Sql): Promise<Row[]> =>
    retried(isLostConnection, () => reads.use((client) => ask<Row>(client, prepare(statement))))
  const forms = chooseForms(read)
  const atStandby = (each: string) =>
    createConnections({ url: each, applicationName, prepare, connectSeconds: 1, isForStandbys: true })
  const standbys = openStandbys(readUrls.map(atStandby), createPositions({ query: read }))
  const lists = openLimitedReads(connections, budgets, 'lists', standbys)
  const liveLists = openLimitedReads(connections, budgets, 'liveLists', standbys)
  const exports = openStreamedReads(connections, budgets, exportLimits)
  const works = createWorks()
  const { timed, onStatement } = createTiming(works)
  const timedReads = (kind: StatementKind, query: LimitedReads['query']): Pick<LimitedReads, 'query'> => ({
    query: (statement, account) =>
      refuseUnavailable(() =>
        timed({ kind, statement }, (waiting) => forms.run((one) => query(one, account, waiting), statement)),
      ),
  })
  const transactions = openTransactions(connections, {
    prepare,
    limits,
    budgets,
    poolSize,
    current: works.current,
    timed,
    forms,
  })
  return {
    lists: timedReads('list', lists.query),
    liveLists: timedReads('live list', liveLists.query),
    listsAnywhere: timedReads('list', lists.queryAnywhere),
    liveListsAnywhere: timedReads('live list', liveLists.queryAnywhere),
    standbyReads: readUrls.length > 0 ? standbys.outcomes : undefined,
    exports,
    ...works,
    onStatement,
    query: (statement) =>
      refuseUnavailable(() => timed({ kind: 'read', statement }, () => forms.run(read, statement))),
    single: transactions.single,
    transaction: transactions.transaction,
    onCommit: transactions.onCommit,
    async close() {
      await standbys.close()
      const all = [reads, lists, liveLists, exports, transactions]
      await Promise.all(all.map((each) => each.close()))
    },
  }
}
