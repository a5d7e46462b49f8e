import { readFileSync, statSync } from 'node:fs'
import { declaredSettings, removedSettings, type SettingName, type ValueOf } from './declared-settings.ts'
import type { Setting } from './setting-kinds.ts'

export type Environment = Readonly<Record<string, string | undefined>>

/** Lists everything that is wrong with the environment at once. */
export class SettingsError extends Error {
  readonly problems: readonly string[]

  constructor(problems: readonly string[]) {
    super(
      `The configuration has ${problems.length === 1 ? 'a problem' : 'problems'}:\n${problems.map((problem) => `  - ${problem}`).join('\n')}`,
    )
    this.name = 'SettingsError'
    this.problems = problems
  }
}

/** Reads variables one by one. A wrong one is reported and its default used, so that the others are read too. */
export interface Settings {
  get<Name extends PlainName>(name: Name): ValueOf<Name>
  /** Reads a variable whose name contains `{id}`. */
  getFor<Name extends GroupedName>(name: Name, id: string): ValueOf<Name>
  /** The ids that have variables of a group, such as those of `Identity__Clients`. */
  ids(group: string): readonly string[]
  reject(problem: string): void
}

type GroupedName = Extract<SettingName, `${string}{id}${string}`>
type PlainName = Exclude<SettingName, GroupedName>

export function readSettings<Result>(environment: Environment, read: (settings: Settings) => Result): Result {
  const problems: string[] = []
  const result = read(createSettings(environment, problems))
  if (problems.length > 0) throw new SettingsError([...new Set(problems)])
  return result
}

function createSettings(environment: Environment, problems: string[]): Settings {
  const lookUp = (name: string) => environment[name]?.trim() || undefined
  const lookUpSecret = (name: string) => {
    const path = lookUp(fileVariable(name))
    if (path === undefined) return lookUp(name)
    if (lookUp(name) !== undefined) reject(`${name} and ${fileVariable(name)} exclude each other.`)
    const content = readSecretFile(path)
    if (typeof content === 'string') return content
    reject(`${fileVariable(name)} names a file that ${content.problem}: ${path}`)
    return undefined
  }
  const reject = (problem: string) => void problems.push(problem)
  const read = <Name extends SettingName>(declaredName: Name, variable: string): ValueOf<Name> => {
    const setting = declaredSettings[declaredName] as Setting<ValueOf<Name>>
    if (setting.isNumbered) {
      const values = numberedNames(environment, variable).flatMap((key) => lookUp(key) ?? [])
      return values as ValueOf<Name> & readonly string[]
    }
    const text = setting.isSecret ? lookUpSecret(variable) : lookUp(variable)
    const value = text === undefined ? setting.defaultValue : setting.parse(text)
    if (value === undefined && text !== undefined) reject(`${variable} must be ${setting.expected}.`)
    return value ?? setting.defaultValue
  }
  return {
    reject,
    get: (name) => read(name, name),
    getFor: (name, id) => read(name, name.replace('{id}', id)),
    ids: (group) => [
      ...new Set(
        Object.keys(environment).flatMap((key) =>
          key.startsWith(`${group}__`) && environment[key] !== undefined
            ? key.slice(group.length + 2).split('__', 1)
            : [],
        ),
      ),
    ],
  }
}

/** Container platforms mount secrets as files, which no other process sees and no child inherits. */
const fileVariable = (secret: string): string => `${secret}_FILE`

/** Far longer than any key, address or list of them. */
const secretBytesMax = 64 * 1024

function readSecretFile(path: string): string | { readonly problem: string } {
  try {
    if (statSync(path).size > secretBytesMax) return { problem: `is larger than ${secretBytesMax} bytes` }
    return readFileSync(path, 'utf8').trim() || { problem: 'is empty' }
  } catch (error) {
    return { problem: `cannot be read (${(error as NodeJS.ErrnoException).code})` }
  }
}

