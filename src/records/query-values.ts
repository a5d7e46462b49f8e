import { capitalize } from '../model/field.ts'
import { isNullOrBlank, uuid } from '../model/field-kinds.ts'
import type { Violations } from '../model/problem.ts'
import { resourceNamed, resourceNames } from '../resources/all.ts'
import type { Resource } from '../resources/define-resource.ts'

/** Returns the value of a key that is given once and not blank. */
export const valueUnlessBlank = (query: Readonly<Record<string, unknown>>, key: string): unknown =>
  isNullOrBlank(query[key]) || Array.isArray(query[key]) ? undefined : query[key]

export function rejectRepeatedKeys(query: Readonly<Record<string, unknown>>, violations: Violations): void {
  for (const [key, value] of Object.entries(query))
    if (Array.isArray(value)) violations.add(key, `${capitalize(key)} must be given once.`)
}

// Each parser below takes the value of one key. If the value is invalid, it adds a violation.

export function parseResource(input: unknown, violations: Violations): Resource | undefined {
  if (input === undefined) return undefined
  const name = typeof input === 'string' ? input.trim() : input
  if (resourceNames.some((resourceName) => resourceName === name)) return resourceNamed(name as string)
  violations.add('resource', `Resource must be one of ${resourceNames.join(', ')}.`)
  return undefined
}

export function parseUuid(key: string, input: unknown, violations: Violations): string | undefined {
  if (input === undefined) return undefined
  const parsed = uuid.parse(typeof input === 'string' ? input.trim() : input, capitalize(key))
  if ('value' in parsed) return parsed.value
  violations.add(key, ...parsed.problems)
  return undefined
}

export function parseNumber(
  key: string,
  input: unknown,
  max: number,
  violations: Violations,
): number | undefined {
  if (input === undefined) return undefined
  const number = typeof input === 'string' && /^\d{1,16}$/.test(input.trim()) ? Number(input) : input
  if (typeof number === 'number' && Number.isInteger(number) && number >= 1 && number <= max) return number
  violations.add(key, `${capitalize(key)} must be a whole number from 1 to ${max}.`)
  return undefined
}

/** Parses one or several of these names, separated by commas. */
export function parseNames(
  key: string,
  input: unknown,
  allowed: readonly string[],
  violations: Violations,
): readonly string[] | undefined {
  if (input === undefined) return undefined
  const names = String(input)
    .split(',')
    .map((name) => name.trim())
  if (names.every((name) => allowed.includes(name))) return [...new Set(names)]
  violations.add(key, `${capitalize(key)} must be one or several of ${allowed.join(', ')}.`)
  return undefined
}

export function parseBoolean(key: string, input: unknown, violations: Violations): boolean {
  if (input !== undefined && input !== 'true' && input !== 'false')
    violations.add(key, `${capitalize(key)} must be true or false.`)
  return input === 'true'
}
