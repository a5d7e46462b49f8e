import type { ComponentChildren } from 'preact'
import type { en } from './en.ts'

/** The values for the placeholders of a text, such as `{name}`. Numbers are written as the language does. */
export type Values = Readonly<Record<string, string | number>>

/** A text as it stands in the sources, in English, which is its own key. */
export type Text = (typeof en)[number]
export type Translations = Readonly<Record<Text, string>>

/** What another language says in place of English. */
export interface Speech {
  readonly texts: Translations
  /** Of the server, whose texts are a contract: with names in braces for what differs from time to time. */
  readonly refusals: Readonly<Record<string, string>>
  /** What refusals name. */
  readonly things: Readonly<Record<string, string>>
}

type Words = Readonly<Record<string, string>>

/** The language of a page never changes: choosing another one loads the page again. */
const chosen: { locale: string; texts: Words; refusals: Words; things: Words } = {
  locale: 'en-GB',
  texts: {},
  refusals: {},
  things: {},
}

export function speak(locale: string, speech: Speech): void {
  Object.assign(chosen, { locale, ...speech })
}

/** For dates and numbers. */
export const locale = (): string => chosen.locale

const translated = (text: Text): string => chosen.texts[text] ?? text

const written = (value: string | number): string =>
  typeof value === 'number' ? new Intl.NumberFormat(chosen.locale).format(value) : value

/** Letters that are written from right to left, and characters that turn what follows them round. */
const turning =
  /[\u0590-\u08ff\u200f\u202a-\u202e\u2066-\u2069\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u

/** What people have written, kept apart from the line around it: neither turns the order of the other round. */
export const isolated = (text: string, line = ''): string =>
  turning.test(text) || turning.test(line) ? `\u2068${text}\u2069` : text

/** Several things in one line, each in its own order; what is missing is left out. */
export const inOneLine = (...parts: readonly (string | false | null | undefined)[]): string =>
  parts.flatMap((part) => (part ? [isolated(part)] : [])).join(' · ')

/** Short months end with a full stop in some languages, and a sentence has but one. */
const endedOnce = (sentence: string): string => sentence.replace(/([^.])\.\.$/, '$1.')

export function t(text: Text, values: Values = {}): string {
  const sentence = translated(text)
  return endedOnce(
    sentence.replaceAll(/\{(\w+)\}/g, (place, name: string) =>
      isolated(written(values[name] ?? place), sentence),
    ),
  )
}

/** One form of the text for one, another one for several; `{count}` is the number. */
export const tn = (count: number, one: Text, several: Text, values: Values = {}): string =>
  t(new Intl.PluralRules(chosen.locale).select(count) === 'one' ? one : several, { count, ...values })

/** A text with elements for its placeholders. */
export const tx = (text: Text, parts: Readonly<Record<string, ComponentChildren>>): ComponentChildren[] =>
  translated(text)
    .split(/(\{\w+\})/)
    .map((piece) => (piece.startsWith('{') ? parts[piece.slice(1, -1)] : piece))

/** A sentence of the server as the page speaks; one that nobody has translated stands as it came. */
export function inOwnWords(sentence: string, speech: Pick<Speech, 'refusals' | 'things'> = chosen): string {
  for (const [pattern, translation] of Object.entries(speech.refusals)) {
    const found = patternOf(pattern).exec(sentence)?.groups
    if (found || pattern === sentence)
      return endedOnce(
        translation.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
          const part = found?.[name] ?? ''
          // A sentence within it, such as what somebody can do about it, is one of the server, too.
          return thingOf(speech.things, part) ?? inOwnWords(part, speech)
        }),
      )
  }
  return sentence
}

/** The server names AssignmentType here and assignment type there. */
const thingOf = (things: Words, word: string): string | undefined =>
  things[word.replaceAll(/(?<=[a-z])(?=[A-Z])/g, ' ').toLowerCase()]

const patternOf = (text: string): RegExp =>
  new RegExp(`^${text.replaceAll(/[.?:/-]/g, '\\$&').replaceAll(/\{(\w+)\}/g, '(?<$1>.+)')}$`)
