import { optional, references, required } from '../model/field.ts'
import { hours, text, timestamp, uuid } from '../model/field-kinds.ts'
import { descriptionCharactersMax } from '../model/text.ts'
import { defineResource } from './define-resource.ts'

export const appointment = defineResource({
  name: 'appointment',
  edition: 'v1',
  table: 'appointments',
  about: 'Time that an account spent on an assignment.',
  fields: {
    description: optional(2, text({ max: descriptionCharactersMax }), {
      about: 'The work done.',
      example: 'Drew the ladder.',
    }),
    keepDate: required(3, timestamp, { about: 'The date of the work.' }),
    amountHours: required(4, hours({ zeroAllowed: false }), {
      about: 'The duration in hours.',
      example: 1.5,
    }),
    assignmentId: references(5, uuid, 'assignment', 'restrict'),
    userId: references(6, uuid, 'user', 'restrict', { about: 'The account that did the work.' }),
  },
  access: { kind: 'projectMembers', projectPath: ['assignmentId', 'projectId'], ownerColumn: 'userId' },
  filters: ['assignmentId', 'userId', { instant: 'keepDate' }],
})
