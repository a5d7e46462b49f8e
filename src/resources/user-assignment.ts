import { membersOfAssignment } from '../model/access-rule.ts'
import { references } from '../model/field.ts'
import { uuid } from '../model/field-kinds.ts'
import { defineResource } from './define-resource.ts'

export const userAssignment = defineResource({
  name: 'userAssignment',
  edition: 'v1',
  table: 'user_assignments',
  about: 'An account that works on an assignment in addition to the responsible one.',
  fields: {
    userId: references(2, uuid, 'user', 'cascade'),
    assignmentId: references(3, uuid, 'assignment', 'cascade'),
  },
  access: membersOfAssignment,
  filters: ['assignmentId', 'userId'],
})
