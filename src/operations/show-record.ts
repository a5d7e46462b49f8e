import type { WireKind } from '../model/field.ts'
import type { Listed } from '../resources/define-resource.ts'
import { column, timestampText } from '../store/columns.ts'
import type { Row } from '../store/rows.ts'
import { join, raw, render, type Sql, sql } from '../store/sql.ts'

/** A stored row as every host shows it: its columns in their order, nulls written, never left out. */
export const showRecord = ({ columns }: Listed, row: Row): Readonly<Record<string, unknown>> =>
  Object.fromEntries(columns.map((name) => [name, row[name]]))

type Kind = WireKind | 'rowTimestamp' | 'flag'

/** Of the columns that are no fields. */
const commonKinds: Readonly<Record<string, Kind>> = {
  id: 'uuid',
  createdAt: 'rowTimestamp',
  updatedAt: 'rowTimestamp',
  deletedAt: 'rowTimestamp',
  active: 'flag',
}

/** What a column that is shown holds. */
export const kindOf = ({ fields }: Listed, name: string): Kind =>
  (fields[name]?.wire ?? commonKinds[name]) as Kind

/** JSON of a value, or null. Only texts have anything to escape. */
const jsonOf: Readonly<Record<Kind, (value: Sql) => Sql>> = {
  text: (value) => sql`to_json(${value})::text`,
  uuid: (value) => sql`'"' || ${value} || '"'`,
  moment: (value) => sql`'"' || replace((${value} at time zone 'UTC')::text, ' ', 'T') || 'Z"'`,
  rowTimestamp: (value) => sql`'"' || ${timestampText(value)} || '"'`,
  number: (value) => sql`trim_scale(${value})::text`,
  wholeNumber: (value) => sql`${value}::text`,
  flag: (value) => sql`${value}::text`,
}

const recordTexts = new WeakMap<Listed, Sql>()

/**
 * The same of a row called `row` as JSON that the store writes, letter for letter. A page of it takes the store a tenth more time
 * than the values, and the host far less than to receive, show and write them.
 */
export function recordText(listed: Listed): Sql {
  const known = recordTexts.get(listed)
  if (known) return known
  const members = listed.columns.map((name, index) => {
    const start = raw(`'${index === 0 ? '{' : ','}"${name}":'`)
    return sql`${start} || coalesce(${jsonOf[kindOf(listed, name)](sql`row.${column(name)}`)}, 'null')`
  })
  const text = raw(render(sql`${join(members, ' || ')} || '}'`).text)
  recordTexts.set(listed, text)
  return text
}

/** The rows as a JSON array, in their order. Only these become text, none that a page skips. */
export const arrayOf = (listed: Listed, rows: Sql): Sql =>
  sql`(select coalesce('[' || string_agg(${recordText(listed)}, ',') || ']', '[]') from (${rows}) as row)`
