import { capitalize } from '../model/field.ts'
import { isEarlier, isLongerThan, isNullOrBlank, isStorable, timestamp, uuid } from '../model/field-kinds.ts'
import { collectViolations, parseObject, type Violations } from '../model/problem.ts'
import { resourceNamed, resourceNames } from '../resources/all.ts'
import {
  dateKeys,
  idFilterNames,
  idFiltersOf,
  type ListedResource,
  type Resource,
  supportsDates,
} from '../resources/define-resource.ts'
import { filterNames } from '../resources/derived.ts'
import type { RowState } from './visible-rows.ts'

/** A parsed list query within its limits. */
export interface ListQuery {
  readonly state: RowState
  readonly pageNumber: number
  readonly pageSize: number
  readonly sortColumn: string
  readonly sortOrder: 'asc' | 'desc'
  readonly search: string | undefined
  readonly ids: readonly string[] | undefined
  /** Maps each filtered reference to the id that it must have. */
  readonly idFilters: Readonly<Record<string, string>>
  readonly dateFrom: string | undefined
  readonly dateTo: string | undefined
}

/**
 * Parses flat query keys, and reports all violations together. Ignores unknown keys, but rejects filters that
 * the resource does not support.
 */
export function parseListQuery(
  resource: ListedResource,
  query: Readonly<Record<string, unknown>>,
  state: RowState = 'active',
): ListQuery {
  const violations = collectViolations()
  rejectRepeatedKeys(query, violations)
  const queryValue = (key: string) => valueUnlessBlank(query, key)
  // An empty filter is an error, because a client with an empty variable would get every row.
  const filterValue = (key: string): unknown =>
    query[key] === null || Array.isArray(query[key]) ? undefined : query[key]
  const [dateFrom, dateTo] = dateKeys.map((key) => parseDate(key, filterValue(key), violations))
  if (dateFrom && dateTo && isEarlier(dateTo, dateFrom)) {
    violations.add('dateTo', 'DateTo must be on or after DateFrom.')
  }
  const requestedColumn = queryValue('sortColumn')
  if (requestedColumn !== undefined && typeof requestedColumn !== 'string') {
    violations.add('sortColumn', 'SortColumn must be text.')
  }
  const sortColumn = parseSortColumn(resource, requestedColumn, state)
  const parsed: ListQuery = {
    state,
    pageNumber: parsePaging('pageNumber', queryValue('pageNumber'), 1, pageNumberMax, violations),
    pageSize: parsePaging('pageSize', queryValue('pageSize'), pageSizeDefault, pageSizeMax, violations),
    sortColumn,
    sortOrder: parseSortOrder(queryValue('sortOrder'), defaultOrder(state, sortColumn), violations),
    search: parseSearch(queryValue('search'), violations),
    ids: parseIdsFilter(filterValue('ids'), violations),
    idFilters: parseIdFilters(resource, filterValue, violations),
    dateFrom,
    dateTo,
  }
  const supported = [...idFiltersOf(resource), ...(supportsDates(resource) ? dateKeys : [])]
  rejectUnsupportedFilters(resource, supported, filterValue, violations)
  violations.throwIfAny()
  return parsed
}

/** Only callers who may restore rows may list removed rows. This requires write access. */
export const purposeOf = (state: RowState) => (state === 'active' ? 'read' : 'write')

function parsePaging(
  key: string,
  input: unknown,
  defaultValue: number,
  max: number,
  violations: Violations,
): number {
  if (input === undefined) return defaultValue
  // A double represents every integer of 15 digits exactly.
  const number = typeof input === 'string' && /^\s*\+?\d{1,15}\s*$/.test(input) ? Number(input) : input
  if (typeof number === 'number' && Number.isInteger(number) && number >= 1 && number <= max) return number
  violations.add(key, `${capitalize(key)} must be a whole number from 1 to ${max}.`)
  return defaultValue
}

const notUuids = 'Ids must be UUIDs separated by commas.'

