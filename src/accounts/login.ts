import type { Queries } from '../db/database.ts'
import type { Table } from '../db/rows.ts'
import { sql } from '../db/sql.ts'
import { type Language, languageAmong } from '../model/language.ts'
import { withoutHiddenCharacters } from '../model/text.ts'

/**
 * Normalizes a login for comparison in the process. It equates more logins than the store's `lower(trim(login))` in
 * some locales, which is safe where it keeps new accounts away from the logins of administrators.
 */
export const normalizeLogin = (login: string): string => login.trim().toLowerCase()

const trimSpaces = (login: string): string => login.replace(/^ +/, '').replace(/(?<! ) +$/, '')

/**
 * Returns whether a login has characters that make it look like another one: invisible ones, and white space other
 * than plain spaces.
 */
export function hasHiddenCharacters(login: string): boolean {
  const visible = login.trim().replaceAll(' ', '')
  return withoutHiddenCharacters(visible) !== visible || /\p{Zs}/u.test(visible)
}

/**
 * Returns whether both are the same login in every locale of the store. Locales fold non-ASCII letters
 * differently, so only ASCII logins are compared without regard to case.
 */
export const isSameLogin = (one: string, other: string): boolean =>
  trimSpaces(one) === trimSpaces(other) ||
  (isAscii(one) && isAscii(other) && normalizeLogin(one) === normalizeLogin(other))

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
