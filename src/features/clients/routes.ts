import type { Schema } from '../../http/openapi.ts'
import { uuid } from '../../model/field-kinds.ts'
import { clientNameCharactersMax, clientScopes } from '../../model/oidc-client.ts'
import type { Route } from '../../routes/route.ts'
import { dateTime, nullableDateTime, ref } from '../../routes/schemas.ts'
import {
  clientsMax,
  clientUriCharactersMax,
  clientUrisMax,
  createClient,
  endClient,
  listClients,
  renewClientSecret,
  updateClient,
} from './clients.ts'

const id = {
  type: 'string',
  minLength: 1,
  description: 'The client_id that the app sends.',
  examples: ['client-0f3a91c2d4e5b687'],
}
const uris = (description: string, example: string): Schema => ({
  type: 'array',
  items: { type: 'string', maxLength: clientUriCharactersMax, examples: [example] },
  // No maxItems: the web client's forms would mistake it for a limit of characters.
  description: `${description} At most ${clientUrisMax}.`,
})

const requested = {
  name: {
    type: 'string',
    minLength: 1,
    // No maxLength: the forms of the web client know one limit for all names.
    description: `The name of the app as users see it; at most ${clientNameCharactersMax} characters.`,
    examples: ['The wiki'],
  },
  redirectUris: uris(
    'The addresses to which authorization codes may be sent, compared exactly.',
    'https://wiki.example.com/callback',
  ),
  postLogoutRedirectUris: uris(
    'The addresses to which users may be sent after signing out.',
    'https://wiki.example.com/',
  ),
  scopes: {
    type: 'array',
    items: { type: 'string', examples: ['openid'] },
    description: `The scopes it may request: ${clientScopes.join(', ')}. Defaults to all except svc.api and svc.grpc.`,
  },
  isFirstParty: { type: 'boolean', description: 'A first-party app: users are not asked for consent.' },
  requiresPkce: {
    type: 'boolean',
    description: 'Whether sign-ins require PKCE. May be false only for a client with a secret.',
  },
}
const hasSecret = {
  type: 'boolean',
  description: 'Whether it has a secret. Apps in browsers and on devices have none.',
}

export const clientSchemas: Readonly<Record<string, Schema>> = {
  RegisteredClient: {
    type: 'object',
    required: ['id', ...Object.keys(requested), 'hasSecret', 'madeBy', 'createdAt', 'changedAt'],
    properties: {
      id,
      ...requested,
      hasSecret,
      madeBy: { ...uuid.schema, description: 'The account that created it.' },
      createdAt: { ...dateTime, description: 'The time it was created.' },
      changedAt: {
        ...nullableDateTime,
        description: 'The time of the last change.',
      },
    },
  },
  RegisteredClientList: {
    type: 'object',
    required: ['clients'],
    properties: {
      clients: {
        type: 'array',
        items: ref('RegisteredClient'),
        maxItems: clientsMax,
        description: 'Sorted from newest to oldest.',
      },
    },
  },
  ClientCreate: {
    type: 'object',
    required: ['name', 'redirectUris'],
    properties: { ...requested, hasSecret },
  },
  ClientUpdate: {
    type: 'object',
    required: ['id', 'name', 'redirectUris'],
    properties: { id, ...requested },
  },
  ClientId: { type: 'object', required: ['id'], properties: { id } },
  ClientCreated: {
    type: 'object',
    required: ['client', 'secret'],
    properties: {
      client: ref('RegisteredClient'),
      secret: { type: ['string', 'null'], description: 'Shown only once; null for a public client.' },
    },
  },
}

const common = { tag: 'Clients', path: '/ext/clients', requiresWebClient: true } as const

/** Only administrators can use these routes, and only with a token of the web client. */
export const clientRoutes: readonly Route[] = [
  {
    ...common,
    id: 'ListClients',
    summary:
      'Lists the clients that administrators have registered. For administrators only, like the other operations.',
    description: 'Clients from the settings of the identity host are not listed.',
    method: 'GET',
    response: ref('RegisteredClientList'),
    errors: [400, 403],
    handle: async ({ context, caller }) => ({ body: { clients: await listClients(context, caller) } }),
  },
  {
    ...common,
    id: 'MakeClient',
    summary: 'Registers a client in which users sign in.',
    description:
      'The identity hosts accept it within seconds. Its secret is shown only once; addresses are compared exactly.',
    method: 'POST',
    body: ref('ClientCreate'),
    response: ref('ClientCreated'),
    errors: [400, 403],
    async handle({ context, caller, request, reply }) {
      reply.header('cache-control', 'no-store')
      return { body: await createClient(context, caller, request.body) }
    },
  },
  {
    ...common,
    id: 'ChangeClient',
    summary: 'Changes a client; absent properties get their defaults.',
    description: 'A client with a secret keeps it, and one without a secret stays public.',
    method: 'PATCH',
    body: ref('ClientUpdate'),
    response: ref('RegisteredClient'),
    errors: [400, 403, 404],
    handle: async ({ context, caller, request }) => ({
      body: await updateClient(context, caller, request.body),
    }),
  },
  {
    ...common,
    path: '/ext/clients/secret',
    id: 'RenewClientSecret',
    summary: 'Gives a client a new secret, which is shown only once.',
    description: 'The previous secret becomes invalid within seconds.',
    method: 'POST',
    body: ref('ClientId'),
    response: ref('ClientCreated'),
    errors: [400, 403, 404],
    async handle({ context, caller, request, reply }) {
      reply.header('cache-control', 'no-store')
      return { body: await renewClientSecret(context, caller, request.body) }
    },
  },
  {
    ...common,
    id: 'EndClient',
    summary:
      'Ends a client: users can no longer sign in to it, and its tokens stop working within 30 seconds.',
    description: 'Its id is never reused.',
    method: 'DELETE',
    body: ref('ClientId'),
    response: ref('Success'),
    errors: [403, 404],
    async handle({ context, caller, request }) {
      await endClient(context, caller, request.body)
      return { body: { success: true } }
    },
  },
]
