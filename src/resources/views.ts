import { ownerOnly } from '../model/access-rule.ts'
import { defaultsToCaller, optional, references, required } from '../model/field.ts'
import { text, uuid } from '../model/field-kinds.ts'
import { listNameCharactersMax, nameCharactersMax, viewTextCharactersMax } from '../model/text.ts'
import { defineResource } from './define-resource.ts'

const queryText = text({ max: viewTextCharactersMax })

/** The name of a view, its list, and the parts of its query. The query is parsed at each use. */
const viewFields = {
  name: required(2, text({ max: nameCharactersMax }), { example: 'My open work' }),
  list: required(3, text({ max: listNameCharactersMax }), {
    about: 'The list that the view queries, named by the last segment of the path of the list.',
    example: 'assignments',
  }),
  filter: optional(4, queryText, {
    about: 'The filter, in the syntax of queries.',
    example: 'userId eq me and amountHours gt 0',
  }),
  sort: optional(5, queryText, { about: 'The order, in the syntax of queries.', example: '-endDate,name' }),
  fields: optional(6, queryText, {
    about: 'The fields, in the syntax of queries.',
    example: 'name,endDate,project.name',
  }),
  expand: optional(7, queryText, {
    about: 'The expanded references, in the syntax of queries.',
    example: 'project',
  }),
  address: optional(16, queryText, {
    about:
      'The path and query of the page that shows it in the web client. That page can filter by more than `filter` says, such as by labels.',
    example: '/projects/0199a3c4-7d1e-7c52-9d0b-6f3a1c2e4b57?overdue=1&view=list',
  }),
}

export const savedView = defineResource({
  name: 'savedView',
  edition: 'ext',
  table: 'saved_views',
  about: 'A named query that its owner keeps.',
  fields: {
    ...viewFields,
    userId: defaultsToCaller(references(8, uuid, 'user', 'cascade', { about: 'The owner.' })),
  },
  access: ownerOnly,
  filters: ['userId'],
})

export const projectView = defineResource({
  name: 'projectView',
  edition: 'ext',
  table: 'project_views',
  about: 'A named query that is shared with the members of a project. It remains when its owner is removed.',
  fields: {
    ...viewFields,
    projectId: references(8, uuid, 'project', 'cascade'),
    userId: defaultsToCaller(
      references(9, uuid, 'user', 'keep', {
        about: 'The account that shares it. Only this account may change it.',
      }),
    ),
  },
  access: { kind: 'projectMembers', projectPath: ['projectId'], ownerColumn: 'userId' },
  filters: ['projectId', 'userId'],
})
