import type { Schema } from '../../../http/operation.ts'
import { uuid } from '../../../model/field-kinds.ts'
import { nameCharactersMax } from '../../../model/text-limits.ts'
import { feedActions } from '../../../operations/feed/read-feed-query.ts'
import { attemptsShownMax } from '../../../operations/webhooks/deliveries.ts'
import { webhooksListedMax } from '../../../operations/webhooks/manage.ts'
import { urlCharactersMax } from '../../../operations/webhooks/read-webhook.ts'
import { ref } from '../resource-schemas.ts'
import { resourceNames } from './history-routes.ts'

const moment = { type: 'string', format: 'date-time' }
const nullableMoment = { type: ['string', 'null'], format: 'date-time' }
const nullableText = { type: ['string', 'null'] }
const object = (
  properties: Readonly<Record<string, Schema>>,
  required = Object.keys(properties),
): Schema => ({
  type: 'object',
  required,
  properties,
})

const choices = {
  url: {
    type: 'string',
    format: 'uri',
    maxLength: urlCharactersMax,
    description: 'Where messages are sent: https, to a public address.',
  },
  name: { type: ['string', 'null'], maxLength: nameCharactersMax },
  resources: {
    type: ['array', 'null'],
    items: { type: 'string', enum: resourceNames },
    minItems: 1,
    description: 'Null for all.',
  },
  actions: {
    type: ['array', 'null'],
    items: { type: 'string', enum: [...feedActions] },
    minItems: 1,
    description: 'Null for all.',
  },
}

const projectId = {
  ...uuid.schema,
  type: ['string', 'null'],
  description: 'Of one project; null for everything, which only administrators may have.',
}

const shown = {
  id: uuid.schema,
  userId: { ...uuid.schema, description: 'Whose it is: messages have what this account may see.' },
  projectId,
  ...choices,
  active: { type: 'boolean' },
  pausedAt: nullableMoment,
  pausedBecause: { ...nullableText, description: 'Why nothing is sent any more.' },
  createdAt: moment,
  waiting: { type: 'integer', description: 'Messages that wait to be delivered.' },
}

export const webhookSchemas: Readonly<Record<string, Schema>> = {
  Webhook: object(shown),
  NewWebhook: object({
    webhook: object({
      ...shown,
      secret: { type: 'string', description: 'Signs every message. It is told once.' },
    }),
  }),
  ChangedWebhook: object({ webhook: ref('Webhook') }),
  Webhooks: object({ webhooks: { type: 'array', items: ref('Webhook'), maxItems: webhooksListedMax } }),
  WebhookCreate: object({ ...choices, projectId }, ['url']),
  WebhookUpdate: object(
    { id: uuid.schema, ...choices, active: { type: 'boolean', description: 'False pauses, true resumes.' } },
    ['id'],
  ),
  WebhookId: object({ id: uuid.schema }),
  WebhookSecret: object({
    secret: { type: 'string', description: 'The one before signs as well for 24 hours.' },
  }),
  WebhookTest: object({ messageId: { type: 'string', description: 'Of the message in the log.' } }),
  WebhookReplay: object(
    {
      id: uuid.schema,
      deliveryId: { type: ['string', 'null'], description: 'One delivery.' },
      from: { ...nullableMoment, description: 'Or all that were made from here …' },
      to: { ...nullableMoment, description: '… to before here.' },
    },
    ['id'],
  ),
  WebhookReplayed: object({ count: { type: 'integer' } }),
  WebhookDelivery: object({
    id: { type: 'string' },
    messageId: {
      type: 'string',
      description: 'The same however often it is sent: receivers ignore one they know.',
    },
    type: { type: 'string' },
    createdAt: moment,
    deliveredAt: nullableMoment,
    nextAt: { ...nullableMoment, description: 'When it is tried next.' },
    body: { type: 'string' },
    attempts: {
      type: 'array',
      maxItems: attemptsShownMax,
      description: 'The newest first.',
      items: object({
        at: moment,
        milliseconds: { type: 'integer' },
        status: { type: ['integer', 'null'] },
        answer: { ...nullableText, description: 'The beginning of what was answered.' },
        error: { ...nullableText, description: 'What went wrong where nothing was answered.' },
        headers: { type: 'object', additionalProperties: { type: 'string' } },
      }),
    },
  }),
  WebhookDeliveries: object({
    result: object({ data: { type: 'array', items: ref('WebhookDelivery') }, next: nullableText }),
  }),
}
