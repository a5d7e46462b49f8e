import { selectColumn } from '../../db/columns.ts'
import type { Row, Values } from '../../db/rows.ts'
import { join, raw, type Sql, sql } from '../../db/sql.ts'
import type { Reference } from '../../db/stepwise-statements.ts'
import type { Caller } from '../../model/caller.ts'
import { capitalize } from '../../model/field.ts'
import type { Violations } from '../../model/problem.ts'
import type { ListedResource } from '../../resources/define-resource.ts'
import { expandable } from '../../resources/derived.ts'
import { selectRows } from '../visible-rows.ts'

/** The three limits suffice in practice, and keep the cost of parsing and planning negligible. */
export const fieldNamesMax = 60
export const expansionsMax = 6
export const expansionDepthMax = 3

/** The joins that add referenced rows to a page called `page`, as far as the caller may see them. */
export interface Joins {
  readonly joins: readonly Sql[]
  readonly selected: readonly Sql[]
  /** The columns that the page must select for the joins. */
  readonly columns: readonly string[]
}

/**
 * Joined rows are named by numbers, because PostgreSQL truncates long names. `serializeRow` numbers them in
 * the same order.
 */
export function joinsOf(selection: Selection, caller: Caller, at?: string): Joins {
  const joins: Sql[] = []
  const selected: Sql[] = []
  const walk = ({ columns, expansions }: Selection, alias: string): readonly string[] => {
    expansions.forEach(({ column: reference, selection: parent }, index) => {
      const childAlias = aliasOf(alias, index)
      // Reserves the place of this join, because it must precede the joins that `walk` adds.
      const slot = joins.push(raw('')) - 1
      const needed = walk(parent, childAlias)
      const rows = selectRows(parent.resource, caller, at, raw(`${alias}."${reference}"`))
      joins[slot] = sql`left join lateral (
        select ${join(needed.map(selectColumn), ', ')}
        from ${rows.from} where ${rows.where}
      ) as ${raw(childAlias)} on true`
      selected.push(
        ...parent.columns.map((name) => raw(`${childAlias}."${name}" as "${childAlias}.${name}"`)),
      )
    })
    return [...new Set([...columns, ...expansions.map(({ column }) => column)])]
  }
  const columns = walk(selection, 'page')
  return { joins, selected, columns }
}

/** Returns the same references as a tree, so that separate statements can read their rows. */
export const referencesOf = (
  { expansions }: Selection,
  options: { readonly caller: Caller; readonly at: string | undefined },
  alias = 'page',
): Reference[] =>
  expansions.map(({ column, selection }, index) => ({
    column,
    columns: selection.columns,
    alias: aliasOf(alias, index),
    rowsOf(ids) {
      const names = new Set([
        'id',
        ...selection.columns,
        ...selection.expansions.map((expansion) => expansion.column),
      ])
      const { from, where } = selectRows(
        selection.resource,
        options.caller,
        options.at,
        sql`any(${ids}::uuid[])`,
      )
      return sql`select ${join([...names].map(selectColumn), ', ')} from ${from} where ${where}`
    },
    references: referencesOf(selection, options, aliasOf(alias, index)),
  }))

const aliasOf = (alias: string, index: number): string => `${alias}_${index}`

/**
 * Serializes a record with its references. References that are removed or hidden from the caller are null.
 */
export function serializeRow({ columns, expansions }: Selection, row: Row, alias = 'page'): Values {
  const keyOf = (name: string) => (alias === 'page' ? name : `${alias}.${name}`)
  return {
    ...Object.fromEntries(columns.map((name) => [name, row[keyOf(name)]])),
    ...Object.fromEntries(
      expansions.map(({ name, selection }, index) => {
        const childAlias = aliasOf(alias, index)
        return [name, row[`${childAlias}.id`] == null ? null : serializeRow(selection, row, childAlias)]
      }),
    ),
  }
}

/** Selects columns of a row and of the rows it refers to. */
export interface Selection {
  readonly resource: ListedResource
  /** The columns in the order of the declaration, beginning with the id. */
  readonly columns: readonly string[]
  readonly expansions: readonly Expansion[]
}

export interface Expansion {
  readonly name: string
  /** The column that holds the reference. */
  readonly column: string
  readonly selection: Selection
}

/** Parses `fields` and `expand`: names separated by commas. A dot leads from a reference into its row. */
export function parseSelection(
  resource: ListedResource,
  { fields, expand }: { readonly fields: string | undefined; readonly expand: string | undefined },
  violations: Violations,
): Selection {
  const paths = parseNames('expand', expand, expansionsMax, violations)
  const columns = parseNames('fields', fields, fieldNamesMax, violations)
  const recognized = new Set<string>()
  const selection = selectionOf(resource, '', paths, columns, recognized)
  const unknown = (names: readonly string[]) => names.filter((name) => !recognized.has(name))
  for (const path of unknown(paths)) violations.add('expand', `${path} ${expandProblem(resource, path)}`)
  for (const name of unknown(columns))
    violations.add('fields', `${name} is not a field of the selected rows.`)
  return selection
}

const expandProblem = ({ pluralNoun }: ListedResource, path: string): string =>
  path.split('.').length > expansionDepthMax
    ? `is more than ${expansionDepthMax} references deep.`
    : `is not a reference of ${pluralNoun}.`

/** Adds each name that it recognizes to `recognized`. */
function selectionOf(
  resource: ListedResource,
  prefix: string,
  paths: readonly string[],
  fields: readonly string[],
  recognized: Set<string>,
): Selection {
  const chosen = resource.columns.filter((name) => fields.includes(prefix + name))
  for (const name of chosen) recognized.add(prefix + name)
  const isDeepest = prefix.split('.').length > expansionDepthMax
  const expansions = (isDeepest ? [] : expandable(resource)).flatMap(({ name, column, parent }) => {
    const path = prefix + name
    if (!paths.some((requested) => requested === path || requested.startsWith(`${path}.`))) return []
    recognized.add(path)
    return [{ name, column, selection: selectionOf(parent, `${path}.`, paths, fields, recognized) }]
  })
  // The id is always included. Without `fields`, all columns are.
  const columns = resource.columns.filter(
    (name) => name === 'id' || chosen.length === 0 || chosen.includes(name),
  )
  return { resource, columns, expansions }
}

function parseNames(
  key: string,
  input: string | undefined,
  max: number,
  violations: Violations,
): readonly string[] {
  const names = [...new Set(input?.split(',').map((name) => name.trim()))].filter((name) => name !== '')
  if (names.length <= max) return names
  violations.add(key, `${capitalize(key)} must have at most ${max} names.`)
  return []
}
