import { parseUserId, requireSelfOrAdministrator } from '../accounts/sessions.ts'
import type { Database } from '../db/database.ts'
import { sql } from '../db/sql.ts'
import type { Schema } from '../http/openapi.ts'
import type { Caller } from '../model/caller.ts'
import { text, uuid } from '../model/field-kinds.ts'
import { notFound, parseFields } from '../model/problem.ts'
import { callerDetails, type SecurityLog } from '../observability/security-log.ts'
import type { Route } from '../routes/route.ts'
import { dateTime, ref } from '../routes/schemas.ts'

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
