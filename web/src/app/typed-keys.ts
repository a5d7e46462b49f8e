import { isAssignmentKey } from '../data/assignments.ts'

/** The keys of the projects that the palette knows, and of the open one. */
export interface ProjectKeys {
  readonly all: readonly string[]
  readonly open: string | undefined
}

/** The beginning of a key may fit more projects than these. */
const keysMax = 3

/**
 * Returns the keys of assignments that a text may mean: a whole key, the beginning of the key of a project with a
 * number, or only a number of the open project.
 */
export function keysIn(text: string, { all, open }: ProjectKeys): readonly string[] {
  const [, letters = '', number] = /^([a-z][a-z0-9]*?)?[\s-]*([1-9]\d{0,9})$/i.exec(text) ?? []
  if (number === undefined) return []
  if (letters === '') return open === undefined ? [] : [`${open}-${number}`]
  const typed = letters.toUpperCase()
  const fitting = all.filter((key) => key.startsWith(typed)).toSorted((a, b) => a.length - b.length)
  // An assignment is also found by a former key of its project.
  const keys = [...(isAssignmentKey(text) ? [typed] : []), ...fitting]
  return [...new Set(keys)].slice(0, keysMax).map((key) => `${key}-${number}`)
}
