import { membersOfProject } from '../model/access-rule.ts'
import { optional, references, required } from '../model/field.ts'
import { hours, moment, text, uuid } from '../model/field-kinds.ts'
import { isEarlier } from '../model/moment.ts'
import { descriptionCharactersMax, nameCharactersMax } from '../model/text-limits.ts'
import { defineResource } from './define-resource.ts'

export const assignment = defineResource({
  name: 'assignment',
  table: 'assignments',
  fields: {
    name: required(text({ max: nameCharactersMax })),
    description: optional(text({ max: descriptionCharactersMax })),
    startDate: required(moment),
    endDate: required(moment),
    // Zero: not estimated yet.
    amountHours: required(hours({ zeroAllowed: true })),
    projectId: references(uuid, 'project', 'blockRemoval'),
    workflowId: references(uuid, 'workflow', 'blockRemoval'),
    userId: references(uuid, 'user', 'blockRemoval'),
    assignmentTypeId: references(uuid, 'assignmentType', 'blockRemoval'),
  },
  access: membersOfProject,
  filters: ['projectId', 'userId', 'workflowId', { period: ['startDate', 'endDate'] }],
  checks: [endsOnOrAfterItsStart],
})

function endsOnOrAfterItsStart({ startDate, endDate }: { startDate?: string; endDate?: string }) {
  const endsTooEarly = startDate !== undefined && endDate !== undefined && isEarlier(endDate, startDate)
  return endsTooEarly ? { endDate: ['End date must be on or after start date.'] } : undefined
}
