/** Lengths of the text fields, in characters. */
export const nameCharactersMax = 200
export const descriptionCharactersMax = 2000
export const loginCharactersMax = 256
/** Enough for each part of a query, such as its filter. Each use of a view applies the limits of queries. */
export const viewTextCharactersMax = 2000
export const listNameCharactersMax = 64
/** Labels are drawn as chips. */
export const labelNameCharactersMax = 50
export const labelDescriptionCharactersMax = 500
/** About five printed pages. */
export const commentCharactersMax = 10_000

/** Matches invisible characters, except spaces. U+2800 is the Braille pattern without dots. */
const hidden = /[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]/gu

export const withoutHiddenCharacters = (text: string): string => text.replaceAll(hidden, '')

/** The largest file that any setting allows. */
export const fileBytesMax = 1024 ** 3
/** The longest media type that is recognized has 24 characters. */
export const mediaTypeCharactersMax = 100
/** The characters of a SHA-256 in hexadecimal. */
export const sha256Characters = 64

/**
 * Removes directories and hidden characters from a file name. Hidden characters could break a header or
 * disguise the ending. Returns an empty text for a name that consists of dots.
 */
export function sanitizeFileName(name: string): string {
  const last = name.slice(Math.max(name.lastIndexOf('/'), name.lastIndexOf('\\')) + 1)
  const visible = withoutHiddenCharacters(last).trim()
  return /^\.+$/.test(visible) ? '' : visible
}

/** Endings such as `.tar.gz` are kept when a name is shortened. */
const endingPattern = /(?:\.[^. ]{1,10}){1,2}$/

/**
 * Shortens the name of an uploaded file, but keeps its ending. File systems allow longer names than lists
 * show.
 */
export function shortenFileName(name: string, max: number): string {
  if ([...name].length <= max) return name
  const [ending = ''] = endingPattern.exec(name) ?? []
  const beginning = [...name.slice(0, name.length - ending.length)]
  return beginning.slice(0, max - [...ending].length).join('') + ending
}
