/** Lengths of the text fields, in characters. */
export const nameCharactersMax = 200
export const descriptionCharactersMax = 2000
export const loginCharactersMax = 256
/** Longer than other texts: each query that uses the view parses its parts again, with their own limits. */
export const viewTextCharactersMax = 2000
export const listNameCharactersMax = 64
/** About five printed pages. */
export const commentCharactersMax = 10_000

/** Characters that are drawn as nothing, except white space. U+2800 is a pattern of dots without a dot. */
const hidden = /[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]/gu

export const withoutHiddenCharacters = (text: string): string => text.replaceAll(hidden, '')
