import { tableOf } from '../../db/columns.ts'
import { join, sql } from '../../db/sql.ts'
import type { Caller } from '../../model/caller.ts'
import { labelOf } from '../../model/field.ts'
import { isMissing, uuid } from '../../model/field-kinds.ts'
import { collectViolations, invalid, type Violations } from '../../model/problem.ts'
import type { Listed } from '../../resources/define-resource.ts'
import { type QueryColumn, queryColumns } from '../../resources/query-columns.ts'
import { projectView, savedView } from '../../resources/views.ts'
import type { Context } from '../context.ts'
import { cursorCharactersMax, pageSizeDefault, pageSizeMax, sortKeysMax } from '../list-query.ts'
import { parseAt } from '../settled-timestamp.ts'
import { changesThatMatter, listedRows } from '../visible-rows.ts'
import { parseSelection, type Selection } from './joins.ts'
import { parseCursor, type SortKey } from './keyset.ts'
import { type Filter, parseFilter, type Value } from './parse-filter.ts'

export const queryKeys = [
  'filter',
  'sort',
  'fields',
  'expand',
  'pageSize',
  'cursor',
  'count',
  'at',
  'view',
] as const

/** A parsed query within its limits. */
export interface Query {
  readonly filter: Filter | undefined
  /** Always ends with the id. */
  readonly sort: readonly SortKey[]
  readonly selection: Selection
  readonly pageSize: number
  /** The sort values of the row after which the page begins. */
  readonly place: readonly Value[] | undefined
  readonly isCounted: boolean
  /** The instant to show the rows of; undefined for now. */
  readonly at: string | undefined
  /** Identifies list, order, filter and instant: a cursor is valid for these only. */
  readonly question: string
  /** The keys as given by the request or by its view. */
  readonly asked: Keys
}

/**
 * Parses flat query keys, and reports all violations at once. An unknown key is rejected: if a filter is
 * misspelt, the answer would have more rows than wanted.
 */
export function parseQuery(listed: Listed, caller: Caller, given: Readonly<Record<string, unknown>>): Query {
  const violations = collectViolations()
  const keys = parseKeys(given, violations)
  const reading = keys.filter === undefined ? undefined : parseFilter(listed, caller, keys.filter)
  if (reading && 'problems' in reading) violations.add('filter', ...reading.problems)
  const filter = reading && 'filter' in reading ? reading.filter : undefined
  const at = parseAt(keys.at, violations)
  const sort = parseSort(listed, keys.sort, violations)
  const question = JSON.stringify([
    listed.name,
    sort.map(({ column, isDescending }) => [column.name, isDescending]),
    filter,
    ...(at === undefined ? [] : [at]),
  ])
  const query: Query = {
    filter,
    sort,
    selection: parseSelection(listed, { fields: keys.fields, expand: keys.expand }, violations),
    pageSize: parsePageSize(keys.pageSize, violations),
    place: parsePlace(question, sort, keys.cursor, violations),
    isCounted: parseFlag(keys.count, violations),
    at,
    question,
    asked: keys,
  }
  violations.throwIfAny()
  return query
}

type Keys = { readonly [K in (typeof queryKeys)[number]]?: string }

function parseKeys(given: Readonly<Record<string, unknown>>, violations: Violations): Keys {
  const keys: Record<string, string> = {}
  for (const [key, value] of Object.entries(given)) {
    if (!(queryKeys as readonly string[]).includes(key))
      violations.add(key, `${key} is no key of a query. These are: ${queryKeys.join(', ')}.`)
    else if (Array.isArray(value)) violations.add(key, `${labelOf(key)} must be given once.`)
    else if (isMissing(value)) violations.add(key, `${labelOf(key)} must not be empty.`)
    else keys[key] = String(value)
  }
  return keys
}

