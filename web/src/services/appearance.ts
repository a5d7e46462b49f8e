import { type ReadonlySignal, signal } from '@preact/signals'

export type Theme = 'light' | 'dark'
export type Density = 'comfortable' | 'compact'

const themeKey = 'tracker.theme'
const densityKey = 'tracker.density'

/** Undefined while the theme follows the device. */
export const chosenTheme = signal<Theme>()
const density = signal<Density>('comfortable')

export const currentDensity: ReadonlySignal<Density> = density

/** The theme follows the system, unless the user has chosen one. */
export const currentTheme = (): Theme =>
  chosenTheme.value ?? (matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light')

/** Applies the appearance that this browser has stored, before the settings of the account are known. */
export function applyStoredAppearance(): void {
  const theme = localStorage.getItem(themeKey)
  if (theme === 'light' || theme === 'dark') applyTheme(theme)
  if (localStorage.getItem(densityKey) === 'compact') applyDensity('compact')
}

/** Applies and stores the theme, also for the browser's own bars. Null follows the device. */
export function applyTheme(theme: Theme | null): void {
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
export function applyDensity(chosen: Density): void {
  localStorage.setItem(densityKey, chosen)
  density.value = chosen
  if (chosen === 'compact') document.documentElement.dataset.density = 'compact'
  else delete document.documentElement.dataset.density
}
