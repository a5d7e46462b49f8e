import type pg from 'pg'
import { isLostConnection } from './failures.ts'
import type { Places } from './fair-queue.ts'
import type { Waiting } from './statement-times.ts'
import type { Work, Works } from './work.ts'

/** Waits for a connection, which is somebody's own until it is given back. */
export type Lend = (waiting: Waiting) => Promise<Lent>

export interface Lent {
  readonly client: pg.PoolClient
  /** Exactly once, with what went wrong. */
  giveBack(failure?: unknown): void
}

/** Whoever asks first gets the next one. */
export const lendAny =
  (pool: pg.Pool): Lend =>
  async (waiting) => {
    const client = await waited(waiting, () => pool.connect())
    return {
      client,
      giveBack: (failure) => client.release(isLostConnection(failure) ? (failure as Error) : undefined),
    }
  }

/**
 * To each holder no more than a share, because a write that waits for a locked row keeps its connection meanwhile: writes of one
 * row could take them all. What the program does by itself waits for no share.
 */
export function lendFairly(pool: pg.Pool, places: Places, current: Works['current']): Lend {
  const lend = lendAny(pool)
  return (waiting) => {
    const work = current()
    // Who waited for a second one while holding a first could wait for others who do the same.
    return work?.holder === undefined || work.connections > 0
      ? lend(waiting)
      : lendShare(lend, waiting, places, work, work.holder)
  }
}

async function lendShare(
  lend: Lend,
  waiting: Waiting,
  places: Places,
  work: Work,
  holder: string,
): Promise<Lent> {
  if (!places.enter(holder)) await waited(waiting, () => places.wait(holder))
  work.connections += 1
  const leave = () => {
    work.connections -= 1
    places.leave(holder)
  }
  try {
    const { client, giveBack } = await lend(waiting)
    return {
      client,
      giveBack(failure) {
        giveBack(failure)
        leave()
      },
    }
  } catch (error) {
    leave()
    throw error
  }
}

async function waited<Result>(waiting: Waiting, run: () => Promise<Result>): Promise<Result> {
  const end = waiting.begin()
  try {
    return await run()
  } finally {
    end()
  }
}
