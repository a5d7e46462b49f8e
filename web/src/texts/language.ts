import { type Catalogue, setLanguage } from './text.ts'

export interface Language {
  /** The language tag, for the document and for matching the browser's languages. */
  readonly id: string
  /** Its name in the language itself. */
  readonly name: string
  /** The format of dates and numbers. */
  readonly locale: string
  /** Loads the texts of the language. Undefined for English, which is in the sources. */
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

const storageKey = 'tracker.language'

/**
 * Returns the language chosen in this browser, or else the first of the browser's languages that is
 * supported, in any country.
 */
export function currentLanguage(): Language {
  const chosen = languages.find(({ id }) => id === localStorage.getItem(storageKey))
  const preferred = navigator.languages.map((language) =>
    languages.find(({ id }) => rootOf(id) === rootOf(language)),
  )
  return chosen ?? preferred.find((one) => one !== undefined) ?? english
}

const rootOf = (tag: string): string => tag.split('-', 1)[0]?.toLowerCase() ?? ''

/** Loads the texts before the first render. If that fails, the page is in English. */
export async function applyCurrentLanguage(): Promise<void> {
  const { id, locale, load } = currentLanguage()
  if (load === undefined) return
  try {
    setLanguage(locale, await load())
    document.documentElement.lang = id
  } catch {}
}

/** Stores the chosen language. It applies after a reload, because texts are set once, before rendering. */
export const storeLanguage = (id: string): void => localStorage.setItem(storageKey, id)
