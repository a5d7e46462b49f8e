import { type Repetition, repeat } from '../model/repeat.ts'
import type { Connections } from './connections.ts'
import { isTimedOut, isUnparsed } from './failures.ts'
import { inTime } from './in-time.ts'
import { type Position, StandbyBehindError } from './position.ts'
import { sql } from './sql.ts'

/** A server that replays the commits of the primary with a delay. */
export interface Standby {
  readonly connections: Connections
  /** The result of the last check; false before the first. */
  isUsable: boolean
  /** A standby that was behind gets no reads until this time, on the clock of `performance.now()`. */
  unusedUntil: number
}

/** The outcome of a read that might have used a standby. */
export type StandbyOutcome = 'standby' | 'behind' | 'failed' | 'unavailable'

export interface Standbys {
  readonly all: readonly Standby[]
  /**
   * Reads from a standby that has everything committed so far. Without such a standby, or if it fails, the
   * primary is used: readers never notice standbys.
   */
  read<Result>(
    endsAt: number,
    atStandby: (standby: Standby, position: Position) => Promise<Result>,
    atPrimary: () => Promise<Result>,
  ): Promise<Result>
  readonly outcomes: Readonly<Record<StandbyOutcome, number>>
  close(): Promise<void>
}

/**
 * How often each standby is checked, and so how soon one that has recovered is used again. Reads do not wait
 * for an unavailable standby.
 */
const pollMilliseconds = 1000
/** How long a standby that was behind gets no reads. Most have caught up after a few milliseconds. */
const unusedMilliseconds = 20

export function openStandbys(
  connections: readonly Connections[],
  position: () => Promise<Position>,
): Standbys {
  const all = connections.map((each): Standby => ({ connections: each, isUsable: false, unusedUntil: 0 }))
  const outcomes: Record<StandbyOutcome, number> = { standby: 0, behind: 0, failed: 0, unavailable: 0 }
  const looks = all.map(watch)
  let turn = 0

  function choose(): Standby | undefined {
    const now = performance.now()
    const usable = all.filter(({ isUsable, unusedUntil }) => isUsable && unusedUntil <= now)
    turn += 1
    return usable[turn % usable.length]
  }

  function record(standby: Standby, error: unknown) {
    outcomes[error instanceof StandbyBehindError ? 'behind' : 'failed'] += 1
    if (error instanceof StandbyBehindError) standby.unusedUntil = performance.now() + unusedMilliseconds
    // A conflict with the replay (40001) concerns one statement, any other failure the server.
    else if ((error as { code?: string }).code !== '40001') standby.isUsable = false
  }

  return {
    all,
    outcomes,
    async read(endsAt, atStandby, atPrimary) {
      if (all.length === 0) return atPrimary()
      const standby = choose()
      const here = standby && (await inTime(endsAt, position()).catch(() => undefined))
      if (here === undefined) {
        outcomes.unavailable += 1
        return atPrimary()
      }
      try {
        const result = await atStandby(standby as Standby, here)
        outcomes.standby += 1
        return result
      } catch (error) {
        // The primary would take as long.
        if (isTimedOut(error) || isUnparsed(error)) throw error
        record(standby as Standby, error)
        return atPrimary()
      }
    },
    async close() {
      await Promise.all(looks.map(({ close }) => close()))
    },
  }
}

const limits = { statementMilliseconds: pollMilliseconds }

/** Checks regularly whether the standby can be used. */
function watch(standby: Standby): { close(): Promise<void> } {
  const connection = standby.connections.openPipelined(limits)
  let looking: Promise<void> | undefined
  const poll = async () => {
    try {
      await connection.use(
        (client) => standby.connections.run(client, sql`select 1`, limits),
        performance.now() + pollMilliseconds,
      )
      standby.isUsable = true
    } catch {
      standby.isUsable = false
      connection.drop()
    }
  }
  looking = poll()
  const repetition: Repetition = repeat({ everyMilliseconds: pollMilliseconds }, poll)
  return {
    async close() {
      await looking
      await repetition.stop()
      await connection.close()
    },
  }
}
