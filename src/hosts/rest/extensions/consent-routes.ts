import {
  clientIdCharactersMax,
  consentsListedMax,
  listConsents,
  withdrawConsent,
} from '../../../accounts/consents.ts'
import { readUserId } from '../../../accounts/sessions.ts'
import type { Schema } from '../../../http/operation.ts'
import { uuid } from '../../../model/field-kinds.ts'
import type { Tracker } from '../../../operations/tracker.ts'
import { ref } from '../resource-schemas.ts'
import type { Route } from '../route.ts'

const clientId = { type: 'string', description: 'The id of the client.', examples: ['wiki'] }

export const consentSchemas: Readonly<Record<string, Schema>> = {
  Consent: {
    type: 'object',
    required: ['clientId', 'name', 'scopes', 'grantedAt'],
    properties: {
      clientId,
      name: { type: 'string', description: 'As people are shown the client.', examples: ['The wiki'] },
      scopes: {
        type: 'array',
        items: { type: 'string', examples: ['profile'] },
        description: 'What it may.',
      },
      grantedAt: { type: 'string', format: 'date-time', description: 'When it was allowed last.' },
    },
  },
  ConsentList: {
    type: 'object',
    required: ['consents'],
    properties: {
      consents: {
        type: 'array',
        items: ref('Consent'),
        maxItems: consentsListedMax,
        description: 'The newest first.',
      },
    },
  },
  ConsentWithdrawal: {
    type: 'object',
    required: ['clientId'],
    properties: { clientId: { ...clientId, minLength: 1, maxLength: clientIdCharactersMax } },
  },
}

const consents = { tag: 'Consents', path: '/ext/consents' }

export const consentRoutes = (tracker: Tracker): Route[] => [
  {
    ...consents,
    id: 'ListConsents',
    summary: 'Lists what the own account has allowed clients; of any account for administrators.',
    description: 'Clients of one’s own, about which nobody is asked, are not among them.',
    method: 'GET',
    parameters: [{ name: 'userId', description: 'Whose; by default the own account.', schema: uuid.schema }],
    answer: ref('ConsentList'),
    refusals: [400, 403],
    async handle({ caller, request }) {
      const { userId } = request.query as Readonly<Record<string, unknown>>
      const whose = readUserId(userId) ?? caller.id
      return { body: { consents: await listConsents(tracker.database, caller, whose) } }
    },
  },
  {
    ...consents,
    id: 'WithdrawConsent',
    summary: 'Takes back what the own account has allowed a client.',
    description:
      'Its tokens stop working within 30 seconds, and the person is asked again when it asks the next time.',
    method: 'DELETE',
    body: ref('ConsentWithdrawal'),
    answer: ref('Success'),
    isForOwnClient: true,
    refusals: [400, 403, 404],
    async handle({ caller, request }) {
      await withdrawConsent(tracker, caller, request.body)
      return { body: { success: true } }
    },
  },
]
