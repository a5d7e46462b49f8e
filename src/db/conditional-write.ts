import { invalid, type Problem } from '../model/problem.ts'
import { join, type Queries, raw, type Sql, sql, stepwiseStatement } from './sql.ts'

export type LockStrength = 'update' | 'no key update' | 'key share'

/**
 * Rows to lock until the transaction ends. They are locked in the order of their ids, which avoids deadlocks.
 */
export interface RowLock {
  readonly table: string
  /** The columns to return. The table is called `row`. */
  readonly columns: Sql
  readonly where: Sql
  /**
   * `update` prevents new references to the row, and `no key update` allows them. References themselves use
   * `key share`.
   */
  readonly strength: LockStrength
  /** Joins the row of `input` with the same id, so that `where` may use its columns. */
  readonly joinsInput?: boolean
  /** Skips rows that another transaction has locked. */
  readonly skipsLocked?: true
}

export type LockedRows = Sql & { readonly lock: RowLock }

/** Marks the statement for a sharded store, which locks rows in steps (`db/sharded/write-rows.ts`). */
export const lockRowsStatement = stepwiseStatement<RowLock>('lock rows')

export function selectForLock(lock: RowLock): LockedRows {
  const { table, columns, where, strength, joinsInput, skipsLocked } = lock
  const input = raw(joinsInput ? ' join input on input.id = row.id' : '')
  const lockClause = raw(`for ${strength} of row${skipsLocked ? ' skip locked' : ''}`)
  const statement = sql`select ${columns} from ${raw(`"${table}"`)} as row${input} where ${where} order by row.id ${lockClause}`
  // A sharded store uses the attached lock. Callers use the property to derive another statement.
  return { ...lockRowsStatement.attach(lock, statement), lock }
}

/** A requirement that the writing statement checks. */
export interface Condition {
  /** Rows that the statement locks first. `rejectIf` may use their name. */
  readonly locks?: { readonly name: string; readonly rows: LockedRows }
  /** True or null if the requirement is not met. */
  readonly rejectIf: Sql
  readonly problem: () => Problem
}

/** The CTE with the previous state of the rows that a statement changes. */
export const beforeCte = 'before'

/** A common table expression of a statement. */
export interface Cte {
  readonly name: string
  readonly statement: Sql
}

/**
 * SQL: true if all conditions are met. Every CTE that writes must have it in its `where` and select from
 * `verdict`.
 */
export const noRejectionSql: Sql = raw('verdict.rejections = 0')

export interface RowOutcome<Written> {
  readonly position: number
  readonly problem: Problem | undefined
  /** Undefined if the row was rejected or is a duplicate. */
  readonly written: Written | undefined
}

interface RowsToWrite {
  /** The query of the CTE `input`. It returns the rows to write, each with `id` and `position`. */
  readonly input: Sql
  readonly conditions: readonly Condition[]
  readonly ctes: readonly Cte[]
  readonly returning: { readonly columns: Sql; readonly cteName: string }
  /** Marks the statement for a sharded store. */
  readonly attachStepInput: (statement: Sql) => Sql
}

/**
 * Writes the rows of `input` in one statement, and rejects rows that violate a condition. `rejectIf` may use
 * columns of `input`, and of the CTE `before` if a condition locks rows under this name.
 */
export async function writeManyConditionally<Written extends object>(
  queries: Queries,
  { input, conditions, ctes, returning, attachStepInput }: RowsToWrite,
): Promise<RowOutcome<Written>[]> {
  const first = { name: 'input', statement: input }
  const statement = sql`
    with ${joinCtes([first, ...verdictCtes(conditions, 'perInputRow'), ...ctes])}
    select verdict.position, verdict.rejections, row.id as "writtenId", ${returning.columns}
    from verdict left join ${raw(returning.cteName)} as row on row.id = verdict.id
    order by verdict.position`
  const rows = await queries.query<Written & Verdict & { position: number; writtenId: string | null }>(
    attachStepInput(statement),
  )
  return rows.map((row) => ({
    position: row.position,
    problem: row.rejections === 0 ? undefined : problemOf(row.rejections, conditions),
    written: row.writtenId === null ? undefined : row,
  }))
}

