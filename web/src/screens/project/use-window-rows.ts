import { useEffect } from 'preact/hooks'
import { useFollowedRows } from '../../data/use-followed-rows.ts'
import { queryOfFilters } from './filters.ts'
import { useReschedule } from './use-reschedule.ts'
import type { ProjectViewProps } from './view-props.ts'

/** The assignments that touch a period, with the days they are being given. */
export function useWindowRows(
  { scope, filters, onConnection }: ProjectViewProps,
  dateFrom: string,
  dateTo: string,
) {
  const { search, userId } = queryOfFilters(filters)
  const found = useFollowedRows(
    { projectId: scope.projectId, search, userId, dateFrom, dateTo },
    { firstPageAtOnce: false },
  )
  useEffect(() => onConnection(found.connection), [found.connection])
  return { ...found, ...useReschedule(found.rows, found.put) }
}
