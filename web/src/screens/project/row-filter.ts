import { useMemo } from 'preact/hooks'
import { useProjectDependencies, useProjectLabels } from '../../data/project-links.ts'
import { useAllRows } from '../../data/use-listing.ts'
import { type Filters, matcherOf } from './filters.ts'
import type { ProjectScope } from './name-lookup.ts'
import { blockedIdsOf, useMemberIds } from './project-view.tsx'

/** Returns a predicate for the filters that the API does not apply. Loads only the data that they need. */
export function useRowFilter({ projectId, doneStageIds }: ProjectScope, filters: Filters) {
  const needsBlocked = filters.blocked !== ''
  const labels = useProjectLabels(filters.labels === '' ? undefined : projectId)
  const dependencies = useProjectDependencies(needsBlocked ? projectId : undefined, doneStageIds)
  const impediments = useAllRows('assignmentImpediment', needsBlocked ? {} : undefined, { live: true })
  const members = useMemberIds(projectId, filters)
  const { blockers } = dependencies
  const { byAssignment } = labels
  const matches = useMemo(() => {
    const blockedIds = blockedIdsOf(impediments.rows, blockers)
    return matcherOf(filters, { labels: byAssignment, blockedIds, doneStageIds, memberIds: members.ids })
  }, [JSON.stringify(filters), byAssignment, impediments.rows, blockers, doneStageIds, members.ids])
  return {
    matches,
    memberIds: members.ids,
    isLoading:
      labels.isLoading ||
      members.isLoading ||
      (needsBlocked && (dependencies.isLoading || impediments.isLoading)),
  }
}
