import type pg from 'pg'
import type { Budgets } from '../config/budgets.ts'
import type { Budget } from '../model/budget.ts'
import { overloaded } from '../model/problem.ts'
import type { Connections } from './connections.ts'
import { isTimedOut, rejectionOf } from './failures.ts'
import { createFairQueue } from './fair-queue.ts'
import { SilentStoreError, type TimeLimits } from './in-time.ts'
import { StatementTooSlowError } from './limited-reads.ts'
import { acquire, answered, release } from './pooled-connections.ts'
import { render, type Sql } from './sql.ts'

/** Streams any number of rows as text, slice by slice, as they were at one instant. */
export interface StreamedReads {
  stream<Row>(streamed: Streamed<Row>): AsyncGenerator<Buffer, void>
  close(): Promise<void>
}

export interface Streamed<Row> {
  readonly statement: Sql
  readonly account: string
  format(rows: Row[]): string
  /** Aborted when the reader has left. */
  readonly signal: AbortSignal
  /** Ends the response early. A reader that requests no more data would never see the error otherwise. */
  onCut(reason: CutReason): void
}

/** The reader took nothing, was too slow while others waited, or took too long overall. */
export type CutReason = 'stalled' | 'gave way' | 'too long'

/** Tests may set their own. */
export interface StreamLimits {
  /** The longest time that a reader may take nothing while a connection waits for it. */
  readonly pauseSecondsMax: number
  /** Counted from the first row to the last byte. */
  readonly streamSecondsMax: number
  /**
   * While others wait, a slower reader gives way once it is `graceSeconds` behind, and any other after
   * `shareSeconds`.
   */
  readonly bytesPerSecondMin: number
  readonly graceSeconds: number
  readonly shareSeconds: number
  /** Others wait for this long before an export gives way to them. */
  readonly patienceSeconds: number
  /** Longer than a share, so that a waiting request gets its turn. */
  readonly waitSecondsMax: number
}

const defaults: StreamLimits = {
  pauseSecondsMax: 10,
  streamSecondsMax: 15 * 60,
  // Ten megabytes take twenty seconds at this rate, which today's mobile networks exceed.
  bytesPerSecondMin: 512 * 1024,
  graceSeconds: 2,
  // Enough for a million rows on an idle database.
  shareSeconds: 25,
  patienceSeconds: 3,
  waitSecondsMax: 30,
}

/** A batch of the longest rows has 4 MB. */
const rowsAtOnce = 200
/** The time limit of a batch; the first one may have to sort all rows. */
const partSeconds = 30
/** The server's error needs time to arrive. */
const partMillisecondsMax = partSeconds * 1000 + 2000
/** A safeguard against a hanging process: a running one ends the transaction itself, much earlier. */
const idleSecondsMax = 5 * 60

const partLimits = { statementMilliseconds: partSeconds * 1000, parallel: false }

/** Uses its own connections, so that neither lists nor writes wait for an export. */
export function openStreamedReads(
  connections: Connections,
  budgets: Budgets,
  { answerMilliseconds }: TimeLimits,
  ownLimits: Partial<StreamLimits> = {},
): StreamedReads {
  const streamLimits = { ...defaults, ...ownLimits }
  const pool = connections.openPool(budgets.budget('exports').max, partLimits)
  const turns = createFairQueue({
    atOnce: budgets.budget('exports'),
    atOncePerAccount: budgets.budget('exportsOfAccount'),
    waiting: budgets.budget('exportsWaiting'),
    waitingPerAccount: budgets.budget('exportsWaitingOfAccount'),
    waitMillisecondsMax: streamLimits.waitSecondsMax * 1000,
    patienceMilliseconds: streamLimits.patienceSeconds * 1000,
  })

  const begin = beginIn(connections, pool, answerMilliseconds)

  /** Frees its place as soon as everything was read, whether the reader has taken it or not. */
  function startReading<Row>(streamed: Streamed<Row>, ahead: ReadAhead, giveWay: () => void) {
    const askedAt = performance.now()
    let enteredAt = askedAt
    const work = () => {
      enteredAt = performance.now()
      return readParts(() => begin(askedAt), streamed, ahead)
    }
    const lateMilliseconds = () =>
      lateness(ahead.behindMilliseconds(), performance.now() - enteredAt, streamLimits)
    turns(streamed.account, work, { signal: streamed.signal, giveWay, lateMilliseconds }).then(
      ahead.end,
      ahead.fail,
    )
  }

  return {
    async *stream(streamed) {
      const { account, signal, onCut } = streamed
      if (signal.aborted) return
      const cut = (reason: CutReason) => {
        ahead.fail(cutOff())
        onCut(reason)
      }
      const ahead = createReadAhead({
        account,
        bytes: budgets.budget('exportBytes'),
        bytesOfAccount: budgets.budget('exportBytesOfAccount'),
        pauseMilliseconds: streamLimits.pauseSecondsMax * 1000,
        bytesPerSecondMin: streamLimits.bytesPerSecondMin,
        onPause: () => cut('stalled'),
      })
      const leave = () => ahead.fail(cutOff())
      signal.addEventListener('abort', leave)
      const timer = setTimeout(() => cut('too long'), streamLimits.streamSecondsMax * 1000)
      startReading(streamed, ahead, () => cut('gave way'))
      try {
        yield* ahead.slices()
      } finally {
        clearTimeout(timer)
        signal.removeEventListener('abort', leave)
        leave()
      }
    },
    close: () => pool.end(),
  }
}

