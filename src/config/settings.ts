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
  of<Name extends GroupedName>(name: Name, id: string): ValueOf<Name>
  /** The ids that have variables of a group, such as those of `Identity__Clients`. */
  ids(group: string): readonly string[]
  reject(problem: string): void
}

type GroupedName = Extract<SettingName, `${string}{id}${string}`>
type PlainName = Exclude<SettingName, GroupedName>

export function readSettings<Result>(environment: Environment, read: (settings: Settings) => Result): Result {
  const problems: string[] = []
  const result = read(settingsOf(environment, problems))
  if (problems.length > 0) throw new SettingsError([...new Set(problems)])
  return result
}

function settingsOf(environment: Environment, problems: string[]): Settings {
  const given = (name: string) => environment[name]?.trim() || undefined
  const reject = (problem: string) => void problems.push(problem)
  const read = <Name extends SettingName>(declared: Name, name: string): ValueOf<Name> => {
    const setting = declaredSettings[declared] as Setting<ValueOf<Name>>
    if (setting.isNumbered) {
      const values = numbersOf(environment, name).flatMap((key) => given(key) ?? [])
      return values as ValueOf<Name> & readonly string[]
    }
    const text = given(name)
    const value = text === undefined ? setting.byDefault : setting.parse(text)
    if (value === undefined && text !== undefined) reject(`${name} must be ${setting.wanted}.`)
    return value ?? setting.byDefault
  }
  return {
    reject,
    get: (name) => read(name, name),
    of: (name, id) => read(name, name.replace('{id}', id)),
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

/** Returns the set variables `name__0`, `name__1` and so on, in the order of their numbers. */
function numbersOf(environment: Environment, name: string): string[] {
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
    const meant = patterns.find(({ loosePattern }) => loosePattern.test(squeeze(name)))
    if (meant === undefined && !/^(Identity|Jwt|Auth|Cors|RateLimit)__/i.test(name)) return []
    return [`${name} is not a setting${meant === undefined ? '' : `; ${meant.name} is`}.`]
  })
}

const squeeze = (name: string): string => name.replaceAll('_', '').toLowerCase()

const patterns = Object.entries<Setting<unknown>>(declaredSettings).map(([declared, { isNumbered }]) => {
  const name = isNumbered ? `${declared}__0` : declared
  const patternOf = (text: string) =>
    new RegExp(`^${text.replace('{id}', '.+?').replace(/0$/, isNumbered ? '\\d+' : '0')}$`)
  return { name, pattern: patternOf(name), loosePattern: patternOf(squeeze(name)) }
})

const removedPatterns = Object.entries(removedSettings).map(([name, instead]) => ({
  instead,
  pattern: new RegExp(`^${name.replaceAll('{id}', '.+?')}$`),
}))
