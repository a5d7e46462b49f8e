import type { RecordOf } from '../../api/api.ts'
import type { Label } from '../../data/use-project-labels.ts'
import { addDays, dayOf, dayOfTimestamp, today } from '../../time/days.ts'

type Row = Pick<
  RecordOf<'assignment'>,
  'id' | 'workflowId' | 'assignmentTypeId' | 'endDate' | 'createdAt' | 'updatedAt' | 'priority'
>

/** The filters need these in addition to the rows. */
export interface RowFacts {
  readonly labels: ReadonlyMap<string, readonly Pick<Label, 'id'>[]>
  /** Assignments that have an impediment, or wait for others that are not done. */
  readonly blockedIds: ReadonlySet<string>
  readonly doneIds: ReadonlySet<string>
}

type Matches = (row: Row, value: string, facts: RowFacts) => boolean

/** The numbers of days in which an assignment was changed last, today included. */
export const changedChoices = ['1', '7', '30'] as const

/**
 * The filters that a page applies to the rows it has, because the API cannot. Several values of one filter are separated by commas.
 * Part of the extensions. Finished work is neither blocked nor overdue.
 */
const rowFilters = {
  /** An assignment must have all of these. */
  labels: ({ id }, value, { labels }) =>
    valuesOf(value).every((wanted) => labels.get(id)?.some((label) => label.id === wanted)),
  /** 0 stands for none. */
  priorities: ({ priority }, value) => valuesOf(value).includes(String(priority ?? 0)),
  stages: ({ workflowId }, value) => valuesOf(value).includes(workflowId),
  types: ({ assignmentTypeId }, value) => valuesOf(value).includes(assignmentTypeId),
  blocked: ({ id, workflowId }, _value, { blockedIds, doneIds }) =>
    blockedIds.has(id) && !doneIds.has(workflowId),
  overdue: ({ endDate, workflowId }, _value, { doneIds }) =>
    dayOf(endDate) < today() && !doneIds.has(workflowId),
  changed: ({ createdAt, updatedAt }, value) =>
    changedChoices.every((days) => days !== value) ||
    dayOfTimestamp(updatedAt ?? createdAt) > addDays(today(), -Number(value)),
} satisfies Readonly<Record<string, Matches>>

type RowFilterName = keyof typeof rowFilters
const rowFilterNames = Object.keys(rowFilters) as RowFilterName[]

/** The filters in the address; an empty one lets everything pass. Both days are included. */
export type Filters = Readonly<Record<'search' | 'userId' | 'dateFrom' | 'dateTo' | RowFilterName, string>>

export const noFilters: Filters = {
  search: '',
  userId: '',
  dateFrom: '',
  dateTo: '',
  labels: '',
  priorities: '',
  stages: '',
  types: '',
  blocked: '',
  overdue: '',
  changed: '',
}

/** An assignment may have no more labels, so more of them find nothing. */
const valuesMax = 20

export const valuesOf = (list: string): readonly string[] =>
  list
    .split(',')
    .filter((value) => value !== '')
    .slice(0, valuesMax)

/** Adds a value to a list, or removes it. */
export function toggleValue(list: string, value: string): string {
  const values = valuesOf(list)
  return (values.includes(value) ? values.filter((one) => one !== value) : [...values, value]).join()
}

/** Without the extensions, no assignment has what their filters ask for, so they are left out. */
export function parseFilters(
  query: URLSearchParams,
  { extensions }: { readonly extensions: boolean },
): Filters {
  const names = Object.keys(noFilters).filter((name) => extensions || !(name in rowFilters))
  return { ...noFilters, ...Object.fromEntries(names.map((name) => [name, query.get(name) ?? ''])) }
}

/** Converts the filters to a query of the API, which excludes its last day. Days in the wrong order are swapped. */
export function queryOfFilters({ search, userId, dateFrom, dateTo }: Filters) {
  const isReversed = dateFrom !== '' && dateTo !== '' && dateTo < dateFrom
  const [from, to] = isReversed ? [dateTo, dateFrom] : [dateFrom, dateTo]
  return { search, userId, dateFrom: from, dateTo: to === '' ? '' : addDays(to, 1) }
}

export const isFiltered = (filters: Filters): boolean =>
  Object.values(filters).some((value: string) => value !== '')

/** Returns whether any filter is not part of the query, so that the page applies it to the rows. */
export const filtersRows = (filters: Filters): boolean => rowFilterNames.some((name) => filters[name] !== '')

/** The number of values that the page applies to the rows. */
export const countRowFilters = (filters: Filters): number =>
  rowFilterNames.reduce((count, name) => count + valuesOf(filters[name]).length, 0)

/** Returns whether an assignment passes the filters that are not part of the query. */
export function matcherOf(filters: Filters, facts: RowFacts): (row: Row) => boolean {
  const chosen = rowFilterNames.filter((name) => filters[name] !== '')
  return (row) => chosen.every((name) => rowFilters[name](row, filters[name], facts))
}
