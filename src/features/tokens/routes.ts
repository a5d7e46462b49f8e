import { parseUserId } from '../../accounts/sessions.ts'
import type { Schema } from '../../http/operation.ts'
import { text, uuid } from '../../model/field-kinds.ts'
import { nameCharactersMax } from '../../model/text.ts'
import { tokenScopes } from '../../records/rights.ts'
import type { Route } from '../../routes/route.ts'
import { idsBodyOf, ref } from '../../routes/schemas.ts'
import {
  createToken,
  endTokens,
  listTokens,
  tokenDaysMax,
  tokenIdsMax,
  tokenProjectsMax,
  tokensMax,
} from './tokens.ts'

const timestamp = { type: 'string', format: 'date-time' }
const scopes = {
  type: 'array',
  items: { type: 'string', examples: ['assignment:read'] },
  minItems: 1,
  // Not an enum, because more scopes will follow.
  description: `The granted access by resource, to read or to read and write: ${tokenScopes.join(', ')}.`,
}
const projectIds = {
  type: ['array', 'null'],
  items: uuid.schema,
  minItems: 1,
  maxItems: tokenProjectsMax,
  description: 'The projects it is limited to; null for all projects of the account.',
}

export const tokenSchemas: Readonly<Record<string, Schema>> = {
  Token: {
    type: 'object',
    required: [
      ...['id', 'userId', 'name', 'scopes', 'projectIds'],
      ...['createdAt', 'expiresAt', 'lastUsedAt', 'lastUsedAddress'],
    ],
    properties: {
      id: { ...uuid.schema, description: 'Its id, by which history and the security log refer to it.' },
      userId: { ...uuid.schema, description: 'The account that it acts for.' },
      name: {
        type: 'string',
        description: 'The name under which it is listed.',
        examples: ['Nightly build'],
      },
      scopes,
      projectIds,
      createdAt: { ...timestamp, description: 'The time it was created.' },
      expiresAt: { ...timestamp, description: 'The time it expires.' },
      lastUsedAt: {
        type: ['string', 'null'],
        format: 'date-time',
        description: 'The time of its last use, to the minute.',
      },
      lastUsedAddress: { type: ['string', 'null'], description: 'The network address of its last use.' },
    },
  },
  TokenList: {
    type: 'object',
    required: ['tokens'],
    properties: {
      tokens: {
        type: 'array',
        items: ref('Token'),
        maxItems: tokensMax,
        description: 'Sorted from newest to oldest.',
      },
    },
  },
  TokenCreate: {
    type: 'object',
    required: ['name', 'scopes', 'expiresAt'],
    properties: {
      name: {
        ...text({ max: nameCharactersMax }).schema,
        minLength: 1,
        description: 'The name under which it is listed.',
        examples: ['Nightly build'],
      },
      scopes,
      projectIds,
      expiresAt: { ...timestamp, description: `At most ${tokenDaysMax} days from now.` },
    },
  },
  TokenCreated: {
    type: 'object',
    required: ['token', 'secret'],
    properties: {
      token: ref('Token'),
      secret: { type: 'string', description: 'The token itself. It is shown only once.' },
    },
  },
  TokenIds: idsBodyOf(uuid.schema, tokenIdsMax),
}

const tag = 'Tokens'
const path = '/ext/tokens'

/** Personal access tokens of the caller's account; administrators see and end those of any account. */
export const tokenRoutes: readonly Route[] = [
  {
    id: 'ListTokens',
    tag,
    summary: 'Lists the valid tokens of the own account; those of any account for administrators.',
    description: 'Each token has its scopes, its expiry, and the time and address of its last use.',
    method: 'GET',
    path,
    parameters: [
      { name: 'userId', description: 'The account; by default the own one.', schema: uuid.schema },
    ],
    answer: ref('TokenList'),
    errors: [400, 403],
    async handle({ context, caller, request }) {
      const { userId } = request.query as Readonly<Record<string, unknown>>
      return { body: { tokens: await listTokens(context, caller, parseUserId(userId) ?? caller.id) } }
    },
  },
  {
    id: 'MakeToken',
    tag,
    summary: 'Creates a personal access token, which programs send as a bearer token.',
    description:
      'It grants its scopes in the projects it is limited to, and never more than the account itself has. A new password, the end of all sessions and the removal of the account end it. Tokens can only be created in a session of the web client.',
    method: 'POST',
    path,
    body: ref('TokenCreate'),
    answer: ref('TokenCreated'),
    errors: [400, 403],
    requiresWebClient: true,
    async handle({ context, caller, session, request, reply }) {
      reply.header('cache-control', 'no-store')
      return { body: await createToken(context, caller, session.isActiveNow, request.body) }
    },
  },
  {
    id: 'EndTokens',
    tag,
    summary: 'Ends these tokens, all or none: they stop working within 30 seconds.',
    description: 'Only administrators can end tokens of other accounts; other callers get 404.',
    method: 'DELETE',
    path,
    body: ref('TokenIds'),
    answer: ref('Success'),
    errors: [404],
    async handle({ context, caller, request }) {
      await endTokens(context, caller, request.body)
      return { body: { success: true } }
    },
  },
]
