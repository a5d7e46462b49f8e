import { queueMail } from '../../../accounts/mail-queue.ts'
import type { Queries } from '../../../store/database.ts'
import { sql } from '../../../store/sql.ts'
import type { Identity } from '../identity.ts'
import { endOtherSessions } from '../sessions.ts'

/**
 * A person may change a second factor because somebody else is signed in: the other sign-ins end (OWASP ASVS 5,
 * 7.4.3), and the person is told where mails can be sent.
 */
export async function afterChange(
  { settings, now }: Pick<Identity, 'settings' | 'now'>,
  transaction: Queries,
  accountId: string,
  keptSessionId?: string,
): Promise<void> {
  await transaction.query(sql`
    insert into factor_changes (user_id, count) values (${accountId}, 1)
    on conflict (user_id) do update set count = factor_changes.count + 1`)
  await endOtherSessions(transaction, accountId, keptSessionId, now())
  if (settings.mail) await queueMail(transaction, { purpose: 'factors', madeBy: accountId })
}
