import type { Database, Queries } from '../store/database.ts'
import { sql } from '../store/sql.ts'

export interface SeededAccount {
  readonly login: string
  readonly hash: string
}

/** In the transaction that makes the account. */
export async function keepSeeded(transaction: Queries, id: string): Promise<void> {
  await transaction.query(sql`
    insert into seeded_account (user_id) values (${id})
    on conflict (is_only) do update set user_id = excluded.user_id`)
}

/**
 * Stores from before the seeded account was kept: it is the one that was the administrator until now, by its login. Where nobody
 * has that login any more, it is the oldest account, if that made itself, as only a seeded one does without a client. Decided
 * once, so that nobody becomes an administrator by taking the login later.
 */
export async function decideSeeded({ query, single }: Database, demoLogin: string): Promise<void> {
  const [decided] = await query(sql`select from seeded_account`)
  if (decided) return
  await single.query(sql`
    insert into seeded_account (user_id) select coalesce(
      (select id from users where active and lower(trim(login)) = lower(trim(${demoLogin})) limit 1),
      (select oldest.id from (select id from users order by created_at, id limit 1) as oldest
        where exists (
          select from history as entry where entry.resource = 'user' and entry.row_id = oldest.id
            and entry.action = 'create' and entry.caller = oldest.id and entry.client is null))
    ) on conflict do nothing`)
}

/** As it is now; none where it is removed, or not known. */
export async function findSeeded({ query }: Queries): Promise<SeededAccount | undefined> {
  const [account] = await query<SeededAccount>(sql`
    select account.login, account.password_hash as hash from users as account
    join seeded_account as seeded on seeded.user_id = account.id where account.active`)
  return account
}
