import type { CreateOf, RecordOf } from '../api/api.ts'
import { readHours } from '../forms/hours.ts'
import { dayOf, momentOf } from '../time/days.ts'
import { typeHours } from '../time/hours.ts'

type Assignment = RecordOf<'assignment'>

/** An assignment as it is typed. */
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

/** As the interface wants it; `stored` keeps times of day that this client does not show. */
export const bodyOf = (
  values: AssignmentValues,
  projectId: string,
  stored?: Assignment,
): CreateOf<'assignment'> => ({
  ...values,
  description: values.description.trim() === '' ? null : values.description,
  startDate: momentOf(values.startDate, stored?.startDate),
  endDate: momentOf(values.endDate, stored?.endDate),
  amountHours: readHours(values.amountHours, 'amountHours'),
  projectId,
})

/** What an update has to say; the description stays as it is when it is not named. */
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
