import type { Language } from '../../../../model/language.ts'
import { type Html, type HtmlValue, markupOf } from '../html.ts'
import type { Text } from './en.ts'
import { ptBr } from './pt-br.ts'

type Placeholders<T extends string> = T extends `${string}{${infer Name}}${infer Rest}`
  ? Name | Placeholders<Rest>
  : never

/** A text without placeholders. */
export type PlainText = { [T in Text]: Placeholders<T> extends never ? T : never }[Text]

/** A text in the language of its page, with what belongs at its placeholders. */
export type Say = <T extends Text>(
  text: T,
  ...values: [Placeholders<T>] extends [never] ? [] : [Readonly<Record<Placeholders<T>, HtmlValue>>]
) => Html

export const sayIn =
  (language: Language): Say =>
  (text, ...given) => {
    const values: Readonly<Record<string, HtmlValue>> = given[0] ?? {}
    const parts = (translations[language]?.[text] ?? text).split(/\{(\w+)\}/)
    // Every second part is the name of a placeholder.
    return {
      markup: parts.map((part, index) => markupOf(index % 2 === 0 ? part : (values[part] ?? ''))).join(''),
    }
  }

const translations: Readonly<Record<Language, Readonly<Record<Text, string>> | undefined>> = {
  en: undefined,
  'pt-BR': ptBr,
}
