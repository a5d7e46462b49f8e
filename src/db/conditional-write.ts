import { invalid, type Problem } from '../model/problem.ts'
import { join, namedStatement, type Queries, raw, type Sql, sql } from './sql.ts'

export type Strength = 'update' | 'no key update' | 'key share'

/** Rows called `row` that are locked until the transaction ends, in the order of their ids. */
export interface Locking {
  readonly table: string
  readonly columns: Sql
  readonly where: Sql
  /** `update` blocks new references, `no key update` allows them, `key share` is the lock of a reference. */
  readonly strength: Strength
  /** `where` may name the row of `input` that has the same id. */
  readonly isOfInput?: boolean
  /** Skips rows that another transaction has locked. */
  readonly skipsLocked?: true
}

export type LockedRows = Sql & { readonly locking: Locking }

export const lockRows = namedStatement<Locking>('lock rows')

export function lockedRows(locking: Locking): LockedRows {
  const { table, columns, where, strength, isOfInput, skipsLocked } = locking
  const input = raw(isOfInput ? ' join input on input.id = row.id' : '')
  const lock = raw(`for ${strength} of row${skipsLocked ? ' skip locked' : ''}`)
  const statement = sql`select ${columns} from ${raw(`"${table}"`)} as row${input} where ${where} order by row.id ${lock}`
  return { ...lockRows.of(locking, statement), locking }
}

/** A requirement of a write. The statement that writes checks it too, so a write takes one round trip. */
export interface Condition {
  /** Rows that the statement locks first, under a name that `rejectIf` may use. */
  readonly locks?: { readonly name: string; readonly rows: LockedRows }
  readonly rejectIf: Sql
  readonly problem: () => Problem
}

/** A member of a statement's `with` list. */
export interface Part {
  readonly name: string
  readonly statement: Sql
}

/** Every part of a conditional write must have this in its `where`. */
export const permitted: Sql = raw('verdict.refused = 0')

export interface Asked<Written> {
  readonly position: number
  readonly problem: Problem | undefined
  /** Also undefined, without a rejection, where another row already had the same key. */
  readonly written: Written | undefined
}

/**
 * Checks every condition for each row of `input`, which `rejectIf` may name, and rejects rows one by one. If
 * rows are locked under the name `before`, a condition sees the one that has the id of the input.
 */
export async function writeEachIf<Written extends object>(
  queries: Queries,
  input: Sql,
  conditions: readonly Condition[],
  parts: readonly Part[],
  answer: { readonly columns: Sql; readonly from: string },
  named: (statement: Sql) => Sql,
): Promise<Asked<Written>[]> {
  const first = { name: 'input', statement: input }
  const statement = sql`
    with ${listOf([first, ...verdictOf(conditions, 'each'), ...parts])}
    select verdict.position, verdict.refused, row.id as "writtenId", ${answer.columns}
    from verdict left join ${raw(answer.from)} as row on row.id = verdict.id
    order by verdict.position`
  const rows = await queries.query<Written & Verdict & { position: number; writtenId: string | null }>(
    named(statement),
  )
  return rows.map((row) => ({
    position: row.position,
    problem: row.refused === 0 ? undefined : problemOf(row.refused, conditions),
    written: row.writtenId === null ? undefined : row,
  }))
}

/** Locks rows and checks conditions without writing, for the later statements of a transaction. */
export async function requireConditions(
  transaction: Queries,
  conditions: readonly Condition[],
): Promise<void> {
  if (conditions.length === 0) return
  const statement = sql`with ${listOf(verdictOf(conditions, 'one'))} select refused from verdict`
  const [verdict] = await transaction.query<Verdict>(checkConditions.of(conditions, statement))
  rejectBy(conditions, verdict)
}

export const checkConditions = namedStatement<readonly Condition[]>('ask conditions')

export interface Verdict {
  /** One bit per condition, set where it rejects the write. */
  readonly refused: number
}

export function rejectBy(conditions: readonly Condition[], verdict: Verdict | undefined) {
  const refused = verdict?.refused ?? 0
  if (refused !== 0) throw problemOf(refused, conditions)
}

/** The parts that lock rows, in the order of the conditions, and the one that then checks all conditions. */
export function verdictOf(conditions: readonly Condition[], rows: 'one' | 'each'): Part[] {
  const parts: Part[] = []
  for (const { locks } of conditions) if (locks) parts.push({ name: locks.name, statement: locks.rows })
  return [...parts, { name: 'verdict', statement: checkOf(conditions, rows) }]
}

/**
 * Checks all conditions, for one row or for each row of `input`. One that evaluates to null rejects the write.
 * The row as it is stored is called `before`; where it is missing, its columns are null.
 */
export function checkOf(conditions: readonly Condition[], rows: 'one' | 'each'): Sql {
  const bits: Sql[] = []
  let isOfStored = false
  for (const { locks, rejectIf } of conditions) {
    bits.push(sql`((${rejectIf}) is not false)::int * ${raw(String(1 << bits.length))}`)
    if (locks?.name === 'before') isOfStored = true
  }
  const refused = bits.length === 0 ? raw('0') : join(bits, ' + ')
  return rows === 'one'
    ? sql`select ${refused} as refused from (select 1) as once${raw(isOfStored ? ' left join before on true' : '')}`
    : sql`select input.*, ${refused} as refused from input${raw(isOfStored ? ' left join before on before.id = input.id' : '')}`
}

export function listOf(parts: readonly Part[]): Sql {
  const list: Sql[] = []
  for (const { name, statement } of parts) list.push(sql`${raw(`"${name}"`)} as materialized (${statement})`)
  return join(list, ', ')
}

/** The first rejection becomes the error. Consecutive validation errors are merged into one. */
function problemOf(refused: number, conditions: readonly Condition[]): Problem {
  const problems = conditions.flatMap(({ problem }, index) => ((refused >> index) & 1 ? [problem()] : []))
  const [first] = problems
  if (!first) throw new Error('A statement rejected a write for a condition that it was not given.')
  if (first.kind !== 'invalid') return first
  const violations = problems
    .filter(({ kind }) => kind === 'invalid')
    .flatMap(({ errors = {} }) => Object.entries(errors))
  return invalid(Object.fromEntries(violations))
}
