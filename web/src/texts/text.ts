import type { ComponentChildren } from 'preact'
import type { ptBr } from './pt-br.ts'

/** The values for the placeholders of a text, such as `{name}`. Numbers are formatted in the language. */
export type Values = Readonly<Record<string, string | number>>

/** A text in English, as the sources have it, which is its own key. A text without a translation does not compile. */
export type Text = keyof typeof ptBr
type Translations = Readonly<Record<Text, string>>

/** The translations of another language. */
export interface Speech {
  readonly texts: Translations
  /** Messages of the server, which are part of its contract: with names in braces for variable parts. */
  readonly errors: Readonly<Record<string, string>>
  /** The things that errors name. */
  readonly nouns: Readonly<Record<string, string>>
}

type Words = Readonly<Record<string, string>>

/** The language of a page never changes: another choice reloads it. */
const chosen: { locale: string; texts: Words; errors: Words; nouns: Words } = {
  locale: 'en-GB',
  texts: {},
  errors: {},
  nouns: {},
}

export function setLanguage(locale: string, speech: Speech): void {
  Object.assign(chosen, { locale, ...speech })
}

/** The locale of dates and numbers. */
export const locale = (): string => chosen.locale

const translated = (text: Text): string => chosen.texts[text] ?? text

const written = (value: string | number): string =>
  typeof value === 'number' ? new Intl.NumberFormat(chosen.locale).format(value) : value

/** Letters of right-to-left scripts, and characters that change the direction of what follows. */
const turning =
  /[\u0590-\u08ff\u200f\u202a-\u202e\u2066-\u2069\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u

/** Isolates text of users from the line around it: neither changes the direction of the other. */
export const isolated = (text: string, line = ''): string =>
  turning.test(text) || turning.test(line) ? `\u2068${text}\u2069` : text

/** Joins several parts into a line, each with its own direction; missing ones are left out. */
export const inOneLine = (...parts: readonly (string | false | null | undefined)[]): string =>
  parts.flatMap((part) => (part ? [isolated(part)] : [])).join(' · ')

/** Short months end with a full stop in some languages, but a sentence has only one. */
const endedOnce = (sentence: string): string => sentence.replace(/([^.])\.\.$/, '$1.')

export function t(text: Text, values: Values = {}): string {
  const sentence = translated(text)
  return endedOnce(
    sentence.replaceAll(/\{(\w+)\}/g, (place, name: string) =>
      isolated(written(values[name] ?? place), sentence),
    ),
  )
}

/** Chooses the singular or plural text; `{count}` is the number. */
export const tn = (count: number, one: Text, several: Text, values: Values = {}): string =>
  t(new Intl.PluralRules(chosen.locale).select(count) === 'one' ? one : several, { count, ...values })

/** A text with elements for its placeholders. */
export const tx = (text: Text, parts: Readonly<Record<string, ComponentChildren>>): ComponentChildren[] =>
  translated(text)
    .split(/(\{\w+\})/)
    .map((piece) => (piece.startsWith('{') ? parts[piece.slice(1, -1)] : piece))

/** Translates a message of the server; without a translation it is shown unchanged. */
export function translateSentence(
  sentence: string,
  speech: Pick<Speech, 'errors' | 'nouns'> = chosen,
): string {
  for (const [pattern, translation] of Object.entries(speech.errors)) {
    const found = patternOf(pattern).exec(sentence)?.groups
    if (found || pattern === sentence)
      return endedOnce(
        translation.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
          const part = found?.[name] ?? ''
          // A message may contain another one, such as advice, which is translated too.
          return nounOf(speech.nouns, part) ?? translateSentence(part, speech)
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
