import type { Budgets } from '../configuration/budgets.ts'
import type { Connections } from './connections.ts'
import { isLostConnection, isTimedOut, isUnparsed } from './failures.ts'
import { createFairQueue, type FairQueue } from './fair-queue.ts'
import { retried } from './retry.ts'
import { rememberSlowAccounts } from './slow-accounts.ts'
import type { Sql } from './sql.ts'
import type { Waiting } from './statement-times.ts'

/** Statements that may be long: few at once, fair between accounts, each stopped at its limit. */
export interface LimitedReads {
  /** Throws `StatementTooSlow` for one that was stopped. */
  query<Row>(statement: Sql, account: string, waiting?: Waiting): Promise<Row[]>
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
 * done in 40 ms is stopped there and begun again on a connection of its own. For the next minute its account is not let on
 * the shared one any more, so that an account holds others up a few times 40 ms and then not at all.
 */
export function openLimitedReads(
  connections: Connections,
  budgets: Budgets,
  kind: 'lists' | 'liveLists',
): LimitedReads {
  const waiting = {
    waiting: budgets.budget(`${kind}Waiting`),
    waitingPerAccount: budgets.budget(`${kind}WaitingOfAccount`),
  }
  const quickQueue = createFairQueue({
    ...waiting,
    atOnce: budgets.budget(`${kind}Quick`),
    atOncePerAccount: budgets.budget(`${kind}QuickOfAccount`),
  })
  const slowQueue = createFairQueue({
    ...waiting,
    atOnce: budgets.budget(`${kind}Slow`),
    atOncePerAccount: budgets.budget(`${kind}SlowOfAccount`),
  })
  const quick = connections.openPipelined(quickLimits)
  const slow = connections.openPool(budgets.budget(`${kind}Slow`).max, slowLimits)
  const slowAccounts = rememberSlowAccounts()

  /** Nothing, when it takes longer. */
  async function readQuickly<Row>(statement: Sql, account: string): Promise<Row[] | undefined> {
    // Another statement of the account may have proved slow while this one waited.
    if (slowAccounts.has(account)) return undefined
    try {
      return await quick.use((client) => connections.run<Row>(client, statement, quickLimits))
    } catch (error) {
      if (isTimedOut(error)) slowAccounts.add(account)
      else if (!isUnparsed(error)) throw error
      return undefined
    }
  }

  async function readSlowly<Row>(statement: Sql, account: string): Promise<Row[]> {
    const client = await slow.connect()
    const startedAt = performance.now()
    let failure: Error | undefined
    try {
      return await connections.run<Row>(client, statement, slowLimits)
    } catch (error) {
      failure = error as Error
      throw isTimedOut(error) ? new StatementTooSlow(slowSeconds) : error
    } finally {
      client.release(failure && isLostConnection(failure) ? failure : undefined)
      if (performance.now() - startedAt > quickMilliseconds) slowAccounts.add(account)
    }
  }

  return {
    query: <Row>(statement: Sql, account: string, waiting?: Waiting) =>
      retried(isLostConnection, async () => {
        const rows = slowAccounts.has(account)
          ? undefined
          : await inTurn(quickQueue, account, waiting, () => readQuickly<Row>(statement, account))
        return rows ?? inTurn(slowQueue, account, waiting, () => readSlowly<Row>(statement, account))
      }),
    async close() {
      await Promise.all([quick.close(), slow.end()])
    },
  }
}

function inTurn<Result>(
  queue: FairQueue,
  account: string,
  waiting: Waiting | undefined,
  work: () => Promise<Result>,
): Promise<Result> {
  const end = waiting?.begin()
  return queue(account, () => {
    end?.()
    return work()
  })
}
