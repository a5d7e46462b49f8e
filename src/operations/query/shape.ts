import { labelOf } from '../../model/field.ts'
import type { Violations } from '../../model/violations.ts'
import type { Listed } from '../../resources/define-resource.ts'
import { expandable } from '../../resources/query-columns.ts'
import { expansionDepthMax, expansionsMax, fieldNamesMax } from '../limits.ts'

/** What is shown of a row, and of the rows it refers to. */
export interface Shown {
  readonly listed: Listed
  /** In the order of the declaration, the id first. */
  readonly columns: readonly string[]
  readonly expansions: readonly Expansion[]
}

export interface Expansion {
  readonly name: string
  /** The column that holds the reference. */
  readonly column: string
  readonly shown: Shown
}

/** `fields` and `expand`: names separated by commas, with dots from a row to one it refers to. */
export function readShown(
  listed: Listed,
  { fields, expand }: { readonly fields: string | undefined; readonly expand: string | undefined },
  violations: Violations,
): Shown {
  const paths = namesIn('expand', expand, expansionsMax, violations)
  const columns = namesIn('fields', fields, fieldNamesMax, violations)
  const known = new Set<string>()
  const shown = shownOf(listed, '', paths, columns, known)
  const unknown = (names: readonly string[]) => names.filter((name) => !known.has(name))
  for (const path of unknown(paths)) violations.add('expand', `${path} ${whyNot(listed, path)}`)
  for (const name of unknown(columns)) violations.add('fields', `${name} is no field of what is shown.`)
  return shown
}

const whyNot = ({ pluralNoun }: Listed, path: string): string =>
  path.split('.').length > expansionDepthMax
    ? `goes more than ${expansionDepthMax} references deep.`
    : `is no reference that ${pluralNoun} lead to.`

/** Adds to `known` each name that it has understood. */
function shownOf(
  listed: Listed,
  prefix: string,
  paths: readonly string[],
  fields: readonly string[],
  known: Set<string>,
): Shown {
  const own = listed.columns.filter((name) => fields.includes(prefix + name))
  for (const name of own) known.add(prefix + name)
  const isDeepest = prefix.split('.').length > expansionDepthMax
  const expansions = (isDeepest ? [] : expandable(listed)).flatMap(({ name, column, parent }) => {
    const path = prefix + name
    if (!paths.some((one) => one === path || one.startsWith(`${path}.`))) return []
    known.add(path)
    return [{ name, column, shown: shownOf(parent, `${path}.`, paths, fields, known) }]
  })
  // The id is always shown; without a choice, everything is.
  const columns = listed.columns.filter((name) => name === 'id' || own.length === 0 || own.includes(name))
  return { listed, columns, expansions }
}

function namesIn(
  key: string,
  input: string | undefined,
  max: number,
  violations: Violations,
): readonly string[] {
  const names = [...new Set(input?.split(',').map((name) => name.trim()))].filter((name) => name !== '')
  if (names.length <= max) return names
  violations.add(key, `${labelOf(key)} must have at most ${max} names.`)
  return []
}
