import { selectColumn } from '../../db/columns.ts'
import type { Reference } from '../../db/named-statements.ts'
import type { Row, Values } from '../../db/rows.ts'
import { join, raw, type Sql, sql } from '../../db/sql.ts'
import type { Caller } from '../../model/caller.ts'
import { labelOf } from '../../model/field.ts'
import type { Violations } from '../../model/problem.ts'
import type { Listed } from '../../resources/define-resource.ts'
import { expandable } from '../../resources/query-columns.ts'
import { expansionDepthMax, expansionsMax, fieldNamesMax } from '../list-query.ts'
import { selectRows } from '../visible-rows.ts'

/** Joins the rows that a page called `page` refers to, each by its id, if the caller may see it. */
export interface Joins {
  readonly joins: readonly Sql[]
  readonly selected: readonly Sql[]
  /** The columns that the page must select for the joins. */
  readonly columns: readonly string[]
}

/**
 * Names in PostgreSQL are short, so those of the answer are numbered in one traversal; `serializeRow` traverses in
 * the same order.
 */
export function joinsOf(selection: Selection, caller: Caller, at?: string): Joins {
  const joins: Sql[] = []
  const selected: Sql[] = []
  const walk = ({ columns, expansions }: Selection, alias: string): readonly string[] => {
    expansions.forEach(({ column: reference, selection: parent }, index) => {
      const own = aliasOf(alias, index)
      const place = joins.push(raw('')) - 1
      const needed = walk(parent, own)
      const rows = selectRows(parent.listed, caller, at, raw(`${alias}."${reference}"`))
      joins[place] = sql`left join lateral (
        select ${join(needed.map(selectColumn), ', ')}
        from ${rows.from} where ${rows.wanted}
      ) as ${raw(own)} on true`
      selected.push(...parent.columns.map((name) => raw(`${own}."${name}" as "${own}.${name}"`)))
    })
    return [...new Set([...columns, ...expansions.map((one) => one.column)])]
  }
  const columns = walk(selection, 'page')
  return { joins, selected, columns }
}

/** The same references as a tree, whose rows can be read by separate statements. */
export const referencesOf = (
  { expansions }: Selection,
  asked: { readonly caller: Caller; readonly at: string | undefined },
  alias = 'page',
): Reference[] =>
  expansions.map(({ column, selection }, index) => ({
    column,
    columns: selection.columns,
    alias: aliasOf(alias, index),
    rowsOf(ids) {
      const names = new Set(['id', ...selection.columns, ...selection.expansions.map((one) => one.column)])
      const { from, wanted } = selectRows(selection.listed, asked.caller, asked.at, sql`any(${ids}::uuid[])`)
      return sql`select ${join([...names].map(selectColumn), ', ')} from ${from} where ${wanted}`
    },
    references: referencesOf(selection, asked, aliasOf(alias, index)),
  }))

const aliasOf = (alias: string, index: number): string => `${alias}_${index}`

/** The record with the rows it refers to; those that are removed or hidden from the caller are null. */
export function serializeRow({ columns, expansions }: Selection, row: Row, alias = 'page'): Values {
  const nameIn = (name: string) => (alias === 'page' ? name : `${alias}.${name}`)
  return {
    ...Object.fromEntries(columns.map((name) => [name, row[nameIn(name)]])),
    ...Object.fromEntries(
      expansions.map(({ name, selection }, index) => {
        const own = aliasOf(alias, index)
        return [name, row[`${own}.id`] == null ? null : serializeRow(selection, row, own)]
      }),
    ),
  }
}

/** The part of a row that is shown, and of the rows it refers to. */
export interface Selection {
  readonly listed: Listed
  /** Kept in the order of the declaration, the id first. */
  readonly columns: readonly string[]
  readonly expansions: readonly Expansion[]
}

export interface Expansion {
  readonly name: string
  /** The column that holds the reference. */
  readonly column: string
  readonly selection: Selection
}

/** Parses `fields` and `expand`: names separated by commas, with dots from a row to one it refers to. */
export function parseSelection(
  listed: Listed,
  { fields, expand }: { readonly fields: string | undefined; readonly expand: string | undefined },
  violations: Violations,
): Selection {
  const paths = namesIn('expand', expand, expansionsMax, violations)
  const columns = namesIn('fields', fields, fieldNamesMax, violations)
  const known = new Set<string>()
  const selection = selectionOf(listed, '', paths, columns, known)
  const unknown = (names: readonly string[]) => names.filter((name) => !known.has(name))
  for (const path of unknown(paths)) violations.add('expand', `${path} ${whyNot(listed, path)}`)
  for (const name of unknown(columns)) violations.add('fields', `${name} is no field of what is shown.`)
  return selection
}

const whyNot = ({ pluralNoun }: Listed, path: string): string =>
  path.split('.').length > expansionDepthMax
    ? `goes more than ${expansionDepthMax} references deep.`
    : `is no reference that ${pluralNoun} lead to.`

/** Adds each name that it recognizes to `known`. */
function selectionOf(
  listed: Listed,
  prefix: string,
  paths: readonly string[],
  fields: readonly string[],
  known: Set<string>,
): Selection {
  const own = listed.columns.filter((name) => fields.includes(prefix + name))
  for (const name of own) known.add(prefix + name)
  const isDeepest = prefix.split('.').length > expansionDepthMax
  const expansions = (isDeepest ? [] : expandable(listed)).flatMap(({ name, column, parent }) => {
    const path = prefix + name
    if (!paths.some((one) => one === path || one.startsWith(`${path}.`))) return []
    known.add(path)
    return [{ name, column, selection: selectionOf(parent, `${path}.`, paths, fields, known) }]
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
