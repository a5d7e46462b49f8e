import type { RecordOf } from '../../api/api.ts'
import { isLate, responsibleOf } from '../../data/assignments.ts'
import type { Label } from '../../data/project-links.ts'
import { addDays, dayOfTimestamp, isDay, today } from '../../time/days.ts'

type Row = Pick<
  RecordOf<'assignment'>,
  | ('id' | 'userId' | 'workflowId' | 'assignmentTypeId' | 'startDate' | 'endDate')
  | ('createdAt' | 'updatedAt' | 'priority' | 'isUnscheduled' | 'isUnassigned')
>

/** The data that the filters need in addition to a row. */
interface RowFacts {
  readonly labels: ReadonlyMap<string, readonly Pick<Label, 'id'>[]>
  /** Assignments that have an impediment or wait for other assignments. */
  readonly blockedIds: ReadonlySet<string>
  readonly doneStageIds: ReadonlySet<string>
  /** The members of the project. They are needed only if `dependsOnMembers` returns true. */
  readonly memberIds: ReadonlySet<string>
}

type Matches = (row: Row, value: string, facts: RowFacts) => boolean

/** The choices for the number of days since the last change, including today. */
export const changedChoices = ['1', '7', '30'] as const

/** Matches responsible users who are not members of the project. */
export const nonMember = 'nonmember'

/** Matches assignments without a responsible user. Saved views contain this word. */
export const unassigned = 'nobody'

/** Matches the current user, so that a shared view shows each user their own assignments. */
export const viewer = 'me'

/**
 * The filters that the client applies to rows. Lists of the API support only `userId` with a single user.
 * Values are separated by commas. A hyphen before them excludes assignments that have one of the values.
 */
const rowFilters = {
  userId: (row, value, { memberIds }) => passesPerson(value, responsibleOf(row), memberIds),
  /**
   * An assignment must have all labels of the list. If the labels are excluded, it must have none of them.
   */
  labels: ({ id }, value, { labels }) => {
    const has = (wanted: string) => labels.get(id)?.some((label) => label.id === wanted) === true
    return isExcluding(value) ? !valuesOf(value).some(has) : valuesOf(value).every(has)
  },
  /** 0 stands for no priority. */
  priorities: ({ priority }, value) => passes(value, String(priority ?? 0)),
  stages: ({ workflowId }, value) => passes(value, workflowId),
  types: ({ assignmentTypeId }, value) => passes(value, assignmentTypeId),
  blocked: ({ id, workflowId }, _value, { blockedIds, doneStageIds }) =>
    blockedIds.has(id) && !doneStageIds.has(workflowId),
  overdue: (row, _value, { doneStageIds }) => isLate(row, doneStageIds.has(row.workflowId)),
  /** Every value matches only assignments without dates. */
  dates: ({ isUnscheduled }) => isUnscheduled === true,
  changed: ({ createdAt, updatedAt }, value) =>
    changedChoices.every((days) => days !== value) ||
    dayOfTimestamp(updatedAt ?? createdAt) > addDays(today(), -Number(value)),
} satisfies Readonly<Record<string, Matches>>

type RowFilterName = keyof typeof rowFilters
const rowFilterNames = Object.keys(rowFilters) as RowFilterName[]

/**
 * The filters in the address. An empty filter matches everything. The period includes `dateFrom` and
 * `dateTo`.
 */
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

/** An assignment has at most this many labels. Further values are ignored. */
const valuesMax = 20

/** Returns whether the responsible user passes the filter. The id is empty if there is none. */
export const passesPerson = (list: string, id: string, memberIds: ReadonlySet<string>): boolean =>
  isExcluding(list) !==
  valuesOf(list).some((value) => {
    if (id === '') return value === unassigned
    return value === nonMember ? !memberIds.has(id) : value === id
  })

const exclusionPrefix = '-'

/** Returns whether the list excludes its values. */
export const isExcluding = (list: string): boolean => list.startsWith(exclusionPrefix)

const passes = (list: string, value: string) => isExcluding(list) !== valuesOf(list).includes(value)

/** Converts "is" to "is not" and vice versa. */
export const invert = (list: string): string =>
  isExcluding(list) ? list.slice(1) : `${exclusionPrefix}${list}`

/** Joins values to a list. The new list excludes its values if `list` does. */
const listLike = (list: string, values: readonly string[]): string =>
  values.length > 0 && isExcluding(list) ? `${exclusionPrefix}${values.join()}` : values.join()

export const dependsOnMembers = ({ userId }: Filters): boolean => valuesOf(userId).includes(nonMember)

/** Returns whether a list of the API can apply the filter. It supports only a single user. */
const isQueried = (userId: string): boolean =>
  ![nonMember, unassigned, viewer].includes(userId) && valuesOf(userId).length < 2 && !isExcluding(userId)

/** Replaces `me` by the id of the current user. The address and the menu keep `me`. */
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

/** Adds the value to the list, or removes it from the list. */
export function toggleValue(list: string, value: string): string {
  const values = valuesOf(list)
  return listLike(
    list,
    values.includes(value) ? values.filter((chosen) => chosen !== value) : [...values, value],
  )
}

