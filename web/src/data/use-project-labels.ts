import { useMemo } from 'preact/hooks'
import type { RecordOf } from '../api/api.ts'
import { useServices } from '../services/services.ts'
import { useAllRows } from './use-live.ts'
import { useProjectLinks } from './use-project-links.ts'

export type Label = RecordOf<'label'>
type Link = RecordOf<'assignmentLabel'>

/** The labels of each assignment, sorted by name. */
export type LabelsByAssignment = ReadonlyMap<string, readonly Label[]>

/**
 * Returns the labels on all assignments of a project. Without a project or without the extensions there are
 * none.
 */
export function useProjectLabels(projectId: string | undefined, onlyNewest = false) {
  const { configuration } = useServices()
  const scope = configuration.extensions ? projectId : undefined
  const labels = useAllRows('label', scope === undefined ? undefined : labelQuery(scope))
  const links = useProjectLinks('assignmentLabel', scope, onlyNewest)
  const byAssignment = useMemo(() => groupLabels(labels.rows, links.rows), [labels.rows, links.rows])
  return {
    labels: labels.rows,
    byAssignment,
    isLoading: scope !== undefined && (labels.isLoading || links.isLoading),
  }
}

/** All parts of a screen use the same query, so that they share a request. */
export const labelQuery = (projectId: string) => ({ projectId, sortColumn: 'name' }) as const

/** Groups labels by assignment, in the order of `labels`. */
export function groupLabels(labels: readonly Label[], links: readonly Link[]): LabelsByAssignment {
  const positions = new Map(labels.map(({ id }, index) => [id, index]))
  return new Map(
    [...Map.groupBy(links, ({ assignmentId }) => assignmentId)].map(([id, group]) => [
      id,
      group
        .flatMap(({ labelId }) => positions.get(labelId) ?? [])
        .sort((a, b) => a - b)
        .flatMap((position) => labels[position] ?? []),
    ]),
  )
}
