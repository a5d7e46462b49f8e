import {
  endAllSessions,
  endSessions,
  listSessions,
  parseUserId,
  requireSelfOrAdministrator,
  sessionIdsMax,
  sessionsListedMax,
} from '../accounts/sessions.ts'
import { disconnectIdentity, identitiesMax, listIdentities, type SignInMethods } from '../accounts/sign-in.ts'
import type { Database } from '../db/database.ts'
import { sql } from '../db/sql.ts'
import type { Schema } from '../http/openapi.ts'
import type { Caller } from '../model/caller.ts'
import { text, uuid } from '../model/field-kinds.ts'
import { notFound, parseFields } from '../model/problem.ts'
import { callerDetails, type SecurityLog } from '../observability/security-log.ts'
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

/** A consent that a user has given to a client. */
export interface Consent {
  readonly clientId: string
  /** The client's name as users see it; its id if the identity host no longer knows the client. */
  readonly name: string
  readonly scopes: readonly string[]
  readonly grantedAt: string
}

/** More consents than any user gives. */
const consentsListedMax = 100
const clientIdCharactersMax = 200

async function listConsents(database: Database, caller: Caller, userId: string): Promise<readonly Consent[]> {
  requireSelfOrAdministrator(caller, userId, 'consents')
  return database.query<Consent>(sql`
    select consent.client_id as "clientId", coalesce(registered.name, client.name, consent.client_id) as name,
      string_to_array(consent.scope, ' ') as scopes, consent.granted_at as "grantedAt"
    from consents as consent left join service_clients as client on client.id = consent.client_id
      left join registered_clients as registered on registered.id = consent.client_id
    where consent.user_id = ${userId} and consent.scope <> ''
    order by consent.granted_at desc, consent.client_id limit ${consentsListedMax}::int`)
}

export interface ConsentContext {
  readonly database: Database
  readonly securityLog?: SecurityLog
}

/**
 * Invalidates everything that was granted to the client. The next request of the client asks the user for
 * consent again.
 */
async function withdrawConsent(
  { database, securityLog }: ConsentContext,
  caller: Caller,
  body: unknown,
): Promise<void> {
  const { clientId } = parseFields(body, { clientId: text({ max: clientIdCharactersMax }) })
  const [withdrawn] = await database.singleWrites.query(sql`
    update consents set scope = '', withdrawn_at = now()
    where user_id = ${caller.id} and client_id = ${clientId} and scope <> '' returning true`)
  if (!withdrawn) throw notFound('Consent')
  securityLog?.({ event: 'consent', outcome: 'withdrawn', ...callerDetails(caller), client: clientId })
}

const clientId = { type: 'string', description: 'The id of the client.', examples: ['wiki'] }

export const consentSchemas: Readonly<Record<string, Schema>> = {
  Consent: {
    type: 'object',
    required: ['clientId', 'name', 'scopes', 'grantedAt'],
    properties: {
      clientId,
      name: { type: 'string', description: 'The client’s name as users see it.', examples: ['The wiki'] },
      scopes: {
        type: 'array',
        items: { type: 'string', examples: ['profile'] },
        description: 'The granted scopes.',
      },
      grantedAt: { ...dateTime, description: 'The time it was last granted.' },
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
        description: 'Sorted from newest to oldest.',
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

export const consentRoutes: readonly Route[] = [
  {
    ...consents,
    id: 'ListConsents',
    summary:
      'Lists the consents that the caller’s account has given to clients. Administrators may list those of any account.',
    description: 'First-party clients, which need no consent, are not listed.',
    method: 'GET',
    parameters: [
      { name: 'userId', description: 'The account; by default the caller’s.', schema: uuid.schema },
    ],
    response: ref('ConsentList'),
    errors: [400, 403],
    async handle({ context, caller, request }) {
      const query = request.query as Readonly<Record<string, unknown>>
      const userId = parseUserId(query.userId) ?? caller.id
      return { body: { consents: await listConsents(context.database, caller, userId) } }
    },
  },
  {
    ...consents,
    id: 'WithdrawConsent',
    summary: 'Withdraws a consent that the caller’s account has given to a client.',
    description:
      'The client’s tokens stop working within 30 seconds, and its next request asks the user again.',
    method: 'DELETE',
    body: ref('ConsentWithdrawal'),
    response: ref('Success'),
    requiresWebClient: true,
    errors: [400, 403, 404],
    async handle({ context, caller, request }) {
      await withdrawConsent(context, caller, request.body)
      return { body: { success: true } }
    },
  },
]

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
