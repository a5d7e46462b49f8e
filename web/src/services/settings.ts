import { useEffect } from 'preact/hooks'
import type { Operations } from '#tracker-client'
import { sentenceOf } from '../api/problems.ts'
import { currentLanguage, storeLanguage } from '../texts/language.ts'
import { t } from '../texts/text.ts'
import { applyDensity, applyTheme, currentTheme, type Theme } from './appearance.ts'
import { type Services, useServices } from './services.ts'

type Settings = Operations['PATCH /ext/settings']['body']

/**
 * Changes settings of the account. The browser stores a copy,
 * which applies before the next page has loaded the settings.
 */
export async function changeSettings(
  { tracker, configuration, toasts }: Services,
  changes: Settings,
): Promise<void> {
  applySettings(changes)
  if (changes.theme === null) applyTheme(null)
  if (!configuration.extensions) return
  try {
    await tracker.call('PATCH /ext/settings', { body: changes })
  } catch (error) {
    toasts.show({ kind: 'problem', text: sentenceOf(error) })
  }
}

/** Changes the language and reloads the page, because texts are read during the render. Drafts restore the typed text. */
export async function chooseLanguage(services: Services, id: string): Promise<void> {
  await changeSettings(services, { language: id as Settings['language'] })
  location.reload()
}

/** Returns the command that switches to the other theme. */
export function themeSwitch(services: Services) {
  const next: Theme = currentTheme() === 'dark' ? 'light' : 'dark'
  return {
    icon: next === 'dark' ? 'moon' : 'sun',
    label: next === 'dark' ? t('Use dark theme') : t('Use light theme'),
    run: () => void changeSettings(services, { theme: next }),
  } as const
}

/**
 * Applies the settings of the account, which another device may
 * have changed. Those without a value stay as in this browser.
 */
export function useSettingsOfAccount(): void {
  const services = useServices()
  const { session, tracker, configuration } = services
  const id = session.person.value?.id
  useEffect(() => {
    if (id === undefined || !configuration.extensions) return
    tracker.call('GET /ext/settings').then(
      ({ settings }) => {
        const before = currentLanguage().id
        applySettings(settings)
        if (currentLanguage().id !== before) location.reload()
      },
      // The stored copy stays in use until the next page.
      () => undefined,
    )
  }, [id])
}

function applySettings({ theme, density, language }: Settings): void {
  if (theme) applyTheme(theme)
  if (density) applyDensity(density)
  if (language) storeLanguage(language)
}
