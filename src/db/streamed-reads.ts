import type pg from 'pg'
import type { Budgets } from '../config/budgets.ts'
import type { Budget } from '../model/budget.ts'
import { overloaded } from '../model/problem.ts'
import type { Connections } from './connections.ts'
import { convertUnavailable, isTimedOut, SilentStoreError, type TimeLimits } from './failures.ts'
import { createFairQueue } from './fair-queue.ts'
import { StatementTooSlowError } from './limited-reads.ts'
import { acquire, closeUnlessAnswered, release } from './pooled-connections.ts'
import { render, type Sql } from './sql.ts'

/** Streams any number of rows as text, in slices. All rows are from one snapshot. */
export interface StreamedReads {
  stream<Row>(request: StreamRequest<Row>): AsyncGenerator<Buffer, void>
  close(): Promise<void>
}

export interface StreamRequest<Row> {
  readonly statement: Sql
  readonly account: string
  format(rows: Row[]): string
  /** Aborted when the reader has left. */
  readonly signal: AbortSignal
  /** Called to end the response early. A reader that takes no more data would never see an error. */
  onCut(reason: CutReason): void
}

/** The reader took no data, was slow or had its share while others waited, or took too long overall. */
export type CutReason = 'stalled' | 'gave way' | 'too long'

export interface StreamLimits {
  /** The longest time that a reader may take no data while a connection waits for it. */
  readonly pauseSecondsMax: number
  /** Counted from the request, including its wait, to the last byte. */
  readonly streamSecondsMax: number
  /**
   * While others wait, a reader that is slower than this gives way once it is `graceSeconds` behind. Any other
   * reader gives way after `shareSeconds`.
   */
  readonly bytesPerSecondMin: number
  readonly graceSeconds: number
  readonly shareSeconds: number
  /** Others wait this long before an export gives way to them. */
  readonly patienceSeconds: number
  /** Longer than `shareSeconds`, so that a waiting request gets its turn. */
  readonly waitSecondsMax: number
}

const defaults: StreamLimits = {
  pauseSecondsMax: 10,
  streamSecondsMax: 15 * 60,
  // Today's mobile networks are faster. Ten megabytes take twenty seconds at this rate.
  bytesPerSecondMin: 512 * 1024,
  graceSeconds: 2,
  // Enough for a million rows on an idle database.
  shareSeconds: 25,
  patienceSeconds: 3,
  waitSecondsMax: 30,
}

/** A batch of the longest rows has 4 MB. */
const batchRows = 200
/** The time limit of a batch. The first batch may have to sort all rows. */
const batchSeconds = 30
/** Longer than the limit of the server, because its error needs time to arrive. */
const batchMillisecondsMax = batchSeconds * 1000 + 2000
/**
 * Ends the transaction of a process that hangs. A running process ends it when the reader pauses for
 * `pauseSecondsMax`.
 */
const idleSecondsMax = 5 * 60

const batchLimits = { statementMilliseconds: batchSeconds * 1000, parallel: false }

/** Opens separate connections, so that lists and writes do not wait for an export. */
export function openStreamedReads(
  connections: Connections,
  budgets: Budgets,
  { answerMilliseconds }: TimeLimits,
  limitOverrides: Partial<StreamLimits> = {},
): StreamedReads {
  const streamLimits = { ...defaults, ...limitOverrides }
  const pool = connections.openPool(budgets.budget('exports').max, batchLimits)
  const queue = createFairQueue({
    atOnce: budgets.budget('exports'),
    atOncePerAccount: budgets.budget('exportsOfAccount'),
    waiting: budgets.budget('exportsWaiting'),
    waitingPerAccount: budgets.budget('exportsWaitingOfAccount'),
    waitMillisecondsMax: streamLimits.waitSecondsMax * 1000,
    patienceMilliseconds: streamLimits.patienceSeconds * 1000,
  })

  const openTransaction = createTransactionOpener(connections, pool, answerMilliseconds)

  /** The export's slot is free as soon as all rows are read, even if the reader has not taken them yet. */
  function startReading<Row>(request: StreamRequest<Row>, readAhead: ReadAhead, evict: () => void) {
    const requestedAt = performance.now()
    let enteredAt = requestedAt
    const work = () => {
      enteredAt = performance.now()
      return readBatches(() => openTransaction(requestedAt), request, readAhead)
    }
    const overdueMilliseconds = () =>
      overdue(readAhead.behindMilliseconds(), performance.now() - enteredAt, streamLimits)
    queue(request.account, work, { signal: request.signal, evict, overdueMilliseconds }).then(
      readAhead.end,
      readAhead.fail,
    )
  }

  return {
    async *stream(request) {
      const { account, signal, onCut } = request
      if (signal.aborted) return
      const cut = (reason: CutReason) => {
        readAhead.fail(exportStopped())
        onCut(reason)
      }
      const readAhead = createReadAhead({
        account,
        bytes: budgets.budget('exportBytes'),
        bytesOfAccount: budgets.budget('exportBytesOfAccount'),
        pauseMilliseconds: streamLimits.pauseSecondsMax * 1000,
        bytesPerSecondMin: streamLimits.bytesPerSecondMin,
        onStalled: () => cut('stalled'),
      })
      const leave = () => readAhead.fail(exportStopped())
      signal.addEventListener('abort', leave)
      const timer = setTimeout(() => cut('too long'), streamLimits.streamSecondsMax * 1000)
      startReading(request, readAhead, () => cut('gave way'))
      try {
        yield* readAhead.slices()
      } finally {
        clearTimeout(timer)
        signal.removeEventListener('abort', leave)
        leave()
      }
    },
    close: () => pool.end(),
  }
}

