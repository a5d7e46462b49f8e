import type { FastifyRequest } from 'fastify'
import { notificationKinds } from '../../accounts/notification-mails.ts'
import { wantsEventStream } from '../../http/event-stream.ts'
import type { Schema } from '../../http/openapi.ts'
import type { Caller } from '../../model/caller.ts'
import { capitalize } from '../../model/field.ts'
import { uuid } from '../../model/field-kinds.ts'
import { collectViolations, parseObject, type Violations } from '../../model/problem.ts'
import type { Context } from '../../records/context.ts'
import {
  idsMax,
  pageNumberMax,
  pageSizeDefault,
  pageSizeMax,
  parseBoolean,
  parseIds,
  parseNames,
  parseNumber,
} from '../../records/list-query.ts'
import type { Route } from '../../routes/route.ts'
import { pagingKeys, ref, resultSchema, someText, timestamp } from '../../routes/schemas.ts'
import type { ListingView } from '../changes/listing.ts'
import type { LiveListings } from '../changes/live-listings.ts'
import {
  listNotifications,
  type Marking,
  markNotifications,
  type NotificationQuery,
  notificationDays,
  notificationResource,
  notificationsMax,
} from './notifications.ts'

const kind: Schema = { type: 'string', enum: notificationKinds, description: 'The kind of event.' }
const count: Schema = { type: 'integer', minimum: 0 }

export const notificationSchemas: Readonly<Record<string, Schema>> = {
  Notification: {
    type: 'object',
    required: [
      'id',
      'kind',
      'assignmentId',
      'assignmentName',
      'projectId',
      'commentId',
      'workflowId',
      'actorId',
      'at',
      'readAt',
    ],
    properties: {
      id: { ...uuid.schema, description: 'Its id.' },
      kind,
      assignmentId: { ...uuid.schema, description: 'The assignment.' },
      assignmentName: { type: 'string', description: 'The current name of the assignment.' },
      projectId: { ...uuid.schema, description: 'The current project of the assignment.' },
      commentId: {
        ...uuid.schema,
        type: ['string', 'null'],
        description: 'The comment, if it is about one.',
      },
      workflowId: {
        ...uuid.schema,
        type: ['string', 'null'],
        description: 'The stage that the assignment was moved to, if it is about that.',
      },
      actorId: {
        ...uuid.schema,
        type: ['string', 'null'],
        description: 'The account that caused it; null for reminders.',
      },
      at: { ...timestamp, description: 'The time of the change or of the reminder.' },
      readAt: { ...timestamp, type: ['string', 'null'], description: 'When it was read; null if unread.' },
    },
  },
  NotificationPage: resultSchema('One page of the list.', {
    data: { type: 'array', items: ref('Notification'), description: 'Sorted from newest to oldest.' },
    totalCount: { ...count, description: 'Notifications on all pages.' },
    pageNumber: { type: 'integer', description: 'This page, counted from 1.' },
    pageSize: { type: 'integer', description: 'Notifications on a page.', examples: [pageSizeDefault] },
    totalPages: { type: 'integer', description: 'The number of pages.' },
    unreadCount: { ...count, description: 'The unread ones of all kinds, whatever the filter is.' },
  }),
  NotificationMarking: {
    type: 'object',
    required: ['isRead'],
    properties: {
      isRead: { type: 'boolean', description: 'True for read, false for unread.' },
      ids: {
        type: 'array',
        items: uuid.schema,
        minItems: 1,
        maxItems: idsMax,
        description: 'The notifications. Ids that are not the caller’s are ignored.',
      },
      all: { type: 'boolean', const: true, description: 'Marks all of them, in place of ids.' },
      kind: { type: 'array', items: kind, minItems: 1, description: 'Limits the marking to these kinds.' },
    },
  },
  NotificationsMarked: {
    type: 'object',
    required: ['count'],
    properties: { count: { ...count, description: 'How many have changed.' } },
  },
}

const tag = 'Notifications'
const path = '/ext/notifications'

