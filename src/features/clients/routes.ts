import type { Schema } from '../../http/operation.ts'
import { clientNameCharactersMax, clientScopes } from '../../model/client.ts'
import { uuid } from '../../model/field-kinds.ts'
import type { Tracker } from '../../records/context.ts'
import type { Route } from '../../routes/route.ts'
import { ref } from '../../routes/schemas.ts'
import {
  changeClient,
  clientAddressCharactersMax,
  clientAddressesMax,
  clientsMax,
  endClient,
  listClients,
  makeClient,
  renewClientSecret,
} from './clients.ts'

const moment = { type: 'string', format: 'date-time' }
const id = {
  type: 'string',
  description: 'What the app sends as client_id.',
  examples: ['client-0f3a91c2d4e5b687'],
}
const addresses = (description: string, example: string): Schema => ({
  type: 'array',
  items: { type: 'string', maxLength: clientAddressCharactersMax, examples: [example] },
  // No maxItems: the forms of the web client would take it for characters.
  description: `${description} At most ${clientAddressesMax}.`,
})

const wish = {
  name: {
    type: 'string',
    minLength: 1,
    // No maxLength: the forms of the web client know one limit for all names.
    description: `As people are shown the app; at most ${clientNameCharactersMax} characters.`,
    examples: ['The wiki'],
  },
  redirectUris: addresses('Where codes are sent, letter for letter.', 'https://wiki.example.com/callback'),
  postLogoutRedirectUris: addresses('Where a sign-out may lead.', 'https://wiki.example.com/'),
  scopes: {
    type: 'array',
    items: { type: 'string', examples: ['openid'] },
    description: `What it may ask for: ${clientScopes.join(', ')}. Without svc.api and svc.grpc unless they are named.`,
  },
  isFirstParty: { type: 'boolean', description: 'An app of your own: nobody is asked whether it may.' },
  requiresPkce: { type: 'boolean', description: 'Only with a secret may it be left out.' },
}
const hasSecret = {
  type: 'boolean',
  description: 'Whether it has a secret; an app in a browser or on a device has none.',
}

export const clientSchemas: Readonly<Record<string, Schema>> = {
  RegisteredClient: {
    type: 'object',
    required: ['id', ...Object.keys(wish), 'hasSecret', 'madeBy', 'createdAt', 'changedAt'],
    properties: {
      id,
      ...wish,
      hasSecret,
      madeBy: { ...uuid.schema, description: 'The account that made it.' },
      createdAt: { ...moment, description: 'When it was made.' },
      changedAt: { type: ['string', 'null'], format: 'date-time', description: 'When it was changed last.' },
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
        description: 'The newest first.',
      },
    },
  },
  ClientWish: { type: 'object', required: ['name', 'redirectUris'], properties: { ...wish, hasSecret } },
  ClientChange: { type: 'object', required: ['id', 'name', 'redirectUris'], properties: { id, ...wish } },
  ClientId: { type: 'object', required: ['id'], properties: { id } },
  NewClient: {
    type: 'object',
    required: ['client', 'secret'],
    properties: {
      client: ref('RegisteredClient'),
      secret: { type: ['string', 'null'], description: 'Shown this once; null for a public client.' },
    },
  },
}

const clients = { tag: 'Clients', path: '/ext/clients', isForOwnClient: true } as const

/** Only for administrators at the web client. Clients from the settings work in addition and are not listed. */
export const clientRoutes = (tracker: Tracker): Route[] => [...listAndMake(tracker), ...changeAndEnd(tracker)]

const listAndMake = (tracker: Tracker): Route[] => [
  {
    ...clients,
    id: 'ListClients',
    summary: 'Lists the clients that administrators have made. Administrators only, like the others.',
    description: 'Clients of the identity host’s settings are not among them.',
    method: 'GET',
    answer: ref('RegisteredClientList'),
    refusals: [400, 403],
    handle: async ({ caller }) => ({ body: { clients: await listClients(tracker, caller) } }),
  },
  {
    ...clients,
    id: 'MakeClient',
    summary: 'Makes a client in which people sign in.',
    description:
      'The identity hosts know of it within seconds. Its secret is shown this once; addresses are compared letter for letter.',
    method: 'POST',
    body: ref('ClientWish'),
    answer: ref('NewClient'),
    refusals: [400, 403],
    async handle({ tracker: within, caller, request, reply }) {
      reply.header('cache-control', 'no-store')
      return { body: await makeClient(within, caller, request.body) }
    },
  },
]

const changeAndEnd = (tracker: Tracker): Route[] => [
  {
    ...clients,
    id: 'ChangeClient',
    summary: 'Changes a client; what is left out gets its default.',
    description: 'Its secret stays, and so does whether it has one.',
    method: 'PATCH',
    body: ref('ClientChange'),
    answer: ref('RegisteredClient'),
    refusals: [400, 403, 404],
    handle: async ({ caller, request }) => ({ body: await changeClient(tracker, caller, request.body) }),
  },
  {
    ...clients,
    path: '/ext/clients/secret',
    id: 'RenewClientSecret',
    summary: 'Gives a client a new secret, which is shown this once.',
    description: 'The one before is worth nothing within seconds.',
    method: 'POST',
    body: ref('ClientId'),
    answer: ref('NewClient'),
    refusals: [400, 403, 404],
    async handle({ tracker: within, caller, request, reply }) {
      reply.header('cache-control', 'no-store')
      return { body: await renewClientSecret(within, caller, request.body) }
    },
  },
  {
    ...clients,
    id: 'EndClient',
    summary: 'Ends a client: it signs nobody in any more, and its tokens stop working within 30 seconds.',
    description: 'Its id is never given again.',
    method: 'DELETE',
    body: ref('ClientId'),
    answer: ref('Success'),
    refusals: [403, 404],
    async handle({ caller, request }) {
      await endClient(tracker, caller, request.body)
      return { body: { success: true } }
    },
  },
]
