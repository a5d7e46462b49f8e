import type { ComponentChildren } from 'preact'
import type { ptBr } from './pt-br.ts'

/** The values of placeholders such as `{name}`. Numbers are formatted in the language. */
export type Values = Readonly<Record<string, string | number>>

/** The English text is the key. A text without a translation does not compile. */
export type MessageKey = keyof typeof ptBr
type Translations = Readonly<Record<MessageKey, string>>

/** The translations of another language. */
export interface Catalogue {
  readonly texts: Translations
  /** Messages of the server. `{name}` is a variable part. */
  readonly errors: StringMap
  /** Names of resources and fields in messages of the server. */
  readonly nouns: StringMap
}

type StringMap = Readonly<Record<string, string>>

/** Messages and nouns of the server that the English client words differently. */
const english = {
  errors: {
    '{what} cannot be removed while it has active {parts}.': 'It still has {parts}. Remove them first.',
  },
  nouns: {
    appointments: 'hours',
    'assignment impediments': 'impediments',
    'user assignments': 'participants',
    'user projects': 'members',
  },
}

/** Set once, before the first render. Changing the language reloads the page. */
const current: { locale: string; texts: StringMap; errors: StringMap; nouns: StringMap } = {
  locale: 'en-GB',
  texts: {},
  ...english,
}

export function setLanguage(locale: string, catalogue: Catalogue): void {
  Object.assign(current, { locale, ...catalogue })
}

/** Returns the locale of dates and numbers. */
export const locale = (): string => current.locale

/** Caches formats by locale and style. Creating a format costs more than using it a thousand times. */
export function cacheFormat<Style, Format>(
  create: (locale: string, style: Style) => Format,
): (style: Style) => Format {
  const formats = new Map<string, Format>()
  return (style) => {
    const key = `${locale()} ${style}`
    const cached = formats.get(key)
    if (cached !== undefined) return cached
    const format = create(locale(), style)
    formats.set(key, format)
    return format
  }
}

const translate = (text: MessageKey): string => current.texts[text] ?? text

const valueFormat = cacheFormat<void, Intl.NumberFormat>((locale) => new Intl.NumberFormat(locale))

const formatValue = (value: string | number): string =>
  typeof value === 'number' ? valueFormat().format(value) : value

/** Removes case and accents, so that users can search without accents. */
export function foldText(text: string): string {
  const lowerCase = text.toLowerCase()
  // This test is much cheaper than decomposing a name.
  return /[^\0-\x7f]/.test(lowerCase) ? lowerCase.normalize('NFD').replace(/\p{M}/gu, '') : lowerCase
}

/** Letters of right-to-left scripts, and characters that change the direction of the text. */
const bidiCharacters =
  /[\u0590-\u08ff\u200f\u202a-\u202e\u2066-\u2069\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u

/** Wraps the text in bidi isolates if the text or its line has right-to-left characters. */
export const isolate = (text: string, line = ''): string =>
  bidiCharacters.test(text) || bidiCharacters.test(line) ? `\u2068${text}\u2069` : text

/** Joins parts to a line. Each part keeps its own direction, and missing parts are dropped. */
export const inOneLine = (...parts: readonly (string | false | null | undefined)[]): string =>
  parts.flatMap((part) => (part ? [isolate(part)] : [])).join(' · ')

/** Shortens a text to this number of code points. */
export function shorten(text: string, charactersMax: number): string {
  const characters = [...text]
  return characters.length > charactersMax ? `${characters.slice(0, charactersMax).join('')}…` : text
}

/** Shortens the name of a record in a message, so that the message still says what happened. */
export const shortenName = (name: string): string => shorten(name, 50)

/** Removes the second full stop after a value such as the month `jan.`. */
const collapseFinalDots = (sentence: string): string => sentence.replace(/([^.])\.\.$/, '$1.')

/** Translates a text and fills in its placeholders. The name in a whole sentence is shortened. */
export function t(text: MessageKey, values: Values = {}): string {
  const sentence = translate(text)
  return collapseFinalDots(
    sentence.replaceAll(/\{(\w+)\}/g, (placeholder, key: string) => {
      const value = formatValue(values[key] ?? placeholder)
      return isolate(key === 'name' && text.endsWith('.') ? shortenName(value) : value, sentence)
    }),
  )
}

/** Chooses the singular or the plural text. `{count}` is the number. */
export const tn = (count: number, one: MessageKey, several: MessageKey, values: Values = {}): string =>
  t(new Intl.PluralRules(current.locale).select(count) === 'one' ? one : several, { count, ...values })

/** Translates a text with elements for its placeholders. */
export const tx = (
  text: MessageKey,
  parts: Readonly<Record<string, ComponentChildren>>,
): ComponentChildren[] =>
  translate(text)
    .split(/(\{\w+\})/)
    .map((piece) => (piece.startsWith('{') ? parts[piece.slice(1, -1)] : piece))

/** Translates a message of the server, or returns it unchanged if it has no translation. */
export function translateSentence(
  sentence: string,
  catalogue: Pick<Catalogue, 'errors' | 'nouns'> = current,
): string {
  for (const [pattern, translation] of Object.entries(catalogue.errors)) {
    // A pattern without placeholders has no groups.
    const groups = patternOf(pattern).exec(sentence)?.groups
    if (groups || pattern === sentence)
      return collapseFinalDots(
        translation.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
          const part = groups?.[name] ?? ''
          return translateNouns(catalogue.nouns, part) ?? translateSentence(part, catalogue)
        }),
      )
  }
  return sentence
}

/** Translates a list of nouns. Returns undefined if the part is a message itself. */
function translateNouns(nouns: StringMap, part: string): string | undefined {
  const words = part.split(/, | and /)
  const translated = words.map((word) => translateNoun(nouns, word))
  if (translated.every((word) => word === undefined)) return undefined
  return new Intl.ListFormat(current.locale).format(words.map((word, index) => translated[index] ?? word))
}

/** The server writes AssignmentType or assignment type. */
const translateNoun = (nouns: StringMap, word: string): string | undefined => nouns[splitWords(word)]

/** Returns a declared name, such as assignmentType, in the words of the language. */
export const nounInWords = (name: string): string => translateNoun(current.nouns, name) ?? splitWords(name)

const splitWords = (name: string): string => name.replaceAll(/(?<=[a-z])(?=[A-Z])/g, ' ').toLowerCase()

/** Returns a regular expression in which each placeholder is a named group. */
const patternOf = (text: string): RegExp =>
  new RegExp(`^${text.replaceAll(/[.*+?^$()|[\]\\/-]/g, '\\$&').replaceAll(/\{(\w+)\}/g, '(?<$1>.+)')}$`)
