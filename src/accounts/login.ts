/** Two spellings of one login: the store holds `lower(trim(login))` unique among active accounts. */
export const normalizeLogin = (login: string): string => login.trim().toLowerCase()

/** What nobody sees makes one login look like another: control and format characters, and separators of lines. */
export const hasHiddenCharacters = (login: string): boolean => /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u.test(login)
