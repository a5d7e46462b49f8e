import type { TargetedKeyboardEvent } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { t } from '../texts/text.ts'
import { addDays, addMonths, dateOf, formatOf, today } from '../time/days.ts'
import { daysInWeek, daysOfWeek, mondayOf, showWeekday } from '../time/weeks.ts'
import { keyAlongLine } from './direction.ts'
import { Icon } from './icon.tsx'

const weeksShown = 6

/** A month to choose a day from: arrows move by days and weeks, Page Up and Page Down by months. */
export function MonthGrid({ day, onChoose }: { readonly day: string; onChoose(day: string): void }) {
  const [current, setCurrent] = useState(day)
  const grid = useRef<HTMLTableElement>(null)
  const month = current.slice(0, 7)
  const monday = mondayOf(`${month}-01`)
  const weeks = Array.from({ length: weeksShown }, (_, index) => addDays(monday, index * daysInWeek))
  useEffect(() => grid.current?.querySelector<HTMLElement>('[tabindex="0"]')?.focus(), [current])
  const onKeyDown = (event: TargetedKeyboardEvent<HTMLElement>) => {
    const step = steps[keyAlongLine(event)]
    if (step === undefined) return
    event.preventDefault()
    setCurrent(step(current))
  }
  const title = formatOf('month').format(dateOf(`${month}-01`))
  return (
    <div class="month">
      <header class="month-header">
        <StepButton icon="left" label={t('Previous month')} run={() => setCurrent(addMonths(current, -1))} />
        <strong aria-live="polite">{title}</strong>
        <StepButton icon="right" label={t('Next month')} run={() => setCurrent(addMonths(current, 1))} />
      </header>
      <table ref={grid} aria-label={title} onKeyDown={onKeyDown}>
        <thead>
          <tr>
            {daysOfWeek(monday).map((one) => (
              <th key={one} scope="col">
                {showWeekday(one)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {weeks.map((week) => (
            <tr key={week}>
              {daysOfWeek(week).map((one) => (
                <td key={one} class={one === day ? 'chosen' : ''}>
                  <button
                    type="button"
                    class={one.startsWith(month) ? '' : 'other-month'}
                    tabIndex={one === current ? 0 : -1}
                    aria-label={formatOf('whole').format(dateOf(one))}
                    aria-pressed={one === day}
                    aria-current={one === today() ? 'date' : undefined}
                    onClick={() => onChoose(one)}
                  >
                    {Number(one.slice(8))}
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
