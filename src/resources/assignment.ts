import { membersOfProject } from '../model/access-rule.ts'
import { optional, references, required } from '../model/field.ts'
import { hours, moment, text, uuid } from '../model/field-kinds.ts'
import { isEarlier } from '../model/moment.ts'
import { descriptionCharactersMax, nameCharactersMax } from '../model/text-limits.ts'
import { defineResource } from './define-resource.ts'

export const assignment = defineResource({
  name: 'assignment',
  edition: 'v1',
  table: 'assignments',
  fields: {
    name: required(2, text({ max: nameCharactersMax })),
    description: optional(3, text({ max: descriptionCharactersMax })),
    startDate: required(4, moment),
    endDate: required(5, moment),
    // Zero: not estimated yet.
    amountHours: required(6, hours({ zeroAllowed: true })),
    projectId: references(7, uuid, 'project', 'blockRemoval'),
    workflowId: references(8, uuid, 'workflow', 'blockRemoval'),
    userId: references(9, uuid, 'user', 'blockRemoval'),
    assignmentTypeId: references(10, uuid, 'assignmentType', 'blockRemoval'),
  },
  access: membersOfProject,
  filters: ['projectId', 'userId', 'workflowId', { period: ['startDate', 'endDate'] }],
  checks: [endsOnOrAfterItsStart],
})

function endsOnOrAfterItsStart({ startDate, endDate }: { startDate?: string; endDate?: string }) {
  const endsTooEarly = startDate !== undefined && endDate !== undefined && isEarlier(endDate, startDate)
  return endsTooEarly ? { endDate: ['End date must be on or after start date.'] } : undefined
}
