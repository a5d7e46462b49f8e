import type { Budgets } from '../configuration/budgets.ts'
import type { Connections } from './connections.ts'
import { isLostConnection, isTimedOut, isUnparsed } from './failures.ts'
import { createFairQueue, type FairQueue } from './fair-queue.ts'
import { inTime } from './in-time.ts'
import { openReadingServers, type Reading } from './reading-servers.ts'
import { retried } from './retry.ts'
import { rememberSlowAccounts } from './slow-accounts.ts'
import type { Sql } from './sql.ts'
import type { Standbys } from './standbys.ts'
import type { Waiting } from './statement-times.ts'

/** Statements that may be long: few at once, fair between accounts, each stopped at its limit. */
export interface LimitedReads {
  /** Throws `StatementTooSlow` for one that was stopped. */
  query<Row>(statement: Sql, account: string): Promise<Row[]>
}

/** The same, which know of the time that each has. */
export interface OpenReads {
  query<Row>(statement: Sql, account: string, waiting: Waiting): Promise<Row[]>
  /** At a standby that has everything committed so far; at the primary where there is none. */
  queryAnywhere: OpenReads['query']
  close(): Promise<void>
}

export class StatementTooSlow extends Error {
  readonly seconds: number

  constructor(seconds: number) {
    super(`The statement was stopped after ${seconds} seconds.`)
    this.seconds = seconds
  }
}

/** Long enough for a page of any list that an index serves, short enough for everybody else on the connection to wait. */
const quickMilliseconds = 40
export const slowSeconds = 2.5

const quickLimits = { statementMilliseconds: quickMilliseconds, parallel: false }
const slowLimits = { statementMilliseconds: slowSeconds * 1000, parallel: false }

/**
 * Most lists take a millisecond and share one pipelined connection, which costs a third less than one for each. What is not
 * done in 40 ms is stopped there and begun again on a connection of its own. For the next minute its account is kept off the
 * shared one, so an account delays others by a few times 40 ms and then not at all.
 */
export function openLimitedReads(
  connections: Connections,
  budgets: Budgets,
  kind: 'lists' | 'liveLists',
  standbys: Standbys,
): OpenReads {
  const queueOf = (speed: 'Quick' | 'Slow') =>
    createFairQueue({
      atOnce: budgets.budget(`${kind}${speed}`),
      atOncePerAccount: budgets.budget(`${kind}${speed}OfAccount`),
      waiting: budgets.budget(`${kind}Waiting`),
      waitingPerAccount: budgets.budget(`${kind}WaitingOfAccount`),
    })
  const [quickQueue, slowQueue] = [queueOf('Quick'), queueOf('Slow')]
  const servers = openReadingServers(connections, standbys, {
    quick: quickLimits,
    slow: slowLimits,
    slowAtOnce: budgets.budget(`${kind}Slow`).max,
  })
  const slowAccounts = rememberSlowAccounts()

  /** Undefined when it takes longer. */
  async function readQuickly<Row>(asked: Asked): Promise<Row[] | undefined> {
    const { statement, account, reading, endsAt } = asked
    // Another statement of the account may have proved slow while this one waited.
    if (slowAccounts.has(account)) return undefined
    try {
      return await reading(({ quickly }) => quickly<Row>(statement, quickLimits), { endsAt, ...quickLimits })
    } catch (error) {
      if (isTimedOut(error)) slowAccounts.add(account)
      else if (!isUnparsed(error)) throw error
      return undefined
    }
  }

  async function readSlowly<Row>({ statement, account, reading, endsAt }: Asked): Promise<Row[]> {
    const startedAt = performance.now()
    try {
      return await reading(({ slowly }) => slowly<Row>(statement, slowLimits), { endsAt, ...slowLimits })
    } catch (error) {
      throw isTimedOut(error) ? new StatementTooSlow(slowSeconds) : error
    } finally {
      if (performance.now() - startedAt > quickMilliseconds) slowAccounts.add(account)
    }
  }

  const queryAt =
    (reading: Reading): OpenReads['query'] =>
    <Row>(statement: Sql, account: string, waiting: Waiting) => {
      const asked = { statement, account, reading, endsAt: waiting.endsAt }
      const attempt = async () => {
        const rows = slowAccounts.has(account)
          ? undefined
          : await inTurn(quickQueue, account, waiting, () => readQuickly<Row>(asked))
        return rows ?? inTurn(slowQueue, account, waiting, () => readSlowly<Row>(asked))
      }
      return retried(isLostConnection, attempt, waiting.endsAt)
    }

  return {
    query: queryAt(servers.atPrimary),
    queryAnywhere: queryAt(servers.anywhere),
    close: servers.close,
  }
}

interface Asked {
  readonly statement: Sql
  readonly account: string
  readonly reading: Reading
  readonly endsAt: number
}

function inTurn<Result>(
  queue: FairQueue,
  account: string,
  waiting: Waiting,
  work: () => Promise<Result>,
): Promise<Result> {
  const end = waiting.begin()
  const done = queue(account, () => {
    end()
    return work()
  })
  return inTime(waiting.endsAt, done)
}
