import { identitiesMax } from '../../../accounts/external-identities.ts'
import { queueMail } from '../../../accounts/mail-queue.ts'
import { holdSignIn } from '../../../accounts/sign-ins.ts'
import { newId } from '../../../db/columns.ts'
import type { Queries } from '../../../db/database.ts'
import { sql } from '../../../db/sql.ts'
import type { RequestOrigin } from '../../../model/caller.ts'
import type { Identity } from '../core/identity.ts'
import type { ProviderSettings } from '../values/settings.ts'
import { timestamp } from '../values/timestamps.ts'

export interface Connecting {
  readonly label: string
  readonly userId: string
  readonly how: 'verified address' | 'the person'
  readonly origin: RequestOrigin
}

/**
 * Links an account to an external identity. The unique constraint lets only one of two concurrent requests
 * succeed; the lock on the account makes the count of its identities exact.
 */
export async function connectIdentity(
  { database, securityLog, settings, now }: Pick<Identity, 'database' | 'securityLog' | 'settings' | 'now'>,
  provider: Pick<ProviderSettings, 'id'>,
  subject: Subject,
  { label, userId, how, origin }: Connecting,
): Promise<'connected' | 'connected elsewhere' | 'too many identities' | 'other session'> {
  const outcome = await database.transaction(async (transaction) => {
    await transaction.query(sql`select pg_advisory_xact_lock(hashtextextended(${`outside ${userId}`}, 0))`)
    // The session may have ended while this waited for the lock.
    if (origin.sessionId !== undefined && !(await holdSignIn(transaction, origin.sessionId)))
      return 'other session'
    const kept = await keepIdentity(transaction, subject, { label, userId, provider: provider.id, at: now() })
    if (kept === 'new' && settings.mail) await queueMail(transaction, { purpose: 'factors', madeBy: userId })
    return kept
  })
  if (outcome !== 'new') return outcome
  securityLog({
    event: 'identity-connected',
    outcome: how,
    account: userId,
    provider: provider.id,
    address: origin.address,
    requestId: origin.requestId,
    session: origin.sessionId,
  })
  return 'connected'
}

interface Subject {
  readonly issuer: string
  readonly subject: string
}

interface Kept extends Pick<Connecting, 'label' | 'userId'> {
  readonly provider: string
  readonly at: number
}

async function keepIdentity(
  transaction: Queries,
  { issuer, subject }: Subject,
  { label, userId, provider, at }: Kept,
): Promise<'new' | 'connected' | 'connected elsewhere' | 'too many identities'> {
  const [count] = await transaction.query<{ kept: number }>(
    sql`select count(*)::int as kept from outside_identities where user_id = ${userId}`,
  )
  const isFull = (count?.kept ?? 0) >= identitiesMax
  const [connected] = isFull
    ? []
    : await transaction.query(sql`
        insert into outside_identities (id, issuer, subject, user_id, provider, label, last_used_at)
        values (${newId()}, ${issuer}, ${subject}, ${userId}, ${provider}, ${label}, ${timestamp(at)})
        on conflict (issuer, subject) do nothing returning id`)
  if (connected) return 'new'
  const [holder] = await transaction.query<{ userId: string }>(
    sql`select user_id as "userId" from outside_identities where issuer = ${issuer} and subject = ${subject}`,
  )
  if (holder?.userId === userId) return 'connected'
  return isFull ? 'too many identities' : 'connected elsewhere'
}
