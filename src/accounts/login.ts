import type { Queries } from '../db/database.ts'
import type { Table } from '../db/rows.ts'
import { sql } from '../db/sql.ts'
import { type Language, languageAmong } from '../model/language.ts'
import { withoutHiddenCharacters } from '../model/text.ts'

/** Two spellings of one login: the store holds `lower(trim(login))` unique among active accounts. */
export const normalizeLogin = (login: string): string => login.trim().toLowerCase()

/** What nobody sees makes one login look like another: everything that is not drawn, but a space. */
export function hasHiddenCharacters(login: string): boolean {
  const drawn = login.trim().replaceAll(' ', '')
  return withoutHiddenCharacters(drawn) !== drawn || /\p{Zs}/u.test(drawn)
}

/**
 * Whether the store, which found one by the other, found what a person reads as the same: it takes letters of other scripts for
 * those of ours.
 */
export const isSameLogin = (one: string, other: string): boolean =>
  one.trim() === other.trim() || (isAscii(one) && isAscii(other))

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are a part of ASCII.
const isAscii = (text: string): boolean => /^[\x00-\x7f]*$/.test(text)

/** What people see of their own account. */
export const accountTable: Table = {
  name: 'user',
  table: 'users',
  columns: ['id', 'name', 'login', 'createdAt', 'updatedAt'],
}

/** What the pages of somebody's sign-in spoke, as far as anybody said. Nothing is written where it is what it was. */
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

/** What mails to somebody are written in: English for those who have not signed in since this is kept. */
export async function findLanguage(queries: Queries, accountId: string): Promise<Language> {
  const [known] = await queries.query<{ language: string }>(
    sql`select language from account_languages where user_id = ${accountId}`,
  )
  return languageAmong(known?.language) ?? 'en'
}
