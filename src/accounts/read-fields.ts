import { type Kind, labelOf } from '../model/field.ts'
import { isMissing } from '../model/field-kinds.ts'
import type { FieldErrors } from '../model/problem.ts'
import { readObject } from '../model/read-object.ts'
import { collectViolations } from '../model/violations.ts'

type Kinds = Readonly<Record<string, Kind<string>>>
type Fields<K extends Kinds> = { readonly [Name in keyof K]: string }

/** Reads a body whose every field is required; `check` sees what could be read, so that all violations come at once. */
export function readFields<K extends Kinds>(
  body: unknown,
  kinds: K,
  check: (fields: Partial<Fields<K>>, given: Readonly<Record<string, unknown>>) => FieldErrors = () => ({}),
): Fields<K> {
  const given = readObject(body)
  const fields: Record<string, string> = {}
  const violations = collectViolations()
  for (const [name, kind] of Object.entries(kinds)) {
    const input = Object.hasOwn(given, name) ? given[name] : undefined
    const reading = isMissing(input)
      ? { problems: [`${labelOf(name)} is required.`] }
      : kind.read(input, labelOf(name))
    if ('value' in reading) fields[name] = reading.value
    else violations.add(name, ...reading.problems)
  }
  for (const [name, problems] of Object.entries(check(fields as Partial<Fields<K>>, given))) {
    violations.add(name, ...problems)
  }
  violations.refuseIfAny()
  return fields as Fields<K>
}
