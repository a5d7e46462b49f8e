import { catalog } from '../model/access-rule.ts'
import { optional, required } from '../model/field.ts'
import { text } from '../model/field-kinds.ts'
import { descriptionCharactersMax, nameCharactersMax } from '../model/text-limits.ts'
import { defineResource } from './define-resource.ts'

export const organization = defineResource({
  name: 'organization',
  edition: 'v1',
  table: 'organizations',
  fields: {
    name: required(2, text({ max: nameCharactersMax })),
    description: optional(3, text({ max: descriptionCharactersMax })),
  },
  access: catalog,
})
