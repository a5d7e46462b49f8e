import { useMemo } from 'preact/hooks'
import type { RecordOf } from '../../api/api.ts'
import { assignmentKey } from '../../data/assignments.ts'
import {
  impedimentStarts,
  type Label,
  type LabelsByAssignment,
  useProjectDependencies,
} from '../../data/project-links.ts'
import { type ProjectStage, type StageLook, stageLooksOf } from '../../data/project-stages.ts'
import { catalogQuery, useAllRows, useListing } from '../../data/use-listing.ts'
import { useServices } from '../../services/services.ts'
import { t, tn } from '../../texts/text.ts'
import { formatAge } from '../../time/days.ts'

/** The project whose assignments a view shows. */
export interface ProjectScope {
  readonly projectId: string
  /** The prefix of the keys of its assignments, such as MBA in MBA-12. Undefined without the extensions. */
  readonly projectKey: string | undefined
  /** All stages. The stages that the project uses come first. */
  readonly stages: readonly ProjectStage[]
  /** The stages whose assignments are done. */
  readonly doneStageIds: ReadonlySet<string>
}

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
  /** Returns the reason why an assignment is blocked or waits, or undefined while no column shows it. */
  blockReasonOf(row: RecordOf<'assignment'>): BlockReason | undefined
}

export function useNameLookup(
  { stages, projectKey, doneStageIds }: ProjectScope,
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

/** The reason why an assignment cannot continue. */
export interface BlockReason {
  /** True if it waits for another assignment, false if it is blocked by an impediment. */
  readonly isWaiting: boolean
  /** A sentence such as "Blocked since today". */
  readonly text: string
}

/** Maps the ids of blocked assignments to the reasons. */
export type BlockReasons = ReadonlyMap<string, BlockReason>

/**
 * If a project is given, loads its dependencies, and the impediments of all projects. Finished assignments
 * block no others.
 */
export function useBlocked(
  projectId: string | undefined,
  doneStageIds: ReadonlySet<string>,
  onlyNewest = false,
) {
  const impediments = useAllRows('assignmentImpediment', projectId === undefined ? undefined : {}, {
    live: true,
  })
  const { blockers } = useProjectDependencies(projectId, doneStageIds, onlyNewest)
  const blockReasons = useMemo((): BlockReasons => {
    const waiting = [...blockers].map(([id, blocking]): [string, BlockReason] => {
      const values = { name: blocking[0]?.name ?? '' }
      const text = tn(blocking.length, 'Waits for {name}', 'Waits for {count} assignments', values)
      return [id, { isWaiting: true, text }]
    })
    const blocked = [...impedimentStarts(impediments.rows)].map(([id, start]): [string, BlockReason] => [
      id,
      { isWaiting: false, text: t('Blocked {age}', { age: formatAge(start) }) },
    ])
    return new Map([...waiting, ...blocked])
  }, [blockers, impediments.rows])
  return { blockReasons, blockers }
}
