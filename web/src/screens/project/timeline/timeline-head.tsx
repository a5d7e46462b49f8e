import { useEffect } from 'preact/hooks'
import { dailyTarget } from '../../../assignment/daily-target.ts'
import type { ColorName, ProjectStage } from '../../../data/project-stages.ts'
import { useServices } from '../../../services/services.ts'
import { cacheFormat, type MessageKey, t } from '../../../texts/text.ts'
import {
  addDays,
  dateFormat,
  dateOf,
  daysBetween,
  daysInWeek,
  formatWeekday,
  mondayOf,
  parseWeek,
  today,
  weekdayOf,
} from '../../../time/days.ts'
import { formatHours } from '../../../time/hours.ts'
import { Icon, type IconName } from '../../../ui/icon.tsx'
import { useStableCallback } from '../../../ui/use-stable-callback.ts'
import { ChoiceButtons, Popover } from '../../../ui/view-controls.tsx'
import { useMedia } from '../../../ui/viewport.ts'
import { farOverFactor, workingDaysOfWeek } from './workload.ts'

type Zoom = 'week' | 'month' | 'quarter'

interface ZoomLevel {
  readonly label: MessageKey
  /** The number of weeks for windows that reach none, one, two or three of the `widths`. */
  readonly weekCounts: readonly [number, ...number[]]
}

const widths = ['(min-width: 761px)', '(min-width: 1200px)', '(min-width: 2000px)'] as const

/** Every zoom has at least two weeks, so that what comes is in view even on a Sunday. */
const zooms: Readonly<Record<Zoom, ZoomLevel>> = {
  week: { label: 'Week', weekCounts: [2, 2, 2, 3] },
  month: { label: 'Month', weekCounts: [3, 4, 6, 10] },
  quarter: { label: 'Quarter', weekCounts: [8, 13, 13, 26] },
}
const zoomNames = Object.keys(zooms) as Zoom[]

/** Returns the period in the address. By default, it begins with this week. The keys + and - change the zoom. */
export function usePeriod(query: string, defaultZoom: Zoom) {
  const { router } = useServices()
  // The number of widths never changes, so the hooks run in the same order.
  const reachedWidths = widths.map((query) => useMedia(query)).filter(Boolean)
  const parameters = new URLSearchParams(query)
  const zoom = zoomNames.find((name) => name === parameters.get('zoom')) ?? defaultZoom
  const now = mondayOf(today())
  const from = parseWeek(parameters.get('from'))
  const weekCount = zooms[zoom].weekCounts[reachedWidths.length] ?? 4
  const setZoom = (next: Zoom) => router.setQuery({ zoom: next === defaultZoom ? '' : next })
  const onKey = useStableCallback((event: KeyboardEvent) => {
    const step = zoomSteps[event.key]
    const isTyping =
      event.target instanceof Element && event.target.closest('input, textarea, select, dialog')
    if (step === undefined || isTyping || event.ctrlKey || event.metaKey || event.altKey) return
    const next = zoomNames[zoomNames.indexOf(zoom) + step]
    if (next !== undefined) setZoom(next)
  })
  useEffect(() => {
    addEventListener('keydown', onKey)
    return () => removeEventListener('keydown', onKey)
  }, [])
  return {
    from,
    /** The start of the default period. */
    now,
    zoom,
    setZoom,
    dayCount: weekCount * daysInWeek,
    /** About a third of the period, so that the rest stays visible after a step. */
    stepDays: Math.ceil(weekCount / 3) * daysInWeek,
    goTo: (day: string) => router.setQuery({ from: day === now ? '' : day }),
  }
}

/** Plus zooms in. On many keyboards, `=` is the same key without Shift. */
const zoomSteps: Readonly<Record<string, number>> = { '+': -1, '=': -1, '-': 1 }

type ZoomProps = Pick<ReturnType<typeof usePeriod>, 'zoom' | 'setZoom'>

export const ZoomButtons = ({ zoom, setZoom }: ZoomProps) => (
  <ChoiceButtons
    label={t('Zoom')}
    keyShortcuts="+ -"
    names={zoomNames}
    current={zoom}
    labelOf={(name) => t(zooms[name].label)}
    onChoose={setZoom}
  />
)

/** Phones show the zoom as a select, which fits next to the steps of the period. Their periods are no usual ones. */
export const ZoomSelect = ({ zoom, setZoom }: ZoomProps) => (
  <select
    class="input zoom-select"
    aria-label={t('Zoom')}
    value={zoom}
    onChange={({ currentTarget }) => setZoom(currentTarget.value as Zoom)}
  >
    {zoomNames.map((name) => (
      <option key={name} value={name}>
        {t('{count} weeks', { count: zooms[name].weekCounts[0] })}
      </option>
    ))}
  </select>
)

interface LegendProps {
  readonly stages: readonly ProjectStage[]
  readonly doneStageIds: ReadonlySet<string>
  readonly shownStageIds: ReadonlySet<string>
  /** False on phones, which draw no dependencies. */
  readonly hasArrows: boolean
}

/** Explains the colors, icons and lines of the timeline. */
export const Legend = (props: LegendProps) => (
  <Popover
    label={t('Legend')}
    buttonClass="button quiet legend-button"
    button={
      <>
        <svg class="icon" viewBox="0 0 16 16" aria-hidden="true">
          <path d="M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12zM8 7.5V11M8 5v.01" />
        </svg>
        <span>{t('Legend')}</span>
      </>
    }
  >
    <LegendLines {...props} />
  </Popover>
)

const barMark = (color: ColorName, isDone: boolean) => (
  <span class="legend-bar" data-color={isDone ? 'gray' : color} />
)

