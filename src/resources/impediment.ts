import { catalog } from '../model/access-rule.ts'
import { required } from '../model/field.ts'
import { text } from '../model/field-kinds.ts'
import { nameCharactersMax } from '../model/text.ts'
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
