import { catalog } from '../model/access-rule.ts'
import { required } from '../model/field.ts'
import { text } from '../model/field-kinds.ts'
import { defineResource } from './define-resource.ts'
import { nameCharactersMax } from './limits.ts'

export const impediment = defineResource({
  name: 'impediment',
  table: 'impediments',
  fields: { name: required(text({ max: nameCharactersMax })) },
  access: catalog,
})
