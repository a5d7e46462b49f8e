import type pg from 'pg'
import { cut } from './connection-streams.ts'
import { isLostConnection } from './failures.ts'
import { gotInTime, inTime } from './in-time.ts'

export const acquire = (pool: pg.Pool, endsAt: number): Promise<pg.PoolClient> =>
  gotInTime(endsAt, pool.connect(), (client) => client.release())

/** A connection that failed is not used again. */
export const release = (client: pg.PoolClient, failure: unknown): void =>
  client.release(isLostConnection(failure) ? (failure as Error) : undefined)

/** A connection that has not answered by `endsAt` is cut, which undoes a transaction that is open on it. */
export const answered = <Result>(
  client: pg.ClientBase,
  endsAt: number,
  work: Promise<Result>,
): Promise<Result> => inTime(endsAt, work, () => cut(client))
