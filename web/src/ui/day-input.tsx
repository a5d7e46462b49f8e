import type { TargetedKeyboardEvent } from 'preact'
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { t } from '../texts/text.ts'
import {
  addDays,
  addMonths,
  dateFormat,
  dateOf,
  daysInWeek,
  daysOfWeek,
  formatLongDay,
  formatWeekday,
  isDay,
  mondayOf,
  parseDay,
  today,
} from '../time/days.ts'
import { Icon, type IconName } from './icon.tsx'
import { layerOf, SheetTitle } from './menu.tsx'
import { logicalArrowKey, placeBelow } from './viewport.ts'

interface DayInputProps {
  readonly attributes?: Readonly<Record<string, string>>
  readonly label: string
  /** A day such as 2026-11-24, a text that is no day, or blank. */
  readonly value: string
  readonly hasVisibleLabel?: boolean
  readonly placeholder?: string | undefined
  /** The label of the button below the month that empties the field. Without it, there is no such button. */
  readonly clearLabel?: string | undefined
  /** The icon of the button that opens the month. */
  readonly buttonIcon?: IconName
  onChange(day: string): void
}

/** A field for a day, which is typed in most common formats or chosen from a month. */
export function DayInput({
  attributes,
  label,
  value,
  hasVisibleLabel = true,
  placeholder,
  clearLabel,
  buttonIcon = 'calendar',
  onChange,
}: DayInputProps) {
  const [typed, setTyped] = useState<string>()
  const input = useRef<HTMLInputElement>(null)
  const popover = useRef<HTMLDivElement>(null)
  const [isOpen, setOpen] = useState(false)
  const formatted = isDay(value) ? formatLongDay(value) : value
  const commit = (text: string) => {
    const day = parseDay(text)
    setTyped(undefined)
    // Invalid text is passed on, so that the form reports it.
    const next = text.trim() === '' ? '' : (day ?? text)
    if (next !== value && text !== formatted) onChange(next)
  }
  useLayoutEffect(() => {
    if (!isOpen || popover.current === null || input.current === null) return
    popover.current.showPopover()
    placeBelow(popover.current, input.current, { matchesWidth: true })
  }, [isOpen])
  const choose = (day: string) => {
    setOpen(false)
    input.current?.focus()
    setTyped(undefined)
    onChange(day)
  }
  const onKeyDown = (event: TargetedKeyboardEvent<HTMLInputElement>) => {
    if (event.key === 'Enter' && typed !== undefined) commit(typed)
    if (event.key === 'ArrowDown' && event.altKey) setOpen(true)
  }
  return (
    <span class="day-input">
      <input
        ref={input}
        {...attributes}
        {...(!hasVisibleLabel && { 'aria-label': label })}
        class="input"
        type="text"
        autocomplete="off"
        placeholder={placeholder ?? formatLongDay(today())}
        value={typed ?? formatted}
        onInput={(event) => setTyped(event.currentTarget.value)}
        onBlur={() => typed !== undefined && commit(typed)}
        onKeyDown={onKeyDown}
      />
      <button
        type="button"
        class="day-button"
        aria-label={t('Choose: {label}', { label })}
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
      >
        <Icon name={buttonIcon} />
      </button>
      {isOpen && (
        <div ref={popover} class="day-layer" {...layerOf(input, () => setOpen(false))}>
          <SheetTitle title={label} onClose={() => popover.current?.hidePopover()} />
          <MonthGrid day={isDay(value) ? value : ''} onChoose={choose} />
          {clearLabel !== undefined && value !== '' && (
            <button type="button" class="button quiet wide" onClick={() => choose('')}>
              {clearLabel}
            </button>
          )}
        </div>
      )}
    </span>
  )
}

const weeksShown = 6

/** A month to choose a day from: arrows move by days and weeks, Page Up and Page Down by months. */
export function MonthGrid({
  day,
  takesFocus = true,
  onChoose,
}: {
  /** The chosen day, or blank. */
  readonly day: string
  /** False if the focus stays where it is until the user moves to the month. */
  readonly takesFocus?: boolean
  onChoose(day: string): void
}) {
  const [current, setCurrent] = useState(day || today())
  const grid = useRef<HTMLTableElement>(null)
  const month = current.slice(0, 7)
  const monday = mondayOf(`${month}-01`)
  const weeks = Array.from({ length: weeksShown }, (_, index) => addDays(monday, index * daysInWeek))
  const isUsed = useRef(takesFocus)
  useEffect(() => {
    if (isUsed.current) grid.current?.querySelector<HTMLElement>('[tabindex="0"]')?.focus()
    isUsed.current = true
  }, [current])
  const onKeyDown = (event: TargetedKeyboardEvent<HTMLElement>) => {
    const step = steps[logicalArrowKey(event)]
    if (step === undefined) return
    event.preventDefault()
    setCurrent(step(current))
  }
  const title = dateFormat('month').format(dateOf(`${month}-01`))
  return (
    <div class="month">
      <div class="month-header">
        <StepButton icon="left" label={t('Previous month')} run={() => setCurrent(addMonths(current, -1))} />
        <strong aria-live="polite">{title}</strong>
        <StepButton icon="right" label={t('Next month')} run={() => setCurrent(addMonths(current, 1))} />
      </div>
      <table ref={grid} aria-label={title} onKeyDown={onKeyDown}>
        <thead>
          <tr>
            {daysOfWeek(monday).map((cellDay) => (
              <th key={cellDay} scope="col">
                {formatWeekday(cellDay)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {weeks.map((week) => (
            <tr key={week}>
              {daysOfWeek(week).map((cellDay) => (
                <td key={cellDay} class={cellDay === day ? 'chosen' : ''}>
                  <button
                    type="button"
                    class={cellDay.startsWith(month) ? '' : 'other-month'}
                    tabIndex={cellDay === current ? 0 : -1}
                    aria-label={dateFormat('whole').format(dateOf(cellDay))}
                    aria-pressed={cellDay === day}
                    aria-current={cellDay === today() ? 'date' : undefined}
                    onClick={() => onChoose(cellDay)}
                  >
                    {Number(cellDay.slice(8))}
                  </button>
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

const steps: Readonly<Record<string, (day: string) => string>> = {
  ArrowLeft: (day) => addDays(day, -1),
  ArrowRight: (day) => addDays(day, 1),
  ArrowUp: (day) => addDays(day, -daysInWeek),
  ArrowDown: (day) => addDays(day, daysInWeek),
  PageUp: (day) => addMonths(day, -1),
  PageDown: (day) => addMonths(day, 1),
  Home: mondayOf,
  End: (day) => addDays(mondayOf(day), daysInWeek - 1),
}

const StepButton = ({
  icon,
  label,
  run,
}: {
  readonly icon: 'left' | 'right'
  readonly label: string
  run(): void
}) => (
  <button type="button" class="button quiet icon-only" aria-label={label} onClick={run}>
    <Icon name={icon} />
  </button>
)
