import type { RecordOf } from '../../api/api.ts'
import type { Label } from '../../data/use-project-labels.ts'
import { addDays } from '../../time/days.ts'

/** The filters in the address. Both days are included. */
export interface Filters {
  readonly search: string
  readonly userId: string
  readonly dateFrom: string
  readonly dateTo: string
  /** Ids separated by commas; an assignment must have all of them. Part of the extensions, like those below. */
  readonly labels: string
  /** Priorities separated by commas, 0 for none; an assignment must have one of them. */
  readonly priorities: string
  /** Not empty for assignments that have an impediment, or wait for others. */
  readonly blocked: string
}

export const noFilters: Filters = {
  search: '',
  userId: '',
  dateFrom: '',
  dateTo: '',
  labels: '',
  priorities: '',
  blocked: '',
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
  const [extended, common] = [extensions ? query : new URLSearchParams(), query]
  return {
    search: common.get('search') ?? '',
    userId: common.get('userId') ?? '',
    dateFrom: common.get('dateFrom') ?? '',
    dateTo: common.get('dateTo') ?? '',
    labels: extended.get('labels') ?? '',
    priorities: extended.get('priorities') ?? '',
    blocked: extended.get('blocked') ?? '',
  }
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
export const filtersRows = ({ labels, priorities, blocked }: Filters): boolean =>
  [labels, priorities, blocked].some((value) => value !== '')

type Row = Pick<RecordOf<'assignment'>, 'id' | 'workflowId' | 'priority'>

/** The filters need these in addition to the rows. */
export interface RowFacts {
  readonly labels: ReadonlyMap<string, readonly Pick<Label, 'id'>[]>
  /** Assignments that have an impediment, or wait for others that are not done. */
  readonly blockedIds: ReadonlySet<string>
  readonly doneIds: ReadonlySet<string>
}

/** Returns whether an assignment passes the filters that are not part of the query. Finished work is not blocked. */
export function matcherOf(
  filters: Filters,
  { labels, blockedIds, doneIds }: RowFacts,
): (row: Row) => boolean {
  const [wantedLabels, wantedPriorities] = [valuesOf(filters.labels), valuesOf(filters.priorities)]
  return ({ id, workflowId, priority }) => {
    const present = labels.get(id)
    return (
      wantedLabels.every((wanted) => present?.some((label) => label.id === wanted)) &&
      (wantedPriorities.length === 0 || wantedPriorities.includes(String(priority ?? 0))) &&
      (filters.blocked === '' || (blockedIds.has(id) && !doneIds.has(workflowId)))
    )
  }
}
