import type pg from 'pg'
import type { Budgets } from '../config/budgets.ts'
import type { Connections, PipelinedConnection } from './connections.ts'
import { isLostConnection, isTimedOut, isUnparsed } from './failures.ts'
import { createFairQueue, type FairQueue } from './fair-queue.ts'
import { inTime, retried, SilentStoreError } from './in-time.ts'
import { acquire, answered, type ConnectionLimits, release } from './pooled-connections.ts'
import type { Position } from './position.ts'
import type { Sql } from './sql.ts'
import type { Standby, Standbys } from './standbys.ts'
import type { Waiting } from './work.ts'

/** Statements that may take long: few run at once, shared fairly by accounts, each stopped at its limit. */
export interface LimitedReads {
  /** Throws `StatementTooSlowError` when the statement was stopped. */
  query<Row>(statement: Sql, account: string): Promise<Row[]>
}

/** Limited reads that receive the remaining time of their call. */
export interface OpenReads {
  query<Row>(statement: Sql, account: string, waiting: Waiting): Promise<Row[]>
  /** Reads from a standby that has everything committed so far, or else from the primary. */
  queryAnywhere: OpenReads['query']
  close(): Promise<void>
}

export class StatementTooSlowError extends Error {
  readonly seconds: number

  constructor(seconds: number) {
    super(`The statement was stopped after ${seconds} seconds.`)
    this.seconds = seconds
  }
}

/** Long enough for a page of any indexed list, short enough to keep the other callers waiting. */
const quickMilliseconds = 40
export const slowSeconds = 2.5

const quickLimits = { statementMilliseconds: quickMilliseconds, parallel: false }
const slowLimits = { statementMilliseconds: slowSeconds * 1000, parallel: false }

/**
 * Most lists take a millisecond and share one pipelined connection, which costs a third less than one
 * connection each. A statement that has not finished in 40 ms is stopped and started again on a connection of
 * its own. For the next minute its account is kept off the shared connection, so an account delays others by
 * a few times 40 ms and then not at all.
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

  /** Returns undefined when it takes longer. */
  async function readQuickly<Row>(asked: Asked): Promise<Row[] | undefined> {
    const { statement, account, reading, endsAt } = asked
    // Another statement of the account may have turned out slow while this one waited.
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
      throw isTimedOut(error) ? new StatementTooSlowError(slowSeconds) : error
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
      return retried(waiting, attempt, isLostConnection)
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
  const beganAt = performance.now()
  const done = queue(account, () => {
    waiting.waitSeconds += (performance.now() - beganAt) / 1000
    return work()
  })
  return inTime(waiting.endsAt, done)
}

/** A server for statements that only read: the primary or a standby. */
export interface ReadingServer {
  /** Sends it on the connection that all callers share. */
  quickly<Row>(statement: Sql, limits: ConnectionLimits): Promise<Row[]>
  /** Sends it on a connection that no other statement uses meanwhile. */
  slowly<Row>(statement: Sql, limits: ConnectionLimits): Promise<Row[]>
}

/** Chooses the server. A standby that is silent for longer than the statement may take is given up. */
type Reading = <Result>(read: (server: ReadingServer) => Promise<Result>, within: Within) => Promise<Result>

interface Within {
  readonly statementMilliseconds: number
  /** The time at which the primary is given up, too. */
  readonly endsAt: number
}

export interface ReadingServers {
  readonly atPrimary: Reading
  /** Reads from a standby that has everything committed so far, or else from the primary. */
  readonly anywhere: Reading
  close(): Promise<void>
}

export interface ServerLimits {
  readonly quick: ConnectionLimits
  readonly slow: ConnectionLimits
  readonly slowAtOnce: number
}

/** The server stops a statement at its time limit; its error may arrive this much later. */
const silenceMilliseconds = 500

function openReadingServers(
  connections: Connections,
  standbys: Standbys,
  limits: ServerLimits,
): ReadingServers {
  const primary = openServer(connections, limits)
  const servers = new Map(standbys.all.map((each) => [each, openServer(each.connections, limits)]))
  const atPrimary: Reading = (read, { endsAt }) => read(primary.at(endsAt))

  async function readAt<Result>(
    standby: Standby,
    position: Position,
    read: (server: ReadingServer) => Promise<Result>,
    { statementMilliseconds, endsAt }: Within,
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
    anywhere: (read, within) =>
      standbys.read(
        within.endsAt,
        (standby, position) => readAt(standby, position, read, within),
        () => atPrimary(read, within),
      ),
    async close() {
      await Promise.all([primary, ...servers.values()].map((server) => server.close()))
    },
  }
}

interface OpenServer {
  readonly quick: PipelinedConnection
  /** If a position is given, a statement fails unless the server has replayed everything up to it. */
  at(endsAt: number, position?: Position): ReadingServer
  close(): Promise<void>
}

function openServer(connections: Connections, limits: ServerLimits): OpenServer {
  const quick = connections.openPipelined(limits.quick)
  const slow = connections.openPool(limits.slowAtOnce, limits.slow)
  return {
    quick,
    at: (endsAt, position) => ({
      quickly: (statement, limits) =>
        quick.use((client) => connections.run(client, statement, limits, position), endsAt),
      slowly: (statement, limits) =>
        useOne(slow, endsAt, (client) => connections.run(client, statement, limits, position)),
    }),
    async close() {
      await Promise.all([quick.close(), slow.end()])
    },
  }
}

async function useOne<Row>(
  pool: pg.Pool,
  endsAt: number,
  run: (client: pg.PoolClient) => Promise<Row[]>,
): Promise<Row[]> {
  const client = await acquire(pool, endsAt)
  let failure: unknown
  try {
    return await answered(client, endsAt, run(client))
  } catch (error) {
    failure = error
    throw error
  } finally {
    release(client, failure)
  }
}

/** Accounts that recently sent a slow statement. */
export interface SlowAccounts {
  has(account: string): boolean
  add(account: string): void
}

const rememberedMilliseconds = 60_000
/** Beyond this number, the account that was slow longest ago is dropped. */
const accountsMax = 10_000

function rememberSlowAccounts(now: () => number = () => performance.now()): SlowAccounts {
  const until = new Map<string, number>()
  return {
    has: (account) => (until.get(account) ?? 0) > now(),
    add(account) {
      until.delete(account)
      until.set(account, now() + rememberedMilliseconds)
      for (const oldest of until.keys()) {
        if (until.size <= accountsMax) break
        until.delete(oldest)
      }
    },
  }
}
