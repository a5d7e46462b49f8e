import type { TargetedKeyboardEvent } from 'preact'
import { useId, useRef, useState } from 'preact/hooks'
import { t } from '../texts/text.ts'
import { isDay, showLongDay, today } from '../time/days.ts'
import { readDay } from '../time/read-day.ts'
import { Icon } from './icon.tsx'
import { MonthGrid } from './month-grid.tsx'
import { placeBelow } from './place.ts'

export interface DayInputProps {
  readonly attributes?: Readonly<Record<string, string>>
  readonly label: string
  /** A day such as 2026-11-24, or blank. */
  readonly value: string
  readonly isNamed?: boolean
  readonly placeholder?: string
  onChange(day: string): void
}

/** A day as it is shown everywhere else: typed in most ways people write one, or chosen from a month. */
export function DayInput({ attributes, label, value, isNamed = true, placeholder, onChange }: DayInputProps) {
  const id = useId()
  const [typed, setTyped] = useState<string>()
  const input = useRef<HTMLInputElement>(null)
  const layer = useRef<HTMLDivElement>(null)
  const [isOpen, setOpen] = useState(false)
  const shown = isDay(value) ? showLongDay(value) : value
  const take = (text: string) => {
    const day = readDay(text)
    setTyped(undefined)
    // What is no day is left to the check of the form.
    const next = text.trim() === '' ? '' : (day ?? text)
    if (next !== value && text !== shown) onChange(next)
  }
  const open = () => {
    layer.current?.showPopover()
    if (layer.current && input.current) placeBelow(layer.current, input.current, { isAsWide: true })
  }
  const choose = (day: string) => {
    layer.current?.hidePopover()
    input.current?.focus()
    setTyped(undefined)
    onChange(day)
  }
  const onKeyDown = (event: TargetedKeyboardEvent<HTMLInputElement>) => {
    if (event.key === 'Enter' && typed !== undefined) take(typed)
    if (event.key === 'ArrowDown' && event.altKey) open()
  }
  return (
    <span class="day-input">
      <input
        ref={input}
        {...attributes}
        {...(!isNamed && { 'aria-label': label })}
        class="input"
        type="text"
        autocomplete="off"
        placeholder={placeholder ?? showLongDay(today())}
        value={typed ?? shown}
        onInput={(event) => setTyped(event.currentTarget.value)}
        onBlur={() => typed !== undefined && take(typed)}
        onKeyDown={onKeyDown}
      />
      <button
        type="button"
        class="day-button"
        aria-label={t('Choose: {label}', { label })}
        aria-expanded={isOpen}
        aria-controls={id}
        onClick={() => (isOpen ? layer.current?.hidePopover() : open())}
      >
        <Icon name="calendar" />
      </button>
      <div
        ref={layer}
        id={id}
        class="day-layer"
        popover="auto"
        onToggle={(event) => setOpen(event.newState === 'open')}
      >
        {isOpen && <MonthGrid day={isDay(value) ? value : today()} onChoose={choose} />}
      </div>
    </span>
  )
}
