import { addDays } from '../../time/days.ts'

/** As they stand in the address, so that a view can be sent to somebody; both days count. */
export interface Filters {
  readonly search: string
  readonly userId: string
  readonly dateFrom: string
  readonly dateTo: string
}

export const noFilters: Filters = { search: '', userId: '', dateFrom: '', dateTo: '' }

export const readFilters = (query: URLSearchParams): Filters => ({
  search: query.get('search') ?? '',
  userId: query.get('userId') ?? '',
  dateFrom: query.get('dateFrom') ?? '',
  dateTo: query.get('dateTo') ?? '',
})

/** The interface leaves the last day out. */
export const queryOfFilters = ({ dateTo, ...others }: Filters) => ({
  ...others,
  dateTo: dateTo === '' ? '' : addDays(dateTo, 1),
})