/** Accepts any serialized column, ignoring case. An unknown one falls back to the id. */
function parseSortColumn(
  { columns, fixedSortColumn }: ListedResource,
  input: unknown,
  state: RowState,
): string {
  if (fixedSortColumn) return fixedSortColumn
  if (input === undefined && state === 'removed') return 'deletedAt'
  const requested = typeof input === 'string' ? input.trim().toLowerCase() : ''
  return columns.find((name) => name.toLowerCase() === requested) ?? 'id'
}

type Order = ListQuery['sortOrder']

/** A list of removed rows begins with those that were removed last. */
const defaultOrder = (state: RowState, sortColumn: string): Order =>
  state === 'removed' && sortColumn === 'deletedAt' ? 'desc' : 'asc'

function parseSortOrder(input: unknown, defaultSortOrder: Order, violations: Violations): Order {
  const order = input === undefined ? defaultSortOrder : String(input).trim().toLowerCase()
  if (order === 'asc' || order === 'desc') return order
  violations.add('sortOrder', 'SortOrder must be ASC or DESC.')
  return defaultSortOrder
}

function parseSearch(input: unknown, violations: Violations): string | undefined {
  if (input === undefined) return undefined
  if (typeof input !== 'string') {
    violations.add('search', 'Search must be text.')
    return undefined
  }
  const search = input.trim()
  if (!isStorable(search)) violations.add('search', 'Search contains a character that cannot be stored.')
  else if (isLongerThan(search, searchCharactersMax)) {
    violations.add('search', `Search must be at most ${searchCharactersMax} characters.`)
  }
  return search
}

function parseIdsFilter(input: unknown, violations: Violations): readonly string[] | undefined {
  if (input === undefined) return undefined
  if (typeof input !== 'string') {
    violations.add('ids', notUuids)
    return undefined
  }
  const items = input
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '')
  const { distinct: ids, areAllUuids } = collectUuids(items)
  if (!areAllUuids || items.length === 0) violations.add('ids', notUuids)
  if (ids.length > idsMax) violations.add('ids', `Ids must contain at most ${idsMax} UUIDs.`)
  return ids
}

function parseIdFilters(
  { shownIn }: ListedResource,
  filterValue: (key: string) => unknown,
  violations: Violations,
): Readonly<Record<string, string>> {
  const idFilters: Record<string, string> = {}
  for (const key of idFilterNames) {
    const input = filterNames[shownIn].has(key) ? filterValue(key) : undefined
    if (input === undefined) continue
    const parsed = uuid.parse(typeof input === 'string' ? input.trim() : input, capitalize(key))
    if ('value' in parsed) idFilters[key] = parsed.value
    else violations.add(key, ...parsed.problems)
  }
  return idFilters
}

function parseDate(key: string, input: unknown, violations: Violations): string | undefined {
  if (input === undefined) return undefined
  const parsed = timestamp.parse(typeof input === 'string' ? input.trim() : input, capitalize(key))
  if ('problems' in parsed) violations.add(key, ...parsed.problems)
  return 'value' in parsed ? parsed.value : undefined
}

/** Reports filters that the resource does not support, even if they are also malformed. */
export function rejectUnsupportedFilters(
  { pluralTitle, shownIn }: Pick<ListedResource, 'pluralTitle' | 'shownIn'>,
  supported: readonly string[],
  filterValue: (key: string) => unknown,
  violations: Violations,
): void {
  for (const key of filterNames[shownIn]) {
    if (filterValue(key) === undefined || supported.includes(key)) continue
    violations.add(key, `${pluralTitle} cannot be filtered by ${key}.`)
  }
}

interface ParseIdsOptions {
  readonly duplicates: 'ignored' | 'rejected'
}

/**
 * Parses the ids of a request for several rows. The contract ignores duplicates in a removal and rejects them
 * in a restore.
 */
