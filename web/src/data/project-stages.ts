import { useMemo } from 'preact/hooks'
import type { RecordOf } from '../api/api.ts'
import { type Services, useServices } from '../services/services.ts'
import { useListing } from './use-listing.ts'

type Workflow = RecordOf<'workflow'>

export type ColorName = NonNullable<Workflow['color']>

/** A stage as a project shows it. */
export interface ProjectStage extends Workflow {
  readonly color: ColorName
  /** False for a stage that the project has not chosen. It is shown while assignments are in it. */
  readonly isUsed: boolean
}

/** Colors of stages by their position among all stages, so that a stage has the same color in all projects that choose none. */
const stageColors: readonly ColorName[] = [
  'blue',
  'amber',
  'purple',
  'teal',
  'orange',
  'pink',
  'indigo',
  'cyan',
]

/** The color of a stage where its project chooses none: the first one is gray, done ones are green, the others differ. */
function colorOfStage({ color, isDone }: Workflow, position: number): ColorName {
  const derived = position === 0 ? 'gray' : stageColors[(position - 1) % stageColors.length]
  return color ?? (isDone ? 'green' : (derived ?? 'gray'))
}

/** The color of the stage with this id; gray for an unknown one. */
export const colorIn = (stages: readonly Pick<ProjectStage, 'id' | 'color'>[], id: string): ColorName =>
  stages.find((stage) => stage.id === id)?.color ?? 'gray'

/** How a stage looks wherever it is shown. */
export interface StageLook {
  readonly color: ColorName
  /** The share of the way to the last stage, from 0 to 1. */
  readonly part: number
  readonly isDone: boolean
}

/** Returns the look of each stage by its id. */
export function stageLooksOf(
  stages: readonly { readonly id: string; readonly color: ColorName }[],
  doneIds: { has(id: string): boolean },
): ReadonlyMap<string, StageLook> {
  return new Map(
    stages.map(({ id, color }, index) => [
      id,
      { color, part: index / Math.max(1, stages.length - 1), isDone: doneIds.has(id) },
    ]),
  )
}

/** The stages that an assignment can be moved to: those that the project uses, and the current one. */
export const choosableStages = <Stage extends { readonly id: string; readonly isUsed?: boolean }>(
  stages: readonly Stage[],
  currentId?: string,
): readonly Stage[] => stages.filter(({ id, isUsed }) => isUsed !== false || id === currentId)

type Choice = Pick<RecordOf<'projectStage'>, 'workflowId' | 'order' | 'color'>

/** Returns the stages that the project has chosen, in its order, then the others. Without a choice it uses all. */
export function stagesOf(
  workflows: readonly Workflow[],
  choices: readonly Choice[],
): readonly ProjectStage[] {
  const byStage = new Map(choices.map((choice) => [choice.workflowId, choice]))
  const hasChosen = workflows.some(({ id }) => byStage.has(id))
  return workflows
    .map((workflow, position) => ({
      ...workflow,
      color: byStage.get(workflow.id)?.color ?? colorOfStage(workflow, position),
      isUsed: !hasChosen || byStage.has(workflow.id),
    }))
    .sort(
      (a, b) =>
        Number(b.isUsed) - Number(a.isUsed) ||
        (byStage.get(a.id)?.order ?? 0) - (byStage.get(b.id)?.order ?? 0),
    )
}

/** The same for all parts of a screen, so that they share a request. */
const stagesQuery = { sortColumn: 'order', pageSize: 100 } as const

/** The stages of a project in its order and colors. Without a project or without the extensions, it has chosen none. */
export function useProjectStages(projectId: string | undefined) {
  const { configuration } = useServices()
  const scope = configuration.extensions ? projectId : undefined
  const workflows = useListing('workflow', stagesQuery)
  const choices = useListing(
    'projectStage',
    scope === undefined ? undefined : { projectId: scope, ...stagesQuery },
  )
  const isLoading = workflows.isLoading || (scope !== undefined && choices.isLoading)
  const stages = useMemo(
    () => (isLoading ? [] : stagesOf(workflows.rows, choices.rows)),
    [isLoading, workflows.rows, choices.rows],
  )
  return {
    /** Empty while they are loading, so that nothing is drawn in another order first. */
    stages,
    choices: choices.rows,
    isLoading,
    problem: workflows.problem ?? choices.problem,
    reload() {
      workflows.reload()
      choices.reload()
    },
  }
}

/** The same for a step that loads them once. */
export async function loadStages(
  { api, configuration }: Pick<Services, 'api' | 'configuration'>,
  projectId: string,
  signal: AbortSignal,
): Promise<readonly ProjectStage[]> {
  const [workflows, choices] = await Promise.all([
    api.list('workflow', stagesQuery, signal),
    configuration.extensions ? api.list('projectStage', { projectId, ...stagesQuery }, signal) : undefined,
  ])
  return stagesOf(workflows.data, choices?.data ?? [])
}
