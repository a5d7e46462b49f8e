import { readUserId } from '../../accounts/sessions.ts'
import type { Schema } from '../../http/operation.ts'
import { text, uuid } from '../../model/field-kinds.ts'
import { nameCharactersMax } from '../../model/text.ts'
import type { Tracker } from '../../records/context.ts'
import { tokenScopes } from '../../records/token-rights.ts'
import type { Route } from '../../routes/route.ts'
import { idsBodyOf, ref } from '../../routes/schemas.ts'
import {
  endedAtOnceMax,
  endTokens,
  listTokens,
  makeToken,
  tokenDaysMax,
  tokenProjectsMax,
  tokensMax,
} from './tokens.ts'

const moment = { type: 'string', format: 'date-time' }
const scopes = {
  type: 'array',
  items: { type: 'string', examples: ['assignment:read'] },
  minItems: 1,
  // Not an enum: more scopes will follow.
  description: `What it may do, by resource, to read or to read and write: ${tokenScopes.join(', ')}.`,
}
const projectIds = {
  type: ['array', 'null'],
  items: uuid.schema,
  minItems: 1,
  maxItems: tokenProjectsMax,
  description: 'The projects that it is limited to; null for all of the account.',
}

export const tokenSchemas: Readonly<Record<string, Schema>> = {
  Token: {
    type: 'object',
    required: [
      ...['id', 'userId', 'name', 'scopes', 'projectIds'],
      ...['createdAt', 'expiresAt', 'lastUsedAt', 'lastUsedAddress'],
    ],
    properties: {
      id: { ...uuid.schema, description: 'Its id, which history and the security log name it by.' },
      userId: { ...uuid.schema, description: 'The account that it acts for.' },
      name: { type: 'string', description: 'What people know it by.', examples: ['Nightly build'] },
      scopes,
      projectIds,
      createdAt: { ...moment, description: 'When it was made.' },
      expiresAt: { ...moment, description: 'When it ends by itself.' },
      lastUsedAt: {
        type: ['string', 'null'],
        format: 'date-time',
        description: 'When it was used last, to the minute.',
      },
      lastUsedAddress: { type: ['string', 'null'], description: 'Where that use came from.' },
    },
  },
  TokenList: {
    type: 'object',
    required: ['tokens'],
    properties: {
      tokens: { type: 'array', items: ref('Token'), maxItems: tokensMax, description: 'The newest first.' },
    },
  },
  TokenCreate: {
    type: 'object',
    required: ['name', 'scopes', 'expiresAt'],
    properties: {
      name: {
        ...text({ max: nameCharactersMax }).schema,
        minLength: 1,
        description: 'What people know it by.',
        examples: ['Nightly build'],
      },
      scopes,
      projectIds,
      expiresAt: { ...moment, description: `At most ${tokenDaysMax} days from now.` },
    },
  },
  NewToken: {
    type: 'object',
    required: ['token', 'secret'],
    properties: {
      token: ref('Token'),
      secret: { type: 'string', description: 'The token itself. It is shown this once.' },
    },
  },
  TokenIds: idsBodyOf(uuid.schema, endedAtOnceMax),
}

const tag = 'Tokens'
const path = '/ext/tokens'

/** Personal access tokens of the caller's account; administrators see and end those of any account. */
export const tokenRoutes = (tracker: Tracker): Route[] => [
  {
    id: 'ListTokens',
    tag,
    summary: 'Lists the tokens that stand, of the own account; of any for administrators.',
    description: 'Each with what it may do, until when, and when and from where it was used last.',
    method: 'GET',
    path,
    parameters: [{ name: 'userId', description: 'Whose; by default the own account.', schema: uuid.schema }],
    answer: ref('TokenList'),
    refusals: [400, 403],
    async handle({ caller, request }) {
      const { userId } = request.query as Readonly<Record<string, unknown>>
      return { body: { tokens: await listTokens(tracker, caller, readUserId(userId) ?? caller.id) } }
    },
  },
  {
    id: 'MakeToken',
    tag,
    summary: 'Makes a token for the own account, which programs send as a bearer token.',
    description:
      'It may do what its scopes name in the projects it is limited to, and never more than the account. A new password, the end of all sessions and the removal of the account end it. Only someone who has signed in with the web client makes one.',
    method: 'POST',
    path,
    body: ref('TokenCreate'),
    answer: ref('NewToken'),
    refusals: [400, 403],
    isForOwnClient: true,
    async handle({ tracker: within, caller, session, request, reply }) {
      reply.header('cache-control', 'no-store')
      return { body: await makeToken(within, caller, session.standsNow, request.body) }
    },
  },
  {
    id: 'EndTokens',
    tag,
    summary: 'Ends these tokens, all or none: they stop working within 30 seconds.',
    description: 'Tokens of others are for administrators to end; to anybody else they are not found.',
    method: 'DELETE',
    path,
    body: ref('TokenIds'),
    answer: ref('Success'),
    refusals: [404],
    async handle({ caller, request }) {
      await endTokens(tracker, caller, request.body)
      return { body: { success: true } }
    },
  },
]
