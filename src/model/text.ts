/** Lengths of the text fields, in characters. */
export const nameCharactersMax = 200
export const descriptionCharactersMax = 2000
export const loginCharactersMax = 256
/** Of a saved view, whose parts are read again, with limits of their own, by every query that uses it. */
export const viewTextCharactersMax = 2000
export const listNameCharactersMax = 64
/** Some five printed pages. */
export const commentCharactersMax = 10_000

/** What nothing is drawn for, white space aside. U+2800 is a pattern of dots without a dot. */
const hidden = /[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]/gu

export const withoutHiddenCharacters = (text: string): string => text.replaceAll(hidden, '')
