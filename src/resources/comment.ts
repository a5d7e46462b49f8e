import { defaultsToCaller, references, required } from '../model/field.ts'
import { text, uuid } from '../model/field-kinds.ts'
import { commentCharactersMax } from '../model/text.ts'
import { defineResource } from './define-resource.ts'

export const comment = defineResource({
  name: 'comment',
  edition: 'ext',
  table: 'comments',
  about:
    'A comment on an assignment. It remains when its author is removed, and is removed with its assignment.',
  fields: {
    text: required(2, text({ max: commentCharactersMax }), {
      about: 'The text, in Markdown.',
      example: 'Looks **good** to me.',
    }),
    assignmentId: references(3, uuid, 'assignment', 'cascade'),
    userId: defaultsToCaller(references(4, uuid, 'user', 'keep', { about: 'The author.' })),
  },
  access: { kind: 'projectMembers', projectPath: ['assignmentId', 'projectId'], ownerColumn: 'userId' },
  filters: ['assignmentId', 'userId'],
})
