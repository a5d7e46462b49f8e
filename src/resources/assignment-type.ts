import { catalog } from '../model/access-rule.ts'
import { required } from '../model/field.ts'
import { text } from '../model/field-kinds.ts'
import { nameCharactersMax } from '../model/text.ts'
import { defineResource } from './define-resource.ts'

export const assignmentType = defineResource({
  name: 'assignmentType',
  edition: 'v1',
  table: 'assignment_types',
  about: 'What sort of task an assignment is.',
  fields: {
    name: required(2, text({ max: nameCharactersMax }), {
      about: 'What people call it.',
      example: 'Feature',
    }),
  },
  access: catalog,
})
