import { membersOfAssignment } from '../model/access-rule.ts'
import { optional, references } from '../model/field.ts'
import { text, uuid } from '../model/field-kinds.ts'
import { descriptionCharactersMax } from '../model/text-limits.ts'
import { defineResource } from './define-resource.ts'

export const assignmentImpediment = defineResource({
  name: 'assignmentImpediment',
  edition: 'v1',
  table: 'assignment_impediments',
  fields: {
    description: optional(2, text({ max: descriptionCharactersMax })),
    assignmentId: references(3, uuid, 'assignment', 'blockRemoval'),
    impedimentId: references(4, uuid, 'impediment', 'blockRemoval'),
  },
  access: membersOfAssignment,
  filters: ['assignmentId'],
})
