import { useMemo } from 'preact/hooks'
import type { RecordOf } from '../api/api.ts'
import { readList } from '../api/last-seen.ts'
import { isOutage } from '../api/problems.ts'
import { type Services, useServices } from '../services/services.ts'
import { useListing } from './use-listing.ts'

type Workflow = RecordOf<'workflow'>

export type ColorName = NonNullable<Workflow['color']>

/** A stage with its color in a project. */
export interface ProjectStage extends Workflow {
  readonly color: ColorName
  /** False for a stage that the project has not chosen. It is shown while assignments are in it. */
  readonly isUsed: boolean
}

/** The colors of stages between the first stage and the stages that mean done. */
const middleColors: readonly ColorName[] = [
  'blue',
  'amber',
  'purple',
  'teal',
  'orange',
  'pink',
  'indigo',
  'cyan',
]

type GuessedStage = Pick<Workflow, 'name' | 'isDone'> & { readonly isUsed?: boolean }

/** Common names of a stage for finished work, in several languages. */
const doneNamePattern =
  /^(done|finished|complete[d]?|closed|feito|conclu[ií]d[oa]s?|pronto|terminad[oa]|erledigt|fertig)$/i

/**
 * Returns the stages that administrators have marked as done. If there are none, returns the first stage with
 * a common name for done, or else the last used stage.
 */
export function guessDoneStages<Stage extends GuessedStage>(stages: readonly Stage[]): readonly Stage[] {
  const marked = stages.filter(({ isDone }) => isDone)
  if (marked.length > 0) return marked
  const found =
    stages.find(({ name }) => doneNamePattern.test(name.trim())) ??
    stages.findLast(({ isUsed }) => isUsed !== false)
  return found ? [found] : []
}

/**
 * Returns the default color of a stage. It depends on the position among the stages of all projects, so that
 * a stage has the same color in all projects.
 */
function defaultColorOf({ color }: Workflow, position: number, isDone: boolean): ColorName {
  if (color) return color
  if (isDone) return 'green'
  return (position === 0 ? undefined : middleColors[(position - 1) % middleColors.length]) ?? 'gray'
}

/** Returns the color of the stage with this id, or gray for an unknown stage. */
export const colorIn = (stages: readonly Pick<ProjectStage, 'id' | 'color'>[], id: string): ColorName =>
  stages.find((stage) => stage.id === id)?.color ?? 'gray'

/** The properties of a stage that its mark shows. */
export interface StageLook {
  readonly color: ColorName
  /** From 0 for the first stage to 1 for the last. */
  readonly progress: number
  readonly isDone: boolean
}

export function stageLooksOf(
  stages: readonly { readonly id: string; readonly color: ColorName }[],
  doneStageIds: { has(id: string): boolean },
): ReadonlyMap<string, StageLook> {
  return new Map(
    stages.map(({ id, color }, index) => [
      id,
      { color, progress: index / Math.max(1, stages.length - 1), isDone: doneStageIds.has(id) },
    ]),
  )
}

/** Returns the stages to which an assignment can be moved: the used stages and the current stage. */
export const choosableStages = <Stage extends { readonly id: string; readonly isUsed?: boolean }>(
  stages: readonly Stage[],
  currentId?: string,
): readonly Stage[] => stages.filter(({ id, isUsed }) => isUsed !== false || id === currentId)

type Choice = Pick<RecordOf<'projectStage'>, 'workflowId' | 'order' | 'color'>

/**
 * Returns the stages that the project has chosen, in its order, and then the others. Without a choice, all
 * stages are used.
 */
export function stagesOf(
  workflows: readonly Workflow[],
  choices: readonly Choice[],
): readonly ProjectStage[] {
  const choiceByStage = new Map(choices.map((choice) => [choice.workflowId, choice]))
  const hasChosen = workflows.some(({ id }) => choiceByStage.has(id))
  const doneStages = guessDoneStages(workflows)
  return workflows
    .map((workflow, position) => ({
      ...workflow,
      color:
        choiceByStage.get(workflow.id)?.color ??
        defaultColorOf(workflow, position, doneStages.includes(workflow)),
      isUsed: !hasChosen || choiceByStage.has(workflow.id),
    }))
    .sort(
      (a, b) =>
        Number(b.isUsed) - Number(a.isUsed) ||
        (choiceByStage.get(a.id)?.order ?? 0) - (choiceByStage.get(b.id)?.order ?? 0),
    )
}

/** All parts of a screen share one request for this query. */
export const stagesQuery = { sortColumn: 'order', pageSize: 100 } as const

/** Follows the stages of a project, in its order and colors. */
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
    /** Empty until both lists are loaded, so that the order does not change on the screen. */
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

/**
 * Loads the stages of a project once, outside of a component, or returns those seen last. Without a network, a
 * project that was not opened has all stages, as in My work.
 */
export async function loadStages(
  services: Pick<Services, 'api' | 'configuration' | 'lastSeen'>,
  projectId: string,
  signal: AbortSignal,
): Promise<readonly ProjectStage[]> {
  const [workflows, choices] = await Promise.all([
    readList(services, 'workflow', stagesQuery, signal),
    services.configuration.extensions
      ? readList(services, 'projectStage', { projectId, ...stagesQuery }, signal).catch(ignoreOutage)
      : undefined,
  ])
  return stagesOf(workflows.data, choices?.data ?? [])
}

function ignoreOutage(error: unknown): undefined {
  if (!isOutage(error)) throw error
}
