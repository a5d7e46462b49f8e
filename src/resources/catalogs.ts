import { catalog } from '../model/access-rule.ts'
import { extension, optional, required, requiredOnCreate, withDefault } from '../model/field.ts'
import { boolean, color, integer, text } from '../model/field-kinds.ts'
import { descriptionCharactersMax, nameCharactersMax } from '../model/text.ts'
import { defineResource } from './define-resource.ts'

/** Lists that all projects share. All users read them, and administrators change them. */

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

export const workflow = defineResource({
  name: 'workflow',
  edition: 'v1',
  table: 'workflows',
  about: 'A stage that assignments go through; the order of the stages is that of the columns of a board.',
  fields: {
    name: required(2, text({ max: nameCharactersMax }), {
      about: 'The name.',
      example: 'In progress',
    }),
    order: required(3, integer({ min: 0, max: 2_147_483_647 }), {
      about: 'The position among the stages, in ascending order.',
      example: 2,
    }),
    isDone: extension(
      withDefault(
        requiredOnCreate(16, boolean, { about: 'Whether assignments in this stage are done.' }),
        false,
      ),
    ),
    color: extension(
      optional(17, color, {
        about:
          'The default color, for projects that do not set their own. If null, clients derive one from the position.',
        example: 'green',
      }),
    ),
  },
  access: catalog,
})

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
