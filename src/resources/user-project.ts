import { membersOfProject } from '../model/access-rule.ts'
import { references } from '../model/field.ts'
import { uuid } from '../model/field-kinds.ts'
import { defineResource } from './define-resource.ts'

export const userProject = defineResource({
  name: 'userProject',
  edition: 'v1',
  table: 'user_projects',
  about: 'A membership: the account sees the project and works in it.',
  fields: {
    userId: references(2, uuid, 'user', 'cascade'),
    projectId: references(3, uuid, 'project', 'cascade'),
  },
  access: membersOfProject,
  filters: ['projectId', 'userId'],
})