/** Locks rows, and throws if a condition is violated. */
export async function requireConditions(
  transaction: Queries,
  conditions: readonly Condition[],
): Promise<void> {
  if (conditions.length === 0) return
  const statement = sql`with ${joinCtes(verdictCtes(conditions, 'single'))} select rejections from verdict`
  const [verdict] = await transaction.query<Verdict>(checkConditionsStatement.attach(conditions, statement))
  if (verdict === undefined) throw new Error('The conditions of a write were not checked.')
  throwIfRejected(conditions, verdict)
}

/** Marks the statement for a sharded store, which checks in steps (`db/sharded/write-rows.ts`). */
export const checkConditionsStatement = stepwiseStatement<readonly Condition[]>('check conditions')

export interface Verdict {
  /** One bit per condition, set if it is violated. */
  readonly rejections: number
}

/** A sharded store returns no verdict if all conditions are met but the write has changed nothing. */
export function throwIfRejected(conditions: readonly Condition[], verdict: Verdict | undefined) {
  const rejections = verdict?.rejections ?? 0
  if (rejections !== 0) throw problemOf(rejections, conditions)
}

/** Conditions are checked once for the whole statement, or for each row of `input`. */
type CheckMode = 'single' | 'perInputRow'

/** Returns the CTEs that lock rows, in the order of the conditions, and the CTE that checks all conditions. */
export function verdictCtes(conditions: readonly Condition[], mode: CheckMode): Cte[] {
  const ctes: Cte[] = []
  for (const { locks } of conditions) if (locks) ctes.push({ name: locks.name, statement: locks.rows })
  return [...ctes, { name: 'verdict', statement: conditionsSql(conditions, mode) }]
}

const beforeJoins: Readonly<Record<CheckMode, string>> = {
  single: ` left join ${beforeCte} on true`,
  perInputRow: ` left join ${beforeCte} on ${beforeCte}.id = input.id`,
}

/** The bit mask must be a positive 32-bit integer in PostgreSQL and in JavaScript. */
const conditionsMax = 31

/**
 * Returns the query of the CTE `verdict`. Its column `rejections` has a bit for each violated condition.
 * Without a stored row, the columns of `before` are null.
 */
export function conditionsSql(conditions: readonly Condition[], mode: CheckMode): Sql {
  if (conditions.length > conditionsMax)
    throw new Error(
      `A write has ${conditions.length} conditions, but at most ${conditionsMax} can be checked.`,
    )
  const bits: Sql[] = []
  let locksBefore = false
  for (const [index, { rejectIf, locks }] of conditions.entries()) {
    bits.push(sql`((${rejectIf}) is not false)::int * ${raw(String(1 << index))}`)
    locksBefore ||= locks?.name === beforeCte
  }
  const rejections = bits.length === 0 ? raw('0') : join(bits, ' + ')
  const joinBefore = raw(locksBefore ? beforeJoins[mode] : '')
  return mode === 'single'
    ? sql`select ${rejections} as rejections from (select 1) as once${joinBefore}`
    : sql`select input.*, ${rejections} as rejections from input${joinBefore}`
}

export function joinCtes(ctes: readonly Cte[]): Sql {
  const list: Sql[] = []
  for (const { name, statement } of ctes) list.push(sql`${raw(`"${name}"`)} as materialized (${statement})`)
  return join(list, ', ')
}

/** Returns the first problem. A validation error contains the messages of all validation errors. */
function problemOf(rejections: number, conditions: readonly Condition[]): Problem {
  const problems = conditions.flatMap(({ problem }, index) => ((rejections >> index) & 1 ? [problem()] : []))
  const [first] = problems
  if (!first) throw new Error('A statement rejected a write, but none of its conditions did.')
  if (first.kind !== 'invalid') return first
  const merged: Record<string, readonly string[]> = {}
  for (const { kind, errors = {} } of problems)
    if (kind === 'invalid')
      for (const [key, messages] of Object.entries(errors))
        merged[key] = [...(merged[key] ?? []), ...messages]
  return invalid(merged)
}
