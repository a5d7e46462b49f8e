import { signal } from '@preact/signals'
import type { Api, CreateOf, RecordOf } from '../api/api.ts'
import { loadByIds } from '../api/load-all.ts'
import { parseHours } from '../forms/fields.tsx'
import { inOneLine } from '../texts/text.ts'
import { dayOf, timestampOf } from '../time/days.ts'
import { typeHours } from '../time/hours.ts'
import type { Option } from '../ui/combobox.tsx'

type Assignment = RecordOf<'assignment'>

/** An assignment as it is edited. */
export type AssignmentValues = {
  readonly name: string
  readonly description: string
  readonly workflowId: string
  readonly assignmentTypeId: string
  readonly userId: string
  readonly startDate: string
  readonly endDate: string
  readonly amountHours: string
}

export const valuesOf = (assignment: Assignment): AssignmentValues => ({
  name: assignment.name,
  description: assignment.description ?? '',
  workflowId: assignment.workflowId,
  assignmentTypeId: assignment.assignmentTypeId,
  userId: assignment.userId,
  startDate: dayOf(assignment.startDate),
  endDate: dayOf(assignment.endDate),
  amountHours: typeHours(assignment.amountHours),
})

/** Converts it to the API's body; `stored` keeps times of day that this client does not show. */
export const bodyOf = (
  values: AssignmentValues,
  projectId: string,
  stored?: Assignment,
): CreateOf<'assignment'> => ({
  ...values,
  description: values.description.trim() === '' ? null : values.description,
  startDate: timestampOf(values.startDate, stored?.startDate),
  endDate: timestampOf(values.endDate, stored?.endDate),
  amountHours: parseHours(values.amountHours, 'amountHours'),
  projectId,
})

/** Every field of an update except the description, which stays unchanged when it is absent. */
export const fieldsOf = ({ id, name, startDate, endDate, amountHours, ...references }: Assignment) => ({
  id,
  name,
  startDate,
  endDate,
  amountHours,
  projectId: references.projectId,
  workflowId: references.workflowId,
  userId: references.userId,
  assignmentTypeId: references.assignmentTypeId,
})

type Stage = RecordOf<'workflow'>

const keyOf = (projectId: string) => `tracker.done.${projectId}`
/** Makes components read the choice again after it has changed. */
const choices = signal(0)

/** Common names of a stage for finished work, in several languages. */
const doneNames =
  /^(done|finished|complete[d]?|closed|feito|conclu[ií]d[oa]s?|pronto|terminad[oa]|erledigt|fertig)$/i

/** Finds the stage of a project that means done: the one chosen in this browser, else one with such a name, else the last. */
export function doneStageOf(projectId: string, stages: readonly Stage[]): string | undefined {
  void choices.value
  const chosen = localStorage.getItem(keyOf(projectId))
  const found =
    stages.find(({ id }) => id === chosen) ??
    stages.find(({ name }) => doneNames.test(name.trim())) ??
    stages.at(-1)
  return found?.id
}

export function chooseDoneStage(projectId: string, stageId: string): void {
  localStorage.setItem(keyOf(projectId), stageId)
  choices.value += 1
}

/** Others are found by typing more. */
const suggestionsMax = 20

/** Assignments by a part of their name or description, each with its project, because names may be equal. */
export async function findAssignments(
  api: Api,
  search: string,
  signal: AbortSignal,
): Promise<readonly Option[]> {
  const query = { search, pageSize: suggestionsMax, sortColumn: 'name' }
  const { data } = await api.list('assignment', query, signal)
  const ids = data.map(({ projectId }) => projectId)
  const projects = await loadByIds(api, 'project', ids, signal)
  return data.map(({ id, name, projectId }) => ({
    id,
    name: inOneLine(name, projects.get(projectId)?.name),
  }))
}
