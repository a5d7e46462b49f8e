import { useState } from 'preact/hooks'
import { t } from '../texts/text.ts'
import { Icon } from '../ui/icon.tsx'
import { chooseTheme, currentTheme } from './theme.ts'

export function ThemeSwitch() {
  const [theme, setTheme] = useState(currentTheme)
  const next = theme === 'dark' ? 'light' : 'dark'
  const change = () => {
    chooseTheme(next)
    setTheme(next)
  }
  const label = next === 'dark' ? t('Use dark colours') : t('Use light colours')
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
