import { membersOfAssignment } from '../model/access-rule.ts'
import { optional, references } from '../model/field.ts'
import { text, uuid } from '../model/field-kinds.ts'
import { defineResource } from './define-resource.ts'
import { descriptionCharactersMax } from './limits.ts'

export const assignmentImpediment = defineResource({
  name: 'assignmentImpediment',
  table: 'assignment_impediments',
  fields: {
    description: optional(text({ max: descriptionCharactersMax })),
    assignmentId: references(uuid, 'assignment', 'blockRemoval'),
    impedimentId: references(uuid, 'impediment', 'blockRemoval'),
  },
  access: membersOfAssignment,
  filters: ['assignmentId'],
})
