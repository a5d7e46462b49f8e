import { colleagues } from '../model/access-rule.ts'
import { required } from '../model/field.ts'
import { text } from '../model/field-kinds.ts'
import { nameCharactersMax } from '../model/text.ts'
import type { ListedResource } from './define-resource.ts'

/** An account as its colleagues see it. It has no login, so no list can show, search or sort by one. */
export const person: ListedResource = {
  name: 'person',
  edition: 'ext',
  shownIn: 'ext',
  plural: 'people',
  title: 'Person',
  pluralTitle: 'People',
  typeName: 'Person',
  pluralTypeName: 'People',
  pluralNoun: 'people',
  table: 'users',
  fields: {
    name: required(2, text({ max: nameCharactersMax }), {
      about: 'The display name.',
      example: 'Ann Example',
    }),
  },
  columns: ['id', 'name'],
  access: colleagues,
  filters: [],
  fixedSortColumn: 'name',
}
