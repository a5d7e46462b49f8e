import { type Speech, speak } from './text.ts'

export interface Language {
  /** What the document says of itself, and what browsers ask for. */
  readonly id: string
  /** As those who speak it call it. */
  readonly name: string
  /** How dates and numbers are written. */
  readonly locale: string
  /** Loaded only by those who chose it; none for English, which is in the sources. */
  readonly load?: () => Promise<Speech>
}

const english: Language = { id: 'en', name: 'English', locale: 'en-GB' }

export const languages: readonly Language[] = [
  english,
  {
    id: 'pt-BR',
    name: 'Português (Brasil)',
    locale: 'pt-BR',
    load: async () => (await import('./pt-br.ts')).ptBrSpeech,
  },
]

const key = 'tracker.language'

/** The one chosen in this browser, else the first that the browser asks for, in any of its countries. */
export function currentLanguage(): Language {
  const chosen = languages.find(({ id }) => id === localStorage.getItem(key))
  const asked = navigator.languages.map((one) => languages.find(({ id }) => rootOf(id) === rootOf(one)))
  return chosen ?? asked.find((one) => one !== undefined) ?? english
}

const rootOf = (tag: string): string => tag.split('-', 1)[0]?.toLowerCase() ?? ''

/** Before anything is drawn. Where its texts cannot be loaded, the page is in English rather than not at all. */
export async function speakCurrentLanguage(): Promise<void> {
  const { id, locale, load } = currentLanguage()
  if (load === undefined) return
  try {
    speak(locale, await load())
    document.documentElement.lang = id
  } catch {}
}

/** Texts are read where they are drawn, so the page begins anew; drafts bring back what was typed. */
export function chooseLanguage(id: string): void {
  localStorage.setItem(key, id)
  location.reload()
}
