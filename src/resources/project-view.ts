import { callerByDefault, references } from '../model/field.ts'
import { uuid } from '../model/field-kinds.ts'
import { defineResource } from './define-resource.ts'
import { viewFields } from './view-fields.ts'

/** A query that somebody shares with the members of a project; it stays when they go. */
export const projectView = defineResource({
  name: 'projectView',
  edition: 'ext',
  table: 'project_views',
  about: 'A query that somebody shares with the members of a project under a name; it stays when they go.',
  fields: {
    ...viewFields,
    projectId: references(8, uuid, 'project', 'removeAlong'),
    userId: callerByDefault(
      references(9, uuid, 'user', 'stay', { about: 'Who shares it, and alone may change it.' }),
    ),
  },
  access: { kind: 'projectMembers', projectPath: ['projectId'], ownerColumn: 'userId' },
  filters: ['projectId', 'userId'],
})
