import { useEffect, useRef, useState } from 'preact/hooks'
import { limits } from '#tracker-client'
import { t } from '../texts/text.ts'
import { Icon } from './icon.tsx'

interface SearchFieldProps {
  readonly label: string
  readonly value: string
  /** Called when the typing pauses. */
  onChange(text: string): void
}

/** A search is started after a pause of this length in typing. */
const typingMilliseconds = 200

export function SearchField({ label, value, onChange }: SearchFieldProps) {
  const [text, setText] = useState(value)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  useEffect(() => setText(value), [value])
  useEffect(() => () => clearTimeout(timer.current), [])
  const change = (next: string) => {
    setText(next)
    clearTimeout(timer.current)
    timer.current = setTimeout(() => onChange(next.trim()), typingMilliseconds)
  }
  return (
    <label class="search">
      <Icon name="search" />
      <input
        class="input"
        type="search"
        aria-label={label}
        placeholder={t('Search')}
        maxLength={limits.search}
        value={text}
        onInput={(event) => change(event.currentTarget.value)}
      />
    </label>
  )
}
