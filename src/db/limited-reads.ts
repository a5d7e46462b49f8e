import type pg from 'pg'
import type { Budgets } from '../config/budgets.ts'
import type { Connections, PipelinedConnection, WalPosition } from './connections.ts'
import {
  isLostConnection,
  isStatementMissing,
  isTimedOut,
  retry,
  SilentStoreError,
  withDeadline,
} from './failures.ts'
import { createFairQueue, type FairQueue } from './fair-queue.ts'
import { acquire, closeUnlessAnswered, release } from './pooled-connections.ts'
import type { Sql } from './sql.ts'
import type { Standby, Standbys } from './standbys.ts'
import type { CallState } from './work.ts'

/** Runs statements that may take long: few at once, with fair shares for accounts and a time limit. */
export interface LimitedReads {
  /** Throws `StatementTooSlowError` if the statement was stopped at its time limit. */
  query<Row>(statement: Sql, account: string): Promise<Row[]>
}

/** Limited reads that receive the state of their call. */
export interface OpenReads {
  query<Row>(statement: Sql, account: string, state: CallState): Promise<Row[]>
  /** Reads from a standby that has replayed every commit, or else from the primary. */
  queryStandby: OpenReads['query']
  close(): Promise<void>
}

export class StatementTooSlowError extends Error {
  readonly seconds: number

  constructor(seconds: number) {
    super(`The statement was stopped after ${seconds} seconds.`)
    this.seconds = seconds
  }
}

/** Enough for a page of any indexed list, and short enough for other callers to wait. */
const quickMilliseconds = 40
export const slowSeconds = 2.5

const quickLimits = { statementMilliseconds: quickMilliseconds, parallel: false }
const slowLimits = { statementMilliseconds: slowSeconds * 1000, parallel: false }

/**
 * Lists share one pipelined connection, which costs a third less than separate connections. A statement that
 * takes longer than 40 ms is stopped and restarted on a connection of its own. Its account then does not use
 * the shared connection for a minute, so one account cannot delay the others for long.
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
  const quickQueue = queueOf('Quick')
  const slowQueue = queueOf('Slow')
  const servers = openReadingServers(connections, standbys, budgets.budget(`${kind}Slow`).max)
  const slowAccounts = createSlowAccounts()

  /** Returns undefined if the statement has to run on a connection of its own. */
  async function readQuickly<Row>(request: ReadRequest): Promise<Row[] | undefined> {
    const { statement, account, withServer, endsAt } = request
    // Another statement of the account may have been slow while this statement waited.
    if (slowAccounts.has(account)) return undefined
    try {
      return await withServer(({ queryShared }) => queryShared<Row>(statement), {
        endsAt,
        ...quickLimits,
      })
    } catch (error) {
      if (isTimedOut(error)) slowAccounts.add(account)
      else if (!isStatementMissing(error)) throw error
      return undefined
    }
  }

  async function readSlowly<Row>({ statement, account, withServer, endsAt }: ReadRequest): Promise<Row[]> {
    const startedAt = performance.now()
    try {
      return await withServer(({ queryOwn }) => queryOwn<Row>(statement), {
        endsAt,
        ...slowLimits,
      })
    } catch (error) {
      throw isTimedOut(error) ? new StatementTooSlowError(slowSeconds) : error
    } finally {
      if (performance.now() - startedAt > quickMilliseconds) slowAccounts.add(account)
    }
  }

  const queryAt =
    (withServer: WithServer): OpenReads['query'] =>
    <Row>(statement: Sql, account: string, state: CallState) => {
      const request = { statement, account, withServer, endsAt: state.endsAt }
      const attempt = async () => {
        const rows = slowAccounts.has(account)
          ? undefined
          : await runInQueue(quickQueue, account, state, () => readQuickly<Row>(request))
        return rows ?? runInQueue(slowQueue, account, state, () => readSlowly<Row>(request))
      }
      return retry(state, attempt, isLostConnection)
    }

  return {
    query: queryAt(servers.atPrimary),
    queryStandby: queryAt(servers.atStandby),
    close: servers.close,
  }
}

interface ReadRequest {
  readonly statement: Sql
  readonly account: string
  readonly withServer: WithServer
  readonly endsAt: number
}

function runInQueue<Result>(
  queue: FairQueue,
  account: string,
  state: CallState,
  work: () => Promise<Result>,
): Promise<Result> {
  const beganAt = performance.now()
  const done = queue(account, () => {
    state.waitSeconds += (performance.now() - beganAt) / 1000
    return work()
  })
  return withDeadline(state.endsAt, done)
}

