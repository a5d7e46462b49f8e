import {
  endAllSessions,
  endedAtOnceMax,
  endSessions,
  listSessions,
  sessionsListedMax,
} from '../accounts/sessions.ts'
import type { Schema } from '../http/operation.ts'
import { uuid } from '../model/field-kinds.ts'
import type { Tracker } from '../records/context.ts'
import type { Route } from '../routes/route.ts'
import { idsBodyOf, ref } from '../routes/schemas.ts'

const moment = { type: 'string', format: 'date-time' }
const nullableText = { type: ['string', 'null'] }

export const sessionSchemas: Readonly<Record<string, Schema>> = {
  Session: {
    type: 'object',
    required: [
      ...['id', 'userId', 'clientId', 'address', 'userAgent', 'provider', 'lastUsedAt'],
      ...['createdAt', 'expiresAt', 'isCurrent'],
    ],
    properties: {
      id: { type: 'string', description: 'Its id.', examples: ['Yp3cV1wq0sB7t2m9'] },
      userId: { ...uuid.schema, description: 'Whose sign-in it is.' },
      clientId: { ...nullableText, description: 'The client that asked for the sign-in.' },
      address: { ...nullableText, description: 'Where the sign-in came from.' },
      userAgent: { ...nullableText, description: 'What the browser called itself.' },
      provider: {
        ...nullableText,
        description: 'The outside provider by which the person signed in; null for a password.',
      },
      lastUsedAt: {
        type: ['string', 'null'],
        format: 'date-time',
        description: 'When its client asked for tokens last.',
      },
      createdAt: { ...moment, description: 'When the sign-in was.' },
      expiresAt: { ...moment, description: 'When it ends by itself.' },
      isCurrent: { type: 'boolean', description: 'Whether this request belongs to it.' },
    },
  },
  // Not Sessions, which generated Python confuses with its property.
  SessionList: {
    type: 'object',
    required: ['sessions'],
    properties: {
      sessions: {
        type: 'array',
        items: ref('Session'),
        maxItems: sessionsListedMax,
        description: 'The newest first.',
      },
    },
  },
  SessionIds: idsBodyOf({ type: 'string', examples: ['Yp3cV1wq0sB7t2m9'] }, endedAtOnceMax),
  SessionsOfAccount: {
    type: 'object',
    properties: {
      userId: { ...uuid.schema, description: 'Another account than the own: administrators only.' },
    },
  },
}

const tag = 'Sessions'

/** Sessions of the caller's account; of any account for administrators. */
export const sessionRoutes = (tracker: Tracker): Route[] => [
  {
    id: 'ListSessions',
    tag,
    summary: `Lists the newest ${sessionsListedMax} sessions that stand, of the own account; of any for administrators.`,
    description:
      'A session is one sign-in of a person in one browser or app, with all the tokens that came of it.',
    method: 'GET',
    path: '/ext/sessions',
    parameters: [{ name: 'userId', description: 'Whose; by default the own account.', schema: uuid.schema }],
    answer: ref('SessionList'),
    refusals: [400, 403],
    async handle({ caller, session, request }) {
      const query = request.query as Readonly<Record<string, unknown>>
      return {
        body: {
          sessions: await listSessions(tracker.database, { caller, sessionId: session.sessionId }, query),
        },
      }
    },
  },
  {
    id: 'EndSessions',
    tag,
    summary: 'Ends these sessions, all or none: their cookies and tokens stop working within 30 seconds.',
    description: 'Sessions of others are for administrators to end; to anybody else they are not found.',
    method: 'DELETE',
    path: '/ext/sessions',
    body: ref('SessionIds'),
    answer: ref('Success'),
    refusals: [403, 404],
    async handle({ caller, request }) {
      await endSessions(tracker, caller, request.body)
      return { body: { success: true } }
    },
  },
  {
    id: 'EndAllSessions',
    tag,
    summary:
      'Ends every session of an account, this one too, and the tokens of service clients that act as it; of any account for administrators.',
    description:
      'Anyone who has lost a device, or no longer trusts what was signed in, starts anew with this.',
    method: 'POST',
    path: '/ext/sessions/end-all',
    body: ref('SessionsOfAccount'),
    answer: ref('Success'),
    refusals: [403, 404],
    async handle({ tracker, caller, request }) {
      await endAllSessions(tracker, caller, request.body)
      return { body: { success: true } }
    },
  },
]
