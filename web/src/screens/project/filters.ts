import type { RecordOf } from '../../api/api.ts'
import { isLate, responsibleOf } from '../../data/planned.ts'
import type { Label } from '../../data/use-project-labels.ts'
import { addDays, dayOfTimestamp, today } from '../../time/days.ts'

type Row = Pick<
  RecordOf<'assignment'>,
  | ('id' | 'userId' | 'workflowId' | 'assignmentTypeId' | 'startDate' | 'endDate')
  | ('createdAt' | 'updatedAt' | 'priority' | 'isUnscheduled' | 'isUnassigned')
>

/** The filters need these in addition to the rows. */
export interface RowFacts {
  readonly labels: ReadonlyMap<string, readonly Pick<Label, 'id'>[]>
  /** Assignments that have an impediment, or wait for others that are not done. */
  readonly blockedIds: ReadonlySet<string>
  readonly doneIds: ReadonlySet<string>
  /** The members of the project; needed only if `asksForMembers`. */
  readonly memberIds: ReadonlySet<string>
}

type Matches = (row: Row, value: string, facts: RowFacts) => boolean

/** The numbers of days in which an assignment was changed last, today included. */
export const changedChoices = ['1', '7', '30'] as const

/** Stands for everyone who is responsible without being a member. */
export const nonMember = 'nonmember'

/** Finds assignments that nobody is responsible for. */
export const nobody = 'nobody'

/** Stands for the person who looks, so that a shared view shows everyone their own assignments. */
export const viewer = 'me'

/**
 * The filters that a page applies to the rows it has, because the API cannot; it can apply one person.
 * Several values of one filter are separated by commas; a hyphen before them excludes what has one of them.
 * All but the person are part of the extensions. Finished work is neither blocked nor overdue.
 */
const rowFilters = {
  userId: (row, value, { memberIds }) => passesPerson(value, responsibleOf(row), memberIds),
  /** An assignment must have all of these, or none of those that are excluded. */
  labels: ({ id }, value, { labels }) => {
    const has = (wanted: string) => labels.get(id)?.some((label) => label.id === wanted) === true
    return isExcluding(value) ? !valuesOf(value).some(has) : valuesOf(value).every(has)
  },
  /** 0 stands for none. */
  priorities: ({ priority }, value) => passes(value, String(priority ?? 0)),
  stages: ({ workflowId }, value) => passes(value, workflowId),
  types: ({ assignmentTypeId }, value) => passes(value, assignmentTypeId),
  blocked: ({ id, workflowId }, _value, { blockedIds, doneIds }) =>
    blockedIds.has(id) && !doneIds.has(workflowId),
  overdue: (row, _value, { doneIds }) => isLate(row, doneIds.has(row.workflowId)),
  /** Only those without dates. */
  dates: ({ isUnscheduled }) => isUnscheduled === true,
  changed: ({ createdAt, updatedAt }, value) =>
    changedChoices.every((days) => days !== value) ||
    dayOfTimestamp(updatedAt ?? createdAt) > addDays(today(), -Number(value)),
} satisfies Readonly<Record<string, Matches>>

type RowFilterName = keyof typeof rowFilters
const rowFilterNames = Object.keys(rowFilters) as RowFilterName[]

/** The filters in the address; an empty one lets everything pass. Both days are included. */
export type Filters = Readonly<Record<'search' | 'dateFrom' | 'dateTo' | RowFilterName, string>>

export const noFilters: Filters = {
  search: '',
  dateFrom: '',
  dateTo: '',
  userId: '',
  labels: '',
  priorities: '',
  stages: '',
  types: '',
  blocked: '',
  overdue: '',
  dates: '',
  changed: '',
}

/** An assignment may have no more labels, so more of them find nothing. */
const valuesMax = 20

/** Returns whether what is responsible passes the filter. An empty id means that no person is. */
export const passesPerson = (list: string, id: string, memberIds: ReadonlySet<string>): boolean =>
  isExcluding(list) !==
  valuesOf(list).some((value) => {
    if (id === '') return value === nobody
    return value === nonMember ? !memberIds.has(id) : value === id
  })

const exclusion = '-'

/** Returns whether the list says what assignments must not have. */
export const isExcluding = (list: string): boolean => list.startsWith(exclusion)

const passes = (list: string, value: string) => isExcluding(list) !== valuesOf(list).includes(value)

/** Turns "is" into "is not", and back. */
export const invert = (list: string): string => (isExcluding(list) ? list.slice(1) : `${exclusion}${list}`)

/** Builds a list of the same direction. Without values, it is empty. */
const listLike = (list: string, values: readonly string[]): string =>
  values.length > 0 && isExcluding(list) ? `${exclusion}${values.join()}` : values.join()

/** Returns whether the filters depend on who is a member. */
export const asksForMembers = ({ userId }: Filters): boolean => valuesOf(userId).includes(nonMember)

/** The API filters by one person. While the viewer is unknown, no person matches. */
const isQueried = (userId: string): boolean =>
  ![nonMember, nobody, viewer].includes(userId) && valuesOf(userId).length < 2 && !isExcluding(userId)

/** Replaces the viewer by their id, which views need; the address and the menu keep `me`. */
export const resolveViewer = (filters: Filters, ownId: string | undefined): Filters => ({
  ...filters,
  userId: listLike(filters.userId, [
    ...new Set(valuesOf(filters.userId).map((value) => (value === viewer ? (ownId ?? value) : value))),
  ]),
})

export const valuesOf = (list: string): readonly string[] =>
  (isExcluding(list) ? list.slice(1) : list)
    .split(',')
    .filter((value) => value !== '')
    .slice(0, valuesMax)

/** Adds a value to a list, or removes it. */
export function toggleValue(list: string, value: string): string {
  const values = valuesOf(list)
  return listLike(list, values.includes(value) ? values.filter((one) => one !== value) : [...values, value])
}

/** Without the extensions, no assignment has what their filters ask for, so they are left out. */
export function parseFilters(
  query: URLSearchParams,
  { extensions }: { readonly extensions: boolean },
): Filters {
  const names = Object.keys(noFilters).filter(
    (name) => extensions || name === 'userId' || !(name in rowFilters),
  )
  return { ...noFilters, ...Object.fromEntries(names.map((name) => [name, query.get(name) ?? ''])) }
}

/** Days in the wrong order are swapped. */
export const daysOf = ({ dateFrom, dateTo }: Filters): readonly [from: string, to: string] =>
  dateTo !== '' && dateTo < dateFrom ? [dateTo, dateFrom] : [dateFrom, dateTo]

/** Converts the filters to a query of the API, which excludes its last day. */
export function queryOfFilters(filters: Filters) {
  const { search, userId } = filters
  const [dateFrom, dateTo] = daysOf(filters)
  return {
    search,
    userId: isQueried(userId) ? userId : '',
    dateFrom,
    dateTo: dateTo === '' ? '' : addDays(dateTo, 1),
  }
}

export const isFiltered = (filters: Filters): boolean =>
  Object.values(filters).some((value: string) => value !== '')

/** Returns whether any filter is not part of the query, so that the page applies it to the rows. */
export const filtersRows = (filters: Filters): boolean =>
  rowFilterNames.some((name) => filters[name] !== '' && !(name === 'userId' && isQueried(filters.userId)))

/** Returns whether an assignment passes the filters that a page applies to its rows. */
export function matcherOf(filters: Filters, facts: RowFacts): (row: Row) => boolean {
  const chosen = rowFilterNames.filter((name) => filters[name] !== '')
  return (row) => chosen.every((name) => rowFilters[name](row, filters[name], facts))
}
