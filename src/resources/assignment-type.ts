import { catalog } from '../model/access-rule.ts'
import { required } from '../model/field.ts'
import { text } from '../model/field-kinds.ts'
import { nameCharactersMax } from '../model/text.ts'
import { defineResource } from './define-resource.ts'

export const assignmentType = defineResource({
  name: 'assignmentType',
  edition: 'v1',
  table: 'assignment_types',
  about: 'A kind of assignment.',
  fields: {
    name: required(2, text({ max: nameCharactersMax }), {
      about: 'The name.',
      example: 'Feature',
    }),
  },
  access: catalog,
})
