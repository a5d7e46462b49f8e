import type { AllowedReceivers } from '../../http/addresses.ts'
import type { Schema } from '../../http/openapi.ts'
import { uuid } from '../../model/field-kinds.ts'
import { collectViolations, parseObject } from '../../model/problem.ts'
import { nameCharactersMax } from '../../model/text.ts'
import { pageSizeDefault, pageSizeMax, parseUuid } from '../../records/list-query.ts'
import { resourceNames } from '../../resources/all.ts'
import type { Route } from '../../routes/route.ts'
import { dateTime, nullableDateTime, ref, resultSchema } from '../../routes/schemas.ts'
import { feedActions } from '../changes/read-feed.ts'
import { attemptsListedMax, listDeliveries, replayDeliveries } from './deliveries.ts'
import {
  createWebhook,
  listWebhooks,
  parseWebhookId,
  queueTestMessage,
  removeWebhook,
  rotateSecret,
  updateWebhook,
  urlCharactersMax,
  webhooksListedMax,
} from './webhooks.ts'

const tag = 'Webhooks'
type Query = Readonly<Record<string, unknown>>

/** Manages the webhooks of the caller's account, and of every account for administrators. */
export const webhookRoutes = (receivers: AllowedReceivers): Route[] => [
  ...editingRoutes(receivers),
  ...operationRoutes,
  ...logRoutes,
]

const editingRoutes = (receivers: AllowedReceivers): Route[] => [
  {
    id: 'ListWebhooks',
    tag,
    summary: 'Lists the webhooks of the caller’s account or, for administrators, of all accounts.',
    description: 'The newest are listed, each with its number of pending messages.',
    method: 'GET',
    path: '/ext/webhooks',
    parameters: [
      { name: 'projectId', description: 'Lists only the webhooks of this project.', schema: uuid.schema },
    ],
    response: ref('WebhookList'),
    errors: [400],
    async handle({ context, caller, request }) {
      const violations = collectViolations()
      const projectId = parseUuid('projectId', (request.query as Query).projectId, violations)
      violations.throwIfAny()
      return { body: { webhooks: await listWebhooks(context, caller, projectId) } }
    },
  },
  {
    id: 'CreateWebhook',
    tag,
    summary: 'Creates a webhook: changes of a project, or of everything, are sent to an address from now on.',
    description:
      'Messages contain only data that the creating account may see at the time of sending. The signing secret is returned only in this response.',
    method: 'POST',
    path: '/ext/webhook',
    body: ref('WebhookCreate'),
    response: ref('WebhookCreated'),
    errors: [400, 403],
    async handle({ context, caller, request }) {
      return { body: { webhook: await createWebhook(context, caller, request.body, receivers.problemOf) } }
    },
  },
  {
    id: 'UpdateWebhook',
    tag,
    summary: 'Changes, pauses or resumes a webhook.',
    description: 'Absent properties stay unchanged. A resumed webhook continues where it stopped.',
    method: 'PATCH',
    path: '/ext/webhook',
    body: ref('WebhookUpdate'),
    response: ref('WebhookUpdated'),
    errors: [400, 403, 404],
    async handle({ context, caller, request }) {
      return { body: { webhook: await updateWebhook(context, caller, request.body, receivers.problemOf) } }
    },
  },
]

const operationRoutes: readonly Route[] = [
  {
    id: 'RemoveWebhook',
    tag,
    summary: 'Removes a webhook with its log.',
    description: 'Pending messages are no longer sent.',
    method: 'DELETE',
    path: '/ext/webhook',
    body: ref('WebhookId'),
    response: ref('Success'),
    errors: [400, 403, 404],
    async handle({ context, caller, request }) {
      await removeWebhook(context, caller, idIn(request.body))
      return { body: { success: true } }
    },
  },
  {
    id: 'RotateWebhookSecret',
    tag,
    summary: 'Creates a new secret; the previous one also signs for another day.',
    description:
      'The new secret is returned only in this response. Receivers that accept either signature have a day to switch.',
    method: 'POST',
    path: '/ext/webhook/rotate',
    body: ref('WebhookId'),
    response: ref('WebhookSecret'),
    errors: [400, 403, 404],
    async handle({ context, caller, request }) {
      return { body: { secret: await rotateSecret(context, caller, idIn(request.body)) } }
    },
  },
  {
    id: 'TestWebhook',
    tag,
    summary: 'Sends a message of the type test; the log shows the result.',
    description: 'It is signed, retried and logged like any other message.',
    method: 'POST',
    path: '/ext/webhook/test',
    body: ref('WebhookId'),
    response: ref('WebhookTested'),
    errors: [400, 403, 404],
    async handle({ context, caller, request }) {
      return { body: { messageId: await queueTestMessage(context, caller, idIn(request.body)) } }
    },
  },
]

const logRoutes: readonly Route[] = [
  {
    id: 'ListWebhookDeliveries',
    tag,
    summary: 'Lists the deliveries to a webhook with responses and durations, newest first.',
    description:
      'Each delivery has its last attempts. Deliveries about rows that the caller can no longer read are omitted.',
    method: 'GET',
    path: '/ext/webhook/deliveries',
    parameters: [
      { name: 'id', description: 'The id of the webhook.', required: true, schema: uuid.schema },
      {
        name: 'before',
        description: 'Only deliveries before the one with this id.',
        schema: { type: 'string' },
      },
      {
        name: 'pageSize',
        description: 'Deliveries in a page.',
        schema: { type: 'integer', minimum: 1, maximum: pageSizeMax, default: pageSizeDefault },
      },
    ],
    response: ref('WebhookDeliveries'),
    errors: [400, 404, 503],
    async handle({ context, caller, request }) {
      return { body: { result: await listDeliveries(context, caller, request.query as Query) } }
    },
  },
  {
    id: 'ReplayWebhookDeliveries',
    tag,
    summary: 'Sends one delivery again, or all deliveries of a period, with the same ids.',
    description:
      'Requires either deliveryId, or from and to. Receivers ignore ids they have seen. Rows that the caller can no longer read are not sent.',
    method: 'POST',
    path: '/ext/webhook/replay',
    body: ref('WebhookReplay'),
    response: ref('WebhookReplayed'),
    errors: [400, 403, 404],
    async handle({ context, caller, request }) {
      return { body: { count: await replayDeliveries(context, caller, request.body) } }
    },
  },
]

