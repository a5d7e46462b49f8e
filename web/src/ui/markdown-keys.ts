/**
 * The shortcuts of the Markdown tools, by the labels of the tools. Ctrl+K, which is usual for links, opens
 * the palette everywhere.
 */
export const markdownKeys = {
  Bold: ['Ctrl', 'B'],
  Italic: ['Ctrl', 'I'],
  Link: ['Ctrl', 'Shift', 'K'],
} as const
