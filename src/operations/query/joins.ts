import { shownRows } from '../../access/rows-at.ts'
import type { Caller } from '../../model/caller.ts'
import { column, type Row, type Values } from '../../store/rows.ts'
import { join, raw, type Sql, sql } from '../../store/sql.ts'
import type { Shown } from './shape.ts'

/** How a page called `page` gets the rows it refers to: each by its id, if the caller may see it. */
export interface Joins {
  readonly joins: readonly Sql[]
  readonly selected: readonly Sql[]
  /** What the page itself must have. */
  readonly columns: readonly string[]
}

/** Names of the store are short, so those of the answer are numbered in one walk; `showRow` walks the same way. */
export function joinsOf(shown: Shown, caller: Caller, at?: string): Joins {
  const joins: Sql[] = []
  const selected: Sql[] = []
  const walk = ({ columns, expansions }: Shown, alias: string): readonly string[] => {
    expansions.forEach(({ column: reference, shown: parent }, index) => {
      const own = aliasOf(alias, index)
      const place = joins.push(raw('')) - 1
      const needed = walk(parent, own)
      const rows = shownRows(parent.listed, caller, at, raw(`${alias}."${reference}"`))
      joins[place] = sql`left join lateral (
        select ${join(
          needed.map((name) => sql`row.${column(name)} as ${raw(`"${name}"`)}`),
          ', ',
        )}
        from ${rows.from} where ${rows.wanted}
      ) as ${raw(own)} on true`
      selected.push(...parent.columns.map((name) => raw(`${own}."${name}" as "${own}.${name}"`)))
    })
    return [...new Set([...columns, ...expansions.map((one) => one.column)])]
  }
  const columns = walk(shown, 'page')
  return { joins, selected, columns }
}

const aliasOf = (alias: string, index: number): string => `${alias}_${index}`

/** The record with what it refers to; what the caller may not see, and what was removed, is null. */
export function showRow({ columns, expansions }: Shown, row: Row, alias = 'page'): Values {
  const nameIn = (name: string) => (alias === 'page' ? name : `${alias}.${name}`)
  return {
    ...Object.fromEntries(columns.map((name) => [name, row[nameIn(name)]])),
    ...Object.fromEntries(
      expansions.map(({ name, shown }, index) => {
        const own = aliasOf(alias, index)
        return [name, row[`${own}.id`] == null ? null : showRow(shown, row, own)]
      }),
    ),
  }
}
