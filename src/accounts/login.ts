import type { Queries } from '../db/database.ts'
import { raw, type Sql, sql } from '../db/sql.ts'
import { withoutHiddenCharacters } from '../model/text.ts'

/**
 * Normalizes a login for comparison in the process. It equates more logins than the store's `lower(trim(login))` in
 * some locales, which is safe where it keeps new accounts away from the logins of administrators.
 */
export const normalizeLogin = (login: string): string => login.trim().toLowerCase()

/**
 * Returns whether a login has characters that make it look like another one: invisible ones, and white space other
 * than plain spaces.
 */
export function hasHiddenCharacters(login: string): boolean {
  const visible = login.trim().replaceAll(' ', '')
  return withoutHiddenCharacters(visible) !== visible || /\p{Zs}/u.test(visible)
}

/**
 * Returns whether both are the same login by the store's `lower(trim(login))`, in every locale of the store. Locales
 * differ in how they fold non-ASCII letters, so only ASCII letters are compared without regard to case.
 */
export const isSameLogin = (one: string, other: string): boolean =>
  lowerAscii(trimSpaces(one)) === lowerAscii(trimSpaces(other))

const lowerAscii = (text: string): string => text.replace(/[A-Z]/g, (letter) => letter.toLowerCase())

/** Unlike JavaScript's `trim`, the store's removes plain spaces only. */
const trimSpaces = (text: string): string => text.replace(/^ +/, '').replace(/(?<! ) +$/, '')

/** Whether the login of the row aliased as `account` was verified, and has not changed since. */
export const hasVerifiedLogin: Sql = raw(
  'exists (select from verified_logins as verified where verified.user_id = account.id and verified.login = account.login)',
)

/** Records that the user reads mail at the address. Without effect if the login is another one. */
export async function recordVerifiedAddress(
  queries: Queries,
  accountId: string,
  address: string,
): Promise<void> {
  const [account] = await queries.query<{ login: string }>(
    sql`select login from users where id = ${accountId}`,
  )
  if (account === undefined || !isSameLogin(account.login, address)) return
  await queries.query(sql`
    insert into verified_logins (user_id, login) values (${accountId}, ${account.login})
    on conflict (user_id) do update set login = excluded.login`)
}
