import { useEffect } from 'preact/hooks'
import type { Operations } from '#tracker-client'
import { sentenceOf } from '../api/problems.ts'
import { currentLanguage, keepLanguage } from '../texts/language.ts'
import { t } from '../texts/text.ts'
import { currentTheme, keepDensity, keepTheme, type Theme } from './appearance.ts'
import { type Services, useServices } from './services.ts'

type Settings = Operations['PATCH /ext/settings']['body']

/** Settings belong to the account. The browser keeps a copy, so that the next page is drawn right at once. */
export async function changeSettings(
  { tracker, configuration, toasts }: Services,
  changes: Settings,
): Promise<void> {
  keepSettings(changes)
  if (!configuration.extensions) return
  try {
    await tracker.call('PATCH /ext/settings', { body: changes })
  } catch (error) {
    toasts.show({ kind: 'problem', text: sentenceOf(error) })
  }
}

/** Texts are read during the render, so the page reloads; drafts restore the typed text. */
export async function chooseLanguage(services: Services, id: string): Promise<void> {
  await changeSettings(services, { language: id as Settings['language'] })
  location.reload()
}

/** The switch to the other theme. */
export function themeSwitch(services: Services) {
  const next: Theme = currentTheme() === 'dark' ? 'light' : 'dark'
  return {
    icon: next === 'dark' ? 'moon' : 'sun',
    label: next === 'dark' ? t('Use dark theme') : t('Use light theme'),
    run: () => void changeSettings(services, { theme: next }),
  } as const
}

/** Another device may have changed the settings. What is chosen nowhere else stays as it is in this browser. */
export function useSettingsOfAccount(): void {
  const services = useServices()
  const { session, tracker, configuration } = services
  const id = session.person.value?.id
  useEffect(() => {
    if (id === undefined || !configuration.extensions) return
    tracker.call('GET /ext/settings').then(
      ({ settings }) => {
        const before = currentLanguage().id
        keepSettings(settings)
        if (currentLanguage().id !== before) location.reload()
      },
      // The copy is good enough until the next page.
      () => undefined,
    )
  }, [id])
}

function keepSettings({ theme, density, language }: Settings): void {
  if (theme) keepTheme(theme)
  if (density) keepDensity(density)
  if (language) keepLanguage(language)
}
