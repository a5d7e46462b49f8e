import type { Parameter, Schema } from '../../http/operation.ts'
import { uuid } from '../../model/field-kinds.ts'
import type { Tracker } from '../../records/context.ts'
import { pageSizeDefault, pageSizeMax } from '../../records/list-query.ts'
import { resourceNames } from '../../resources/all.ts'
import type { Route } from '../../routes/route.ts'
import { ref, resultSchema } from '../../routes/schemas.ts'
import { differenceChangesMax, listDifferences, listHistory } from './history.ts'

const moment = { type: 'string', format: 'date-time' }
const nullableText = { type: ['string', 'null'] }
const nullableId = { ...uuid.schema, type: ['string', 'null'] }
const changedFields = { type: ['object', 'null'], additionalProperties: true }

export const historySchemas: Readonly<Record<string, Schema>> = {
  Change: {
    type: 'object',
    required: [
      ...['id', 'at', 'resource', 'rowId', 'action', 'projectId', 'callerId', 'clientId', 'host'],
      ...['sessionId', 'requestId', 'before', 'after'],
    ],
    properties: {
      id: { type: 'string', description: 'The same in the history, in the feed and in deliveries.' },
      at: { ...moment, description: 'When it was written.' },
      resource: { type: 'string', enum: resourceNames, description: 'Of which resource the row is.' },
      rowId: { ...uuid.schema, description: 'Which row.' },
      action: {
        type: 'string',
        enum: ['create', 'update', 'remove', 'restore'],
        description: 'What happened to it.',
      },
      projectId: { ...nullableId, description: 'The project of the row after the change.' },
      callerId: { ...nullableId, description: 'The account that did it; null for the program itself.' },
      clientId: { ...nullableText, description: 'The client that its token was given to.' },
      host: { ...nullableText, description: 'rest or commands.' },
      sessionId: { ...nullableText, description: 'For administrators and for the account that did it.' },
      requestId: { ...nullableText, description: 'For administrators and for the account that did it.' },
      before: { ...changedFields, description: 'The fields that changed, as they were; null for a new row.' },
      after: {
        ...changedFields,
        description: 'The fields that changed, as they became; of a new row those with a value.',
      },
    },
  },
  ProjectDifference: {
    type: 'object',
    required: ['rows'],
    properties: {
      rows: {
        type: 'array',
        maxItems: differenceChangesMax,
        description: 'Every row of the project that is not as it was.',
        items: {
          type: 'object',
          required: ['resource', 'rowId', 'kind', 'before', 'after'],
          properties: {
            resource: { type: 'string', enum: resourceNames, description: 'What kind of row it is.' },
            rowId: { ...uuid.schema, description: 'Which row.' },
            kind: {
              type: 'string',
              enum: ['added', 'changed', 'removed'],
              description: 'What became of the row.',
            },
            before: {
              ...changedFields,
              description: 'The fields that differ, as they were; null for a row that was not there.',
            },
            after: { type: 'object', additionalProperties: true, description: 'The same as they became.' },
          },
        },
      },
    },
  },
  History: resultSchema('One page.', {
    data: { type: 'array', items: ref('Change'), maxItems: pageSizeMax, description: 'The newest first.' },
    next: { ...nullableText, description: 'What `before` is for the next page; null on the last.' },
  }),
}

const query: readonly Parameter[] = [
  {
    name: 'resource',
    description: 'Of which resource, such as assignment.',
    schema: { type: 'string', enum: resourceNames },
  },
  { name: 'id', description: 'Which row.', schema: uuid.schema },
  { name: 'projectId', description: 'Instead of one row, everything in this project.', schema: uuid.schema },
  { name: 'before', description: 'Only changes before the one with this id.', schema: { type: 'string' } },
  {
    name: 'pageSize',
    description: 'Changes in a page.',
    schema: { type: 'integer', minimum: 1, maximum: pageSizeMax, default: pageSizeDefault },
  },
]

export const historyRoute = (tracker: Tracker): Route => ({
  id: 'ReadHistory',
  tag: 'History',
  summary: 'Who changed a row, or anything in a project, newest first, with the fields before and after.',
  description:
    'Ask either for one row, by resource and id, or for a project. Anyone who sees the row now sees its history.',
  method: 'GET',
  path: '/ext/history',
  parameters: query,
  answer: ref('History'),
  refusals: [400, 403, 404, 503],
  async handle({ caller, request }) {
    return {
      body: {
        result: await listHistory(tracker, caller, request.query as Readonly<Record<string, unknown>>),
      },
    }
  },
})

export const differenceRoute = (tracker: Tracker): Route => ({
  id: 'CompareProject',
  tag: 'History',
  summary:
    'How a project at one moment differs from itself at another: the rows that were added, changed or removed.',
  description: `For anyone who sees the project now. At most ${differenceChangesMax} changes are compared; more are read from the feed.`,
  method: 'GET',
  path: '/ext/project/difference',
  parameters: [
    { name: 'id', description: 'Which project.', required: true, schema: uuid.schema },
    { name: 'from', description: 'The first moment.', required: true, schema: { type: 'string' } },
    { name: 'to', description: 'The second one.', required: true, schema: { type: 'string' } },
  ],
  answer: ref('ProjectDifference'),
  refusals: [400, 404, 410, 503],
  async handle({ caller, request }) {
    return {
      body: {
        rows: await listDifferences(tracker, caller, request.query as Readonly<Record<string, unknown>>),
      },
    }
  },
})
