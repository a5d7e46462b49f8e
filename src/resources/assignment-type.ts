import { catalog } from '../model/access-rule.ts'
import { required } from '../model/field.ts'
import { text } from '../model/field-kinds.ts'
import { nameCharactersMax } from '../model/text-limits.ts'
import { defineResource } from './define-resource.ts'

export const assignmentType = defineResource({
  name: 'assignmentType',
  edition: 'v1',
  table: 'assignment_types',
  fields: { name: required(2, text({ max: nameCharactersMax })) },
  access: catalog,
})
