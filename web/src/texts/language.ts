import { type Catalogue, setLanguage } from './text.ts'

export interface Language {
  /** The language tag, for the document and for matching the browser's languages. */
  readonly id: string
  /** Its name in the language itself. */
  readonly name: string
  /** The format of dates and numbers. */
  readonly locale: string
  /** Loaded only when chosen; undefined for English, which is in the sources. */
  readonly load?: () => Promise<Catalogue>
}

const english: Language = { id: 'en', name: 'English', locale: 'en-GB' }

export const languages: readonly Language[] = [
  english,
  {
    id: 'pt-BR',
    name: 'Português (Brasil)',
    locale: 'pt-BR',
    load: async () => (await import('./pt-br.ts')).ptBrCatalogue,
  },
]

const key = 'tracker.language'

/** The language chosen in this browser, or else the first supported one of the browser's languages, in any country. */
export function currentLanguage(): Language {
  const chosen = languages.find(({ id }) => id === localStorage.getItem(key))
  const preferred = navigator.languages.map((language) =>
    languages.find(({ id }) => rootOf(id) === rootOf(language)),
  )
  return chosen ?? preferred.find((one) => one !== undefined) ?? english
}

const rootOf = (tag: string): string => tag.split('-', 1)[0]?.toLowerCase() ?? ''

/** Called before the first render. If the texts cannot be loaded, the page is in English. */
export async function applyCurrentLanguage(): Promise<void> {
  const { id, locale, load } = currentLanguage()
  if (load === undefined) return
  try {
    setLanguage(locale, await load())
    document.documentElement.lang = id
  } catch {}
}

/** Applies from the next page on, because texts are read during the render. */
export const keepLanguage = (id: string): void => localStorage.setItem(key, id)