/** Returns the set variables `name__0`, `name__1` and so on, in the order of their numbers. */
function numberedNames(environment: Environment, name: string): string[] {
  const number = (key: string) => Number(key.slice(name.length + 2))
  return Object.keys(environment)
    .filter((key) => key.startsWith(`${name}__`) && /^\d+$/.test(key.slice(name.length + 2)))
    .sort((first, second) => number(first) - number(second))
}

/** Returns variables that look like settings but are not, because of a wrong letter, case or underscore. */
export function unknownSettings(environment: Environment): readonly string[] {
  return Object.keys(environment).flatMap((name) => {
    if (patterns.some(({ pattern }) => pattern.test(name))) return []
    const removed = removedPatterns.find(({ pattern }) => pattern.test(name))
    if (removed) return [`${name} has no effect any more: ${removed.instead}.`]
    if (nonSecretFilePatterns.some((pattern) => pattern.test(name)))
      return [`${name} is not a setting: only secrets are read from files.`]
    const intended =
      patterns.find(({ loosePattern }) => loosePattern.test(withoutUnderscores(name))) ??
      patterns.find((setting) => isMistyped(name, setting.name))
    if (intended === undefined && !/^(Identity|Jwt|Auth|Cors|RateLimit|Attachments)__/i.test(name)) return []
    return [`${name} is not a setting${intended === undefined ? '' : `; ${intended.name} is`}.`]
  })
}

/** Shorter names may well mean something else. */
const mistypedLengthMin = 7
/** Covers two exchanged letters, and in longer names a plural in place of a singular. */
const mistakesMax = (name: string): number => (name.length < 12 ? 2 : 3)

const isMistyped = (name: string, setting: string): boolean =>
  name.length >= mistypedLengthMin &&
  Math.abs(name.length - setting.length) <= mistakesMax(name) &&
  isWithinMistakes(name, setting, mistakesMax(name))

/** Returns whether the distance of Levenshtein is at most `mistakes`. Without a mistake left, it compares. */
function isWithinMistakes(one: string, other: string, mistakes: number): boolean {
  if (mistakes === 0) return one === other
  let same = 0
  while (same < one.length && one[same] === other[same]) same += 1
  const [rest, otherRest] = [one.slice(same), other.slice(same)]
  if (rest === '' || otherRest === '') return rest.length + otherRest.length <= mistakes
  const [next, otherNext] = [rest.slice(1), otherRest.slice(1)]
  return (
    isWithinMistakes(next, otherNext, mistakes - 1) ||
    isWithinMistakes(next, otherRest, mistakes - 1) ||
    isWithinMistakes(rest, otherNext, mistakes - 1)
  )
}

const withoutUnderscores = (name: string): string => name.replaceAll('_', '').toLowerCase()

const patterns = Object.entries<Setting<unknown>>(declaredSettings).flatMap(
  ([declared, { isNumbered, isSecret }]) => [
    patternsOf(isNumbered ? `${declared}__0` : declared, isNumbered),
    ...(isSecret ? [patternsOf(fileVariable(declared))] : []),
  ],
)

function patternsOf(name: string, isNumbered = false) {
  const patternOf = (text: string) =>
    new RegExp(`^${text.replace('{id}', '.+?').replace(/0$/, isNumbered ? '\\d+' : '0')}$`)
  return { name, pattern: patternOf(name), loosePattern: patternOf(withoutUnderscores(name)) }
}

/**
 * Match `NAME_FILE` for settings that are not secrets. Settings without an underscore are excluded, because
 * other programs may use a name such as HOST_FILE.
 */
const nonSecretFilePatterns = Object.entries<Setting<unknown>>(declaredSettings).flatMap(
  ([declared, { isSecret }]) =>
    isSecret || !declared.includes('_')
      ? []
      : [new RegExp(`^${fileVariable(declared).replace('{id}', '.+?')}$`)],
)

const removedPatterns = Object.entries(removedSettings).map(([name, instead]) => ({
  instead,
  pattern: new RegExp(`^${name.replaceAll('{id}', '.+?')}$`),
}))