/**
 * Begins a transaction. The answer is awaited for a shorter time than that of a batch, so that a silent store
 * is noticed soon.
 */
function createTransactionOpener(connections: Connections, pool: pg.Pool, answerMilliseconds: number) {
  let silentAt = Number.NEGATIVE_INFINITY
  return async (requestedAt: number): Promise<pg.PoolClient> => {
    // If the store fell silent while this request waited, the request fails at once. Otherwise all waiting requests
    // would time out, one after the other.
    if (silentAt > requestedAt) throw new SilentStoreError()
    const endsAt = performance.now() + answerMilliseconds
    let client: pg.PoolClient | undefined
    try {
      client = await acquire(pool, endsAt)
      await closeUnlessAnswered(client, endsAt, connections.begin(client, batchLimits))
      return client
    } catch (error) {
      if (error instanceof SilentStoreError) silentAt = performance.now()
      if (client) release(client, error)
      throw error
    }
  }
}

async function readBatches<Row>(
  openTransaction: () => Promise<pg.PoolClient>,
  { statement, format }: StreamRequest<Row>,
  readAhead: ReadAhead,
): Promise<void> {
  const client = await openTransaction().catch((error) => {
    throw convertUnavailable(error, undefined)
  })
  let failure: unknown
  try {
    for await (const batch of batchesOf<Row>(client, statement)) await readAhead.push(format(batch))
  } catch (error) {
    failure = error
    throw isTimedOut(error) ? new StatementTooSlowError(batchSeconds) : convertUnavailable(error, undefined)
  } finally {
    await send(client, 'rollback').catch((error) => {
      failure ??= error
    })
    release(client, failure)
  }
}

const exportStopped = () =>
  overloaded('The export was stopped because it took too long or other exports were waiting.', {
    retryAfterSeconds: 5,
  })

/**
 * Returns 0 while the export may continue. Otherwise the export with the highest value is stopped first. A
 * slow reader has the milliseconds that it is behind, and any other reader has 1.
 */
function overdue(behind: number, held: number, { graceSeconds, shareSeconds }: StreamLimits): number {
  if (behind > graceSeconds * 1000) return behind
  return held > shareSeconds * 1000 ? 1 : 0
}

async function* batchesOf<Row>(client: pg.ClientBase, statement: Sql): AsyncGenerator<Row[], void> {
  // The planner expects only a tenth of a cursor's rows to be fetched. An export fetches all of them.
  await send(
    client,
    `set local idle_in_transaction_session_timeout = '${idleSecondsMax}s'; set local cursor_tuple_fraction = 1; set transaction read only`,
  )
  const { text, values } = render(statement)
  await send(client, `declare streamed no scroll cursor for ${text}`, values)
  for (;;) {
    const { rows } = await send(client, `fetch ${batchRows} from streamed`)
    if (rows.length > 0) yield rows as Row[]
    if (rows.length < batchRows) return
  }
}

const send = (client: pg.ClientBase, text: string, values?: unknown[]) =>
  closeUnlessAnswered(client, performance.now() + batchMillisecondsMax, client.query(text, values))

