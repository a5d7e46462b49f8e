import { column, selectColumns, tableOf } from './columns.ts'
import {
  beforeCte,
  type Condition,
  noRejectionSql,
  type RowOutcome,
  selectForLock,
  writeManyConditionally,
} from './conditional-write.ts'
import { idTaken } from './failures.ts'
import {
  type Action,
  changedColumns,
  flagSetters,
  inputWriterSql,
  type LoggedWrite,
  loggedWriteCtes,
  mainCte,
  type Table,
  type TableStatement,
  type TableWrite,
  type Writer,
  writerColumns,
  writerColumnTypes,
  writerSql,
} from './logged-write.ts'
import { nextVersion, type RelatedRow, type Row, toColumnNames, type Values } from './rows.ts'
import { join, type Queries, raw, type Sql, sql, stepwiseStatement } from './sql.ts'

/** Rows that one statement writes. They all have the same columns. */
export interface ManyRows {
  readonly table: Table
  readonly rows: readonly (Values & { readonly id: string; readonly position: number })[]
  /** The database types of the columns and, in an update, of values that only the conditions use. */
  readonly types: Readonly<Record<string, string>>
  readonly conditions: readonly Condition[]
}

/** The writer of all rows, or the writers in the order of the rows. */
export type Writers = { readonly one: Writer } | { readonly each: readonly Writer[] }

/** Refers to a value of the row that is being written, for use in a condition. */
export const inputColumn = (name: string): Sql => raw(`input."${name}"`)

/** Refers to the account that writes the row, for use in a condition. */
export const inputWriter: Sql = inputWriterSql.caller

/** Refers to a value of the CTE `verdict`. It has the rows of `input` with the result of their conditions. */
const verdictColumn = (name: string): Sql => raw(`verdict."${name}"`)

/** A row that is inserted together with the main row that has the id `mainRowId`. */
export type RelatedRowOf = RelatedRow & { readonly mainRowId: string }

export async function insertMany(
  queries: Queries,
  writers: Writers,
  many: ManyRows,
  relatedRows: readonly RelatedRowOf[],
): Promise<RowOutcome<Row>[]> {
  const names = Object.keys(many.types)
  const { counter } = many.table
  const values = names.map(verdictColumn)
  // All writes lock counters in this order, so two writes cannot deadlock.
  const order = raw(counter ? `verdict."${counter.per}", verdict.position` : 'verdict.position')
  const main = {
    table: many.table,
    // A duplicate key must not fail the other rows.
    statement: sql`insert into ${tableOf(many.table)} as row (${join(names.map(column), ', ')})
      select ${join(values, ', ')} from verdict where ${noRejectionSql} order by ${order} on conflict do nothing
      returning row.*`,
  }
  const statements = [main, ...relatedRowStatements(relatedRows)]
  const writesOf = (row: InputRow) =>
    [
      { table: many.table, values: pickValues(row, names) },
      ...relatedRows.filter(({ mainRowId }) => mainRowId === row.id),
    ].map(({ table, values }) => ({ table, content: { insert: values } }))
  const outcomes = await writeEach(queries, 'create', writers, many, { statements, writesOf })
  return addDuplicateProblems(queries, many, outcomes)
}

/** A row is neither rejected nor written if its id or another unique value is taken. */
const isDuplicate = ({ problem, written }: RowOutcome<Row>): boolean => !problem && !written

async function addDuplicateProblems(
  queries: Queries,
  { table, rows }: ManyRows,
  outcomes: RowOutcome<Row>[],
): Promise<RowOutcome<Row>[]> {
  const { unique } = table
  const ids = new Map(rows.map(({ position, id }) => [position, id]))
  const duplicateIds = outcomes.filter(isDuplicate).map(({ position }) => ids.get(position))
  if (duplicateIds.length === 0) return outcomes
  const stored = await queries.query<Row>(
    sql`select id from ${tableOf(table)} where id = any(${duplicateIds}::uuid[])`,
  )
  const storedIds = new Set(stored.map(({ id }) => id))
  return outcomes.map((outcome) => {
    if (!isDuplicate(outcome)) return outcome
    const isIdTaken = storedIds.has(ids.get(outcome.position) ?? '')
    return { ...outcome, problem: isIdTaken || !unique ? idTaken() : unique.problem() }
  })
}