/** Parses the query of the address. Filters of the extensions are ignored if the extensions are off. */
export function parseFilters(
  query: URLSearchParams,
  { extensions }: { readonly extensions: boolean },
): Filters {
  const names = Object.keys(noFilters).filter(
    (name) => extensions || name === 'userId' || !(name in rowFilters),
  )
  return { ...noFilters, ...Object.fromEntries(names.map((name) => [name, query.get(name) ?? ''])) }
}

/** Returns both days, swapped if they are in the wrong order. */
export const daysOf = ({ dateFrom, dateTo }: Filters): readonly [from: string, to: string] =>
  dateTo !== '' && dateTo < dateFrom ? [dateTo, dateFrom] : [dateFrom, dateTo]

/** Converts the filters to the query of a list. The period of the API excludes its last day. */
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

/** Returns whether the client has to apply any filter to the rows. */
export const hasRowFilters = (filters: Filters): boolean =>
  rowFilterNames.some((name) => filters[name] !== '' && !(name === 'userId' && isQueried(filters.userId)))

/** Returns a predicate with the filters that the client applies. */
export function matcherOf(filters: Filters, facts: RowFacts): (row: Row) => boolean {
  const activeNames = rowFilterNames.filter((name) => filters[name] !== '')
  return (row) => activeNames.every((name) => rowFilters[name](row, filters[name], facts))
}

/** The parameter with the id of the saved view that was opened, so that it stays current after changes. */
export const viewParameter = 'saved'

const anyValue = { includes: () => true }

/**
 * The parameters that a saved view stores in addition to the filters, and their values. Other parameters
 * contain the position of the user, or have no effect.
 */
const storedParameters: Readonly<Record<string, { includes(value: string): boolean }>> = {
  view: ['list', 'calendar', 'timeline'],
  zoom: ['week', 'month', 'quarter'],
  order: anyValue,
  sort: anyValue,
  group: anyValue,
  columns: anyValue,
}

const isStored = ([name, value]: readonly [string, string]): boolean =>
  Object.hasOwn(noFilters, name) ||
  (Object.hasOwn(storedParameters, name) && storedParameters[name]?.includes(value) === true)

/** Returns the query that a saved view stores, with sorted parameters, so that queries can be compared. */
export function queryOfView(parameters: URLSearchParams): string {
  const query = new URLSearchParams([...parameters].filter(isStored))
  query.sort()
  return query.size === 0 ? '' : `?${query}`
}

/** Returns whether a query has other parameters than `view`, whose views every project has anyway. */
export function isWorthSaving(query: string): boolean {
  const names = new Set(new URLSearchParams(query).keys())
  names.delete('view')
  return names.size > 0
}

/** Matches ids and priorities. The address may contain other values, whose quotes could break the filter. */
const plainValue = /^[\da-f-]{1,36}$/i

/**
 * Returns the filters in the syntax of `/ext/query/`, as far as it supports them, so that any client can use
 * a view.
 */
export function filterTextOf(filters: Filters, projectId: string): string {
  const [from, to] = daysOf(filters)
  const quote = (text: string) => `'${text}'`
  const isOneOf = (field: string, values: readonly string[]) =>
    values.length === 0 ? '' : `${field} in (${values.join(', ')})`
  const idIsOneOf = (field: string, list: string) => isOneOf(field, plainValuesOf(list).map(quote))
  const people = valuesOf(filters.userId).flatMap((id) =>
    id === viewer ? viewer : plainValuesOf(id).map(quote),
  )
  const priorities = plainValuesOf(filters.priorities)
  const hasPriority = isOneOf(
    'priority',
    priorities.filter((value) => value !== '0'),
  )
  const hasNone = priorities.includes('0') ? 'priority eq null' : ''
  const hasPerson = isOneOf('userId', people)
  const hasNoPerson = valuesOf(filters.userId).includes(unassigned) ? 'isUnassigned eq true' : ''
  return [
    `projectId eq ${quote(projectId)}`,
    dependsOnMembers(filters) ? '' : withNegation(filters.userId, anyOf(hasPerson, hasNoPerson)),
    withNegation(filters.stages, idIsOneOf('workflowId', filters.stages)),
    withNegation(filters.types, idIsOneOf('assignmentTypeId', filters.types)),
    withNegation(filters.priorities, anyOf(hasPriority, hasNone)),
    filters.dates === '' ? '' : 'isUnscheduled eq true',
    isDay(from) ? `endDate ge ${quote(from)}` : '',
    isDay(to) ? `startDate lt ${quote(addDays(to, 1))}` : '',
  ]
    .filter((part) => part !== '')
    .join(' and ')
}

const withNegation = (list: string, filter: string): string =>
  filter && isExcluding(list) ? `not (${filter})` : filter

const anyOf = (a: string, b: string): string => (a && b ? `(${a} or ${b})` : a || b)

const plainValuesOf = (list: string): readonly string[] =>
  valuesOf(list).filter((value) => plainValue.test(value))
