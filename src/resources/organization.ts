import { catalog } from '../model/access-rule.ts'
import { optional, required } from '../model/field.ts'
import { text } from '../model/field-kinds.ts'
import { defineResource } from './define-resource.ts'
import { descriptionCharactersMax, nameCharactersMax } from './limits.ts'

export const organization = defineResource({
  name: 'organization',
  table: 'organizations',
  fields: {
    name: required(text({ max: nameCharactersMax })),
    description: optional(text({ max: descriptionCharactersMax })),
  },
  access: catalog,
})
