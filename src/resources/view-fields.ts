import { optional, required } from '../model/field.ts'
import { text } from '../model/field-kinds.ts'
import { listNameCharactersMax, nameCharactersMax, viewTextCharactersMax } from '../model/text-limits.ts'

const part = text({ max: viewTextCharactersMax })

/** A query that is kept: of which list, and the keys it gives. What they mean is read when it is used. */
export const viewFields = {
  name: required(2, text({ max: nameCharactersMax }), { example: 'My open work' }),
  list: required(3, text({ max: listNameCharactersMax }), {
    about: 'Which list it queries, by the last part of its path.',
    example: 'assignments',
  }),
  filter: optional(4, part, { about: 'As in a query.', example: 'userId eq me and amountHours gt 0' }),
  sort: optional(5, part, { about: 'As in a query.', example: '-endDate,name' }),
  fields: optional(6, part, { about: 'As in a query.', example: 'name,endDate,project.name' }),
  expand: optional(7, part, { about: 'As in a query.', example: 'project' }),
}
