import { withoutHiddenCharacters } from '../model/hidden-characters.ts'

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
