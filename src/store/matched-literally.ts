/** For a pattern of `like` and `ilike` that contains a text as it was given. */
export const matchedLiterally = (text: string): string =>
  text.replace(/[\\%_]/g, (wildcard) => `\\${wildcard}`)