/** A server for statements that only read: the primary or a standby. */
interface ReadingServer {
  queryShared<Row>(statement: Sql): Promise<Row[]>
  /** Sends the statement on a connection that no other statement uses meanwhile. */
  queryOwn<Row>(statement: Sql): Promise<Row[]>
}

/** Chooses a server and reads from it. Gives up a standby that is silent beyond the statement's limit. */
type WithServer = <Result>(
  read: (server: ReadingServer) => Promise<Result>,
  limits: ReadLimits,
) => Promise<Result>

interface ReadLimits {
  readonly statementMilliseconds: number
  /** The end of the call. If a standby fails, the read from the primary has to end by then, too. */
  readonly endsAt: number
}

interface ReadingServers {
  readonly atPrimary: WithServer
  /** Reads from a standby that has replayed every commit, or else from the primary. */
  readonly atStandby: WithServer
  close(): Promise<void>
}

/** The server's error after a time limit may arrive this much later. */
const silenceMilliseconds = 500

function openReadingServers(
  connections: Connections,
  standbys: Standbys,
  slowAtOnce: number,
): ReadingServers {
  const primary = openServer(connections, slowAtOnce)
  const servers = new Map(standbys.all.map((each) => [each, openServer(each.connections, slowAtOnce)]))
  const atPrimary: WithServer = (read, { endsAt }) => read(primary.at(endsAt))

  async function readAt<Result>(
    standby: Standby,
    position: WalPosition,
    read: (server: ReadingServer) => Promise<Result>,
    { statementMilliseconds, endsAt }: ReadLimits,
  ): Promise<Result> {
    const server = servers.get(standby) as OpenServer
    const standbyEndsAt = Math.min(endsAt, performance.now() + statementMilliseconds + silenceMilliseconds)
    try {
      return await read(server.at(standbyEndsAt, position))
    } catch (error) {
      if (error instanceof SilentStoreError) server.quick.drop()
      throw error
    }
  }

  return {
    atPrimary,
    atStandby: (read, limits) =>
      standbys.read(
        limits.endsAt,
        (standby, position) => readAt(standby, position, read, limits),
        () => atPrimary(read, limits),
      ),
    async close() {
      await Promise.all([primary, ...servers.values()].map((server) => server.close()))
    },
  }
}

interface OpenServer {
  readonly quick: PipelinedConnection
  /** If a position is given, a statement fails unless the server has replayed everything up to it. */
  at(endsAt: number, position?: WalPosition): ReadingServer
  close(): Promise<void>
}

function openServer(connections: Connections, slowAtOnce: number): OpenServer {
  const quick = connections.openPipelined(quickLimits)
  const slow = connections.openPool(slowAtOnce, slowLimits)
  return {
    quick,
    at: (endsAt, position) => ({
      queryShared: (statement) =>
        quick.use((client) => connections.run(client, statement, quickLimits, position), endsAt),
      queryOwn: (statement) =>
        useConnection(slow, endsAt, (client) => connections.run(client, statement, slowLimits, position)),
    }),
    async close() {
      await Promise.all([quick.close(), slow.end()])
    },
  }
}

async function useConnection<Row>(
  pool: pg.Pool,
  endsAt: number,
  run: (client: pg.PoolClient) => Promise<Row[]>,
): Promise<Row[]> {
  const client = await acquire(pool, endsAt)
  let failure: unknown
  try {
    return await closeUnlessAnswered(client, endsAt, run(client))
  } catch (error) {
    failure = error
    throw error
  } finally {
    release(client, failure)
  }
}

/** Accounts that recently sent a slow statement. */
interface SlowAccounts {
  has(account: string): boolean
  add(account: string): void
}

const slowAccountMilliseconds = 60_000
/** Above this number, the account with the oldest slow statement is dropped. */
const slowAccountsMax = 10_000

function createSlowAccounts(): SlowAccounts {
  const slowUntil = new Map<string, number>()
  return {
    has: (account) => (slowUntil.get(account) ?? 0) > performance.now(),
    add(account) {
      slowUntil.delete(account)
      slowUntil.set(account, performance.now() + slowAccountMilliseconds)
      for (const oldest of slowUntil.keys()) {
        if (slowUntil.size <= slowAccountsMax) break
        slowUntil.delete(oldest)
      }
    },
  }
}
