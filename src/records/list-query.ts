import { labelOf } from '../model/field.ts'
import { isLongerThan, isMissing, isStorable, timestamp, uuid } from '../model/field-kinds.ts'
import { collectViolations, parseObject, type Violations } from '../model/problem.ts'
import { isEarlier } from '../model/timestamp.ts'
import type { Listed } from '../resources/define-resource.ts'
import { filterNames } from '../resources/derived.ts'
import { dateKeys, relationNumbers, relationsOf, supportsDates } from '../resources/list-keys.ts'
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
  /** Maps columns to the ids to filter by. */
  readonly relations: Readonly<Record<string, string>>
  readonly dateFrom: string | undefined
  readonly dateTo: string | undefined
}

/** Parses flat query keys, and reports all violations at once. Unknown keys are ignored, but not filters. */
export function parseListQuery(
  listed: Listed,
  query: Readonly<Record<string, unknown>>,
  state: RowState = 'active',
): ListQuery {
  const violations = collectViolations()
  rejectRepeatedKeys(query, violations)
  const given = (key: string): unknown =>
    isMissing(query[key]) || Array.isArray(query[key]) ? undefined : query[key]
  // An empty filter is rejected rather than ignored: a client whose variable was empty would get every row.
  const filterIn = (key: string): unknown =>
    query[key] === null || Array.isArray(query[key]) ? undefined : query[key]
  const [dateFrom, dateTo] = dateKeys.map((key) => parseDate(key, filterIn(key), violations))
  if (dateFrom && dateTo && isEarlier(dateTo, dateFrom)) {
    violations.add('dateTo', 'DateTo must be on or after DateFrom.')
  }
  const wantedColumn = given('sortColumn')
  if (wantedColumn !== undefined && typeof wantedColumn !== 'string') {
    violations.add('sortColumn', 'SortColumn must be text.')
  }
  const sortColumn = parseSortColumn(listed, wantedColumn, state)
  const read: ListQuery = {
    state,
    pageNumber: parseNumber('pageNumber', given('pageNumber'), 1, pageNumberMax, violations),
    pageSize: parseNumber('pageSize', given('pageSize'), pageSizeDefault, pageSizeMax, violations),
    sortColumn,
    sortOrder: parseSortOrder(given('sortOrder'), defaultOrder(state, sortColumn), violations),
    search: parseSearch(given('search'), violations),
    ids: parseIdsFilter(filterIn('ids'), violations),
    relations: parseRelations(filterIn, violations),
    dateFrom,
    dateTo,
  }
  const supported = [...relationsOf(listed), ...(supportsDates(listed) ? dateKeys : [])]
  rejectFilters(listed, supported, filterIn, violations)
  violations.throwIfAny()
  return read
}

/** Removed rows are listed for those who may restore them, which is a write. */
export const purposeOf = (state: RowState) => (state === 'active' ? 'read' : 'write')

function rejectRepeatedKeys(query: Readonly<Record<string, unknown>>, violations: Violations) {
  for (const [key, value] of Object.entries(query)) {
    if (Array.isArray(value)) violations.add(key, `${labelOf(key)} must be given once.`)
  }
}

function parseNumber(
  key: string,
  input: unknown,
  byDefault: number,
  max: number,
  violations: Violations,
): number {
  if (input === undefined) return byDefault
  const number = typeof input === 'string' && /^\s*\+?\d{1,15}\s*$/.test(input) ? Number(input) : input
  if (typeof number === 'number' && Number.isInteger(number) && number >= 1 && number <= max) return number
  violations.add(key, `${labelOf(key)} must be a whole number from 1 to ${max}.`)
  return byDefault
}

const notUuids = 'Ids must be UUIDs separated by commas.'

/** Accepts any stored column that is no credential, ignoring case; an unknown one falls back to the id. */
function parseSortColumn({ columns, sortedBy }: Listed, input: unknown, state: RowState): string {
  if (sortedBy) return sortedBy
  if (input === undefined && state === 'removed') return 'deletedAt'
  const wanted = typeof input === 'string' ? input.trim().toLowerCase() : ''
  return columns.find((name) => name.toLowerCase() === wanted) ?? 'id'
}

type Order = ListQuery['sortOrder']

/** Users look first for what was removed last. */
const defaultOrder = (state: RowState, sortColumn: string): Order =>
  state === 'removed' && sortColumn === 'deletedAt' ? 'desc' : 'asc'

