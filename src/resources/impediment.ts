import { catalog, membersOfAssignment } from '../model/access-rule.ts'
import { optional, references, required } from '../model/field.ts'
import { text, uuid } from '../model/field-kinds.ts'
import { descriptionCharactersMax, nameCharactersMax } from '../model/text.ts'
import { defineResource } from './define-resource.ts'

export const impediment = defineResource({
  name: 'impediment',
  edition: 'v1',
  table: 'impediments',
  about: 'A kind of obstacle that blocks assignments.',
  fields: {
    name: required(2, text({ max: nameCharactersMax }), {
      about: 'The name.',
      example: 'Waiting for a decision',
    }),
  },
  access: catalog,
})

export const assignmentImpediment = defineResource({
  name: 'assignmentImpediment',
  edition: 'v1',
  table: 'assignment_impediments',
  about: 'An impediment that blocks an assignment.',
  fields: {
    description: optional(2, text({ max: descriptionCharactersMax }), {
      about: 'How it blocks the assignment.',
      example: 'The wood is not here yet.',
    }),
    assignmentId: references(3, uuid, 'assignment', 'restrict'),
    impedimentId: references(4, uuid, 'impediment', 'restrict'),
  },
  access: membersOfAssignment,
  filters: ['assignmentId'],
})
