import { readFileSync, statSync } from 'node:fs'
import { declaredSettings, removedSettings, type SettingName, type ValueOf } from './declared-settings.ts'
import type { Setting } from './setting-kinds.ts'

export type Environment = Readonly<Record<string, string | undefined>>

/** Contains all problems of the environment, so that an operator can correct them together. */
export class SettingsError extends Error {
  readonly problems: readonly string[]

  constructor(problems: readonly string[]) {
    const count = problems.length === 1 ? 'a problem' : 'problems'
    const list = problems.map((problem) => `  - ${problem}`).join('\n')
    super(`The configuration has ${count}:\n${list}`)
    this.name = 'SettingsError'
    this.problems = problems
  }
}

/** Reads variables. An invalid variable is recorded as a problem, and its default is returned. */
export interface Settings {
  get<Name extends PlainName>(name: Name): ValueOf<Name>
  /** Reads a variable whose name contains `{id}`. */
  getFor<Name extends GroupedName>(name: Name, id: string): ValueOf<Name>
  /** Returns the ids in a group of variables, such as `Identity__Clients`. */
  ids(group: string): readonly string[]
  addProblem(problem: string): void
}

type GroupedName = Extract<SettingName, `${string}{id}${string}`>
type PlainName = Exclude<SettingName, GroupedName>

/** Returns the result of `read`, or throws a `SettingsError` with all problems. */
export function readSettings<Result>(environment: Environment, read: (settings: Settings) => Result): Result {
  const problems: string[] = []
  const result = read(createSettings(environment, problems))
  if (problems.length > 0) throw new SettingsError([...new Set(problems)])
  return result
}