/** Buffers data between the database and a slower reader, as much as the budgets allow. */
interface ReadAhead {
  /** Adds text after waiting until there is room. Rejects after `fail` was called. */
  push(text: string): Promise<void>
  /** Marks the end of the data. */
  end(): void
  fail(error: unknown): void
  /** Yields one slice after another. Requesting a slice means that the previous one was taken. */
  slices(): AsyncGenerator<Buffer, void>
  /** Returns how far the reader is behind a reader that takes `bytesPerSecondMin`. */
  behindMilliseconds(): number
}

interface ReadAheadOptions {
  readonly account: string
  readonly bytes: Budget
  readonly bytesOfAccount: Budget
  /** The longest time that a reader may take nothing while there is no room. */
  readonly pauseMilliseconds: number
  readonly bytesPerSecondMin: number
  /** Called when a reader has paused for too long. Must call `fail`. */
  onStalled(): void
}

function createReadAhead(options: ReadAheadOptions): ReadAhead {
  const buffer = createPieceBuffer(options)
  const pace = createPace(options.bytesPerSecondMin)
  let isEnded = false
  let failure: { readonly error: unknown } | undefined
  let change = Promise.withResolvers<void>()
  const notifyChange = () => {
    change.resolve()
    change = Promise.withResolvers()
  }

  async function waitForReader(): Promise<void> {
    const { promise: late, resolve } = Promise.withResolvers<void>()
    const timer = setTimeout(() => {
      options.onStalled()
      resolve()
    }, options.pauseMilliseconds)
    await Promise.race([change.promise, late])
    clearTimeout(timer)
  }

  /** Resolves with undefined at the end of the data. */
  async function nextPiece(): Promise<Buffer | undefined> {
    for (;;) {
      if (failure) throw failure.error
      const piece = buffer.first()
      if (piece || isEnded) return piece
      await change.promise
    }
  }

  return {
    async push(text) {
      const piece = Buffer.from(text)
      pace.setWaiting(true)
      while (!failure && !buffer.hasRoomFor(piece)) await waitForReader()
      pace.setWaiting(false)
      if (failure) throw failure.error
      buffer.add(piece)
      notifyChange()
    },
    end() {
      isEnded = true
      notifyChange()
    },
    fail(error) {
      failure ??= { error }
      buffer.clear()
      notifyChange()
    },
    async *slices() {
      for (let piece = await nextPiece(); piece; piece = await nextPiece()) {
        for (const slice of slicesOf(piece)) {
          yield slice
          pace.recordTaken(slice.length)
          notifyChange()
        }
        if (buffer.first() === piece) buffer.drop()
        notifyChange()
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

/** Keeps the pieces that were read ahead. One piece is always accepted, even if the budgets are used up. */
function createPieceBuffer({ account, bytes, bytesOfAccount }: ReadAheadOptions) {
  const pieces: { readonly piece: Buffer; readonly counted: number }[] = []
  const isWithinBudgets = ({ length }: Buffer) =>
    bytes.used() + length <= bytes.max && bytesOfAccount.used(account) + length <= bytesOfAccount.max
  const drop = () => {
    const { counted = 0 } = pieces.shift() ?? {}
    bytes.release(counted)
    bytesOfAccount.release(counted, account)
  }
  return {
    hasRoomFor: (piece: Buffer) => pieces.length === 0 || isWithinBudgets(piece),
    add(piece: Buffer) {
      const counted = isWithinBudgets(piece) ? piece.length : 0
      bytes.take(counted)
      bytesOfAccount.take(counted, account)
      pieces.push({ piece, counted })
    },
    first: () => pieces[0]?.piece,
    drop,
    clear() {
      while (pieces.length > 0) drop()
    },
  }
}

/** Measures how long a reader keeps the database waiting, minus the time allowed for the data it took. */
function createPace(bytesPerSecondMin: number) {
  let behind = 0
  let waitingSince: number | undefined
  const settle = () => {
    if (waitingSince === undefined) return
    const now = performance.now()
    behind += now - waitingSince
    waitingSince = now
  }
  return {
    setWaiting(isWaiting: boolean) {
      settle()
      waitingSince = isWaiting ? performance.now() : undefined
    },
    recordTaken(size: number) {
      settle()
      behind = Math.max(0, behind - (size / bytesPerSecondMin) * 1000)
    },
    behindMilliseconds() {
      settle()
      return behind
    },
  }
}
