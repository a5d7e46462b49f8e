import { addDays, isDay } from '../../time/days.ts'
import {
  daysOf,
  dependsOnMembers,
  type Filters,
  isExcluding,
  noFilters,
  unassigned,
  valuesOf,
  viewer,
} from './filters.ts'

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
 * Returns the filters in the syntax of the API, as far as it supports them, so that any client can use a
 * view.
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
