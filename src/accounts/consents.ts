import type { Caller } from '../model/caller.ts'
import { text } from '../model/field-kinds.ts'
import { missing } from '../model/problem.ts'
import { callerDetails, type SecurityLog } from '../security-log/security-log.ts'
import type { Database } from '../store/database.ts'
import { sql } from '../store/sql.ts'
import { readFields } from './read-fields.ts'
import { requireOwnOrAdministrator } from './sessions.ts'

/** What somebody has allowed a client. */
export interface Consent {
  readonly clientId: string
  /** As people are shown the client; its id where the identity host names it no more. */
  readonly name: string
  readonly scopes: readonly string[]
  readonly grantedAt: string
}

/** Nobody allows more of them. */
export const consentsListedMax = 100
export const clientIdCharactersMax = 200

export async function listConsents(
  database: Database,
  caller: Caller,
  userId: string,
): Promise<readonly Consent[]> {
  requireOwnOrAdministrator(caller, userId, 'consents')
  return database.query<Consent>(sql`
    select consent.client_id as "clientId", coalesce(made.name, client.name, consent.client_id) as name,
      string_to_array(consent.scope, ' ') as scopes, consent.granted_at as "grantedAt"
    from consents as consent left join service_clients as client on client.id = consent.client_id
      left join registered_clients as made on made.id = consent.client_id
    where consent.user_id = ${userId} and consent.scope <> ''
    order by consent.granted_at desc, consent.client_id limit ${consentsListedMax}::int`)
}

export interface Withdrawing {
  readonly database: Database
  readonly securityLog?: SecurityLog
}

/** The client is asked about again, and what it was given is worth nothing from now on. */
export async function withdrawConsent(
  { database, securityLog }: Withdrawing,
  caller: Caller,
  body: unknown,
): Promise<void> {
  const { clientId } = readFields(body, { clientId: text({ max: clientIdCharactersMax }) })
  const [withdrawn] = await database.single.query(sql`
    update consents set scope = '', withdrawn_at = now()
    where user_id = ${caller.id} and client_id = ${clientId} and scope <> '' returning true`)
  if (!withdrawn) throw missing('Consent')
  securityLog?.({ event: 'consent', outcome: 'withdrawn', ...callerDetails(caller), client: clientId })
}
