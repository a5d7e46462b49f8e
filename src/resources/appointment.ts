import { optional, references, required } from '../model/field.ts'
import { hours, moment, text, uuid } from '../model/field-kinds.ts'
import { descriptionCharactersMax } from '../model/text-limits.ts'
import { defineResource } from './define-resource.ts'

export const appointment = defineResource({
  name: 'appointment',
  edition: 'v1',
  table: 'appointments',
  fields: {
    description: optional(2, text({ max: descriptionCharactersMax })),
    keepDate: required(3, moment),
    amountHours: required(4, hours({ zeroAllowed: false })),
    assignmentId: references(5, uuid, 'assignment', 'blockRemoval'),
    userId: references(6, uuid, 'user', 'blockRemoval'),
  },
  access: { kind: 'projectMembers', projectPath: ['assignmentId', 'projectId'], ownerColumn: 'userId' },
  filters: ['assignmentId', 'userId', { moment: 'keepDate' }],
})
