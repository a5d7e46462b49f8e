import type { ListedResource } from './define-resource.ts'

/** The keys of every list, with their permanent numbers in the Pagination of a command. */
export const pagingNumbers = {
  pageNumber: 1,
  pageSize: 2,
  sortColumn: 3,
  sortOrder: 4,
  search: 5,
  ids: 6,
} as const

/**
 * Every column that lists may be filtered by. A new filter takes the next number (`dateNumbers` has 12 and
 * 13).
 */
export const idFilterNumbers = {
  organizationId: 7,
  projectId: 8,
  assignmentId: 9,
  userId: 10,
  workflowId: 11,
  labelId: 14,
  blockedById: 15,
  parentId: 16,
} as const

export const dateNumbers = { dateFrom: 12, dateTo: 13 } as const

export type PagingKey = keyof typeof pagingNumbers
export type IdFilterName = keyof typeof idFilterNumbers
export type DateKey = keyof typeof dateNumbers

export const idFilterNames = Object.keys(idFilterNumbers) as IdFilterName[]
export const dateKeys = Object.keys(dateNumbers) as DateKey[]

export const idFilterNumberOf = (column: string): number | undefined =>
  Object.entries(idFilterNumbers).find(([name]) => name === column)?.[1]

/** The columns that rows of this resource are filtered by. */
export const idFiltersOf = ({ filters }: Pick<ListedResource, 'filters'>): string[] =>
  filters.filter((filter) => typeof filter === 'string')

export const supportsDates = ({ filters }: Pick<ListedResource, 'filters'>): boolean =>
  filters.some((filter) => typeof filter !== 'string')

/** The filters of these resources, in the order of their numbers. */
export const idFiltersOfAll = (resources: readonly ListedResource[]): string[] => {
  const filters = resources.flatMap(idFiltersOf)
  return Object.keys(idFilterNumbers).filter((name) => filters.includes(name))
}
