import { type Budgets, openBudgets } from '../configuration/budgets.ts'
import { createConnections } from './connections.ts'
import { chooseForms } from './distributed/forms.ts'
import { isLostConnection } from './failures.ts'
import { type LimitedReads, openLimitedReads } from './limited-reads.ts'
import { preparedStatements } from './prepared-statements.ts'
import type { Queries } from './queries.ts'
import { refuseUnavailable } from './refuse-unavailable.ts'
import { retried } from './retry.ts'
import type { Sql } from './sql.ts'
import { createTiming, type StatementKind, type StatementListener } from './statement-times.ts'
import { openStreamedReads, type StreamedReads } from './streamed-reads.ts'
import { openTransactions, type Transactions } from './transactions.ts'
import { createWorks, type Works } from './work.ts'

export type { Queries }

/**
 * `query` is for single statements that only read a few rows by their keys: they share one pipelined connection, which
 * nothing slow may hold up, and are repeated when it drops.
 */
export interface Database extends Queries, Omit<Transactions, 'close'>, Pick<Works, 'during' | 'complete'> {
  /** For lists. */
  readonly lists: Pick<LimitedReads, 'query'>
  /** For the snapshots of live listings, which never hold a list up. */
  readonly liveLists: Pick<LimitedReads, 'query'>
  /** For exports, of any length. */
  readonly exports: Pick<StreamedReads, 'stream'>
  /** Calls back when a statement or a transaction has ended, with how long it took, the wait for a connection included. */
  onStatement(listener: StatementListener): void
  close(): Promise<void>
}

export interface DatabaseOptions {
  readonly url: string
  readonly applicationName: string
  /** Off for poolers that do not know named statements. */
  readonly namedStatements?: boolean
  readonly poolSize?: number
  readonly budgets?: Budgets
}

/** No statement of ours takes this long; one that does would hold a connection for ever. */
const limits = { statementMilliseconds: 30_000 }

export function openDatabase({
  url,
  applicationName,
  namedStatements = true,
  poolSize,
  budgets = openBudgets(),
}: DatabaseOptions): Database {
  const prepare = preparedStatements({ named: namedStatements })
  const connections = createConnections({ url, applicationName, prepare })
  const reads = connections.openPipelined(limits)
  const lists = openLimitedReads(connections, budgets, 'lists')
  const liveLists = openLimitedReads(connections, budgets, 'liveLists')
  const exports = openStreamedReads(connections, budgets)
  const works = createWorks()
  const { timed, onStatement } = createTiming(works)
  const timedReads = (kind: StatementKind, limited: LimitedReads): Pick<LimitedReads, 'query'> => ({
    query: (statement, account) =>
      refuseUnavailable(() =>
        timed({ kind, statement }, (waiting) =>
          forms.run((one) => limited.query(one, account, waiting), statement),
        ),
      ),
  })
  const read = <Row>(statement: Sql): Promise<Row[]> =>
    retried(isLostConnection, () =>
      reads.use(async (client) => (await client.query(prepare(statement))).rows),
    )
  const forms = chooseForms(read)
  const atOnce = poolSize ?? budgets.budget('storeTransactions').max
  const transactions = openTransactions(connections, { prepare, limits, atOnce, timed, forms })
  return {
    lists: timedReads('list', lists),
    liveLists: timedReads('live list', liveLists),
    exports,
    during: works.during,
    complete: works.complete,
    onStatement,
    query: (statement) =>
      refuseUnavailable(() => timed({ kind: 'read', statement }, () => forms.run(read, statement))),
    single: transactions.single,
    transaction: transactions.transaction,
    onCommit: transactions.onCommit,
    async close() {
      await Promise.all([
        reads.close(),
        lists.close(),
        liveLists.close(),
        exports.close(),
        transactions.close(),
      ])
    },
  }
}
