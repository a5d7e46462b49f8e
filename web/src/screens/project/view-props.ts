import { useMemo } from 'preact/hooks'
import type { RecordOf } from '../../api/api.ts'
import type { Connection } from '../../api/live.ts'
import { assignmentKey } from '../../assignment/assignment-key.ts'
import { type ProjectStage, type StageLook, stageLooksOf } from '../../data/project-stages.ts'
import { catalogQuery, useListing } from '../../data/use-listing.ts'
import type { Label, LabelsByAssignment } from '../../data/use-project-labels.ts'
import { useServices } from '../../services/services.ts'
import type { Filters } from './filters.ts'
import type { BlockedTexts } from './use-blocked.ts'

/** Resolves the ids of an assignment to names. */
export interface NameLookup {
  readonly types: readonly { readonly id: string; readonly name: string }[]
  stageOf(id: string): string
  lookOf(stageId: string): StageLook | undefined
  typeOf(id: string): string
  personOf(id: string): string
  /** Empty while no column shows the labels. */
  labelsOf(assignmentId: string): readonly Label[]
  keyOf(row: RecordOf<'assignment'>): string
  /** Says that an assignment is blocked; empty if it is not, and while no column shows that. */
  blockedOf(row: RecordOf<'assignment'>): string
}

export function useNameLookup(
  { stages, projectKey, doneIds }: ProjectViewProps['scope'],
  labels: LabelsByAssignment,
  blocked: BlockedTexts,
): NameLookup {
  const { people } = useServices()
  const types = useListing('assignmentType', catalogQuery).rows
  return useMemo(() => {
    const looks = stageLooksOf(stages, doneIds)
    const nameIn = (rows: NameLookup['types'], id: string) => rows.find((row) => row.id === id)?.name ?? '…'
    return {
      types,
      stageOf: (id) => nameIn(stages, id),
      lookOf: (id) => looks.get(id),
      typeOf: (id) => nameIn(types, id),
      personOf: people.nameOf,
      labelsOf: (id) => labels.get(id) ?? [],
      keyOf: (row) => assignmentKey(projectKey, row),
      blockedOf: ({ id, workflowId }) => (doneIds.has(workflowId) ? '' : (blocked.get(id) ?? '')),
    }
  }, [stages, projectKey, doneIds, types, people, labels, blocked])
}

export type ViewName = 'board' | 'list' | 'calendar' | 'timeline'

/** The properties of every view of a project. */
export interface ProjectViewProps {
  readonly scope: {
    readonly projectId: string
    /** The first part of the keys of its assignments; undefined without the extensions. */
    readonly projectKey: string | undefined
    /** Those that the project uses come first. */
    readonly stages: readonly ProjectStage[]
    readonly doneIds: ReadonlySet<string>
  }
  readonly filters: Filters
  readonly openId: string | undefined
  /** The query of the address, so that links keep view and filters. */
  readonly query: string
  /**
   * While the name of the project is loading, a view loads its rows, but shows its outline: a long name moves
   * everything below it.
   */
  readonly isNameLoading: boolean
  onConnection(connection: Connection): void
}
