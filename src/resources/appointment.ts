import { optional, references, required } from '../model/field.ts'
import { hours, moment, text, uuid } from '../model/field-kinds.ts'
import { descriptionCharactersMax } from '../model/text-limits.ts'
import { defineResource } from './define-resource.ts'

export const appointment = defineResource({
  name: 'appointment',
  table: 'appointments',
  fields: {
    description: optional(text({ max: descriptionCharactersMax })),
    keepDate: required(moment),
    amountHours: required(hours({ zeroAllowed: false })),
    assignmentId: references(uuid, 'assignment', 'blockRemoval'),
    userId: references(uuid, 'user', 'blockRemoval'),
  },
  access: { kind: 'projectMembers', projectPath: ['assignmentId', 'projectId'], ownerColumn: 'userId' },
  filters: ['assignmentId', 'userId', { moment: 'keepDate' }],
})
