import type pg from 'pg'
import type { Places } from './fair-queue.ts'
import { gotInTime } from './in-time.ts'
import { acquire, release } from './pooled-connections.ts'
import type { Waiting } from './statement-times.ts'
import type { Work, Works } from './work.ts'

/** Waits for a connection, which is somebody's own until it is given back. */
export type Lend = (waiting: Waiting) => Promise<Lent>

export interface Lent {
  readonly client: pg.PoolClient
  /** It has not answered anything lately, so nobody knows whether it still does. */
  readonly isSilent: boolean
  /** Exactly once, with what went wrong. */
  giveBack(failure?: unknown): void
}

/** Under load a connection is used again much sooner. */
const silentMilliseconds = 20

/** Whoever asks first gets the next one. */
export function lendAny(pool: pg.Pool): Lend {
  const heardAt = new WeakMap<pg.PoolClient, number>()
  return async (waiting) => {
    const client = await waited(waiting, acquire(pool, waiting.endsAt))
    return {
      client,
      isSilent: performance.now() - (heardAt.get(client) ?? Number.NEGATIVE_INFINITY) > silentMilliseconds,
      giveBack(failure) {
        if (failure === undefined) heardAt.set(client, performance.now())
        release(client, failure)
      },
    }
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
  if (!places.enter(holder))
    await waited(
      waiting,
      gotInTime(waiting.endsAt, places.wait(holder), () => places.leave(holder)),
    )
  work.connections += 1
  const leave = () => {
    work.connections -= 1
    places.leave(holder)
  }
  try {
    const lent = await lend(waiting)
    return {
      ...lent,
      giveBack(failure) {
        lent.giveBack(failure)
        leave()
      },
    }
  } catch (error) {
    leave()
    throw error
  }
}

async function waited<Result>(waiting: Waiting, coming: Promise<Result>): Promise<Result> {
  const end = waiting.begin()
  try {
    return await coming
  } finally {
    end()
  }
}