const iconMark = (name: 'late' | 'blocked' | 'waits' | 'finished', icon: IconName) => (
  <span class={name}>
    <Icon name={icon} />
  </span>
)

const swatch = (name: string) => <span class={`swatch ${name}`} />

const arrowMark = (name: '' | 'too-early') => (
  <svg class={`legend-arrow ${name}`} viewBox="0 0 20 8" aria-hidden="true">
    <path class="arrow-line" d="M0 4H14" />
    <path class="arrow-head" d="M20 4l-6 -4v8z" />
  </svg>
)

const arrowLines = () =>
  [
    [arrowMark(''), t('Waits for what the arrow begins at')],
    [arrowMark('too-early'), t('Starts before what it waits for ends')],
  ] as const

/** Names the hours of a day and of a week above which a line is drawn. */
const overText = (hours: number): string =>
  t('More than {day} a day or {week} a week', {
    day: formatHours(hours),
    week: formatHours(workingDaysOfWeek * hours),
  })

function LegendLines({ stages, doneStageIds, shownStageIds, hasArrows }: LegendProps) {
  const target = dailyTarget()
  const lines = [
    ...stages
      .filter(({ id }) => shownStageIds.has(id))
      .map(({ id, name, color }) => [barMark(color, doneStageIds.has(id)), name] as const),
    [iconMark('finished', 'check'), t('Finished')],
    [iconMark('late', 'clock'), t('Overdue')],
    [iconMark('blocked', 'warning'), t('Blocked')],
    [iconMark('waits', 'link'), t('Waits for another assignment')],
    ...(hasArrows ? arrowLines() : []),
    [swatch('over'), overText(target)],
    [swatch('far-over'), overText(target * farOverFactor)],
  ] as const
  return (
    <>
      <ul class="timeline-legend">
        {lines.map(([mark, text]) => (
          <li key={text}>
            <span class="legend-mark" aria-hidden="true">
              {mark}
            </span>
            <span dir="auto">{text}</span>
          </li>
        ))}
      </ul>
      <p class="touch-hint quiet-text">{t('Hold a bar to move it.')}</p>
    </>
  )
}

interface TimeScaleProps {
  readonly scaleRef: { current: HTMLDivElement | null }
  readonly from: string
  readonly dayCount: number
  readonly dayPixels: number
  readonly isPhone: boolean
}

/** The minimum width of a day for its weekday, which is above its number. Phones shorten it to a letter. */
const weekdayPixels = 48
/** The minimum width of a day for its number. If days are narrower, only Mondays have numbers. */
const numberPixels = 20
/** From this width of a day on, the pill of today has "Today" instead of its number, unless a weekday is above it. */
const todayPixels = 36
/** The minimum distance of another number from the middle of the pill. */
const pillPixels = 28
const longMonthPixels = 120
/** The minimum width of a month for its short name. */
const shortMonthPixels = 36

const letterFormat = cacheFormat<void, Intl.DateTimeFormat>(
  (locale) => new Intl.DateTimeFormat(locale, { weekday: 'narrow', timeZone: 'UTC' }),
)

/** Shows the months and the days above the lanes. Screen readers read the dates of each bar instead. */
export function TimeScale({ scaleRef, from, dayCount, dayPixels, isPhone }: TimeScaleProps) {
  const days = Array.from({ length: dayCount }, (_, index) => addDays(from, index))
  const todayIndex = daysBetween(from, today())
  const isTodayShown = todayIndex >= 0 && todayIndex < dayCount
  const hasWholeWeekdays = dayPixels >= weekdayPixels
  const hasWeekdays = hasWholeWeekdays || (isPhone && dayPixels >= numberPixels)
  const todayLabel = !hasWeekdays && dayPixels >= todayPixels ? t('Today') : Number(today().slice(8))
  const hasNumber = (day: string, index: number) => {
    if (index === todayIndex || dayPixels >= numberPixels) return true
    return weekdayOf(day) === 1 && !(isTodayShown && Math.abs(index - todayIndex) * dayPixels < pillPixels)
  }
  const months = [...Map.groupBy(days.keys(), (index) => days[index]?.slice(0, 7) ?? '')]
  return (
    <div class="timeline-head" aria-hidden="true">
      <span class="timeline-corner">{t('Planned a week')}</span>
      <div
        ref={scaleRef}
        class={`timeline-scale ${hasWeekdays ? 'with-weekdays' : ''} ${dayPixels < numberPixels ? 'only-mondays' : ''}`}
        style={{ gridTemplateColumns: `repeat(${dayCount}, minmax(0, 1fr))` }}
      >
        {months.map(([month, indexes]) => (
          <span key={month} class="timeline-month" style={columnsOf(indexes)}>
            {monthLabel(month, indexes.length * dayPixels)}
          </span>
        ))}
        {days.map(
          (day, index) =>
            hasNumber(day, index) && (
              <span
                key={day}
                class={`timeline-date ${index === todayIndex ? 'today' : ''}`}
                title={index === todayIndex ? t('Today') : undefined}
                style={{ gridColumn: `${index + 1}` }}
              >
                {hasWeekdays && (
                  <small>{hasWholeWeekdays ? formatWeekday(day) : letterFormat().format(dateOf(day))}</small>
                )}
                {index === todayIndex ? <b>{todayLabel}</b> : Number(day.slice(8))}
              </span>
            ),
        )}
      </div>
    </div>
  )
}

const columnsOf = (indexes: readonly number[]) => ({
  gridColumn: `${(indexes[0] ?? 0) + 1} / span ${indexes.length}`,
})

function monthLabel(month: string, pixels: number): string {
  const date = dateOf(`${month}-01`)
  if (pixels >= longMonthPixels) return dateFormat('month').format(date)
  return pixels >= shortMonthPixels ? dateFormat('shortMonth').format(date) : ''
}
