import { tableOf } from '../../db/columns.ts'
import { join, sql } from '../../db/sql.ts'
import type { Caller } from '../../model/caller.ts'
import { capitalize } from '../../model/field.ts'
import { isNullOrBlank, uuid } from '../../model/field-kinds.ts'
import { collectViolations, invalid, type Violations } from '../../model/problem.ts'
import type { ListedResource } from '../../resources/define-resource.ts'
import { type QueryColumn, queryColumns } from '../../resources/derived.ts'
import { projectView, savedView } from '../../resources/views.ts'
import type { Context } from '../context.ts'
import { parseAt } from '../get.ts'
import { pageSizeDefault, pageSizeMax, parseBoolean } from '../list-query.ts'
import { listedRows, resourcesAffecting } from '../visible-rows.ts'
import { parseSelection, type Selection } from './joins.ts'
import { decodeCursor, type SortKey } from './keyset.ts'
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

export const sortKeysMax = 4
/** Allows four sort values and an id, at their longest. */
export const cursorCharactersMax = 6000

/** A parsed query within its limits. */
export interface Query {
  readonly filter: Filter | undefined
  /** Always ends with the id. */
  readonly sort: readonly SortKey[]
  /** The fields to return and the references to expand. */
  readonly selection: Selection
  readonly pageSize: number
  /** The sort values of the row after which the page begins. */
  readonly after: readonly Value[] | undefined
  readonly isCounted: boolean
  /** The instant at which the rows are read. Undefined means now. */
  readonly at: string | undefined
  /** Identifies list, order, filter and instant. A cursor is valid only for the query it came from. */
  readonly cursorScope: string
  /** The unparsed keys, from the request or its saved view. */
  readonly rawKeys: Keys
}

/**
 * Parses flat query keys, and reports all violations at once. Unknown keys are rejected, because a misspelt
 * `filter` would silently return every row.
 */
export function parseQuery(
  resource: ListedResource,
  caller: Caller,
  input: Readonly<Record<string, unknown>>,
): Query {
  const violations = collectViolations()
  const keys = parseKeys(input, violations)
  const parsedFilter = keys.filter === undefined ? undefined : parseFilter(resource, caller, keys.filter)
  if (parsedFilter && 'problems' in parsedFilter) violations.add('filter', ...parsedFilter.problems)
  const filter = parsedFilter && 'filter' in parsedFilter ? parsedFilter.filter : undefined
  const at = parseAt(keys.at, violations)
  const sort = parseSort(resource, keys.sort, violations)
  const cursorScope = JSON.stringify([
    resource.name,
    sort.map(({ column, isDescending }) => [column.name, isDescending]),
    filter,
    ...(at === undefined ? [] : [at]),
  ])
  const query: Query = {
    filter,
    sort,
    selection: parseSelection(resource, { fields: keys.fields, expand: keys.expand }, violations),
    pageSize: parsePageSize(keys.pageSize, violations),
    after: parseCursor(cursorScope, sort, keys.cursor, violations),
    isCounted: parseBoolean('count', keys.count, violations),
    at,
    cursorScope,
    rawKeys: keys,
  }
  violations.throwIfAny()
  return query
}

type Keys = { readonly [K in (typeof queryKeys)[number]]?: string }

function parseKeys(input: Readonly<Record<string, unknown>>, violations: Violations): Keys {
  const keys: Record<string, string> = {}
  for (const [key, value] of Object.entries(input)) {
    if (!(queryKeys as readonly string[]).includes(key))
      violations.add(key, `Unknown query key ${key}. Valid keys: ${queryKeys.join(', ')}.`)
    else if (Array.isArray(value)) violations.add(key, `${capitalize(key)} must be given once.`)
    else if (isNullOrBlank(value)) violations.add(key, `${capitalize(key)} must not be empty.`)
    else keys[key] = String(value)
  }
  return keys
}

