import { catalog } from '../model/access-rule.ts'
import { required } from '../model/field.ts'
import { text, wholeNumber } from '../model/field-kinds.ts'
import { nameCharactersMax } from '../model/text-limits.ts'
import { defineResource } from './define-resource.ts'

export const workflow = defineResource({
  name: 'workflow',
  edition: 'v1',
  table: 'workflows',
  fields: {
    name: required(2, text({ max: nameCharactersMax })),
    order: required(3, wholeNumber({ min: 0, max: 2_147_483_647 })),
  },
  access: catalog,
})
