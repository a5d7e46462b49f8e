import { type ReadonlySignal, signal } from '@preact/signals'

export type Theme = 'light' | 'dark'
export type Density = 'comfortable' | 'compact'

const themeKey = 'tracker.theme'
const densityKey = 'tracker.density'

const chosenTheme = signal<Theme>()
const density = signal<Density>('comfortable')

export const currentDensity: ReadonlySignal<Density> = density

/** Follows the system, unless the user has chosen a theme. */
export const currentTheme = (): Theme =>
  chosenTheme.value ?? (matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light')

/** Draws the first page as the last one was. */
export function applyStoredAppearance(): void {
  const theme = localStorage.getItem(themeKey)
  if (theme === 'light' || theme === 'dark') keepTheme(theme)
  if (localStorage.getItem(densityKey) === 'compact') keepDensity('compact')
}

export function keepTheme(theme: Theme): void {
  localStorage.setItem(themeKey, theme)
  chosenTheme.value = theme
  document.documentElement.dataset.theme = theme
  for (const meta of document.querySelectorAll<HTMLMetaElement>('meta[data-scheme]'))
    meta.media = meta.dataset.scheme === theme ? 'all' : 'not all'
}

export function keepDensity(chosen: Density): void {
  localStorage.setItem(densityKey, chosen)
  density.value = chosen
  if (chosen === 'compact') document.documentElement.dataset.density = 'compact'
  else delete document.documentElement.dataset.density
}
