import { moment, text, uuid } from '../model/field-kinds.ts'
import { readObject } from '../model/read-object.ts'
import { nameCharactersMax } from '../model/text-limits.ts'
import { collectViolations, type Violations } from '../model/violations.ts'

export interface NewToken {
  readonly name: string
  readonly scopes: readonly string[]
  readonly projectIds: readonly string[] | undefined
  readonly expiresAt: string
}

export const tokenDaysMax = 365
export const tokenProjectsMax = 20

const dayMilliseconds = 24 * 60 * 60_000

export function readNewToken(body: unknown, known: readonly string[]): NewToken {
  const given = readObject(body)
  const violations = collectViolations()
  const read = {
    name: readName(given.name, violations),
    scopes: readScopes(given.scopes, known, violations),
    projectIds: readProjectIds(given.projectIds, violations),
    expiresAt: readExpiry(given.expiresAt, violations),
  }
  violations.refuseIfAny()
  return read
}

function readName(input: unknown, violations: Violations): string {
  const reading = text({ max: nameCharactersMax }).read(input ?? '', 'Name')
  if ('value' in reading && reading.value !== '') return reading.value
  violations.add('name', ...('value' in reading ? ['Name is required.'] : reading.problems))
  return ''
}

function readScopes(input: unknown, known: readonly string[], violations: Violations): readonly string[] {
  const scopes: readonly unknown[] = Array.isArray(input) ? input : []
  const isKnown = (scope: unknown): scope is string => typeof scope === 'string' && known.includes(scope)
  if (scopes.length === 0) violations.add('scopes', 'Scopes must be a list with at least one scope.')
  else if (scopes.length > known.length || !scopes.every(isKnown))
    violations.add('scopes', `Scopes must be some of ${known.join(', ')}.`)
  return [...new Set(scopes.filter(isKnown))].sort()
}

function readProjectIds(input: unknown, violations: Violations): readonly string[] | undefined {
  if (input === undefined || input === null) return undefined
  const ids = readUuids(input, tokenProjectsMax)
  if (ids.length === 0)
    violations.add('projectIds', `ProjectIds must be null or 1 to ${tokenProjectsMax} ids of projects.`)
  return ids
}

function readExpiry(input: unknown, violations: Violations): string {
  const reading = moment.read(input, 'ExpiresAt')
  const value = 'value' in reading ? reading.value : ''
  const remaining = Date.parse(value) - Date.now()
  if (input === undefined || input === null) violations.add('expiresAt', 'ExpiresAt is required.')
  else if ('problems' in reading) violations.add('expiresAt', ...reading.problems)
  else if (!(remaining > 0 && remaining <= tokenDaysMax * dayMilliseconds))
    violations.add('expiresAt', `ExpiresAt must be in the future, within ${tokenDaysMax} days.`)
  return value
}

export function readTokenIds(body: unknown): readonly string[] {
  const ids = readUuids(readObject(body).ids, endedAtOnceMax)
  const violations = collectViolations()
  if (ids.length === 0) violations.add('ids', `Ids must contain 1 to ${endedAtOnceMax} ids of tokens.`)
  violations.refuseIfAny()
  return ids
}

export const endedAtOnceMax = 100

/** Nothing, when anything of it is wrong. */
function readUuids(input: unknown, max: number): readonly string[] {
  const readings = Array.isArray(input) && input.length <= max ? input.map((id) => uuid.read(id, 'Id')) : []
  const ids = readings.flatMap((reading) => ('value' in reading ? [reading.value] : []))
  return ids.length === readings.length ? [...new Set(ids)] : []
}
