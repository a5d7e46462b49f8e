/** A line that quotes a text shows fewer characters, so the others need not be processed. */
const charactersMax = 2000

/** Leaves out the marks of Markdown, for a line that quotes a text. The marks within words stay. */
export const plainText = (markdown: string): string =>
  markdown
    .slice(0, charactersMax)
    .replaceAll(/^[ \t]*(?:#{1,6}|>|[-*+](?: \[[ xX]\])?|\d{1,9}[.)])[ \t]+/gm, '')
    .replaceAll(/!?\[([^[\]\n]*)\]\([^()\n]*\)/g, '$1')
    .replaceAll(/(\*\*|__|~~|`)([^*_~`\n]+)\1/g, '$2')
