export type Environment = Readonly<Record<string, string | undefined>>

/** Everything that is wrong with the environment, reported at once. */
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

/** Reads variables one by one; a wrong one is noted and its default used, so that reading goes on to the next. */
export interface Settings {
  text(name: string, byDefault: string): string
  optionalText(name: string): string | undefined
  wholeNumber(name: string, byDefault: number, limits: { min: number; max: number }): number
  flag(name: string, byDefault: boolean): boolean
  address(name: string, byDefault: string): string
  /** Entries separated by commas. */
  entries(name: string): readonly string[]
  /** The values of `name__0`, `name__1` and so on, in any numbering. */
  numbered(name: string): readonly string[]
  /** The ids of `name__{id}__…`, each once. */
  idsUnder(name: string): readonly string[]
  refuse(problem: string): void
}

export function readSettings<Result>(environment: Environment, read: (settings: Settings) => Result): Result {
  const problems: string[] = []
  const result = read(settingsOf(environment, problems))
  if (problems.length > 0) throw new SettingsError([...new Set(problems)])
  return result
}

function settingsOf(environment: Environment, problems: string[]): Settings {
  const given = (name: string) => environment[name]?.trim() || undefined
  const refuse = (problem: string) => void problems.push(problem)
  const checked = <Value>(
    name: string,
    byDefault: Value,
    read: (text: string) => Value | undefined,
    wanted: string,
  ) => {
    const text = given(name)
    const value = text === undefined ? byDefault : read(text)
    if (value === undefined) refuse(`${name} must be ${wanted}.`)
    return value ?? byDefault
  }
  return {
    refuse,
    optionalText: given,
    text: (name, byDefault) => given(name) ?? byDefault,
    wholeNumber: (name, byDefault, { min, max }) =>
      checked(
        name,
        byDefault,
        (text) => wholeNumberIn(text, min, max),
        `a whole number from ${min} to ${max}`,
      ),
    flag: (name, byDefault) =>
      checked(name, byDefault, (text) => flags[text.toLowerCase()], 'true or false (or on or off)'),
    address: (name, byDefault) => checked(name, byDefault, addressIn, 'an http or https address'),
    entries: (name) => splitEntries(given(name) ?? ''),
    numbered: (name) =>
      Object.keys(environment)
        .filter((key) => key.startsWith(`${name}__`) && /^\d+$/.test(key.slice(name.length + 2)))
        .sort((first, second) => Number(first.slice(name.length + 2)) - Number(second.slice(name.length + 2)))
        .flatMap((key) => given(key) ?? []),
    idsUnder: (name) => [
      ...new Set(
        Object.keys(environment).flatMap((key) =>
          key.startsWith(`${name}__`) && environment[key] !== undefined
            ? key.slice(name.length + 2).split('__', 1)
            : [],
        ),
      ),
    ],
  }
}

const flags: Readonly<Record<string, boolean | undefined>> = {
  true: true,
  on: true,
  1: true,
  false: false,
  off: false,
  0: false,
}

function wholeNumberIn(text: string, min: number, max: number): number | undefined {
  const number = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN
  return number >= min && number <= max ? number : undefined
}

/** Without a slash at the end: the address is compared and joined as text. */
export function addressIn(text: string): string | undefined {
  const isAddress = URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)
  return isAddress ? text.replace(/\/+$/, '') : undefined
}

const splitEntries = (text: string): string[] =>
  text
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '')
