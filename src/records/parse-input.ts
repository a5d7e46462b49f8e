import type { Values } from '../db/rows.ts'
import { type BodyPurpose, type Field, isRequired, labelOf, type ReadingRules } from '../model/field.ts'
import { isMissing, uuid, zeroUuid } from '../model/field-kinds.ts'
import { collectViolations, parseObject, type Violations } from '../model/problem.ts'
import type { Resource } from '../resources/define-resource.ts'

export interface Input {
  readonly id: string | undefined
  /** The values to store or to check; a field missing from an update is missing here. */
  readonly values: Values
}

/** Parses a body by the resource's fields and checks. Unknown keys are ignored. */
export function parseInput(
  resource: Resource,
  body: unknown,
  purpose: BodyPurpose,
  rules: ReadingRules = {},
  callerId?: string,
): Input {
  const given = parseObject(body)
  const violations = collectViolations()
  const id = parseId(given.id, purpose, violations)
  const values: Record<string, unknown> = {}
  for (const [name, field] of Object.entries(resource.fields)) {
    const input = Object.hasOwn(given, name) ? given[name] : undefined
    const value = parseField(field, name, input, { purpose, rules, violations, callerId })
    if (value !== undefined) values[name] = value
  }
  for (const check of resource.checks) {
    for (const [key, messages] of Object.entries(check(values) ?? {})) violations.add(key, ...messages)
  }
  violations.throwIfAny()
  return { id, values }
}

/**
 * On create, a null or zero id counts as missing, and one is generated; on update, no row has the zero id.
 */
function parseId(input: unknown, purpose: BodyPurpose, violations: Violations): string | undefined {
  const isAbsent = input === undefined || input === null || (input === zeroUuid && purpose === 'create')
  if (isAbsent && purpose === 'update') violations.add('id', 'Id is required.')
  if (isAbsent) return undefined
  const reading = uuid.read(input, 'Id')
  if ('value' in reading) return reading.value
  violations.add('id', ...reading.problems)
  return undefined
}

interface Reading {
  readonly purpose: BodyPurpose
  readonly rules: ReadingRules
  readonly violations: Violations
  readonly callerId: string | undefined
}

/** Undefined leaves the column as it is. */
function parseField(
  field: Field,
  name: string,
  input: unknown,
  { purpose, rules, violations, callerId }: Reading,
): unknown {
  const label = labelOf(name)
  if (field.presence === 'updateOnly' && purpose === 'create') return undefined
  if (isLeftOut(field, input)) {
    if (isRequired(field, purpose)) violations.add(name, `${label} is required.`)
    else if (isEmptied(field, input)) violations.add(name, `${label} must not be empty.`)
    return purpose === 'create' ? byDefault(field, callerId) : undefined
  }
  const reading = field.read(input, label, rules)
  if ('value' in reading) return reading.value
  violations.add(name, ...reading.problems)
  return undefined
}

/** The value on create if the body leaves the field out. */
function byDefault({ presence, isCallerByDefault }: Field, callerId: string | undefined) {
  if (isCallerByDefault) return callerId
  return presence === 'optional' ? null : undefined
}

/** Optional text may be null or blank, which clears it; other fields count as missing when they are blank. */
function isLeftOut({ presence, references }: Field, input: unknown): boolean {
  if (presence === 'optional') return input === undefined
  return isMissing(input) || (references !== undefined && input === zeroUuid)
}

/**
 * An empty value is an error, not a missing value: an empty `expectedVersion` would drop the check that it
 * requests. An empty secret leaves the stored one unchanged, because forms never show it.
 */
const isEmptied = ({ presence, isSecret }: Field, input: unknown): boolean =>
  presence !== 'required' && !isSecret && typeof input === 'string' && isMissing(input)
