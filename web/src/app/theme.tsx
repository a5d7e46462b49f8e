import { useState } from 'preact/hooks'
import { t } from '../texts/text.ts'
import { Icon } from '../ui/icon.tsx'

export function ThemeSwitch() {
  const [theme, setTheme] = useState(currentTheme)
  const next = theme === 'dark' ? 'light' : 'dark'
  const change = () => {
    chooseTheme(next)
    setTheme(next)
  }
  const label = next === 'dark' ? t('Use dark theme') : t('Use light theme')
  return (
    <button
      type="button"
      class="button quiet icon-only theme"
      aria-label={label}
      title={label}
      onClick={change}
    >
      <Icon name={next === 'dark' ? 'moon' : 'sun'} />
    </button>
  )
}

export type Theme = 'light' | 'dark'

const themeKey = 'tracker.theme'

/** Follows the system, unless the user has chosen a theme here. */
export function currentTheme(): Theme {
  const chosen = localStorage.getItem(themeKey)
  if (chosen === 'light' || chosen === 'dark') return chosen
  return matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light'
}

export function applyChosenTheme(): void {
  const chosen = localStorage.getItem(themeKey)
  if (chosen !== null) document.documentElement.dataset.theme = chosen
}

export function chooseTheme(theme: Theme): void {
  localStorage.setItem(themeKey, theme)
  applyChosenTheme()
}
