import type { Parameter, Schema } from '../../http/openapi.ts'
import { uuid } from '../../model/field-kinds.ts'
import type { Context } from '../../records/context.ts'
import { pageSizeDefault, pageSizeMax } from '../../records/list-query.ts'
import { resourceNames } from '../../resources/all.ts'
import type { Route } from '../../routes/route.ts'
import { dateTime, ref, resultSchema, someText } from '../../routes/schemas.ts'
import { changeProperties } from '../changes/serialize-change.ts'
import { differenceChangesMax, listDifferences, listHistory } from './history.ts'

const nullableText = { type: ['string', 'null'] }
const nullableId = { ...uuid.schema, type: ['string', 'null'] }
const resourceOfRow = {
  type: 'string',
  enum: resourceNames,
  description: 'The resource of the row. Later versions add resources: skip those that you do not know.',
}
const changedFields = { type: ['object', 'null'], additionalProperties: true }

export const historySchemas: Readonly<Record<string, Schema>> = {
  Change: {
    type: 'object',
    required: changeProperties,
    properties: {
      id: {
        type: 'string',
        description: 'The id of the change. It is the same in the history, the feed and webhook deliveries.',
      },
      at: { ...dateTime, description: 'The time of the change.' },
      resource: resourceOfRow,
      rowId: { ...uuid.schema, description: 'The id of the row.' },
      action: {
        type: 'string',
        enum: ['create', 'update', 'remove', 'restore'],
        description: 'The action.',
      },
      projectId: { ...nullableId, description: 'The project of the row after the change.' },
      callerId: {
        ...nullableId,
        description: 'The account that made the change; null for the program itself.',
      },
      clientId: { ...nullableText, description: 'The client to which the token of the request was issued.' },
      host: { ...nullableText, description: 'rest or commands.' },
      sessionId: {
        ...nullableText,
        description: 'Only shown to administrators and to the account that made the change.',
      },
      requestId: {
        ...nullableText,
        description: 'Only shown to administrators and to the account that made the change.',
      },
      before: {
        ...changedFields,
        description: 'The previous values of the changed fields; null for a new row.',
      },
      after: {
        ...changedFields,
        description: 'The new values of the changed fields; for a new row, all fields with a value.',
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
        description: 'The rows of the project that differ.',
        items: {
          type: 'object',
          required: ['resource', 'rowId', 'kind', 'before', 'after'],
          properties: {
            resource: resourceOfRow,
            rowId: { ...uuid.schema, description: 'The id of the row.' },
            kind: {
              type: 'string',
              enum: ['added', 'changed', 'removed'],
              description: 'The kind of the difference.',
            },
            before: {
              ...changedFields,
              description: 'The earlier values of the fields that differ; null for a row that did not exist.',
            },
            after: {
              type: 'object',
              additionalProperties: true,
              description: 'The later values of the same fields.',
            },
          },
        },
      },
    },
  },
  History: resultSchema('One page.', {
    data: {
      type: 'array',
      items: ref('Change'),
      maxItems: pageSizeMax,
      description: 'Sorted from newest to oldest.',
    },
    next: {
      ...nullableText,
      description: 'Pass it as `before` to get the next page. Null on the last page.',
    },
  }),
}

const historyParameters: readonly Parameter[] = [
  {
    name: 'resource',
    description: 'The resource, such as assignment.',
    schema: { type: 'string', enum: resourceNames },
  },
  { name: 'id', description: 'The id of the row.', schema: uuid.schema },
  {
    name: 'projectId',
    description: 'Selects the changes of all rows in this project.',
    schema: uuid.schema,
  },
  {
    name: 'assignmentId',
    description:
      'Selects this assignment with all that belongs to it: comments, appointments, impediments, people, labels, dependencies and files.',
    schema: uuid.schema,
  },
  { name: 'before', description: 'Only changes before the one with this id.', schema: { type: 'string' } },
  {
    name: 'pageSize',
    description: 'Changes in a page.',
    schema: { type: 'integer', minimum: 1, maximum: pageSizeMax, default: pageSizeDefault },
  },
]

export const historyRoute = (context: Context): Route => ({
  id: 'ReadHistory',
  tag: 'History',
  summary:
    'Lists the changes of a row, or of everything in a project, newest first, with user and fields before and after.',
  description:
    'Request one row (by resource and id), one assignment or one project; for an assignment or a project, resource is a filter. Callers who can see the row now can see its history.',
  method: 'GET',
  path: '/ext/history',
  parameters: historyParameters,
  response: ref('History'),
  errors: [400, 403, 404, 503],
  async handle({ caller, request }) {
    return {
      body: {
        result: await listHistory(context, caller, request.query as Readonly<Record<string, unknown>>),
      },
    }
  },
})

export const differenceRoute = (context: Context): Route => ({
  id: 'CompareProject',
  tag: 'History',
  summary: 'Compares a project at two instants: lists the rows that were added, changed or removed.',
  description: `For callers who can see the project now. At most ${differenceChangesMax} changes are compared; read more from the feed.`,
  method: 'GET',
  path: '/ext/project/difference',
  parameters: [
    { name: 'id', description: 'The id of the project.', required: true, schema: uuid.schema },
    { name: 'from', description: 'The first instant.', required: true, schema: someText },
    { name: 'to', description: 'The second instant.', required: true, schema: someText },
  ],
  response: ref('ProjectDifference'),
  errors: [400, 404, 410, 503],
  async handle({ caller, request }) {
    return {
      body: {
        rows: await listDifferences(context, caller, request.query as Readonly<Record<string, unknown>>),
      },
    }
  },
})
