import type { ComponentChildren } from 'preact'
import type { en } from './en.ts'

/** The values for the placeholders of a text, such as `{name}`. Numbers are written as the language does. */
export type Values = Readonly<Record<string, string | number>>

/** A text as it stands in the sources, in English, which is its own key. */
export type Text = (typeof en)[number]
export type Translations = Readonly<Record<Text, string>>

/** The language of a page never changes: choosing another one loads the page again. */
const chosen: { locale: string; translations: Readonly<Record<string, string>> } = {
  locale: 'en-GB',
  translations: {},
}

export function speak(locale: string, translations: Translations): void {
  Object.assign(chosen, { locale, translations })
}

/** For dates and numbers. */
export const locale = (): string => chosen.locale

const translated = (text: Text): string => chosen.translations[text] ?? text

const written = (value: string | number): string =>
  typeof value === 'number' ? new Intl.NumberFormat(chosen.locale).format(value) : value

/** Short months end with a full stop in some languages, and a sentence has but one. */
const endedOnce = (sentence: string): string => sentence.replace(/([^.])\.\.$/, '$1.')

export const t = (text: Text, values: Values = {}): string =>
  endedOnce(
    translated(text).replaceAll(/\{(\w+)\}/g, (place, name: string) => written(values[name] ?? place)),
  )

/** One form of the text for one, another one for several; `{count}` is the number. */
export const tn = (count: number, one: Text, several: Text, values: Values = {}): string =>
  t(new Intl.PluralRules(chosen.locale).select(count) === 'one' ? one : several, { count, ...values })

/** A text with elements for its placeholders. */
export const tx = (text: Text, parts: Readonly<Record<string, ComponentChildren>>): ComponentChildren[] =>
  translated(text)
    .split(/(\{\w+\})/)
    .map((piece) => (piece.startsWith('{') ? parts[piece.slice(1, -1)] : piece))
