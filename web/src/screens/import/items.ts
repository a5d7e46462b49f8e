/** An assignment in a file, with names instead of ids, and with values as text. */
export interface ImportedItem {
  /** The line of the table, or the position of the card. */
  readonly line: number
  /** The key in the tool that the file comes from; empty if it has none. */
  readonly reference: string
  readonly name: string
  readonly description: string
  readonly stage: string
  readonly type: string
  readonly priority: string
  readonly start: string
  readonly end: string
  readonly estimate: string
  /** The names of people. The first one is responsible. */
  readonly people: readonly string[]
  readonly labels: readonly string[]
  readonly comments: readonly ImportedComment[]
  readonly work: readonly ImportedWork[]
}

export interface ImportedComment {
  readonly author: string
  readonly date: string
  readonly text: string
}

/**
 * Time that a person spent. An empty person stands for the responsible person, and an empty date for the last
 * day of the assignment.
 */
export interface ImportedWork {
  readonly person: string
  readonly date: string
  readonly hours: string
  readonly text: string
}

/** The content of a file: cards with known fields, or a table whose columns the user maps to fields. */
export type Source =
  | { readonly kind: 'items'; readonly items: readonly ImportedItem[]; readonly skippedCount: number }
  | { readonly kind: 'table'; readonly header: readonly string[]; readonly rows: readonly Row[] }

export interface Row {
  readonly line: number
  readonly cells: readonly string[]
}

/** A file is read, planned and previewed as a whole, in the memory of the page. */
export const itemsMax = 10_000
export const bytesMax = 50 * 1024 ** 2

/** Splits a cell with several names. */
export const splitNames = (cell: string): readonly string[] =>
  cell
    .split(/[,;|]/)
    .map((name) => name.trim())
    .filter((name) => name !== '')

/** Returns each name once, in the order of first occurrence. Blank names are left out. */
export function distinctNames(names: Iterable<string>): readonly string[] {
  const byNormalized = new Map<string, string>()
  for (const name of names) {
    const normalized = normalizeName(name)
    if (normalized !== '' && !byNormalized.has(normalized)) byNormalized.set(normalized, name)
  }
  return [...byNormalized.values()]
}

/** Returns the form in which names are compared: without surrounding space, in lower case. */
export const normalizeName = (name: string): string => name.trim().toLowerCase()
