/** Describes how one environment variable is parsed, and what docs/configuration.md says about it. */
export interface Setting<Value> {
  /** Undefined for a text that the setting rejects. */
  parse(text: string): Value | undefined
  /** Completes the sentence "X must be …". */
  readonly wanted: string
  /** The value when the variable is not set. */
  readonly byDefault: Value
  /** The default as documentation shows it. */
  readonly documentedDefault: string
  readonly about: string
  /** The variable is a list: `NAME__0`, `NAME__1` and so on. */
  readonly isNumbered?: true
  /** The value is a credential, or an address that may contain one. */
  readonly isSecret?: true
}

interface Described<Value> {
  readonly about: string
  readonly byDefault?: Value
  /** Given where the default depends on something else, or needs more words. */
  readonly documentedDefault?: string
  readonly isSecret?: true
}

/** Without a default, the value is undefined where the variable is not set. */
interface Kind<Value> {
  (described: Described<Value> & { readonly byDefault: Value }): Setting<Value>
  (described: Described<Value> & { readonly byDefault?: undefined }): Setting<Value | undefined>
}

function kind<Value>(wanted: string, parse: Setting<Value>['parse']): Kind<Value> {
  const declare = ({ about, byDefault, documentedDefault, isSecret }: Described<Value>) => ({
    parse,
    wanted,
    byDefault,
    documentedDefault: documentedDefault ?? (byDefault === undefined ? 'none' : `\`${byDefault}\``),
    about,
    ...(isSecret && { isSecret }),
  })
  return declare as Kind<Value>
}

export const text = kind<string>('a text', (given) => given)

export const address = kind<string>('an http or https address', addressIn)

/** Returns the address without a trailing slash, because it is compared and joined as text. */
export function addressIn(given: string): string | undefined {
  const isAddress = URL.canParse(given) && /^https?:$/.test(new URL(given).protocol)
  return isAddress ? given.replace(/\/+$/, '') : undefined
}

type Range = Described<number> & { readonly byDefault: number; readonly min: number; readonly max: number }

export const wholeNumber = ({ min, max, ...described }: Range): Setting<number> =>
  kind<number>(`a whole number from ${min} to ${max}`, (given) => {
    const number = /^\d{1,15}$/.test(given) ? Number(given) : Number.NaN
    return number >= min && number <= max ? number : undefined
  })(described)

export const port = (byDefault: number, about: string): Setting<number> =>
  wholeNumber({ byDefault, min: 0, max: 65_535, about })

const flags: Readonly<Record<string, boolean | undefined>> = {
  true: true,
  on: true,
  1: true,
  false: false,
  off: false,
  0: false,
}

export const flag = kind<boolean>('true or false (or on or off)', (given) => flags[given.toLowerCase()])

export const choice = <const Value extends string | number>(...values: readonly Value[]): Kind<Value> =>
  kind(`one of ${values.join(', ')}`, (given) => values.find((value) => String(value) === given))

type Listed = Omit<Described<readonly string[]>, 'byDefault'>

const list = (parse: Setting<readonly string[]>['parse'], described: Listed) =>
  kind('a list', parse)({ documentedDefault: 'none', ...described, byDefault: [] })

/** Entries separated by commas. */
export const entries = (described: Listed): Setting<readonly string[]> =>
  list(
    (given) =>
      given
        .split(',')
        .map((entry) => entry.trim())
        .filter((entry) => entry !== ''),
    described,
  )

/** One variable for each entry, in any numbering. */
export const numbered = (described: Listed): Setting<readonly string[]> => ({
  ...list((given) => [given], described),
  isNumbered: true,
})
