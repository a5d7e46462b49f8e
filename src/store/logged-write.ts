import type { Part } from './conditional-write.ts'
import type { Queries } from './database.ts'
import { type ConditionalWrite, type WrittenInTurn, writeInTurn } from './distributed/write-in-turn.ts'
import { type Change, historyOf, type Remembered } from './history.ts'
import { type Signature, signedBy, type Writer } from './signature.ts'
import { join, raw, type Sql, sql } from './sql.ts'

/** What the store has to know of a resource. */
export interface Table extends Remembered {
  readonly name: string
}

export type Action = 'create' | 'update' | 'remove' | 'restore'

export type { Writer } from './signature.ts'

export interface WrittenTable {
  readonly table: Table
  readonly statement: Sql
  /** New rows have none. */
  readonly change?: Change
}

/** Written in several statements. */
export interface WrittenAlone {
  readonly table: Table
  readonly change?: Change
  readonly inTurn: WrittenInTurn
}

/** The same in several statements. */
export const loggedInTurn = (
  queries: Queries,
  action: Action,
  writer: Writer,
  wanted: Omit<ConditionalWrite<WrittenAlone>, 'log'>,
): Promise<unknown[]> =>
  writeInTurn(queries, { ...wanted, log: (written) => partsOf(action, signedBy(writer), written) })

/** The name of the part that writes the first table. */
export const mainPart = 'written0'

/** What writes the rows, and their rows in the change log and in the history. */
export const loggedParts = (action: Action, signature: Signature, writes: readonly WrittenTable[]): Part[] =>
  partsOf(
    action,
    signature,
    writes.map((write) => ({ ...write, statement: sql`${write.statement} returning row.*` })),
  )

/** The same of statements that answer rows which are written already. */
function partsOf(action: Action, signature: Signature, writes: readonly WrittenTable[]): Part[] {
  const parts = writes.map((written, index) => ({ ...written, name: `written${index}` }))
  const logged = parts.map(
    ({ table, name }) =>
      sql`select ${raw(`'${table.name}', row.id, '${action}'`)}, ${signature.caller} from ${raw(name)} as row${signature.from}`,
  )
  const log = sql`insert into changes (resource, row_id, action, caller) ${join(logged, ' union all ')}
    returning sequence, transaction, at, resource, row_id, action, caller`
  const kept = historyOf(
    parts.map(({ name: now, ...written }) => ({ ...written, now })),
    signature,
  )
  return [...parts, { name: 'logged', statement: log }, { name: 'kept', statement: kept }]
}