function idIn(body: unknown): string {
  const violations = collectViolations()
  const id = parseWebhookId(parseObject(body).id, violations)
  violations.throwIfAny()
  return id ?? ''
}

const nullableText = { type: ['string', 'null'] }
const object = (
  properties: Readonly<Record<string, Schema>>,
  required = Object.keys(properties),
): Schema => ({
  type: 'object',
  required,
  properties,
})

const editableProperties = {
  url: {
    type: 'string',
    format: 'uri',
    maxLength: urlCharactersMax,
    description: 'The receiver’s address: https, and public.',
  },
  name: { type: ['string', 'null'], maxLength: nameCharactersMax, description: 'The name users see.' },
  resources: {
    type: ['array', 'null'],
    items: { type: 'string', enum: resourceNames },
    minItems: 1,
    description: 'Limits messages to these; null for all.',
  },
  actions: {
    type: ['array', 'null'],
    items: { type: 'string', enum: [...feedActions] },
    minItems: 1,
    description: 'Limits messages to these; null for all.',
  },
}

const webhookId = { ...uuid.schema, description: 'Its id.' }

const projectId = {
  ...uuid.schema,
  type: ['string', 'null'],
  description: 'The project; null for everything, which only administrators may choose.',
}

const listed = {
  id: { ...uuid.schema, description: 'Its id.' },
  userId: { ...uuid.schema, description: 'Its owner: messages contain only data that this account may see.' },
  projectId,
  ...editableProperties,
  active: { type: 'boolean', description: 'Whether messages are sent.' },
  pausedAt: {
    ...nullableDateTime,
    description: 'The time since which nothing is sent; null while it is active.',
  },
  pausedBecause: { ...nullableText, description: 'The reason why it was paused.' },
  createdAt: { ...dateTime, description: 'The time it was created.' },
  waiting: { type: 'integer', description: 'The number of pending messages.' },
}

export const webhookSchemas: Readonly<Record<string, Schema>> = {
  Webhook: object(listed),
  WebhookWithSecret: object({
    ...listed,
    secret: { type: 'string', description: 'Signs every message. It is shown only once.' },
  }),
  WebhookCreated: object({ webhook: ref('WebhookWithSecret') }),
  WebhookUpdated: object({ webhook: ref('Webhook') }),
  WebhookList: object({
    webhooks: {
      type: 'array',
      items: ref('Webhook'),
      maxItems: webhooksListedMax,
      description: 'Sorted from newest to oldest.',
    },
  }),
  WebhookCreate: object({ ...editableProperties, projectId }, ['url']),
  WebhookUpdate: object(
    {
      id: webhookId,
      ...editableProperties,
      active: { type: 'boolean', description: 'False pauses, true resumes.' },
    },
    ['id'],
  ),
  WebhookId: object({ id: webhookId }),
  WebhookSecret: object({
    secret: { type: 'string', description: 'The new secret. The previous one also signs for 24 hours.' },
  }),
  WebhookTested: object({ messageId: { type: 'string', description: 'The id of the message in the log.' } }),
  WebhookReplay: object(
    {
      id: webhookId,
      deliveryId: { type: ['string', 'null'], minLength: 1, description: 'The id of a single delivery.' },
      from: {
        ...nullableDateTime,
        description: 'Instead of deliveryId, the start of a period: messages created at or after this time.',
      },
      to: { ...nullableDateTime, description: 'The end of the period: messages created before this time.' },
    },
    ['id'],
  ),
  WebhookReplayed: object({
    count: { type: 'integer', description: 'The number of messages that are sent again.' },
  }),
  WebhookDelivery: object({
    id: { type: 'string', description: 'Its id.' },
    messageId: {
      type: 'string',
      description: 'The same for every attempt: receivers ignore ids they have seen.',
    },
    type: { type: 'string', description: 'The kind of change.' },
    createdAt: { ...dateTime, description: 'The time the message was created.' },
    deliveredAt: { ...nullableDateTime, description: 'The time the receiver accepted it; null until then.' },
    nextAt: { ...nullableDateTime, description: 'The time of the next attempt.' },
    body: { type: 'string', description: 'The exact body that was sent.' },
    attempts: {
      type: 'array',
      maxItems: attemptsListedMax,
      description: 'Sorted from newest to oldest.',
      items: object({
        at: { ...dateTime, description: 'The time it was sent.' },
        milliseconds: { type: 'integer', description: 'The time until the response.' },
        status: { type: ['integer', 'null'], description: 'The status of the response, if there was one.' },
        answer: { ...nullableText, description: 'The beginning of the response.' },
        error: { ...nullableText, description: 'The error if there was no response.' },
        headers: {
          type: 'object',
          additionalProperties: { type: 'string' },
          description: 'The headers that were sent.',
        },
      }),
    },
  }),
  WebhookDeliveries: resultSchema('One page.', {
    data: { type: 'array', items: ref('WebhookDelivery'), description: 'Sorted from newest to oldest.' },
    next: { ...nullableText, description: 'The value of `before` for the next page; null on the last.' },
  }),
}