/** Parses `sort=-amountHours,name`: descending, then ascending; ties are sorted by id. */
function parseSort(listed: Listed, input: string | undefined, violations: Violations): readonly SortKey[] {
  const columns = queryColumns(listed)
  const sortable = columns.filter(({ isSortable }) => isSortable)
  const names = input?.split(',').map((name) => name.trim()) ?? []
  if (names.length > sortKeysMax) {
    violations.add('sort', `Sort must name at most ${sortKeysMax} fields.`)
    return []
  }
  const keys = names.flatMap((text): SortKey[] => {
    const isDescending = text.startsWith('-')
    const name = isDescending ? text.slice(1) : text
    const column = sortable.find((one) => one.name === name)
    if (!column) violations.add('sort', notSortable(listed, name, sortable))
    return column ? [{ column, isDescending }] : []
  })
  if (new Set(keys.map(({ column }) => column)).size < keys.length)
    violations.add('sort', 'Sort names a field twice.')
  const id = columns.find(({ name }) => name === 'id')
  if (!id || keys.some(({ column }) => column === id)) return keys
  // The id is sorted in the same direction as the key before it, so that one index serves both.
  return [...keys, { column: id, isDescending: keys.at(-1)?.isDescending ?? false }]
}

const notSortable = ({ pluralNoun }: Listed, name: string, sortable: readonly QueryColumn[]): string =>
  `${name} is no field that ${pluralNoun} are sorted by. These are: ${sortable.map((one) => one.name).join(', ')}.`

function parsePageSize(input: string | undefined, violations: Violations): number {
  if (input === undefined) return pageSizeDefault
  const size = /^\s*\+?\d{1,9}\s*$/.test(input) ? Number(input) : 0
  if (size >= 1 && size <= pageSizeMax) return size
  violations.add('pageSize', `PageSize must be a whole number from 1 to ${pageSizeMax}.`)
  return pageSizeDefault
}

function parsePlace(
  question: string,
  sort: readonly SortKey[],
  cursor: string | undefined,
  violations: Violations,
): readonly Value[] | undefined {
  if (cursor === undefined) return undefined
  const place = cursor.length > cursorCharactersMax ? undefined : parseCursor(question, sort, cursor)
  if (place === undefined)
    violations.add('cursor', 'Cursor is none that this list gave for this filter and this sort.')
  return place
}

function parseFlag(input: string | undefined, violations: Violations): boolean {
  if (input === undefined || input === 'false') return false
  if (input !== 'true') violations.add('count', 'Count must be true or false.')
  return true
}

type GivenKeys = Readonly<Record<string, unknown>>

interface ViewRow {
  readonly list: string
  readonly filter: string | null
  readonly sort: string | null
  readonly fields: string | null
  readonly expand: string | null
}

const views = [savedView, projectView]

/** Merges the keys of a query with those of its view. A key of the request replaces that of the view. */
export async function withView(
  { database }: Context,
  listed: Listed,
  caller: Caller,
  given: GivenKeys,
): Promise<{ readonly keys: GivenKeys; readonly viewResources: readonly string[] }> {
  const { view, ...own } = given
  if (view === undefined) return { keys: given, viewResources: [] }
  const id = parseId(view)
  const kinds = views.map(
    (kind) => sql`select list, filter, sort, fields, expand from ${tableOf(kind)} as row
      where row.id = ${id} and ${listedRows(kind, caller, 'active')}`,
  )
  const [found] = await database.query<ViewRow>(join(kinds, ' union all '))
  if (!found) throw invalid({ view: ['View is none that you may see.'] })
  const { list, ...kept } = found
  if (list !== listed.plural) throw invalid({ view: [`View is one of ${list}, not of ${listed.plural}.`] })
  const viewed = Object.entries(kept).filter(([, value]) => value !== null)
  return {
    keys: { ...Object.fromEntries(viewed), ...own },
    viewResources: views.flatMap((kind) => changesThatMatter(kind, caller)),
  }
}

function parseId(input: unknown): string {
  if (Array.isArray(input)) throw invalid({ view: ['View must be given once.'] })
  const reading = uuid.read(typeof input === 'string' ? input.trim() : input, 'View')
  if ('problems' in reading) throw invalid({ view: reading.problems })
  return reading.value
}
