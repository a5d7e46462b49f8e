/** Describes how one environment variable is parsed, and what docs/configuration.md says about it. */
export interface Setting<Value> {
  /** Undefined for a text that the setting rejects. */
  parse(text: string): Value | undefined
  /** Completes the sentence "X must be …". */
  readonly wanted: string
  /** The value when the variable is not set. */
  readonly byDefault: Value
  /** The default as documentation shows it. */
  readonly shownDefault: string
  readonly about: string
  /** The variable is a list: `NAME__0`, `NAME__1` and so on. */
  readonly isNumbered?: true
}

interface Described<Value> {
  readonly about: string
  readonly byDefault?: Value
  /** Given where the default depends on something else, or needs more words. */
  readonly shownDefault?: string
}

const describe = (
  { about, shownDefault, byDefault }: Described<unknown>,
  unset = 'none',
): { about: string; shownDefault: string } => ({
  about,
  shownDefault: shownDefault ?? (byDefault === undefined ? unset : `\`${byDefault}\``),
})

export const text = (described: Described<string> & { readonly byDefault: string }): Setting<string> => ({
  parse: (given) => given,
  wanted: 'a text',
  byDefault: described.byDefault,
  ...describe(described),
})

export const optionalText = (
  described: Omit<Described<string>, 'byDefault'>,
): Setting<string | undefined> => ({
  parse: (given) => given,
  wanted: 'a text',
  byDefault: undefined,
  ...describe(described),
})

const anAddress = 'an http or https address'

export const address = (described: Described<string> & { readonly byDefault: string }): Setting<string> => ({
  parse: addressIn,
  wanted: anAddress,
  byDefault: described.byDefault,
  ...describe(described),
})

export const optionalAddress = (
  described: Omit<Described<string>, 'byDefault'>,
): Setting<string | undefined> => ({
  parse: addressIn,
  wanted: anAddress,
  byDefault: undefined,
  ...describe(described),
})

/** Returns the address without a trailing slash, because it is compared and joined as text. */
export function addressIn(given: string): string | undefined {
  const isAddress = URL.canParse(given) && /^https?:$/.test(new URL(given).protocol)
  return isAddress ? given.replace(/\/+$/, '') : undefined
}

type Range = Described<number> & { readonly byDefault: number; readonly min: number; readonly max: number }

export const wholeNumber = ({ min, max, ...described }: Range): Setting<number> => ({
  parse(given) {
    const number = /^\d{1,15}$/.test(given) ? Number(given) : Number.NaN
    return number >= min && number <= max ? number : undefined
  },
  wanted: `a whole number from ${min} to ${max}`,
  byDefault: described.byDefault,
  ...describe(described),
})

export const port = (byDefault: number, about: string): Setting<number> =>
  wholeNumber({ byDefault, min: 0, max: 65_535, about })

const flagNames = 'true or false (or on or off)'

export const flag = (described: Described<boolean> & { readonly byDefault: boolean }): Setting<boolean> => ({
  parse: flagIn,
  wanted: flagNames,
  byDefault: described.byDefault,
  ...describe(described),
})

/** Undefined where the default depends on other settings. */
export const optionalFlag = (
  described: Omit<Described<boolean>, 'byDefault'>,
): Setting<boolean | undefined> => ({
  parse: flagIn,
  wanted: flagNames,
  byDefault: undefined,
  ...describe(described),
})

const flagIn = (given: string) => flags[given.toLowerCase()]

const flags: Readonly<Record<string, boolean | undefined>> = {
  true: true,
  on: true,
  1: true,
  false: false,
  off: false,
  0: false,
}

export const choice = <const Value extends string | number>(
  values: readonly Value[],
  described: Described<NoInfer<Value>> & { readonly byDefault: NoInfer<Value> },
): Setting<Value> => ({
  parse: (given) => values.find((value) => String(value) === given),
  wanted: `one of ${values.join(', ')}`,
  byDefault: described.byDefault,
  ...describe(described),
})

export const optionalChoice = <const Value extends string | number>(
  values: readonly Value[],
  described: Omit<Described<NoInfer<Value>>, 'byDefault'>,
): Setting<Value | undefined> => ({
  parse: (given) => values.find((value) => String(value) === given),
  wanted: `one of ${values.join(', ')}`,
  byDefault: undefined,
  ...describe(described),
})

type Listed = Omit<Described<readonly string[]>, 'byDefault'>

/** Entries separated by commas. */
export const entries = (described: Listed): Setting<readonly string[]> => ({
  parse: (given) =>
    given
      .split(',')
      .map((entry) => entry.trim())
      .filter((entry) => entry !== ''),
  wanted: 'a list',
  byDefault: [],
  ...describe(described),
})

/** One variable for each entry, in any numbering. */
export const numbered = (described: Listed): Setting<readonly string[]> => ({
  parse: (given) => [given],
  wanted: 'a list',
  byDefault: [],
  isNumbered: true,
  ...describe(described),
})
