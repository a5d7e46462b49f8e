import { type ReadonlySignal, signal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { type Operations, TrackerError } from '#tracker-client'
import { sentenceOf } from '../api/problems.ts'
import { currentLanguage, storeLanguage } from '../texts/language.ts'
import { t } from '../texts/text.ts'
import { readStoredJson } from './browser-storage.ts'
import { type Services, useServices } from './services.ts'

type Settings = Operations['PATCH /ext/settings']['body']

/** The key of the changes that the server has not confirmed yet. */
const unsentKey = (accountId: string) => `tracker.settings.${accountId}`

/**
 * Changes settings of the account. The browser stores a copy, which applies before the next page has loaded
 * the settings. Returns whether they are saved.
 */
export async function changeSettings(services: Services, changes: Settings): Promise<boolean> {
  const { configuration, session, toasts } = services
  applySettings(changes)
  if (changes.theme === null) applyTheme(null)
  const accountId = session.person.peek()?.id
  if (!configuration.extensions || accountId === undefined) return true
  const key = unsentKey(accountId)
  localStorage.setItem(key, JSON.stringify({ ...readStoredJson<Settings>(key), ...changes }))
  return sendUnsent(services, accountId).then(
    () => true,
    (error) => {
      toasts.show({ kind: 'problem', text: sentenceOf(error) })
      return false
    },
  )
}

/** Requests are sent one at a time, so that the server stores the changes in their order. */
let lastSend = Promise.resolve()

function sendUnsent({ tracker }: Pick<Services, 'tracker'>, accountId: string): Promise<void> {
  const key = unsentKey(accountId)
  const send = async () => {
    const changes = readStoredJson<Settings>(key)
    if (changes === undefined) return
    /** Keeps the settings that were changed again meanwhile. */
    const removeSent = () => {
      const current = readStoredJson<Settings>(key) ?? {}
      const unsent = Object.entries(current).filter(
        ([name, value]) => changes[name as keyof Settings] !== value,
      )
      if (unsent.length === 0) localStorage.removeItem(key)
      else localStorage.setItem(key, JSON.stringify(Object.fromEntries(unsent)))
    }
    // After an error that is not final, the changes stay stored, and the next page sends them.
    await tracker.call('PATCH /ext/settings', { body: changes }).catch((error) => {
      if (error instanceof TrackerError && error.isFinal) removeSent()
      throw error
    })
    removeSent()
  }
  const sent = lastSend.then(send)
  lastSend = sent.catch(() => undefined)
  return sent
}

/**
 * Changes the language and reloads the page, because the texts are set once, before the first render. Drafts
 * restore the typed text.
 */
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
 * Applies the settings of the account, which another device may have changed. Settings without a value stay
 * as they are in this browser.
 */
export function useSettingsOfAccount(): void {
  const services = useServices()
  const { session, tracker, configuration } = services
  const id = session.person.value?.id
  useEffect(() => {
    if (id === undefined || !configuration.extensions) return
    const load = async () => {
      await sendUnsent(services, id)
      const sentBefore = lastSend
      const { settings } = await tracker.call('GET /ext/settings')
      // A change that the user has made meanwhile is newer, also if it is sent already.
      if (lastSend !== sentBefore || localStorage.getItem(unsentKey(id)) !== null) return
      const before = currentLanguage().id
      applySettings(settings)
      if (currentLanguage().id !== before) location.reload()
    }
    // After an error, the stored copy stays in use until the next page.
    load().catch(() => undefined)
  }, [id])
}

function applySettings({ theme, density, language }: Settings): void {
  if (theme) applyTheme(theme)
  if (density) applyDensity(density)
  if (language) storeLanguage(language)
}

export type Theme = 'light' | 'dark'
export type Density = 'comfortable' | 'compact'

const themeKey = 'tracker.theme'
const densityKey = 'tracker.density'

/** Undefined while the theme follows the device. */
export const chosenTheme = signal<Theme>()
const density = signal<Density>('comfortable')

export const currentDensity: ReadonlySignal<Density> = density

const isDeviceDark = signal(false)

/** The theme follows the system, unless the user has chosen one. */
const currentTheme = (): Theme => chosenTheme.value ?? (isDeviceDark.value ? 'dark' : 'light')

/** Applies the appearance that this browser has stored, before the settings of the account are known. */
export function applyStoredAppearance(): void {
  const device = matchMedia('(prefers-color-scheme: dark)')
  // The device may change its theme while the page is open, for example in the evening.
  const follow = () => {
    isDeviceDark.value = device.matches
  }
  follow()
  device.addEventListener('change', follow)
  const theme = localStorage.getItem(themeKey)
  if (theme === 'light' || theme === 'dark') applyTheme(theme)
  if (localStorage.getItem(densityKey) === 'compact') applyDensity('compact')
}

/** Applies and stores the theme, also for the browser's own bars. Null follows the device. */
function applyTheme(theme: Theme | null): void {
  const { dataset } = document.documentElement
  chosenTheme.value = theme ?? undefined
  if (theme === null) {
    localStorage.removeItem(themeKey)
    delete dataset.theme
  } else {
    localStorage.setItem(themeKey, theme)
    dataset.theme = theme
  }
  for (const meta of document.querySelectorAll<HTMLMetaElement>('meta[data-scheme]')) {
    const { scheme } = meta.dataset
    const chosen = scheme === theme ? 'all' : 'not all'
    meta.media = theme === null ? `(prefers-color-scheme: ${scheme})` : chosen
  }
}

/** Applies and stores the density. */
function applyDensity(chosen: Density): void {
  localStorage.setItem(densityKey, chosen)
  density.value = chosen
  if (chosen === 'compact') document.documentElement.dataset.density = 'compact'
  else delete document.documentElement.dataset.density
}
