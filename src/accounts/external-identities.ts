import type { Database } from '../db/database.ts'
import { sql } from '../db/sql.ts'
import type { Caller } from '../model/caller.ts'
import { uuid } from '../model/field-kinds.ts'
import { invalid, notFound } from '../model/problem.ts'
import { callerDetails, type SecurityLog } from '../observability/security-log.ts'
import { parseFields } from './parse-fields.ts'
import { endLinksOfSessions, requireSelfOrAdministrator } from './sessions.ts'
import { canSignIn, lockFactors, onlyWayToSignIn, type SignInMethods } from './sign-in.ts'

/** An external identity connected with an account, as its user and administrators see it. */
interface ExternalIdentity {
  readonly id: string
  readonly userId: string
  /** The provider's id in the settings of the identity host. */
  readonly provider: string
  readonly issuer: string
  readonly label: string
  readonly createdAt: string
  readonly lastUsedAt: string | null
}

/** The maximum number of identities of an account, which the identity host checks when one is connected. */
export const identitiesMax = 20

export async function listIdentities(
  database: Database,
  caller: Caller,
  userId: string,
): Promise<readonly ExternalIdentity[]> {
  requireSelfOrAdministrator(caller, userId, 'identities')
  return database.query<ExternalIdentity>(sql`
    select id, user_id as "userId", provider, issuer, label, created_at as "createdAt", last_used_at as "lastUsedAt"
    from outside_identities where user_id = ${userId} order by created_at desc, id limit ${identitiesMax}::int`)
}

interface IdentityContext {
  readonly database: Database
  readonly securityLog?: SecurityLog
}

/**
 * Disconnects an external identity and ends the sessions it started. Users cannot remove their own last way
 * to sign in: the lock serializes this with the removal of other identities and of passkeys.
 */
export async function disconnectIdentity(
  { database, securityLog }: IdentityContext,
  caller: Caller,
  body: unknown,
  methods: SignInMethods,
): Promise<void> {
  const { id } = parseFields(body, { id: uuid })
  const { userId, provider } = await database.transaction(async (transaction) => {
    const [found] = await transaction.query<{ userId: string; provider: string }>(sql`
      select user_id as "userId", provider from outside_identities
      where id = ${id} and (${caller.isAdministrator} or user_id = ${caller.id})`)
    if (!found) throw notFound('Identity')
    await lockFactors(transaction, found.userId)
    const [ended] = await transaction.query(sql`delete from outside_identities where id = ${id} returning id`)
    if (!ended) throw notFound('Identity')
    if (found.userId === caller.id && !(await canSignIn(transaction, caller.id, methods)))
      throw invalid({ id: [onlyWayToSignIn] })
    // Links outlive a sign-out, so the links of sessions that have already ended are ended, too.
    const startedByIdentity = sql`user_id = ${found.userId} and outside_identity_id = ${id}`
    const sessions = await transaction.query<{ id: string }>(
      sql`select id from signin_sessions where ${startedByIdentity}`,
    )
    await transaction.query(
      sql`update signin_sessions set ended_at = now() where ${startedByIdentity} and ended_at is null`,
    )
    await endLinksOfSessions(
      transaction,
      sessions.map((session) => session.id),
    )
    return found
  })
  securityLog?.({
    event: 'identity-disconnected',
    ...callerDetails(caller),
    account: userId,
    by: caller.id,
    provider,
  })
}
