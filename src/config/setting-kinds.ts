/** Describes how one environment variable is parsed, and what docs/configuration.md says about it. */
export interface Setting<Value> {
  /** Returns undefined for an invalid text. */
  parse(text: string): Value | undefined
  /** Completes the sentence "X must be …". */
  readonly expected: string
  /** The value when the variable is not set. */
  readonly defaultValue: Value
  /** The default in docs/configuration.md. */
  readonly documentedDefault: string
  /** The explanation in docs/configuration.md. */
  readonly about: string
  /** True if the variable is a list: `NAME__0`, `NAME__1` and so on. */
  readonly isNumbered?: true
  /** True if the value is a credential, or a URL that may contain one. It can also be read from a file. */
  readonly isSecret?: true
}

interface SettingOptions<Value> {
  readonly about: string
  readonly defaultValue?: Value
  /** Replaces `defaultValue` in docs/configuration.md, for a default that depends on something else. */
  readonly documentedDefault?: string
  readonly isSecret?: true
}

/** Declares a setting. Without a default, its value is undefined if the variable is not set. */
interface SettingKind<Value> {
  (options: SettingOptions<Value> & { readonly defaultValue: Value }): Setting<Value>
  (options: SettingOptions<Value> & { readonly defaultValue?: undefined }): Setting<Value | undefined>
}

function createKind<Value>(expected: string, parse: Setting<Value>['parse']): SettingKind<Value> {
  const declare = ({ about, defaultValue, documentedDefault, isSecret }: SettingOptions<Value>) => ({
    parse,
    expected,
    defaultValue,
    documentedDefault: documentedDefault ?? (defaultValue === undefined ? 'none' : `\`${defaultValue}\``),
    about,
    ...(isSecret && { isSecret }),
  })
  return declare as SettingKind<Value>
}

export const text = createKind<string>('a text', (text) => text)

export const url = createKind<string>('an http or https URL', parseHttpUrl)

/** Returns the URL without a trailing slash, because it is compared as text and paths are appended to it. */
export function parseHttpUrl(text: string): string | undefined {
  const isHttpUrl = URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)
  return isHttpUrl ? text.replace(/\/+$/, '') : undefined
}

type NumberOptions = SettingOptions<number> & {
  readonly defaultValue: number
  readonly min: number
  readonly max: number
}

export const integer = ({ min, max, ...options }: NumberOptions): Setting<number> =>
  createKind<number>(`a whole number from ${min} to ${max}`, (text) => {
    // Digits only: `Number` also accepts hexadecimal, exponents and white space. 15 digits are always exact.
    const number = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN
    return number >= min && number <= max ? number : undefined
  })(options)

export const port = (defaultValue: number, about: string): Setting<number> =>
  integer({ defaultValue, min: 0, max: 65_535, about })

const flags: Readonly<Record<string, boolean | undefined>> = {
  true: true,
  on: true,
  1: true,
  false: false,
  off: false,
  0: false,
}

export const boolean = createKind<boolean>(
  'true or false (or on or off)',
  (text) => flags[text.toLowerCase()],
)

export const choice = <const Value extends string | number>(
  ...values: readonly Value[]
): SettingKind<Value> =>
  createKind(`one of ${values.join(', ')}`, (text) => values.find((value) => String(value) === text))

type ListOptions = Omit<SettingOptions<readonly string[]>, 'defaultValue'>

const list = (parse: Setting<readonly string[]>['parse'], options: ListOptions) =>
  createKind('a list', parse)({ documentedDefault: 'none', ...options, defaultValue: [] })

/** A list in one variable, separated by commas. */
export const commaSeparated = (options: ListOptions): Setting<readonly string[]> =>
  list(
    (text) =>
      text
        .split(',')
        .map((entry) => entry.trim())
        .filter((entry) => entry !== ''),
    options,
  )

/** A list with a numbered variable for each entry. Gaps in the numbers are allowed. */
export const numbered = (options: ListOptions): Setting<readonly string[]> => ({
  ...list((text) => [text], options),
  isNumbered: true,
})
