import { lockSession } from '../../../accounts/active-sessions.ts'
import { identitiesMax } from '../../../accounts/external-identities.ts'
import { recordVerifiedAddress } from '../../../accounts/login.ts'
import { queueMail } from '../../../accounts/mail-queue.ts'
import type { Queries } from '../../../db/database.ts'
import { newId } from '../../../db/rows.ts'
import { sql } from '../../../db/sql.ts'
import { timestamp } from '../../../db/timestamps.ts'
import type { RequestOrigin } from '../../../model/caller.ts'
import type { Identity } from '../core/identity.ts'
import type { ProviderSettings } from '../values/settings.ts'

export interface NewConnection {
  readonly label: string
  readonly userId: string
  readonly outcome: 'verified address' | 'the person'
  readonly origin: RequestOrigin
}

/**
 * Connects an account to an external identity. The unique constraint lets only one of two concurrent requests
 * succeed; the lock on the account makes the count of its identities exact.
 */
export async function connectIdentity(
  { database, securityLog, settings, now }: Pick<Identity, 'database' | 'securityLog' | 'settings' | 'now'>,
  provider: Pick<ProviderSettings, 'id'>,
  subject: ExternalSubject,
  { label, userId, outcome, origin }: NewConnection,
): Promise<'connected' | 'connected elsewhere' | 'too many identities' | 'other session'> {
  const state = await database.transaction(async (transaction) => {
    await transaction.query(sql`select pg_advisory_xact_lock(hashtextextended(${`outside ${userId}`}, 0))`)
    // The session may have ended while the transaction waited for the lock.
    if (origin.sessionId !== undefined && !(await lockSession(transaction, origin.sessionId)))
      return 'other session'
    const result = await insertIdentity(transaction, subject, {
      label,
      userId,
      provider: provider.id,
      at: now(),
    })
    // The label of an address that the provider has not verified says so, and equals no login.
    if (result === 'new') await recordVerifiedAddress(transaction, userId, label)
    if (result === 'new' && settings.mail)
      await queueMail(transaction, { purpose: 'factors', madeBy: userId })
    return result
  })
  if (state !== 'new') return state
  securityLog({
    event: 'identity-connected',
    outcome,
    account: userId,
    provider: provider.id,
    address: origin.address,
    requestId: origin.requestId,
    session: origin.sessionId,
  })
  return 'connected'
}

interface ExternalSubject {
  readonly issuer: string
  readonly subject: string
}

interface InsertedIdentity extends Pick<NewConnection, 'label' | 'userId'> {
  readonly provider: string
  readonly at: number
}

async function insertIdentity(
  transaction: Queries,
  { issuer, subject }: ExternalSubject,
  { label, userId, provider, at }: InsertedIdentity,
): Promise<'new' | 'connected' | 'connected elsewhere' | 'too many identities'> {
  const [count] = await transaction.query<{ identities: number }>(
    sql`select count(*)::int as identities from outside_identities where user_id = ${userId}`,
  )
  const isFull = (count?.identities ?? 0) >= identitiesMax
  const [connected] = isFull
    ? []
    : await transaction.query(sql`
        insert into outside_identities (id, issuer, subject, user_id, provider, label, last_used_at)
        values (${newId()}, ${issuer}, ${subject}, ${userId}, ${provider}, ${label}, ${timestamp(at)})
        on conflict (issuer, subject) do nothing returning id`)
  if (connected) return 'new'
  const [owner] = await transaction.query<{ userId: string }>(
    sql`select user_id as "userId" from outside_identities where issuer = ${issuer} and subject = ${subject}`,
  )
  if (owner?.userId === userId) return 'connected'
  return isFull ? 'too many identities' : 'connected elsewhere'
}
