import type { Schema } from '../../http/operation.ts'
import { uuid } from '../../model/field-kinds.ts'
import { nameCharactersMax } from '../../model/text.ts'
import { resourceNames } from '../../resources/all.ts'
import { ref, resultSchema } from '../../routes/schemas.ts'
import { feedActions } from '../changes/read-feed.ts'
import { attemptsListedMax } from './deliveries.ts'
import { urlCharactersMax, webhooksListedMax } from './webhooks.ts'

const timestamp = { type: 'string', format: 'date-time' }
const nullableTimestamp = { type: ['string', 'null'], format: 'date-time' }
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
  ...choices,
  active: { type: 'boolean', description: 'Whether messages are sent.' },
  pausedAt: {
    ...nullableTimestamp,
    description: 'The time since which nothing is sent; null while it is active.',
  },
  pausedBecause: { ...nullableText, description: 'The reason why it was paused.' },
  createdAt: { ...timestamp, description: 'The time it was created.' },
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
  WebhookCreate: object({ ...choices, projectId }, ['url']),
  WebhookUpdate: object(
    { id: webhookId, ...choices, active: { type: 'boolean', description: 'False pauses, true resumes.' } },
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
      deliveryId: { type: ['string', 'null'], minLength: 1, description: 'One delivery.' },
      from: { ...nullableTimestamp, description: 'Or all messages created from this time …' },
      to: { ...nullableTimestamp, description: '… until before this time.' },
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
    createdAt: { ...timestamp, description: 'The time the message was created.' },
    deliveredAt: { ...nullableTimestamp, description: 'The time the receiver accepted it; null until then.' },
    nextAt: { ...nullableTimestamp, description: 'The time of the next attempt.' },
    body: { type: 'string', description: 'The exact body that was sent.' },
    attempts: {
      type: 'array',
      maxItems: attemptsListedMax,
      description: 'Sorted from newest to oldest.',
      items: object({
        at: { ...timestamp, description: 'The time it was sent.' },
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
