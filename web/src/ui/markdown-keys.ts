/**
 * The keys of the tools for Markdown, by their labels. Ctrl+K, which is usual for links, opens the palette
 * everywhere.
 */
export const markdownKeys = {
  Bold: ['Ctrl', 'B'],
  Italic: ['Ctrl', 'I'],
  Link: ['Ctrl', 'Shift', 'K'],
} as const
