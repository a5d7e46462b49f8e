import { parseUserId } from '../accounts/sessions.ts'
import { disconnectIdentity, identitiesMax, listIdentities, type SignInMethods } from '../accounts/sign-in.ts'
import type { Schema } from '../http/openapi.ts'
import { uuid } from '../model/field-kinds.ts'
import type { Route } from '../routes/route.ts'
import { dateTime, nullableDateTime, ref } from '../routes/schemas.ts'

export const identitySchemas: Readonly<Record<string, Schema>> = {
  OutsideIdentity: {
    type: 'object',
    required: ['id', 'userId', 'provider', 'issuer', 'label', 'createdAt', 'lastUsedAt'],
    properties: {
      id: { ...uuid.schema, description: 'Its id.' },
      userId: { ...uuid.schema, description: 'The account it is linked to.' },
      provider: { type: 'string', description: 'The id of the provider.', examples: ['corp'] },
      issuer: {
        type: 'string',
        description: 'The issuer identifier of the provider.',
        examples: ['https://login.example.com/realms/staff'],
      },
      label: {
        type: 'string',
        description: 'The name of the account at the provider.',
        examples: ['ann@example.com'],
      },
      createdAt: { ...dateTime, description: 'The time it was linked.' },
      lastUsedAt: {
        ...nullableDateTime,
        description: 'The time of the last sign-in with it.',
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
        description: 'Sorted from newest to oldest.',
      },
    },
  },
  OutsideIdentityId: {
    type: 'object',
    required: ['id'],
    properties: { id: { ...uuid.schema, description: 'Its id.' } },
  },
}

const identities = { tag: 'Identities', path: '/ext/identities' }

/**
 * Lists and unlinks external identities. They are linked at `/ext/connect` of the identity host, in a
 * browser.
 */
export const identityRoutes = (methods: SignInMethods): Route[] => [
  {
    ...identities,
    id: 'ListIdentities',
    summary:
      'Lists the external identities linked to the caller’s account. Administrators may list those of any account.',
    description:
      'Users link one in a browser: `/ext/connect?provider={id}` of the identity host, which lists the providers at `/ext/providers`.',
    method: 'GET',
    parameters: [
      { name: 'userId', description: 'The account; by default the caller’s.', schema: uuid.schema },
    ],
    response: ref('OutsideIdentityList'),
    errors: [400, 403],
    async handle({ context, caller, request }) {
      const query = request.query as Readonly<Record<string, unknown>>
      const userId = parseUserId(query.userId) ?? caller.id
      return { body: { identities: await listIdentities(context.database, caller, userId) } }
    },
  },
  {
    ...identities,
    id: 'DisconnectIdentity',
    summary: 'Unlinks an external identity and ends the sessions that it started.',
    description:
      'Only administrators can unlink those of other accounts; other callers get 404. Users cannot remove their own last way to sign in.',
    method: 'DELETE',
    body: ref('OutsideIdentityId'),
    response: ref('Success'),
    requiresWebClient: true,
    errors: [400, 403, 404],
    async handle({ context, caller, request }) {
      await disconnectIdentity(context, caller, request.body, methods)
      return { body: { success: true } }
    },
  },
]
