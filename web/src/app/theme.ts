export type Theme = 'light' | 'dark'

const key = 'tracker.theme'

/** The system's choice, unless the person has made one here. */
export function currentTheme(): Theme {
  const chosen = localStorage.getItem(key)
  if (chosen === 'light' || chosen === 'dark') return chosen
  return matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light'
}

export function showChosenTheme(): void {
  const chosen = localStorage.getItem(key)
  if (chosen !== null) document.documentElement.dataset.theme = chosen
}

export function chooseTheme(theme: Theme): void {
  localStorage.setItem(key, theme)
  showChosenTheme()
}
