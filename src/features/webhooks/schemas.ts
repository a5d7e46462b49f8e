import type { Schema } from '../../http/operation.ts'
import { uuid } from '../../model/field-kinds.ts'
import { nameCharactersMax } from '../../model/text.ts'
import { resourceNames } from '../../resources/all.ts'
import { ref, resultSchema } from '../../routes/schemas.ts'
import { feedActions } from '../changes/read-feed.ts'
import { attemptsShownMax } from './deliveries.ts'
import { urlCharactersMax, webhooksListedMax } from './manage.ts'

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
  name: { type: ['string', 'null'], maxLength: nameCharactersMax, description: 'What people call it.' },
  resources: {
    type: ['array', 'null'],
    items: { type: 'string', enum: resourceNames },
    minItems: 1,
    description: 'Which ones it is told of; null for all.',
  },
  actions: {
    type: ['array', 'null'],
    items: { type: 'string', enum: [...feedActions] },
    minItems: 1,
    description: 'Which ones it is told of; null for all.',
  },
}

const which = { ...uuid.schema, description: 'Which one.' }

const projectId = {
  ...uuid.schema,
  type: ['string', 'null'],
  description: 'Of one project; null for everything, which only administrators may have.',
}

const shown = {
  id: { ...uuid.schema, description: 'Its id.' },
  userId: { ...uuid.schema, description: 'Whose it is: messages have what this account may see.' },
  projectId,
  ...choices,
  active: { type: 'boolean', description: 'Whether messages are sent.' },
  pausedAt: { ...nullableMoment, description: 'Since when nothing is sent; null while it is active.' },
  pausedBecause: { ...nullableText, description: 'Why nothing is sent any more.' },
  createdAt: { ...moment, description: 'When it was made.' },
  waiting: { type: 'integer', description: 'Messages that wait to be delivered.' },
}

export const webhookSchemas: Readonly<Record<string, Schema>> = {
  Webhook: object(shown),
  NewWebhook: object({
    webhook: {
      ...object({
        ...shown,
        secret: { type: 'string', description: 'Signs every message. It is told once.' },
      }),
      description: 'The new one.',
    },
  }),
  ChangedWebhook: object({ webhook: ref('Webhook') }),
  Webhooks: object({
    webhooks: {
      type: 'array',
      items: ref('Webhook'),
      maxItems: webhooksListedMax,
      description: 'The newest first.',
    },
  }),
  WebhookCreate: object({ ...choices, projectId }, ['url']),
  WebhookUpdate: object(
    { id: which, ...choices, active: { type: 'boolean', description: 'False pauses, true resumes.' } },
    ['id'],
  ),
  WebhookId: object({ id: which }),
  WebhookSecret: object({
    secret: { type: 'string', description: 'The one before signs as well for 24 hours.' },
  }),
  WebhookTest: object({ messageId: { type: 'string', description: 'Of the message in the log.' } }),
  WebhookReplay: object(
    {
      id: which,
      deliveryId: { type: ['string', 'null'], description: 'One delivery.' },
      from: { ...nullableMoment, description: 'Or all that were made from here …' },
      to: { ...nullableMoment, description: '… to before here.' },
    },
    ['id'],
  ),
  WebhookReplayed: object({ count: { type: 'integer', description: 'How many are sent again.' } }),
  WebhookDelivery: object({
    id: { type: 'string', description: 'Its id.' },
    messageId: {
      type: 'string',
      description: 'The same however often it is sent: receivers ignore one they know.',
    },
    type: { type: 'string', description: 'What the message is about.' },
    createdAt: { ...moment, description: 'When the message was made.' },
    deliveredAt: { ...nullableMoment, description: 'When it was taken; null while it was not.' },
    nextAt: { ...nullableMoment, description: 'When it is tried next.' },
    body: { type: 'string', description: 'What was sent, letter by letter.' },
    attempts: {
      type: 'array',
      maxItems: attemptsShownMax,
      description: 'The newest first.',
      items: object({
        at: { ...moment, description: 'When it was sent.' },
        milliseconds: { type: 'integer', description: 'How long the answer took.' },
        status: { type: ['integer', 'null'], description: 'The status of the answer, where there was one.' },
        answer: { ...nullableText, description: 'The beginning of what was answered.' },
        error: { ...nullableText, description: 'What went wrong where nothing was answered.' },
        headers: {
          type: 'object',
          additionalProperties: { type: 'string' },
          description: 'Those that were sent.',
        },
      }),
    },
  }),
  WebhookDeliveries: resultSchema('One page.', {
    data: { type: 'array', items: ref('WebhookDelivery'), description: 'The newest first.' },
    next: { ...nullableText, description: 'What `before` is for the next page; null on the last.' },
  }),
}