/** Begins a transaction separately, so that a silent store is noticed sooner than a slow batch. */
function beginIn(connections: Connections, pool: pg.Pool, answerMilliseconds: number) {
  let silentAt = Number.NEGATIVE_INFINITY
  return async (askedAt: number): Promise<pg.PoolClient> => {
    // Requests that waited for a place meanwhile would time out too, one after the other.
    if (silentAt > askedAt) throw new SilentStoreError()
    const endsAt = performance.now() + answerMilliseconds
    let client: pg.PoolClient | undefined
    try {
      client = await acquire(pool, endsAt)
      await answered(client, endsAt, connections.begin(client, partLimits))
      return client
    } catch (error) {
      if (error instanceof SilentStoreError) silentAt = performance.now()
      if (client) release(client, error)
      throw error
    }
  }
}

async function readParts<Row>(
  begin: () => Promise<pg.PoolClient>,
  { statement, format }: Streamed<Row>,
  ahead: ReadAhead,
): Promise<void> {
  const client = await begin().catch((error) => {
    throw rejectionOf(error, undefined)
  })
  let failure: unknown
  try {
    for await (const part of partsOf<Row>(client, statement)) await ahead.push(format(part))
  } catch (error) {
    failure = error
    throw isTimedOut(error) ? new StatementTooSlowError(partSeconds) : rejectionOf(error, undefined)
  } finally {
    await say(client, 'rollback').catch((error) => {
      failure ??= error
    })
    release(client, failure)
  }
}

const cutOff = () =>
  overloaded('The export was broken off, because others waited for its place or it took too long.', {
    retryAfterSeconds: 5,
  })

/** A slow reader gives way before one that has merely used up its share. */
function lateness(behind: number, held: number, { graceSeconds, shareSeconds }: StreamLimits): number {
  if (behind > graceSeconds * 1000) return behind
  return held > shareSeconds * 1000 ? 1 : 0
}

async function* partsOf<Row>(client: pg.ClientBase, statement: Sql): AsyncGenerator<Row[], void> {
  await say(
    client,
    `set local idle_in_transaction_session_timeout = '${idleSecondsMax}s'; set local cursor_tuple_fraction = 1; set transaction read only`,
  )
  const { text, values } = render(statement)
  await say(client, `declare streamed no scroll cursor for ${text}`, values)
  for (;;) {
    const { rows } = await say(client, `fetch ${rowsAtOnce} from streamed`)
    if (rows.length > 0) yield rows as Row[]
    if (rows.length < rowsAtOnce) return
  }
}

const say = (client: pg.ClientBase, text: string, values?: unknown[]) =>
  answered(client, performance.now() + partMillisecondsMax, client.query(text, values))

/** Buffers data between the database and a slower reader: as much in memory as the budgets allow. */
interface ReadAhead {
  /** Waits until there is room; rejects once `fail` was called. */
  push(text: string): Promise<void>
  /** Marks the end of the data. */
  end(): void
  fail(error: unknown): void
  /** Yields one slice after another; requesting the next one means that the last was taken. */
  slices(): AsyncGenerator<Buffer, void>
  /** The lag in milliseconds compared with a reader that takes `bytesPerSecondMin`. */
  behindMilliseconds(): number
}