/** `set` names the columns that change. */
export function updateMany(
  queries: Queries,
  writers: Writers,
  many: ManyRows,
  set: readonly string[],
): Promise<RowOutcome<Row>[]> {
  const changes = join(
    [
      ...set.map((name) => sql`${column(name)} = ${verdictColumn(name)}`),
      ...flagSetters(many.table, set, verdictColumn),
      nextVersion,
    ],
    ', ',
  )
  const statement = sql`update ${tableOf(many.table)} as row set ${changes}
    from verdict where row.id = verdict.id and ${noRejectionSql} returning row.*`
  const change = { before: beforeCte, columns: changedColumns(many.table, set) }
  const statements = [{ table: many.table, statement, change }]
  const writesOf = (row: InputRow) => [{ table: many.table, change, content: { set: pickValues(row, set) } }]
  return writeEach(queries, 'update', writers, many, { statements, writesOf })
}

const pickValues = (row: Values, names: readonly string[]): Values =>
  Object.fromEntries(names.map((name) => [name, row[name]]))

type InputRow = ManyRows['rows'][number]

interface Writes {
  readonly statements: readonly TableStatement[]
  readonly writesOf: (row: InputRow) => readonly TableWrite[]
}

/** A sharded store writes many rows in steps that are built from this input. */
export interface LoggedManyWrite extends Omit<LoggedWrite, 'writes' | 'locks'> {
  readonly rows: ManyRows['rows']
  /** Returns the CTE called `input`, with these rows. */
  readonly inputStatementOf: (rows: ManyRows['rows']) => Sql
  readonly writesOf: Writes['writesOf']
}

export const writeManyRows = stepwiseStatement<LoggedManyWrite>('write each row')

function writeEach(
  queries: Queries,
  action: Action,
  writers: Writers,
  { table, rows, types, conditions }: ManyRows,
  { statements, writesOf }: Writes,
): Promise<RowOutcome<Row>[]> {
  const columns = selectColumns(table)
  const returning = { columns, cteName: mainCte }
  if ('each' in writers) {
    const rowsWithWriter = rows.map((row, index) => ({ ...row, ...writerColumns(writers.each[index]) }))
    return writeManyConditionally<Row>(queries, {
      input: inputStatement(rowsWithWriter, { ...types, ...writerColumnTypes }),
      conditions: conditions.map(skipLocked),
      ctes: loggedWriteCtes(action, inputWriterSql, statements),
      returning,
      // A sharded store never batches the writes of several callers.
      attachStepInput: (statement) => statement,
    })
  }
  const { one: writer } = writers
  const inputStatementOf = (subset: ManyRows['rows']) => inputStatement(subset, types)
  const stepInput = { action, writer, conditions, columns, rows, inputStatementOf, writesOf }
  return writeManyConditionally<Row>(queries, {
    input: inputStatementOf(rows),
    conditions,
    ctes: loggedWriteCtes(action, writerSql(writer), statements),
    returning,
    attachStepInput: (statement) => writeManyRows.attach(stepInput, statement),
  })
}

/** Treats locked rows as missing, so that callers in a batch do not wait for each other's rows. */
function skipLocked(condition: Condition): Condition {
  if (!condition.locks) return condition
  const { name, rows } = condition.locks
  // The CTE `before` locks the rows of `input`.
  const joinsInput = name === beforeCte
  const unlocked = selectForLock({ ...rows.lock, joinsInput, skipsLocked: true })
  return { ...condition, locks: { name, rows: unlocked } }
}

/** Passes any number of rows as one parameter. */
function inputStatement(rows: readonly Values[], types: ManyRows['types']): Sql {
  const columns = Object.entries({ ...types, position: 'integer' }).map(([name, type]) => `"${name}" ${type}`)
  return sql`select * from json_to_recordset(${JSON.stringify(rows)}::json) as input (${raw(columns.join(', '))})`
}

/** Returns one statement per table. It inserts the related rows of each main row that was written. */
function relatedRowStatements(relatedRows: readonly RelatedRowOf[]): TableStatement[] {
  const tables = [...new Set(relatedRows.map(({ table }) => table))]
  return tables.map((table) => {
    const rows = relatedRows.filter((row) => row.table === table)
    const names = Object.keys(rows[0]?.values ?? {})
    const values = names.map((name) => sql`related.${column(name)}`)
    const json = JSON.stringify(rows.map((row) => toColumnNames(row.values)))
    const statement = sql`insert into ${tableOf(table)} as row (${join(names.map(column), ', ')})
      select ${join(values, ', ')}
      from json_populate_recordset(null::${tableOf(table)}, ${json}::json) with ordinality as related
      join unnest(${rows.map((row) => row.mainRowId)}::uuid[]) with ordinality as main (id, number)
        on main.number = related.ordinality
      where main.id in (select id from ${raw(mainCte)})
      returning row.*`
    return { table, statement }
  })
}
