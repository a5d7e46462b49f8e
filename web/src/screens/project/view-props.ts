import { useMemo } from 'preact/hooks'
import type { RecordOf } from '../../api/api.ts'
import { assignmentKey } from '../../api/assignment-key.ts'
import type { Connection } from '../../api/live.ts'
import { type ProjectStage, type StageLook, stageLooksOf } from '../../data/project-stages.ts'
import { catalogQuery, useListing } from '../../data/use-listing.ts'
import type { Label, LabelsByAssignment } from '../../data/use-project-labels.ts'
import { useServices } from '../../services/services.ts'
import type { Filters } from './filters.ts'
import type { BlockReason, BlockReasons } from './use-blocked.ts'

/** Resolves the ids in an assignment to the names and marks that a view shows. */
export interface NameLookup {
  readonly types: readonly { readonly id: string; readonly name: string }[]
  stageOf(id: string): string
  stageLookOf(stageId: string): StageLook | undefined
  typeOf(id: string): string
  personOf(id: string): string
  /** Returns no labels while no column shows them. */
  labelsOf(assignmentId: string): readonly Label[]
  keyOf(row: RecordOf<'assignment'>): string
  /** Returns the reason why an assignment is blocked or waits; undefined while no column shows it. */
  blockReasonOf(row: RecordOf<'assignment'>): BlockReason | undefined
}

export function useNameLookup(
  { stages, projectKey, doneStageIds }: ProjectViewProps['scope'],
  labels: LabelsByAssignment,
  blockReasons: BlockReasons,
): NameLookup {
  const { people } = useServices()
  const types = useListing('assignmentType', catalogQuery).rows
  return useMemo(() => {
    const looks = stageLooksOf(stages, doneStageIds)
    const nameIn = (rows: NameLookup['types'], id: string) => rows.find((row) => row.id === id)?.name ?? '…'
    return {
      types,
      stageOf: (id) => nameIn(stages, id),
      stageLookOf: (id) => looks.get(id),
      typeOf: (id) => nameIn(types, id),
      personOf: people.nameOf,
      labelsOf: (id) => labels.get(id) ?? [],
      keyOf: (row) => assignmentKey(projectKey, row),
      blockReasonOf: ({ id, workflowId }) =>
        doneStageIds.has(workflowId) ? undefined : blockReasons.get(id),
    }
  }, [stages, projectKey, doneStageIds, types, people, labels, blockReasons])
}

/** The properties of every view of a project. */
export interface ProjectViewProps {
  readonly scope: {
    readonly projectId: string
    /** The prefix of the keys of its assignments, such as MBA in MBA-12; undefined without the extensions. */
    readonly projectKey: string | undefined
    /** All stages. Those that the project uses come first. */
    readonly stages: readonly ProjectStage[]
    /** The stages whose assignments are done. */
    readonly doneStageIds: ReadonlySet<string>
  }
  readonly filters: Filters
  readonly openId: string | undefined
  /** The query of the address, so that links keep view and filters. */
  readonly query: string
  /**
   * While the name of the project is loading, a view loads its rows, but renders its skeleton, because a long
   * name moves everything below it.
   */
  readonly isNameLoading: boolean
  onConnection(connection: Connection): void
}
