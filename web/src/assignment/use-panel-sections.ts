import { limits } from '#tracker-client'
import { catalogQuery, useListing } from '../data/use-listing.ts'
import { useAllRows } from '../data/use-live.ts'
import { useKnownPeople } from '../data/use-members.ts'
import { useServices } from '../services/services.ts'

export type PanelSections = ReturnType<typeof usePanelSections>

/**
 * Loads the related data of an assignment at once and shows it together: each list that arrives later would push down those below
 * it.
 */
export function usePanelSections(assignmentId: string) {
  const { extensions } = useServices().configuration
  const appointments = useAllRows('appointment', { assignmentId, sortColumn: 'keepDate', sortOrder: 'DESC' })
  const impediments = useListing('assignmentImpediment', {
    assignmentId,
    sortColumn: 'createdAt',
    pageSize: 100,
  })
  const kinds = useListing('impediment', catalogQuery)
  const helpers = useListing('userAssignment', { assignmentId, pageSize: 100 })
  // The newest come first, because only so many are loaded.
  const comments = useListing(
    'comment',
    extensions
      ? { assignmentId, sortColumn: 'createdAt', sortOrder: 'DESC', pageSize: limits.pageSize }
      : undefined,
  )
  const isComplete = [appointments, impediments, kinds, helpers, ...(extensions ? [comments] : [])].every(
    ({ isLoading }) => !isLoading,
  )
  const userIds = [appointments, helpers, comments].flatMap(({ rows }) => rows.map(({ userId }) => userId))
  const areKnown = useKnownPeople([...new Set(userIds)], isComplete)
  return { appointments, impediments, kinds, helpers, comments, areKnown }
}
