import { type Language, languageAmong } from '../model/language.ts'
import type { Queries } from '../store/database.ts'
import { sql } from '../store/sql.ts'

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
