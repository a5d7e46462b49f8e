import { catalog } from '../model/access-rule.ts'
import { optional, required } from '../model/field.ts'
import { text } from '../model/field-kinds.ts'
import { descriptionCharactersMax, nameCharactersMax } from '../model/text.ts'
import { defineResource } from './define-resource.ts'

export const organization = defineResource({
  name: 'organization',
  edition: 'v1',
  table: 'organizations',
  about: 'A customer or a department that projects are for.',
  fields: {
    name: required(2, text({ max: nameCharactersMax }), {
      about: 'The name.',
      example: 'Space agency',
    }),
    description: optional(3, text({ max: descriptionCharactersMax }), {
      about: 'Details.',
      example: 'Flies to the moon.',
    }),
  },
  access: catalog,
})