/** Parses a sort such as `-amountHours,name`. A minus means descending, and ties are sorted by id. */
function parseSort(
  resource: ListedResource,
  input: string | undefined,
  violations: Violations,
): readonly SortKey[] {
  const columns = queryColumns(resource)
  const sortable = columns.filter(({ isSortable }) => isSortable)
  const names = input?.split(',').map((name) => name.trim()) ?? []
  if (names.length > sortKeysMax) {
    violations.add('sort', `Sort must name at most ${sortKeysMax} fields.`)
    return []
  }
  const keys = names.flatMap((text): SortKey[] => {
    const isDescending = text.startsWith('-')
    const name = isDescending ? text.slice(1) : text
    const column = sortable.find((candidate) => candidate.name === name)
    if (!column) violations.add('sort', notSortable(resource, name, sortable))
    return column ? [{ column, isDescending }] : []
  })
  if (new Set(keys.map(({ column }) => column)).size < keys.length)
    violations.add('sort', 'Sort names a field twice.')
  const id = columns.find(({ name }) => name === 'id')
  if (!id || keys.some(({ column }) => column === id)) return keys
  // The id is sorted in the same direction as the previous key, so that one index serves both.
  return [...keys, { column: id, isDescending: keys.at(-1)?.isDescending ?? false }]
}

const notSortable = (
  { pluralTitle }: ListedResource,
  name: string,
  sortable: readonly QueryColumn[],
): string =>
  `${pluralTitle} cannot be sorted by ${name}. Sortable fields: ${sortable.map((column) => column.name).join(', ')}.`

function parsePageSize(input: string | undefined, violations: Violations): number {
  if (input === undefined) return pageSizeDefault
  const size = /^\s*\+?\d{1,9}\s*$/.test(input) ? Number(input) : 0
  if (size >= 1 && size <= pageSizeMax) return size
  violations.add('pageSize', `PageSize must be a whole number from 1 to ${pageSizeMax}.`)
  return pageSizeDefault
}

function parseCursor(
  cursorScope: string,
  sort: readonly SortKey[],
  cursor: string | undefined,
  violations: Violations,
): readonly Value[] | undefined {
  if (cursor === undefined) return undefined
  const after = cursor.length > cursorCharactersMax ? undefined : decodeCursor(cursorScope, sort, cursor)
  if (after === undefined)
    violations.add('cursor', 'Cursor was not issued for this list with this filter and sort.')
  return after
}

type QueryInput = Readonly<Record<string, unknown>>

interface ViewRow {
  readonly list: string
  readonly filter: string | null
  readonly sort: string | null
  readonly fields: string | null
  readonly expand: string | null
}

const views = [savedView, projectView]

/** Merges the keys of a query with the keys of its saved view. A key of the request takes precedence. */
export async function mergeSavedView(
  { database }: Context,
  resource: ListedResource,
  caller: Caller,
  input: QueryInput,
): Promise<{ readonly keys: QueryInput; readonly savedViewResources: readonly string[] }> {
  const { view, ...requestKeys } = input
  if (view === undefined) return { keys: input, savedViewResources: [] }
  const id = parseViewId(view)
  const queries = views.map(
    (viewResource) => sql`select list, filter, sort, fields, expand from ${tableOf(viewResource)} as row
      where row.id = ${id} and ${listedRows(viewResource, caller, 'active')}`,
  )
  const [found] = await database.query<ViewRow>(join(queries, ' union all '))
  if (!found) throw invalid({ view: ['There is no such view, or you may not see it.'] })
  const { list, ...viewKeys } = found
  if (list !== resource.plural) throw invalid({ view: [`View is for ${list}, not for ${resource.plural}.`] })
  const setViewKeys = Object.entries(viewKeys).filter(([, value]) => value !== null)
  return {
    keys: { ...Object.fromEntries(setViewKeys), ...requestKeys },
    savedViewResources: views.flatMap((viewResource) => resourcesAffecting(viewResource, caller)),
  }
}

function parseViewId(input: unknown): string {
  if (Array.isArray(input)) throw invalid({ view: ['View must be given once.'] })
  const parsed = uuid.parse(typeof input === 'string' ? input.trim() : input, 'View')
  if ('problems' in parsed) throw invalid({ view: parsed.problems })
  return parsed.value
}