function parseSortOrder(input: unknown, byDefault: Order, violations: Violations): Order {
  const order = input === undefined ? byDefault : String(input).trim().toLowerCase()
  if (order === 'asc' || order === 'desc') return order
  violations.add('sortOrder', 'SortOrder must be ASC or DESC.')
  return byDefault
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
  const { distinct: ids, areAllUuids } = parseUuids(items)
  if (!areAllUuids || items.length === 0) violations.add('ids', notUuids)
  if (ids.length > idsMax) violations.add('ids', `Ids must contain at most ${idsMax} UUIDs.`)
  return ids
}

function parseRelations(
  given: (key: string) => unknown,
  violations: Violations,
): Readonly<Record<string, string>> {
  const relations: Record<string, string> = {}
  for (const key of Object.keys(relationNumbers)) {
    const input = given(key)
    if (input === undefined) continue
    const reading = uuid.read(typeof input === 'string' ? input.trim() : input, labelOf(key))
    if ('value' in reading) relations[key] = reading.value
    else violations.add(key, ...reading.problems)
  }
  return relations
}

function parseDate(key: string, input: unknown, violations: Violations): string | undefined {
  if (input === undefined) return undefined
  const reading = timestamp.read(typeof input === 'string' ? input.trim() : input, labelOf(key))
  if ('problems' in reading) violations.add(key, ...reading.problems)
  return 'value' in reading ? reading.value : undefined
}

/** A filter may be malformed and unsupported at once; both are then reported. */
export function rejectFilters(
  { pluralTitle, edition }: Pick<Listed, 'pluralTitle' | 'edition'>,
  supported: readonly string[],
  given: (key: string) => unknown,
  violations: Violations,
): void {
  for (const key of filterNames[edition]) {
    if (given(key) === undefined || supported.includes(key)) continue
    violations.add(key, `${pluralTitle} cannot be filtered by ${key}.`)
  }
}

/** Parses the ids of a request for several rows. Removal ignores duplicates, restore rejects them. */
export function parseIds(body: unknown, duplicates: 'ignored' | 'refused'): readonly string[] {
  const { ids } = parseObject(body)
  const violations = collectViolations()
  const given: readonly unknown[] = Array.isArray(ids) ? ids : []
  const { distinct, areAllUuids } = parseUuids(given)
  if (isMissing(ids)) violations.add('ids', 'Ids is required.')
  else if (!Array.isArray(ids)) violations.add('ids', 'Ids must be an array of UUIDs.')
  else if (!areAllUuids) violations.add('ids', 'Ids must contain UUIDs only.')
  else if (distinct.length < 1 || distinct.length > idsMax)
    violations.add('ids', `Ids must contain 1 to ${idsMax} UUIDs.`)
  else if (duplicates === 'refused' && distinct.length < given.length)
    violations.add('ids', 'Ids must be distinct.')
  violations.throwIfAny()
  return distinct
}

export interface Uuids {
  readonly distinct: readonly string[]
  readonly areAllUuids: boolean
}

/** Keeps only valid UUIDs: a compressed message of 16 KB can hold four million other items. */
export function parseUuids(items: readonly unknown[]): Uuids {
  const distinct = new Set<string>()
  let areAllUuids = true
  for (const item of items) {
    const reading = uuid.read(item, 'Ids')
    if ('value' in reading) distinct.add(reading.value)
    else areAllUuids = false
  }
  return { distinct: [...distinct], areAllUuids }
}

/**
 * Limits of the contract, section "Limits". The last page number keeps `offset` within 32 bits at the largest
 * page.
 */
export const idsMax = 100
export const pageSizeMax = 100
export const pageSizeDefault = 10
export const pageNumberMax = 21_474_836
export const searchCharactersMax = 128

/** Limits of one query: enough for realistic questions, while parsing and planning cost next to nothing. */
export const filterCharactersMax = 2000
export const filterComparisonsMax = 20
export const filterDepthMax = 5
export const filterTextCharactersMax = 256
export const sortKeysMax = 4
export const fieldNamesMax = 60
export const expansionsMax = 6
export const expansionDepthMax = 3
/** Allows four sort values and an id, at their longest. */
export const cursorCharactersMax = 6000

/** Limits of one report: as much as a person can read and a client can draw. */
export const groupingsMax = 3
export const groupsMax = 1000
/** Limits the items of a batch, and the rows that its removals and restores name. */
export const batchItemsMax = 1000
/** Each takes a tenth of a second of a core, before anything is written. */
export const batchPasswordsMax = 10
export const labelCharactersMax = 64
