import { addDays } from '../../time/days.ts'

/** The filters in the address. Both days are included. */
export interface Filters {
  readonly search: string
  readonly userId: string
  readonly dateFrom: string
  readonly dateTo: string
}

export const noFilters: Filters = { search: '', userId: '', dateFrom: '', dateTo: '' }

export const parseFilters = (query: URLSearchParams): Filters => ({
  search: query.get('search') ?? '',
  userId: query.get('userId') ?? '',
  dateFrom: query.get('dateFrom') ?? '',
  dateTo: query.get('dateTo') ?? '',
})

/** Converts the filters to a query of the API, which excludes its last day. Days in the wrong order are swapped. */
export function queryOfFilters({ dateFrom, dateTo, ...others }: Filters) {
  const isReversed = dateFrom !== '' && dateTo !== '' && dateTo < dateFrom
  const [from, to] = isReversed ? [dateTo, dateFrom] : [dateFrom, dateTo]
  return { ...others, dateFrom: from, dateTo: to === '' ? '' : addDays(to, 1) }
}

export const isFiltered = (filters: Filters): boolean =>
  Object.values(filters).some((value: string) => value !== '')
