import { raw, render, type Sql, sql } from './sql.ts'

/** Names come from declarations, so there are few of them, and each is spelled for the store once. */
const columns = new Map<string, Sql>()

/** camelCase names outside, snake_case columns inside. */
export const columnName = (name: string): string =>
  name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

export function column(name: string): Sql {
  const known = columns.get(name)
  if (known) return known
  const spelled = raw(`"${columnName(name)}"`)
  columns.set(name, spelled)
  return spelled
}

export const tableOf = ({ table }: { readonly table: string }): Sql => raw(`"${table}"`)

/** What a row shows of a table, such as one that history keeps. */
interface Shown {
  readonly columns: readonly string[]
}

const columnLists = new WeakMap<Shown, Sql>()

/** The columns of a row called `row`, under their camelCase names. */
export function shownColumns(table: Shown): Sql {
  const known = columnLists.get(table)
  if (known) return known
  const shown = table.columns.map((name) => render(sql`row.${column(name)} as ${raw(`"${name}"`)}`).text)
  const list = raw(shown.join(', '))
  columnLists.set(table, list)
  return list
}