/** Each account has its own notifications. Administrators do not see the notifications of others. */
export const notificationRoutes = (context: Context, live: LiveListings): Route[] => [
  {
    id: 'ListNotifications',
    tag,
    summary:
      'Lists the caller’s own notifications, newest first; with Accept: text/event-stream, as a live listing.',
    description: `Lists those about assignments that the caller can see now. The newest ${notificationsMax} are kept, for ${notificationDays} days.`,
    method: 'GET',
    path,
    parameters: [
      ...pagingKeys,
      {
        name: 'unread',
        description: 'Lists only unread ones.',
        schema: { type: 'string', enum: ['true', 'false'], default: 'false' },
      },
      {
        name: 'kind',
        description: `Only these kinds, separated by commas: ${notificationKinds.join(', ')}.`,
        schema: someText,
      },
    ],
    response: ref('NotificationPage'),
    errors: [400, 503],
    isLive: true,
    async handle({ caller, session, request, reply }) {
      const query = parseNotificationQuery(request)
      if (wantsEventStream(request))
        return live.open(notificationView(caller, query), { session, request, reply })
      return { body: { result: await listNotifications(context.database.listReads, caller, query) } }
    },
  },
  {
    id: 'MarkNotifications',
    tag,
    summary: 'Marks notifications of the caller as read or unread: these, or all of them.',
    description: 'Requires either ids, or all. Notifications that are marked already stay unchanged.',
    method: 'PATCH',
    path,
    body: ref('NotificationMarking'),
    response: ref('NotificationsMarked'),
    errors: [400],
    async handle({ context: { database }, caller, request }) {
      return { body: { count: await markNotifications(database, caller, parseMarking(request.body)) } }
    },
  },
]

/**
 * The listing is read again when the account receives or marks notifications, or joins or leaves a project.
 */
const notificationView = (caller: Caller, query: NotificationQuery): ListingView => ({
  key: JSON.stringify(['notifications', caller.id, caller.isAdministrator, query]),
  caller,
  resources: [notificationResource, 'userProject'],
  scope: { resource: notificationResource, allowedValues: { id: [caller.id] }, member: caller.id },
  read: async (reads) => JSON.stringify({ result: await listNotifications(reads, caller, query) }),
})

function parseNotificationQuery({ query }: FastifyRequest): NotificationQuery {
  const violations = collectViolations()
  const values = query as Readonly<Record<string, unknown>>
  for (const [key, value] of Object.entries(values))
    if (Array.isArray(value)) violations.add(key, `${capitalize(key)} must be given once.`)
  violations.throwIfAny()
  const parsed = {
    pageNumber: parseNumber('pageNumber', values.pageNumber, pageNumberMax, violations) ?? 1,
    pageSize: parseNumber('pageSize', values.pageSize, pageSizeMax, violations) ?? pageSizeDefault,
    isUnreadOnly: parseBoolean('unread', values.unread, violations),
    kinds: parseNames('kind', values.kind, notificationKinds, violations),
  }
  violations.throwIfAny()
  return parsed
}

function parseMarking(body: unknown): Marking {
  const { isRead, ids, all, kind: kinds } = parseObject(body)
  const violations = collectViolations()
  if (typeof isRead !== 'boolean') violations.add('isRead', 'IsRead must be true or false.')
  if ((ids === undefined) !== (all === true)) violations.add('ids', 'Either ids or all is required.')
  const parsedKinds = kinds === undefined ? undefined : parseKinds(kinds, violations)
  violations.throwIfAny()
  return {
    isRead: isRead === true,
    ids: ids === undefined ? undefined : parseIds(body, { duplicates: 'ignored' }),
    kinds: parsedKinds,
  }
}

function parseKinds(input: unknown, violations: Violations): readonly string[] | undefined {
  const validKinds: readonly unknown[] = notificationKinds
  if (Array.isArray(input) && input.length > 0 && input.every((name) => validKinds.includes(name)))
    return input
  violations.add('kind', `Kind must be an array of ${notificationKinds.join(', ')}.`)
  return undefined
}
