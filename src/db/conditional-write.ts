import { invalid, type Problem } from '../model/problem.ts'
import type { LockedRows } from './locked-rows.ts'
import { join, namedStatement, type Queries, raw, type Sql, sql } from './sql.ts'

/** A requirement of a write. The statement that writes checks it too, so a write takes one round trip. */
export interface Condition {
  /** Rows that the statement locks first, under a name that `refusedIf` may use. */
  readonly locks?: { readonly name: string; readonly rows: LockedRows }
  readonly refusedIf: Sql
  readonly refusal: () => Problem
}

/** A member of a statement's `with` list. */
export interface Part {
  readonly name: string
  readonly statement: Sql
}

/** Every part of a conditional write must have this in its `where`. */
export const permitted: Sql = raw('verdict.refused = 0')

/**
 * Locks rows, checks every condition, and runs all parts if none rejects the write, in one statement. Locks
 * are taken in the order of the conditions. Under READ COMMITTED a row whose lock had to be waited for is
 * read again after the wait, so a condition on a locked row sees its newest version; everything else is as it
 * was when the statement began.
 */
export async function writeIf<Written extends object>(
  queries: Queries,
  conditions: readonly Condition[],
  parts: readonly Part[],
  answer: { readonly columns: Sql; readonly from: string },
  named: (statement: Sql) => Sql,
): Promise<Written[]> {
  const from = raw(answer.from)
  if (conditions.length === 0)
    return queries.query(named(sql`with ${listOf(parts)} select ${answer.columns} from ${from} as row`))
  const statement = sql`
    with ${listOf([...verdictOf(conditions), ...parts])}
    select verdict.refused, ${answer.columns} from verdict left join ${from} as row on true`
  const rows = await queries.query<Written & Verdict>(named(statement))
  refuseBy(conditions, rows[0])
  return rows
}

export interface Asked<Written> {
  readonly position: number
  readonly refusal: Problem | undefined
  /** Also undefined, without a rejection, where another row already had the same key. */
  readonly written: Written | undefined
}

/**
 * Checks every condition for each row of `input`, which `refusedIf` may name, and rejects rows one by one. If
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
  const first = [
    { name: 'input', statement: input },
    ...lockingParts(conditions),
    {
      name: 'verdict',
      statement: sql`select input.*, ${refusedBits(conditions)} as refused from ${fromInput(conditions)}`,
    },
  ]
  const statement = sql`
    with ${listOf([...first, ...parts])}
    select verdict.position, verdict.refused, row.id as "writtenId", ${answer.columns}
    from verdict left join ${raw(answer.from)} as row on row.id = verdict.id
    order by verdict.position`
  const rows = await queries.query<Written & Verdict & { position: number; writtenId: string | null }>(
    named(statement),
  )
  return rows.map(({ position, refused, writtenId, ...written }) => ({
    position,
    refusal: refused === 0 ? undefined : problemOf(conditionsIn(refused, conditions)),
    written: writtenId === null ? undefined : (written as unknown as Written),
  }))
}

/** Locks rows and checks conditions without writing, for the later statements of a transaction. */
export async function requireConditions(
  transaction: Queries,
  conditions: readonly Condition[],
): Promise<void> {
  if (conditions.length === 0) return
  const statement = sql`with ${listOf(verdictOf(conditions))} select refused from verdict`
  const [verdict] = await transaction.query<Verdict>(askConditions.of(conditions, statement))
  refuseBy(conditions, verdict)
}

export const askConditions = namedStatement<readonly Condition[]>('ask conditions')

export interface Verdict {
  /** One bit per condition, set where it rejects the write. */
  readonly refused: number
}

function refuseBy(conditions: readonly Condition[], verdict: Verdict | undefined) {
  const refused = verdict?.refused ?? 0
  if (refused !== 0) throw problemOf(conditionsIn(refused, conditions))
}

const conditionsIn = (refused: number, conditions: readonly Condition[]) =>
  conditions.filter((_, index) => (refused >> index) & 1)

const verdictOf = (conditions: readonly Condition[]): Part[] => [
  ...lockingParts(conditions),
  {
    name: 'verdict',
    statement: sql`select ${refusedBits(conditions)} as refused from ${fromOnce(conditions)}`,
  },
]

export const fromOnce = (conditions: readonly Condition[]): Sql =>
  raw(`(select 1) as once${isOfStored(conditions) ? ' left join before on true' : ''}`)

export const fromInput = (conditions: readonly Condition[]): Sql =>
  raw(`input${isOfStored(conditions) ? ' left join before on before.id = input.id' : ''}`)

/** Whether any condition refers to the stored row as `before`; its columns are null if it is missing. */
const isOfStored = (conditions: readonly Condition[]): boolean =>
  conditions.some(({ locks }) => locks?.name === 'before')

const lockingParts = (conditions: readonly Condition[]): Part[] =>
  conditions.flatMap(({ locks }) => (locks ? [{ name: locks.name, statement: locks.rows }] : []))

export const listOf = (parts: readonly Part[]): Sql =>
  join(
    parts.map(({ name, statement }) => sql`${raw(`"${name}"`)} as materialized (${statement})`),
    ', ',
  )

/** A condition that evaluates to null rejects the write. */
export const refusedBits = (conditions: readonly Condition[]): Sql =>
  conditions.length === 0 ? raw('0') : joinedBits(conditions)

const joinedBits = (conditions: readonly Condition[]): Sql =>
  join(
    conditions.map(
      ({ refusedIf }, index) => sql`((${refusedIf}) is not false)::int * ${raw(String(1 << index))}`,
    ),
    ' + ',
  )

/** The first rejection becomes the error. Consecutive validation errors are merged into one. */
function problemOf(refused: readonly Condition[]): Problem {
  const problems = refused.map(({ refusal }) => refusal())
  const [first] = problems
  if (!first) throw new Error('A statement rejected a write for a condition that it was not given.')
  if (first.kind !== 'invalid') return first
  const violations = problems
    .filter(({ kind }) => kind === 'invalid')
    .flatMap(({ errors = {} }) => Object.entries(errors))
  return invalid(Object.fromEntries(violations))
}
