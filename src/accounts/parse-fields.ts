import { capitalize, type Kind } from '../model/field.ts'
import { isNullOrBlank } from '../model/field-kinds.ts'
import { collectViolations, type FieldErrors, parseObject } from '../model/problem.ts'

type Kinds = Readonly<Record<string, Kind<string>>>
type Fields<K extends Kinds> = { readonly [Name in keyof K]: string }

/**
 * Parses a body in which every field is required. `check` gets the fields that could be parsed, and its
 * violations are reported together with those of single fields.
 */
export function parseFields<K extends Kinds>(
  body: unknown,
  kinds: K,
  check: (fields: Partial<Fields<K>>, object: Readonly<Record<string, unknown>>) => FieldErrors = () => ({}),
): Fields<K> {
  const object = parseObject(body)
  const fields: Record<string, string> = {}
  const violations = collectViolations()
  for (const [name, kind] of Object.entries(kinds)) {
    const input = Object.hasOwn(object, name) ? object[name] : undefined
    const parsed = isNullOrBlank(input)
      ? { problems: [`${capitalize(name)} is required.`] }
      : kind.parse(input, capitalize(name))
    if ('value' in parsed) fields[name] = parsed.value
    else violations.add(name, ...parsed.problems)
  }
  for (const [name, problems] of Object.entries(check(fields as Partial<Fields<K>>, object))) {
    violations.add(name, ...problems)
  }
  violations.throwIfAny()
  return fields as Fields<K>
}
