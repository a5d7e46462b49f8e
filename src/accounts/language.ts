import type { Queries } from '../db/database.ts'
import { sql } from '../db/sql.ts'
import { type Language, supportedLanguage } from '../model/language.ts'

/** Stores the language used at sign-in, if known. Skips the write when unchanged. */
export async function storeLanguage(
  transaction: Queries,
  accountId: string,
  language: Language | undefined,
): Promise<void> {
  if (language === undefined) return
  await transaction.query(sql`
    insert into account_languages (user_id, language) values (${accountId}, ${language})
    on conflict (user_id) do update set language = excluded.language where account_languages.language <> excluded.language`)
}

/** Returns the language for mails to an account: the one that it has chosen, or that of its last sign-in. */
export async function findLanguage(queries: Queries, accountId: string): Promise<Language> {
  const [known] = await queries.query<{ language: string | null }>(
    sql`
      select coalesce(
        (select language from account_settings where user_id = ${accountId}),
        (select language from account_languages where user_id = ${accountId})
      ) as language`,
  )
  return supportedLanguage(known?.language ?? undefined) ?? 'en'
}