export function parseIds(body: unknown, { duplicates }: ParseIdsOptions): readonly string[] {
  const { ids } = parseObject(body)
  const violations = collectViolations()
  const items: readonly unknown[] = Array.isArray(ids) ? ids : []
  const { distinct, areAllUuids } = collectUuids(items)
  if (isNullOrBlank(ids)) violations.add('ids', 'Ids is required.')
  else if (!Array.isArray(ids)) violations.add('ids', 'Ids must be an array of UUIDs.')
  else if (!areAllUuids) violations.add('ids', 'Ids must contain UUIDs only.')
  else if (distinct.length < 1 || distinct.length > idsMax)
    violations.add('ids', `Ids must contain 1 to ${idsMax} UUIDs.`)
  else if (duplicates === 'rejected' && distinct.length < items.length)
    violations.add('ids', 'Ids must be distinct.')
  violations.throwIfAny()
  return distinct
}

interface Uuids {
  readonly distinct: readonly string[]
  readonly areAllUuids: boolean
}

/**
 * Invalid items are not collected, because a compressed message of 16 KB can contain four million of them.
 */
export function collectUuids(items: readonly unknown[]): Uuids {
  const distinct = new Set<string>()
  let areAllUuids = true
  for (const item of items) {
    const parsed = uuid.parse(item, 'Ids')
    if ('value' in parsed) distinct.add(parsed.value)
    else areAllUuids = false
  }
  return { distinct: [...distinct], areAllUuids }
}

/**
 * Limits of the contract, section "Limits". With the largest page, the largest page number keeps `offset`
 * within 32 bits.
 */
export const idsMax = 100
export const pageSizeMax = 100
export const pageSizeDefault = 10
export const pageNumberMax = 21_474_836
export const searchCharactersMax = 128

/** Returns the value of a key that is given once and not blank. */
export const valueUnlessBlank = (query: Readonly<Record<string, unknown>>, key: string): unknown =>
  isNullOrBlank(query[key]) || Array.isArray(query[key]) ? undefined : query[key]

export function rejectRepeatedKeys(query: Readonly<Record<string, unknown>>, violations: Violations): void {
  for (const [key, value] of Object.entries(query))
    if (Array.isArray(value)) violations.add(key, `${capitalize(key)} must be given once.`)
}

// Each parser below takes the value of one key. If the value is invalid, it adds a violation.

export function parseResource(input: unknown, violations: Violations): Resource | undefined {
  if (input === undefined) return undefined
  const name = typeof input === 'string' ? input.trim() : input
  if (resourceNames.some((resourceName) => resourceName === name)) return resourceNamed(name as string)
  violations.add('resource', `Resource must be one of ${resourceNames.join(', ')}.`)
  return undefined
}

export function parseUuid(key: string, input: unknown, violations: Violations): string | undefined {
  if (input === undefined) return undefined
  const parsed = uuid.parse(typeof input === 'string' ? input.trim() : input, capitalize(key))
  if ('value' in parsed) return parsed.value
  violations.add(key, ...parsed.problems)
  return undefined
}

export function parseNumber(
  key: string,
  input: unknown,
  max: number,
  violations: Violations,
): number | undefined {
  if (input === undefined) return undefined
  const number = typeof input === 'string' && /^\d{1,16}$/.test(input.trim()) ? Number(input) : input
  if (typeof number === 'number' && Number.isInteger(number) && number >= 1 && number <= max) return number
  violations.add(key, `${capitalize(key)} must be a whole number from 1 to ${max}.`)
  return undefined
}

/** Parses one or several of these names, separated by commas. */
export function parseNames(
  key: string,
  input: unknown,
  allowed: readonly string[],
  violations: Violations,
): readonly string[] | undefined {
  if (input === undefined) return undefined
  const names = String(input)
    .split(',')
    .map((name) => name.trim())
  if (names.every((name) => allowed.includes(name))) return [...new Set(names)]
  violations.add(key, `${capitalize(key)} must be one or several of ${allowed.join(', ')}.`)
  return undefined
}

export function parseBoolean(key: string, input: unknown, violations: Violations): boolean {
  if (input !== undefined && input !== 'true' && input !== 'false')
    violations.add(key, `${capitalize(key)} must be true or false.`)
  return input === 'true'
}
