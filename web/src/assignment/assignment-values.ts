import { signal } from '@preact/signals'
import type { Api, CreateOf, RecordOf } from '../api/api.ts'
import { loadByIds } from '../api/load-all.ts'
import { assignedTo, datesBetween, endDayOf, responsibleOf, startDayOf } from '../data/assignments.ts'
import { guessDoneStages } from '../data/project-stages.ts'
import { parseHours } from '../forms/field.tsx'
import { inOneLine } from '../texts/text.ts'
import { addDays, today } from '../time/days.ts'
import { formatHoursInput } from '../time/hours.ts'
import type { Option } from '../ui/combobox.tsx'
import { parsePriority } from './priority.ts'

type Assignment = RecordOf<'assignment'>

export type AssignmentValues = {
  readonly name: string
  readonly description: string
  readonly workflowId: string
  readonly assignmentTypeId: string
  readonly userId: string
  readonly startDate: string
  readonly endDate: string
  readonly amountHours: string
  /** Empty for none. */
  readonly priority: string
}

export type NewAssignmentValues = AssignmentValues & {
  /** Separated by spaces, because the values of a form are texts. */
  readonly labelIds: string
}

export const valuesOf = (assignment: Assignment): AssignmentValues => ({
  name: assignment.name,
  description: assignment.description ?? '',
  workflowId: assignment.workflowId,
  assignmentTypeId: assignment.assignmentTypeId,
  userId: responsibleOf(assignment),
  startDate: startDayOf(assignment),
  endDate: endDayOf(assignment),
  amountHours: formatHoursInput(assignment.amountHours),
  priority: String(assignment.priority ?? ''),
})

/**
 * Converts the values of a new assignment to a request body. With the extensions, it may lack dates and a
 * person.
 */
export const bodyOf = (
  { startDate, endDate, userId, ...values }: AssignmentValues,
  projectId: string,
  { extensions, ownId }: { readonly extensions: boolean; readonly ownId: string },
): CreateOf<'assignment'> => ({
  ...values,
  description: values.description.trim() === '' ? null : values.description,
  ...(extensions
    ? { ...datesBetween(startDate, endDate), userId: ownId, ...assignedTo(userId) }
    : { startDate, endDate, userId }),
  amountHours: parseHours(values.amountHours, 'amountHours'),
  priority: parsePriority(values.priority),
  projectId,
})

/**
 * Returns the body of an update that changes nothing. It has no description, because an absent one stays
 * unchanged.
 */
export const updateBodyOf = (assignment: Assignment) => ({
  id: assignment.id,
  name: assignment.name,
  startDate: assignment.startDate,
  endDate: assignment.endDate,
  amountHours: assignment.amountHours,
  projectId: assignment.projectId,
  workflowId: assignment.workflowId,
  userId: assignment.userId,
  assignmentTypeId: assignment.assignmentTypeId,
})

type Stage = RecordOf<'workflow'> & { readonly isUsed?: boolean }

const storageKeyOf = (projectId: string) => `tracker.done.${projectId}`
/** A signal, so that components read the stored choice again after a change. */
const doneStageVersion = signal(0)

/**
 * Finds the stages that mean done. Administrators may have marked them. Otherwise, the user may have chosen
 * them in this browser. Otherwise, they are guessed.
 */
export function doneStagesOf(projectId: string, stages: readonly Stage[]): ReadonlySet<string> {
  // Reading the signal subscribes the component, which localStorage cannot notify.
  void doneStageVersion.value
  const chosenId = localStorage.getItem(storageKeyOf(projectId))
  const isMarked = stages.some(({ isDone }) => isDone)
  const chosen = isMarked ? undefined : stages.find(({ id }) => id === chosenId)
  return new Set((chosen ? [chosen] : guessDoneStages(stages)).map(({ id }) => id))
}

/**
 * Stores the choice in this browser. With the extensions, administrators mark the stage for all users
 * instead.
 */
export function chooseDoneStage(projectId: string, stageId: string): void {
  localStorage.setItem(storageKeyOf(projectId), stageId)
  doneStageVersion.value += 1
}

/** Users type more to find other assignments. */
const suggestionsMax = 20

/**
 * Finds assignments by a part of their name or description. Each option includes the name of the project,
 * because assignments of different projects may have the same name.
 */
export async function findAssignments(
  api: Api,
  search: string,
  signal: AbortSignal,
): Promise<readonly Option[]> {
  const query = { search, pageSize: suggestionsMax, sortColumn: 'name' } as const
  const { data } = await api.list('assignment', query, signal)
  const ids = data.map(({ projectId }) => projectId)
  const projects = await loadByIds(api, 'project', ids, signal)
  return data.map(({ id, name, projectId }) => ({
    id,
    name: inOneLine(name, projects.get(projectId)?.name),
  }))
}

/** The days from start to end of a new assignment with dates. Both days count, so it lasts a week. */
const defaultDaysToEnd = 6
const typeKeyOf = (projectId: string) => `tracker.type.${projectId}`

/** Returns the values that a new assignment has unless the user chooses others. */
export const newAssignmentDefaults = (projectId: string, workflowId: string, userId: string) => ({
  startDate: today(),
  endDate: addDays(today(), defaultDaysToEnd),
  amountHours: 0,
  projectId,
  workflowId,
  userId,
})

/** Names of types for ordinary work. A first assignment gets such a type. */
const ordinaryTypes = /feature|story|task|função|história|tarefa/i

/**
 * Returns the type used last in this browser for the project if it still exists, otherwise a type for
 * ordinary work.
 */
export function lastTypeOf(
  types: readonly { readonly id: string; readonly name: string }[],
  projectId: string,
): string | undefined {
  const last = localStorage.getItem(typeKeyOf(projectId))
  const used = types.find(({ id }) => id === last)
  return (used ?? types.find(({ name }) => ordinaryTypes.test(name)) ?? types[0])?.id
}

export const rememberType = (id: string, projectId: string): void =>
  localStorage.setItem(typeKeyOf(projectId), id)
