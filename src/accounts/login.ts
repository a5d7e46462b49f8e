/** Two spellings of one login: the store holds `lower(trim(login))` unique among active accounts. */
export const normalizeLogin = (login: string): string => login.trim().toLowerCase()
