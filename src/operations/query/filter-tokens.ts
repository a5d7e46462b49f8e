export interface Token {
  readonly kind: 'word' | 'number' | 'text' | 'sign' | 'end'
  readonly text: string
  /** The character where it begins, counted from 1. */
  readonly at: number
}

/** The first thing that is no part of the grammar ends the reading. */
export class FilterFault extends Error {}

const pattern =
  /\s*(?:(?<word>[A-Za-z][A-Za-z0-9]*)|(?<number>-?\d{1,15}(?:\.\d{1,6})?(?![\w.]))|'(?<text>(?:[^']|'')*)'|(?<sign>[(),]))/y

const kinds = ['word', 'number', 'text', 'sign'] as const

/** Words, numbers, texts in single quotes, parentheses and commas; the last one is the end. */
export function readTokens(input: string): readonly Token[] {
  const tokens: Token[] = []
  const end = input.trimEnd().length
  pattern.lastIndex = 0
  while (pattern.lastIndex < end) {
    const start = pattern.lastIndex
    const at = start + (/^\s*/.exec(input.slice(start))?.[0].length ?? 0) + 1
    const groups = pattern.exec(input)?.groups ?? {}
    const kind = kinds.find((one) => groups[one] !== undefined)
    if (kind === undefined)
      throw new FilterFault(
        `At character ${at} stands something that is no word, number, text in single quotes, parenthesis or comma.`,
      )
    const text = groups[kind] ?? ''
    tokens.push({ kind, at, text: kind === 'text' ? text.replaceAll("''", "'") : text })
  }
  return [...tokens, { kind: 'end', text: '', at: end + 1 }]
}
