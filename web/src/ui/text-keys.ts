/** Keys of a text field of Markdown, by the names of its tools. Ctrl+K opens the palette, also from there. */
export const textKeys = {
  Bold: ['Ctrl', 'B'],
  Italic: ['Ctrl', 'I'],
  Link: ['Ctrl', 'Shift', 'K'],
} as const
