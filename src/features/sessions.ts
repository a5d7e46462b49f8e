import {
  endAllSessions,
  endSessions,
  listSessions,
  sessionIdsMax,
  sessionsListedMax,
} from '../accounts/sessions.ts'
import type { Schema } from '../http/openapi.ts'
import { uuid } from '../model/field-kinds.ts'
import type { Route } from '../routes/route.ts'
import { dateTime, idsBodyOf, nullableDateTime, ref } from '../routes/schemas.ts'

const nullableText = { type: ['string', 'null'] }

export const sessionSchemas: Readonly<Record<string, Schema>> = {
  Session: {
    type: 'object',
    required: [
      'id',
      'userId',
      'clientId',
      'address',
      'userAgent',
      'provider',
      'lastUsedAt',
      'createdAt',
      'expiresAt',
      'isCurrent',
    ],
    properties: {
      id: { type: 'string', description: 'Its id.', examples: ['Yp3cV1wq0sB7t2m9'] },
      userId: { ...uuid.schema, description: 'The account of the session.' },
      clientId: { ...nullableText, description: 'The client that requested the sign-in.' },
      address: { ...nullableText, description: 'The network address of the sign-in.' },
      userAgent: { ...nullableText, description: 'The User-Agent header of the browser.' },
      provider: {
        ...nullableText,
        description: 'The external provider used to sign in; null for a password.',
      },
      lastUsedAt: {
        ...nullableDateTime,
        description: 'The last time its client requested tokens.',
      },
      createdAt: { ...dateTime, description: 'The time of the sign-in.' },
      expiresAt: { ...dateTime, description: 'The time it expires.' },
      isCurrent: { type: 'boolean', description: 'Whether it is the session of this request.' },
    },
  },
  // The name is not Sessions, because generated Python code would confuse it with its property.
  SessionList: {
    type: 'object',
    required: ['sessions'],
    properties: {
      sessions: {
        type: 'array',
        items: ref('Session'),
        maxItems: sessionsListedMax,
        description: 'Sorted from newest to oldest.',
      },
    },
  },
  SessionIds: idsBodyOf({ type: 'string', examples: ['Yp3cV1wq0sB7t2m9'] }, sessionIdsMax),
  SessionsOfAccount: {
    type: 'object',
    properties: {
      userId: { ...uuid.schema, description: 'An account other than the caller’s, for administrators only.' },
    },
  },
}

const tag = 'Sessions'

/** Lists and ends sessions of the caller's account, or of any account for administrators. */
export const sessionRoutes: readonly Route[] = [
  {
    id: 'ListSessions',
    tag,
    summary: `Lists the newest ${sessionsListedMax} active sessions of the caller’s account. Administrators may list those of any account.`,
    description: 'A session is one sign-in in one browser or app, with all tokens issued in it.',
    method: 'GET',
    path: '/ext/sessions',
    parameters: [
      { name: 'userId', description: 'The account; by default the caller’s.', schema: uuid.schema },
    ],
    response: ref('SessionList'),
    errors: [400, 403],
    async handle({ context, caller, session, request }) {
      const query = request.query as Readonly<Record<string, unknown>>
      return {
        body: {
          sessions: await listSessions(context.database, { caller, sessionId: session.sessionId }, query),
        },
      }
    },
  },
  {
    id: 'EndSessions',
    tag,
    summary: 'Ends these sessions, all or none: their cookies and tokens stop working within 30 seconds.',
    description: 'Only administrators can end sessions of other accounts; other callers get 404.',
    method: 'DELETE',
    path: '/ext/sessions',
    body: ref('SessionIds'),
    response: ref('Success'),
    errors: [403, 404],
    async handle({ context, caller, request }) {
      await endSessions(context, caller, request.body)
      return { body: { success: true } }
    },
  },
  {
    id: 'EndAllSessions',
    tag,
    summary:
      'Ends every session of the caller’s account, including that of this request, and the tokens of service clients that act as it. Administrators may name another account.',
    description: 'Intended for users who have lost a device or no longer trust one.',
    method: 'POST',
    path: '/ext/sessions/end-all',
    body: ref('SessionsOfAccount'),
    response: ref('Success'),
    errors: [403, 404],
    async handle({ context, caller, request }) {
      await endAllSessions(context, caller, request.body)
      return { body: { success: true } }
    },
  },
]
