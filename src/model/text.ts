/** Lengths of the text fields, in characters. */
export const nameCharactersMax = 200
export const descriptionCharactersMax = 2000
export const loginCharactersMax = 256
/** Covers the longest keys of a query, which are parsed with their own limits whenever the view is used. */
export const viewTextCharactersMax = 2000
export const listNameCharactersMax = 64
/** Labels are drawn as chips. */
export const labelNameCharactersMax = 50
export const labelDescriptionCharactersMax = 500
/** About five printed pages. */
export const commentCharactersMax = 10_000

/** Matches invisible characters, except white space. U+2800 is the Braille pattern without dots. */
const hidden = /[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]/gu

export const withoutHiddenCharacters = (text: string): string => text.replaceAll(hidden, '')
