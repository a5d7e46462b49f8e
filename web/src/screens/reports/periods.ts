import type { Text } from '../../texts/text.ts'
import { addDays, addMonths, daysInWeek, isDay, mondayOf, today } from '../../time/days.ts'

/** Both days are included. */
export interface Period {
  readonly from: string
  readonly to: string
}

export interface Preset {
  readonly name: string
  readonly label: Text
  period(today: string): Period
}

const firstOfMonth = (day: string): string => `${day.slice(0, 7)}-01`
const months = (first: string, count: number): Period => ({
  from: first,
  to: addDays(addMonths(first, count), -1),
})
const firstOfQuarter = (day: string): string => {
  const month = Number(day.slice(5, 7))
  return `${day.slice(0, 4)}-${String(month - ((month - 1) % 3)).padStart(2, '0')}-01`
}
const week = (monday: string): Period => ({ from: monday, to: addDays(monday, daysInWeek - 1) })

/** Common periods, so that the user need not type days. */
export const presets: readonly Preset[] = [
  { name: 'week', label: 'This week', period: (day) => week(mondayOf(day)) },
  { name: 'last-week', label: 'Last week', period: (day) => week(addDays(mondayOf(day), -daysInWeek)) },
  { name: 'month', label: 'This month', period: (day) => months(firstOfMonth(day), 1) },
  { name: 'last-month', label: 'Last month', period: (day) => months(addMonths(firstOfMonth(day), -1), 1) },
  { name: 'quarter', label: 'This quarter', period: (day) => months(firstOfQuarter(day), 3) },
  {
    name: 'last-quarter',
    label: 'Last quarter',
    period: (day) => months(addMonths(firstOfQuarter(day), -3), 3),
  },
  { name: 'year', label: 'This year', period: (day) => months(`${day.slice(0, 4)}-01-01`, 12) },
  {
    name: 'last-year',
    label: 'Last year',
    period: (day) => months(`${Number(day.slice(0, 4)) - 1}-01-01`, 12),
  },
]

const usual = 'month'

/** Parsed from the address: a preset, or two days in any order. */
export function parsePeriod(query: URLSearchParams): Period & { readonly preset: string } {
  const [from, to] = [query.get('from') ?? '', query.get('to') ?? '']
  if (isDay(from) && isDay(to)) {
    const [first = from, last = to] = [from, to].toSorted()
    return { from: first, to: last, preset: '' }
  }
  const wanted = query.get('period') ?? usual
  const preset = presets.find(({ name }) => name === wanted) ?? (presets[2] as Preset)
  return { ...preset.period(today()), preset: preset.name }
}

/** The query for a preset. */
export const queryOfPreset = (name: string) => ({
  period: name === usual ? '' : name,
  from: '',
  to: '',
})

/** The grid lines of a chart: round numbers from 0 to one that covers the largest value. */
export function ticksFor(greatest: number): readonly number[] {
  const rough = Math.max(greatest, 1) / linesWanted
  const power = 10 ** Math.floor(Math.log10(rough))
  const step = ([1, 2, 5, 10].find((factor) => factor * power >= rough) ?? 10) * power
  const count = Math.ceil(Math.max(greatest, 1) / step)
  return Array.from({ length: count + 1 }, (_, index) => Math.round(index * step * 100) / 100)
}

const linesWanted = 4
