import type pg from 'pg'
import type { Budgets } from '../configuration/budgets.ts'
import type { Connections } from './connections.ts'
import { isLostConnection, isTimedOut } from './failures.ts'
import { createFairQueue, takePlace } from './fair-queue.ts'
import { StatementTooSlow } from './limited-reads.ts'
import { render, type Sql } from './sql.ts'

/** Any number of rows, a part at a time, as they were at one moment. */
export interface StreamedReads {
  /** The next part is read when it is asked for; a caller that stops asking must end it with `return`. */
  stream<Row>(statement: Sql, account: string): AsyncGenerator<Row[], void>
  close(): Promise<void>
}

/** A part of the longest rows has 4 MB. */
const rowsAtOnce = 200
/** What a part may take; the first one may have to sort all rows. */
const partSeconds = 30
/** A reader who takes nothing for this long is cut off: it holds a connection, and keeps dead rows from being vacuumed. */
const pauseSecondsMax = 60
const streamSecondsMax = 15 * 60

const limits = { statementMilliseconds: partSeconds * 1000, parallel: false }

/** On connections of their own, so that neither lists nor writes wait for somebody who reads everything. */
export function openStreamedReads(connections: Connections, budgets: Budgets): StreamedReads {
  const pool = connections.openPool(budgets.budget('exports').max, limits)
  const turns = createFairQueue({
    atOnce: budgets.budget('exports'),
    atOncePerAccount: budgets.budget('exportsOfAccount'),
    waiting: budgets.budget('exportsWaiting'),
    waitingPerAccount: budgets.budget('exportsWaitingOfAccount'),
  })

  async function* read<Row>(statement: Sql): AsyncGenerator<Row[], void> {
    const client = await pool.connect()
    let failure: unknown
    try {
      await connections.begin(client, limits)
      yield* partsOf<Row>(client, statement)
    } catch (error) {
      failure = error
      throw isTimedOut(error) ? new StatementTooSlow(partSeconds) : error
    } finally {
      await client.query('rollback').catch((error) => {
        failure ??= error
      })
      client.release(isLostConnection(failure) ? (failure as Error) : undefined)
    }
  }

  return {
    async *stream<Row>(statement: Sql, account: string) {
      const { promise: over, resolve: leave } = Promise.withResolvers<void>()
      await takePlace(turns, account, over)
      try {
        yield* read<Row>(statement)
      } finally {
        leave()
      }
    },
    close: () => pool.end(),
  }
}

async function* partsOf<Row>(client: pg.ClientBase, statement: Sql): AsyncGenerator<Row[], void> {
  const endsAt = performance.now() + streamSecondsMax * 1000
  await client.query(
    `set local idle_in_transaction_session_timeout = '${pauseSecondsMax}s'; set local cursor_tuple_fraction = 1; set transaction read only`,
  )
  const { text, values } = render(statement)
  await client.query(`declare streamed no scroll cursor for ${text}`, values)
  for (;;) {
    const { rows } = await client.query(`fetch ${rowsAtOnce} from streamed`)
    if (rows.length > 0) yield rows as Row[]
    if (rows.length < rowsAtOnce) return
    if (performance.now() > endsAt) throw new StatementTooSlow(streamSecondsMax)
  }
}