export interface ReadAheadOptions {
  readonly account: string
  readonly bytes: Budget
  readonly bytesOfAccount: Budget
  /** The longest time that a reader may take nothing while there is no room. */
  readonly pauseMilliseconds: number
  readonly bytesPerSecondMin: number
  /** Calls `fail`. */
  onPause(): void
}

function createReadAhead(options: ReadAheadOptions): ReadAhead {
  const kept = keepPieces(options)
  const pace = createPace(options.bytesPerSecondMin)
  let isEnded = false
  let failure: { readonly error: unknown } | undefined
  let change = Promise.withResolvers<void>()
  const changed = () => {
    change.resolve()
    change = Promise.withResolvers()
  }

  async function waitForReader(): Promise<void> {
    const { promise: late, resolve } = Promise.withResolvers<void>()
    const timer = setTimeout(() => {
      options.onPause()
      resolve()
    }, options.pauseMilliseconds)
    await Promise.race([change.promise, late])
    clearTimeout(timer)
  }

  /** Resolves with undefined at the end of the data. */
  async function nextPiece(): Promise<Buffer | undefined> {
    for (;;) {
      if (failure) throw failure.error
      const piece = kept.first()
      if (piece || isEnded) return piece
      await change.promise
    }
  }

  return {
    async push(text) {
      const piece = Buffer.from(text)
      pace.waits(true)
      while (!failure && !kept.hasRoomFor(piece)) await waitForReader()
      pace.waits(false)
      if (failure) throw failure.error
      kept.add(piece)
      changed()
    },
    end() {
      isEnded = true
      changed()
    },
    fail(error) {
      failure ??= { error }
      kept.clear()
      changed()
    },
    async *slices() {
      for (let piece = await nextPiece(); piece; piece = await nextPiece()) {
        for (const slice of slicesOf(piece)) {
          yield slice
          pace.taken(slice.length)
          changed()
        }
        if (kept.first() === piece) kept.drop()
        changed()
      }
    },
    behindMilliseconds: pace.behindMilliseconds,
  }
}

/** Small enough to show that a slow reader is making progress. */
const sliceBytes = 64 * 1024

const slicesOf = (piece: Buffer): Buffer[] =>
  Array.from({ length: Math.ceil(piece.length / sliceBytes) }, (_, index) =>
    piece.subarray(index * sliceBytes, (index + 1) * sliceBytes),
  )

/** One piece is kept in any case: without any budget, each is read after the previous one was taken. */
function keepPieces({ account, bytes, bytesOfAccount }: ReadAheadOptions) {
  const kept: { readonly piece: Buffer; readonly counted: number }[] = []
  const fits = ({ length }: Buffer) =>
    bytes.used() + length <= bytes.max && bytesOfAccount.used(account) + length <= bytesOfAccount.max
  const drop = () => {
    const { counted = 0 } = kept.shift() ?? {}
    bytes.release(counted)
    bytesOfAccount.release(counted, account)
  }
  return {
    hasRoomFor: (piece: Buffer) => kept.length === 0 || fits(piece),
    add(piece: Buffer) {
      const counted = fits(piece) ? piece.length : 0
      bytes.take(counted)
      bytesOfAccount.take(counted, account)
      kept.push({ piece, counted })
    },
    first: () => kept[0]?.piece,
    drop,
    clear() {
      while (kept.length > 0) drop()
    },
  }
}

/** Measures how long a reader keeps the database waiting, minus the time that its data is worth. */
function createPace(bytesPerSecondMin: number) {
  let behind = 0
  let waitsSince: number | undefined
  const settle = () => {
    if (waitsSince === undefined) return
    const now = performance.now()
    behind += now - waitsSince
    waitsSince = now
  }
  return {
    waits(isWaiting: boolean) {
      settle()
      waitsSince = isWaiting ? performance.now() : undefined
    },
    taken(size: number) {
      settle()
      behind = Math.max(0, behind - (size / bytesPerSecondMin) * 1000)
    },
    behindMilliseconds() {
      settle()
      return behind
    },
  }
}
