import { disconnectIdentity, identitiesMax, listIdentities } from '../accounts/outside-identities.ts'
import { readUserId } from '../accounts/sessions.ts'
import type { Schema } from '../http/operation.ts'
import { uuid } from '../model/field-kinds.ts'
import type { Tracker } from '../records/context.ts'
import type { Route } from '../routes/route.ts'
import { ref } from '../routes/schemas.ts'

const moment = { type: 'string', format: 'date-time' }

export const identitySchemas: Readonly<Record<string, Schema>> = {
  OutsideIdentity: {
    type: 'object',
    required: ['id', 'userId', 'provider', 'issuer', 'label', 'createdAt', 'lastUsedAt'],
    properties: {
      id: { ...uuid.schema, description: 'Its id.' },
      userId: { ...uuid.schema, description: 'The account that it signs in to.' },
      provider: { type: 'string', description: 'The id of the provider.', examples: ['corp'] },
      issuer: {
        type: 'string',
        description: 'What the provider calls itself.',
        examples: ['https://login.example.com/realms/staff'],
      },
      label: { type: 'string', description: 'What it is known by there.', examples: ['ann@example.com'] },
      createdAt: { ...moment, description: 'When it was connected.' },
      lastUsedAt: {
        type: ['string', 'null'],
        format: 'date-time',
        description: 'When somebody signed in by it last.',
      },
    },
  },
  OutsideIdentityList: {
    type: 'object',
    required: ['identities'],
    properties: {
      identities: {
        type: 'array',
        items: ref('OutsideIdentity'),
        maxItems: identitiesMax,
        description: 'The newest first.',
      },
    },
  },
  OutsideIdentityId: {
    type: 'object',
    required: ['id'],
    properties: { id: { ...uuid.schema, description: 'Which one.' } },
  },
}

const identities = { tag: 'Identities', path: '/ext/identities' }

/** Accounts are linked in a browser, on the identity host: `/ext/connect` there. */
export const identityRoutes = (tracker: Tracker, settings: { readonly passwords: boolean }): Route[] => [
  {
    ...identities,
    id: 'ListIdentities',
    summary:
      'Lists by which outside providers the own account is signed in to; any account for administrators.',
    description:
      'People connect one in a browser: `/ext/connect?provider={id}` of the identity host, which lists the providers at `/ext/providers`.',
    method: 'GET',
    parameters: [{ name: 'userId', description: 'Whose; by default the own account.', schema: uuid.schema }],
    answer: ref('OutsideIdentityList'),
    refusals: [400, 403],
    async handle({ caller, request }) {
      const { userId } = request.query as Readonly<Record<string, unknown>>
      const whose = readUserId(userId) ?? caller.id
      return { body: { identities: await listIdentities(tracker.database, caller, whose) } }
    },
  },
  {
    ...identities,
    id: 'DisconnectIdentity',
    summary: 'Ends a way to sign in, and the sign-ins that began by it.',
    description:
      'Those of others are for administrators to end; to anybody else they are not found. Nobody takes the last way in from themselves.',
    method: 'DELETE',
    body: ref('OutsideIdentityId'),
    answer: ref('Success'),
    isForOwnClient: true,
    refusals: [400, 403, 404],
    async handle({ caller, request }) {
      await disconnectIdentity(tracker, caller, request.body, settings)
      return { body: { success: true } }
    },
  },
]
