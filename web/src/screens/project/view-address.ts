import { addDays, isDay } from '../../time/days.ts'
import { asksForMembers, daysOf, type Filters, isExcluding, nobody, valuesOf, viewer } from './filters.ts'

/** Names the saved view that was opened, so that the page knows which one was changed. */
export const viewParameter = 'saved'

/** The place where the user is, which a saved view does not keep. */
const passingParameters = [viewParameter, 'month', 'from', 'full']

/** Returns the query of the address that a saved view keeps, the same for each order of its parameters. */
export function queryOfView(parameters: URLSearchParams): string {
  const query = new URLSearchParams(parameters)
  for (const name of passingParameters) query.delete(name)
  query.sort()
  return query.size === 0 ? '' : `?${query}`
}

/** Returns whether a query says more than one of the views that every project has. */
export function isWorthSaving(query: string): boolean {
  const names = new Set(new URLSearchParams(query).keys())
  names.delete('view')
  return names.size > 0
}

/** Ids and priorities. The address may have anything else, which the syntax could not quote. */
const plainValue = /^[\da-f-]{1,36}$/i

/** The filters in the syntax of queries, as far as it can say them, so that programs can use a saved view, too. */
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
  const hasNobody = valuesOf(filters.userId).includes(nobody) ? 'isUnassigned eq true' : ''
  return [
    `projectId eq ${quote(projectId)}`,
    asksForMembers(filters) ? '' : withDirection(filters.userId, anyOf(hasPerson, hasNobody)),
    withDirection(filters.stages, idIsOneOf('workflowId', filters.stages)),
    withDirection(filters.types, idIsOneOf('assignmentTypeId', filters.types)),
    withDirection(filters.priorities, anyOf(hasPriority, hasNone)),
    filters.dates === '' ? '' : 'isUnscheduled eq true',
    isDay(from) ? `endDate ge ${quote(from)}` : '',
    isDay(to) ? `startDate lt ${quote(addDays(to, 1))}` : '',
  ]
    .filter((part) => part !== '')
    .join(' and ')
}

const withDirection = (list: string, filter: string): string =>
  filter && isExcluding(list) ? `not (${filter})` : filter

const anyOf = (one: string, other: string): string => (one && other ? `(${one} or ${other})` : one || other)

const plainValuesOf = (list: string): readonly string[] =>
  valuesOf(list).filter((value) => plainValue.test(value))
