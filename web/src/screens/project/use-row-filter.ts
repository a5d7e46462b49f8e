import { useMemo } from 'preact/hooks'
import { useAllRows } from '../../data/use-live.ts'
import { useAllMembers } from '../../data/use-members.ts'
import { useProjectDependencies } from '../../data/use-project-dependencies.ts'
import { useProjectLabels } from '../../data/use-project-labels.ts'
import { dependsOnMembers, type Filters, matcherOf } from './filters.ts'
import type { ProjectViewProps } from './view-props.ts'

/** Returns a predicate for the filters that are not part of the query. Loads only the data that they need. */
export function useRowFilter({ projectId, doneStageIds }: ProjectViewProps['scope'], filters: Filters) {
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

/** Returns the ids of the members, which are loaded only if the filters depend on them. */
export function useMemberIds(projectId: string, filters: Filters) {
  const isNeeded = dependsOnMembers(filters)
  const { ids, isLoading } = useAllMembers(isNeeded ? projectId : undefined)
  return { ids: useMemo(() => new Set(ids), [ids.join()]), isLoading: isNeeded && isLoading }
}

export const blockedIdsOf = (
  impediments: readonly { readonly assignmentId: string }[],
  blockers: ReadonlyMap<string, unknown>,
): ReadonlySet<string> =>
  new Set([...impediments.map(({ assignmentId }) => assignmentId), ...blockers.keys()])
