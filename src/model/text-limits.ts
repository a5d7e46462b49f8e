/** Lengths of the text fields, in characters. */
export const nameCharactersMax = 200
export const descriptionCharactersMax = 2000
export const loginCharactersMax = 256
/** Some five printed pages. */
export const commentCharactersMax = 10_000
