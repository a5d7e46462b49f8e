import { isAssignmentKey } from '../data/assignments.ts'

/** The beginning of a key may fit more projects than these. */
const keysMax = 3
/** Each key is a request, so only this many projects are searched for a number alone. */
const projectsMax = 12

/**
 * Returns the keys of assignments that a text may mean: a whole key, the beginning of the key of a project with a
 * number, or only a number, which assignments of several projects may have. `projectKeys` has the keys of the known
 * projects, those that matter most first.
 */
export function keysIn(text: string, projectKeys: readonly string[]): readonly string[] {
  const [, letters = '', number] = /^([a-z][a-z0-9]*?)?[\s-]*([1-9]\d{0,9})$/i.exec(text) ?? []
  if (number === undefined) return []
  const typed = letters.toUpperCase()
  const fitting = projectKeys.filter((key) => key.startsWith(typed))
  // An assignment is also found by a former key of its project.
  const former = isAssignmentKey(text) ? [typed] : []
  const keys = typed === '' ? fitting : [...former, ...fitting.toSorted((a, b) => a.length - b.length)]
  return [...new Set(keys)].slice(0, typed === '' ? projectsMax : keysMax).map((key) => `${key}-${number}`)
}
