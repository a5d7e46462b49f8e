import { ownerOnly } from '../model/access-rule.ts'
import { callerByDefault, references } from '../model/field.ts'
import { uuid } from '../model/field-kinds.ts'
import { defineResource } from './define-resource.ts'
import { viewFields } from './view-fields.ts'

/** A query that somebody keeps for themselves. */
export const savedView = defineResource({
  name: 'savedView',
  edition: 'ext',
  table: 'saved_views',
  about: 'A query that somebody keeps for themselves under a name.',
  fields: {
    ...viewFields,
    userId: callerByDefault(references(8, uuid, 'user', 'removeAlong', { about: 'Whose it is.' })),
  },
  access: ownerOnly,
  filters: ['userId'],
})
