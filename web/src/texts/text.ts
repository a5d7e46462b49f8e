import type { ComponentChildren } from 'preact'
import type { ptBr } from './pt-br.ts'

/** The values for the placeholders of a text, such as `{name}`. Numbers are formatted in the language. */
export type Values = Readonly<Record<string, string | number>>

/** A text in English, as the sources have it, which is its own key. A text without a translation does not compile. */
export type Text = keyof typeof ptBr
type Translations = Readonly<Record<Text, string>>

/** The translations of another language. */
export interface Catalogue {
  readonly texts: Translations
  /** Messages of the server, which its contract fixes; `{name}` marks a variable part. */
  readonly errors: Readonly<Record<string, string>>
  /** Names of resources and fields that appear inside messages of the server. */
  readonly nouns: Readonly<Record<string, string>>
}

type Words = Readonly<Record<string, string>>

/** The language of a page never changes: another choice reloads it. */
const current: { locale: string; texts: Words; errors: Words; nouns: Words } = {
  locale: 'en-GB',
  texts: {},
  errors: {},
  nouns: {},
}

export function setLanguage(locale: string, catalogue: Catalogue): void {
  Object.assign(current, { locale, ...catalogue })
}

/** The locale of dates and numbers. */
export const locale = (): string => current.locale

const translate = (text: Text): string => current.texts[text] ?? text

const formatValue = (value: string | number): string =>
  typeof value === 'number' ? new Intl.NumberFormat(current.locale).format(value) : value

/** Letters of right-to-left scripts, and characters that change the direction of what follows. */
const bidiCharacters =
  /[\u0590-\u08ff\u200f\u202a-\u202e\u2066-\u2069\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u

/** Wraps text in bidi isolates if it or the surrounding line has right-to-left characters. */
export const isolate = (text: string, line = ''): string =>
  bidiCharacters.test(text) || bidiCharacters.test(line) ? `\u2068${text}\u2069` : text

/** Joins several parts into a line, each with its own direction; missing ones are left out. */
export const inOneLine = (...parts: readonly (string | false | null | undefined)[]): string =>
  parts.flatMap((part) => (part ? [isolate(part)] : [])).join(' · ')

/** A value at the end, such as the month `jan.`, would double the full stop. */
const collapseFinalDots = (sentence: string): string => sentence.replace(/([^.])\.\.$/, '$1.')

export function t(text: Text, values: Values = {}): string {
  const sentence = translate(text)
  return collapseFinalDots(
    sentence.replaceAll(/\{(\w+)\}/g, (place, name: string) =>
      isolate(formatValue(values[name] ?? place), sentence),
    ),
  )
}

/** Chooses the singular or plural text; `{count}` is the number. Only for languages with one plural form. */
export const tn = (count: number, one: Text, several: Text, values: Values = {}): string =>
  t(new Intl.PluralRules(current.locale).select(count) === 'one' ? one : several, { count, ...values })

/** A text with elements for its placeholders. */
export const tx = (text: Text, parts: Readonly<Record<string, ComponentChildren>>): ComponentChildren[] =>
  translate(text)
    .split(/(\{\w+\})/)
    .map((piece) => (piece.startsWith('{') ? parts[piece.slice(1, -1)] : piece))

/** Translates a message of the server; without a translation it is shown unchanged. */
export function translateSentence(
  sentence: string,
  catalogue: Pick<Catalogue, 'errors' | 'nouns'> = current,
): string {
  for (const [pattern, translation] of Object.entries(catalogue.errors)) {
    const found = patternOf(pattern).exec(sentence)?.groups
    if (found || pattern === sentence)
      return collapseFinalDots(
        translation.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
          const part = found?.[name] ?? ''
          // A message may contain another one, such as advice, which is translate too.
          return nounOf(catalogue.nouns, part) ?? translateSentence(part, catalogue)
        }),
      )
  }
  return sentence
}

/** The server writes AssignmentType in one place and assignment type in another. */
const nounOf = (nouns: Words, word: string): string | undefined =>
  nouns[word.replaceAll(/(?<=[a-z])(?=[A-Z])/g, ' ').toLowerCase()]

const patternOf = (text: string): RegExp =>
  new RegExp(`^${text.replaceAll(/[.*+?^$()|[\]\\/-]/g, '\\$&').replaceAll(/\{(\w+)\}/g, '(?<$1>.+)')}$`)
