import type { Queries } from '../db/database.ts'
import type { Table } from '../db/rows.ts'
import { sql } from '../db/sql.ts'
import { type Language, languageAmong } from '../model/language.ts'
import { withoutHiddenCharacters } from '../model/text.ts'

/** Normalizes a login for comparison; the store keeps `lower(trim(login))` unique among active accounts. */
export const normalizeLogin = (login: string): string => login.trim().toLowerCase()

/**
 * Invisible characters make one login look like another, so anything invisible except a plain space counts as
 * hidden.
 */
export function hasHiddenCharacters(login: string): boolean {
  const drawn = login.trim().replaceAll(' ', '')
  return withoutHiddenCharacters(drawn) !== drawn || /\p{Zs}/u.test(drawn)
}

/**
 * The store's case folding also equates some non-ASCII letters with ASCII ones (such as the Kelvin sign with
 * `k`). Unless both logins are ASCII, only an exact match is the same login.
 */
export const isSameLogin = (one: string, other: string): boolean =>
  one.trim() === other.trim() || (isAscii(one) && isAscii(other))

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are a part of ASCII.
const isAscii = (text: string): boolean => /^[\x00-\x7f]*$/.test(text)

/** The fields of an account that its own user sees. */
export const accountTable: Table = {
  name: 'user',
  table: 'users',
  columns: ['id', 'name', 'login', 'createdAt', 'updatedAt'],
}

/** Stores the language used at sign-in, if known. Skips the write when unchanged. */
export async function rememberLanguage(
  transaction: Queries,
  accountId: string,
  language: Language | undefined,
): Promise<void> {
  if (language === undefined) return
  await transaction.query(sql`
    insert into account_languages (user_id, language) values (${accountId}, ${language})
    on conflict (user_id) do update set language = excluded.language where account_languages.language <> excluded.language`)
}

/**
 * Returns the language for mails to an account; English if the user has not signed in since languages are
 * stored.
 */
export async function findLanguage(queries: Queries, accountId: string): Promise<Language> {
  const [known] = await queries.query<{ language: string }>(
    sql`select language from account_languages where user_id = ${accountId}`,
  )
  return languageAmong(known?.language) ?? 'en'
}
