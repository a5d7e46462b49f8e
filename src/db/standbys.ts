import { type Repetition, repeat } from '../model/repeat.ts'
import type { Connections } from './connections.ts'
import { isTimedOut, isUnparsed } from './failures.ts'
import { inTime } from './in-time.ts'
import { Behind, type Position } from './position.ts'
import { sql } from './sql.ts'

/** A server that replays what the primary commits, a little later. */
export interface Standby {
  readonly connections: Connections
  /** As the last look found it; false before the first look. */
  isUsable: boolean
  /** After it was behind it gets no reads for a moment. On the clock of `performance.now()`. */
  unusedUntil: number
}

/** What became of the reads that might have gone to a standby. */
export type StandbyOutcome = 'standby' | 'behind' | 'failed' | 'unavailable'

export interface Standbys {
  readonly all: readonly Standby[]
  /**
   * Reads at a standby that has everything committed so far. Where there is none, or it fails, at the primary: no reader ever
   * notices that there are standbys.
   */
  read<Result>(
    endsAt: number,
    atStandby: (standby: Standby, position: Position) => Promise<Result>,
    atPrimary: () => Promise<Result>,
  ): Promise<Result>
  readonly outcomes: Readonly<Record<StandbyOutcome, number>>
  close(): Promise<void>
}

/** How often each is looked at, and so how soon one that is back is used again. No reader waits for one that is away. */
const lookMilliseconds = 1000
/** How long one that was behind gets no reads. Most have caught up after a few milliseconds. */
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

  function note(standby: Standby, error: unknown) {
    outcomes[error instanceof Behind ? 'behind' : 'failed'] += 1
    if (error instanceof Behind) standby.unusedUntil = performance.now() + unusedMilliseconds
    // A conflict with what is being repeated (40001) is of one statement, any other failure of the server.
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
        // It would take as long at the primary.
        if (isTimedOut(error) || isUnparsed(error)) throw error
        note(standby as Standby, error)
        return atPrimary()
      }
    },
    async close() {
      await Promise.all(looks.map(({ close }) => close()))
    },
  }
}

const limits = { statementMilliseconds: lookMilliseconds }

/** Looks now and then whether it can be used. */
function watch(standby: Standby): { close(): Promise<void> } {
  const connection = standby.connections.openPipelined(limits)
  let looking: Promise<void> | undefined
  const look = async () => {
    try {
      await connection.use(
        (client) => standby.connections.run(client, sql`select 1`, limits),
        performance.now() + lookMilliseconds,
      )
      standby.isUsable = true
    } catch {
      standby.isUsable = false
      connection.drop()
    }
  }
  looking = look()
  const repetition: Repetition = repeat({ everyMilliseconds: lookMilliseconds }, look)
  return {
    async close() {
      await looking
      await repetition.stop()
      await connection.close()
    },
  }
}
