import { shownColumn } from '../../db/columns.ts'
import type { Reference } from '../../db/named-statements.ts'
import type { Row, Values } from '../../db/rows.ts'
import { join, raw, type Sql, sql } from '../../db/sql.ts'
import type { Caller } from '../../model/caller.ts'
import { labelOf } from '../../model/field.ts'
import type { Violations } from '../../model/problem.ts'
import type { Listed } from '../../resources/define-resource.ts'
import { expandable } from '../../resources/query-columns.ts'
import { expansionDepthMax, expansionsMax, fieldNamesMax } from '../list-query.ts'
import { shownRows } from '../visible-rows.ts'

/** Joins the rows that a page called `page` refers to, each by its id, if the caller may see it. */
export interface Joins {
  readonly joins: readonly Sql[]
  readonly selected: readonly Sql[]
  /** The columns that the page must select for the joins. */
  readonly columns: readonly string[]
}

/**
 * Names in PostgreSQL are short, so those of the answer are numbered in one traversal; `showRow` traverses in
 * the same order.
 */
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
        select ${join(needed.map(shownColumn), ', ')}
        from ${rows.from} where ${rows.wanted}
      ) as ${raw(own)} on true`
      selected.push(...parent.columns.map((name) => raw(`${own}."${name}" as "${own}.${name}"`)))
    })
    return [...new Set([...columns, ...expansions.map((one) => one.column)])]
  }
  const columns = walk(shown, 'page')
  return { joins, selected, columns }
}

/** The same references as a tree, whose rows can be read by separate statements. */
export const referencesOf = (
  { expansions }: Shown,
  asked: { readonly caller: Caller; readonly at: string | undefined },
  alias = 'page',
): Reference[] =>
  expansions.map(({ column, shown }, index) => ({
    column,
    columns: shown.columns,
    alias: aliasOf(alias, index),
    rowsOf(ids) {
      const names = new Set(['id', ...shown.columns, ...shown.expansions.map((one) => one.column)])
      const { from, wanted } = shownRows(shown.listed, asked.caller, asked.at, sql`any(${ids}::uuid[])`)
      return sql`select ${join([...names].map(shownColumn), ', ')} from ${from} where ${wanted}`
    },
    references: referencesOf(shown, asked, aliasOf(alias, index)),
  }))

const aliasOf = (alias: string, index: number): string => `${alias}_${index}`

/** The record with the rows it refers to; those that are removed or hidden from the caller are null. */
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

/** The part of a row that is shown, and of the rows it refers to. */
export interface Shown {
  readonly listed: Listed
  /** Kept in the order of the declaration, the id first. */
  readonly columns: readonly string[]
  readonly expansions: readonly Expansion[]
}

export interface Expansion {
  readonly name: string
  /** The column that holds the reference. */
  readonly column: string
  readonly shown: Shown
}

/** Parses `fields` and `expand`: names separated by commas, with dots from a row to one it refers to. */
export function readShown(
  listed: Listed,
  { fields, expand }: { readonly fields: string | undefined; readonly expand: string | undefined },
  violations: Violations,
): Shown {
  const paths = namesIn('expand', expand, expansionsMax, violations)
  const columns = namesIn('fields', fields, fieldNamesMax, violations)
  const known = new Set<string>()
  const shown = shownOf(listed, '', paths, columns, known)
  const unknown = (names: readonly string[]) => names.filter((name) => !known.has(name))
  for (const path of unknown(paths)) violations.add('expand', `${path} ${whyNot(listed, path)}`)
  for (const name of unknown(columns)) violations.add('fields', `${name} is no field of what is shown.`)
  return shown
}

const whyNot = ({ pluralNoun }: Listed, path: string): string =>
  path.split('.').length > expansionDepthMax
    ? `goes more than ${expansionDepthMax} references deep.`
    : `is no reference that ${pluralNoun} lead to.`

/** Adds each name that it recognizes to `known`. */
function shownOf(
  listed: Listed,
  prefix: string,
  paths: readonly string[],
  fields: readonly string[],
  known: Set<string>,
): Shown {
  const own = listed.columns.filter((name) => fields.includes(prefix + name))
  for (const name of own) known.add(prefix + name)
  const isDeepest = prefix.split('.').length > expansionDepthMax
  const expansions = (isDeepest ? [] : expandable(listed)).flatMap(({ name, column, parent }) => {
    const path = prefix + name
    if (!paths.some((one) => one === path || one.startsWith(`${path}.`))) return []
    known.add(path)
    return [{ name, column, shown: shownOf(parent, `${path}.`, paths, fields, known) }]
  })
  // The id is always shown; without a choice, all columns are.
  const columns = listed.columns.filter((name) => name === 'id' || own.length === 0 || own.includes(name))
  return { listed, columns, expansions }
}

function namesIn(
  key: string,
  input: string | undefined,
  max: number,
  violations: Violations,
): readonly string[] {
  const names = [...new Set(input?.split(',').map((name) => name.trim()))].filter((name) => name !== '')
  if (names.length <= max) return names
  violations.add(key, `${labelOf(key)} must have at most ${max} names.`)
  return []
}