function createSettings(environment: Environment, problems: string[]): Settings {
  const addProblem = (problem: string) => void problems.push(problem)
  // Deployment tools pass unset variables as empty texts.
  const lookUp = (name: string) => environment[name]?.trim() || undefined
  const lookUpSecret = (name: string) => {
    const path = lookUp(fileVariable(name))
    if (path === undefined) return lookUp(name)
    if (lookUp(name) !== undefined) addProblem(`${name} and ${fileVariable(name)} exclude each other.`)
    const content = readSecretFile(path)
    if (typeof content === 'string') return content
    addProblem(`${fileVariable(name)} names a file that ${content.problem}: ${path}`)
    return undefined
  }
  const read = <Name extends SettingName>(declaredName: Name, variable: string): ValueOf<Name> => {
    const setting = declaredSettings[declaredName] as Setting<ValueOf<Name>>
    if (setting.isNumbered) {
      const values = numberedNames(environment, variable).flatMap((key) => lookUp(key) ?? [])
      return values as ValueOf<Name> & readonly string[]
    }
    const text = setting.isSecret ? lookUpSecret(variable) : lookUp(variable)
    const value = text === undefined ? setting.defaultValue : setting.parse(text)
    if (value === undefined && text !== undefined) addProblem(`${variable} must be ${setting.expected}.`)
    return value ?? setting.defaultValue
  }
  return {
    addProblem,
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

/** Container platforms mount secrets as files. */
const fileVariable = (secret: string): string => `${secret}_FILE`

/** Every key, URL or list is much shorter. */
const secretBytesMax = 64 * 1024

function readSecretFile(path: string): string | { readonly problem: string } {
  try {
    if (statSync(path).size > secretBytesMax) return { problem: `is larger than ${secretBytesMax} bytes` }
    return readFileSync(path, 'utf8').trim() || { problem: 'is empty' }
  } catch (error) {
    return { problem: `cannot be read (${(error as NodeJS.ErrnoException).code})` }
  }
}

/** Returns the variables `name__0`, `name__1` and so on, in the order of their numbers. */
function numberedNames(environment: Environment, name: string): string[] {
  const number = (key: string) => Number(key.slice(name.length + 2))
  return Object.keys(environment)
    .filter((key) => key.startsWith(`${name}__`) && /^\d+$/.test(key.slice(name.length + 2)))
    .sort((first, second) => number(first) - number(second))
}

/** Returns a sentence for each variable that seems to be a misspelled or removed setting. */
export function unknownSettings(environment: Environment): readonly string[] {
  return Object.keys(environment).flatMap((name) => {
    if (matchers.some(({ pattern }) => pattern.test(name))) return []
    const removed = removedPatterns.find(({ pattern }) => pattern.test(name))
    if (removed) return [`${name} has no effect any more: ${removed.instead}.`]
    if (nonSecretFilePatterns.some((pattern) => pattern.test(name)))
      return [`${name} is not a setting: only secrets are read from files.`]
    const intended =
      matchers.find(({ loosePattern }) => loosePattern.test(withoutUnderscores(name))) ??
      matchers.find((setting) => isMistyped(name, setting.name))
    if (intended !== undefined) return [`${name} is not a setting; ${intended.name} is.`]
    return groupPattern.test(name) ? [`${name} is not a setting.`] : []
  })
}

/** A shorter name is more likely a variable of another program. */
const mistypedLengthMin = 7
/**
 * Two mistakes are, for example, swapped letters as in DATABASE_ULR. Three mistakes are TRUSTED_PROXY instead
 * of TRUSTED_PROXIES.
 */
const mistakesMax = (name: string): number => (name.length < 12 ? 2 : 3)

const isMistyped = (name: string, setting: string): boolean =>
  name.length >= mistypedLengthMin &&
  Math.abs(name.length - setting.length) <= mistakesMax(name) &&
  isWithinMistakes(name, setting, mistakesMax(name))

/** Returns whether the Levenshtein distance is at most `mistakes`. */
function isWithinMistakes(typed: string, meant: string, mistakes: number): boolean {
  if (mistakes === 0) return typed === meant
  let commonLength = 0
  while (commonLength < typed.length && typed[commonLength] === meant[commonLength]) commonLength += 1
  const typedEnd = typed.slice(commonLength)
  const meantEnd = meant.slice(commonLength)
  if (typedEnd === '' || meantEnd === '') return typedEnd.length + meantEnd.length <= mistakes
  return (
    // A letter was replaced, added or omitted.
    isWithinMistakes(typedEnd.slice(1), meantEnd.slice(1), mistakes - 1) ||
    isWithinMistakes(typedEnd.slice(1), meantEnd, mistakes - 1) ||
    isWithinMistakes(typedEnd, meantEnd.slice(1), mistakes - 1)
  )
}

const withoutUnderscores = (name: string): string => name.replaceAll('_', '').toLowerCase()

const declarations = Object.entries<Setting<unknown>>(declaredSettings)

/** Returns a pattern for the variables of a declared name. `{id}` may be any text. */
const patternOf = (declared: string, end = ''): RegExp =>
  new RegExp(`^${declared.replaceAll('{id}', '.+?')}${end}$`)

/** Each setting has an exact pattern and a loose pattern that ignores case and underscores. */
const matchers = declarations.flatMap(([declared, { isNumbered, isSecret }]) => {
  if (isNumbered) return [createMatcher(`${declared}__0`, `${declared}__`, '\\d+')]
  return [declared, ...(isSecret ? [fileVariable(declared)] : [])].map((name) => createMatcher(name, name))
})

function createMatcher(name: string, declared: string, end = '') {
  return {
    name,
    pattern: patternOf(declared, end),
    loosePattern: patternOf(withoutUnderscores(declared), end),
  }
}

/** Matches the prefix of every group, such as `Identity__`. */
const groupPattern = new RegExp(
  `^(${[...new Set(declarations.flatMap(([name]) => (name.includes('__') ? name.split('__', 1) : [])))].join('|')})__`,
  'i',
)

/**
 * Patterns of `NAME_FILE` for settings that are not secrets. Settings without an underscore are excluded,
 * because other programs may use a name such as HOST_FILE.
 */
const nonSecretFilePatterns = declarations.flatMap(([declared, { isSecret }]) =>
  isSecret || !declared.includes('_') ? [] : [patternOf(fileVariable(declared))],
)

const removedPatterns = Object.entries(removedSettings).map(([name, instead]) => ({
  instead,
  pattern: patternOf(name),
}))
