/** Describes how one environment variable is parsed, and what docs/configuration.md says about it. */
export interface Setting<Value> {
  /** Undefined for a text that the setting rejects. */
  parse(text: string): Value | undefined
  /** Completes the sentence "X must be …". */
  readonly expected: string
  /** The value when the variable is not set. */
  readonly defaultValue: Value
  /** The default as documentation shows it. */
  readonly documentedDefault: string
  readonly about: string
  /** The variable is a list: `NAME__0`, `NAME__1` and so on. */
  readonly isNumbered?: true
  /** The value is a credential, or an address that may contain one. */
  readonly isSecret?: true
}

interface SettingOptions<Value> {
  readonly about: string
  readonly defaultValue?: Value
  /** Given where the default depends on something else, or needs more words. */
  readonly documentedDefault?: string
  readonly isSecret?: true
}

/** Without a default, the value is undefined where the variable is not set. */
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

export const address = createKind<string>('an http or https address', parseAddress)

/** Returns the address without a trailing slash, because it is compared and joined as text. */
export function parseAddress(text: string): string | undefined {
  const isAddress = URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)
  return isAddress ? text.replace(/\/+$/, '') : undefined
}

type NumberOptions = SettingOptions<number> & {
  readonly defaultValue: number
  readonly min: number
  readonly max: number
}

export const integer = ({ min, max, ...options }: NumberOptions): Setting<number> =>
  createKind<number>(`a whole number from ${min} to ${max}`, (text) => {
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

/** Entries separated by commas. */
export const commaSeparated = (options: ListOptions): Setting<readonly string[]> =>
  list(
    (text) =>
      text
        .split(',')
        .map((entry) => entry.trim())
        .filter((entry) => entry !== ''),
    options,
  )

/** One variable for each entry, in any numbering. */
export const numbered = (options: ListOptions): Setting<readonly string[]> => ({
  ...list((text) => [text], options),
  isNumbered: true,
})
