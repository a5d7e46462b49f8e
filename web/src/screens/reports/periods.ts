import type { MessageKey } from '../../texts/text.ts'
import { addDays, addMonths, daysInWeek, isDay, mondayOf, today } from '../../time/days.ts'

/** A period from one day to another, both included. */
export interface Period {
  readonly from: string
  readonly to: string
}

interface Preset {
  readonly name: string
  readonly label: MessageKey
  period(today: string): Period
}

const firstOfMonth = (day: string): string => `${day.slice(0, 7)}-01`
const monthsFrom = (first: string, count: number): Period => ({
  from: first,
  to: addDays(addMonths(first, count), -1),
})
const firstOfQuarter = (day: string): string => {
  const month = Number(day.slice(5, 7))
  return `${day.slice(0, 4)}-${String(month - ((month - 1) % 3)).padStart(2, '0')}-01`
}
const weekFrom = (monday: string): Period => ({ from: monday, to: addDays(monday, daysInWeek - 1) })

/** Common periods, so that the user does not have to type days. */
export const presets: readonly Preset[] = [
  { name: 'week', label: 'This week', period: (day) => weekFrom(mondayOf(day)) },
  { name: 'last-week', label: 'Last week', period: (day) => weekFrom(addDays(mondayOf(day), -daysInWeek)) },
  { name: 'month', label: 'This month', period: (day) => monthsFrom(firstOfMonth(day), 1) },
  {
    name: 'last-month',
    label: 'Last month',
    period: (day) => monthsFrom(addMonths(firstOfMonth(day), -1), 1),
  },
  { name: 'quarter', label: 'This quarter', period: (day) => monthsFrom(firstOfQuarter(day), 3) },
  {
    name: 'last-quarter',
    label: 'Last quarter',
    period: (day) => monthsFrom(addMonths(firstOfQuarter(day), -3), 3),
  },
  { name: 'year', label: 'This year', period: (day) => monthsFrom(`${day.slice(0, 4)}-01-01`, 12) },
  {
    name: 'last-year',
    label: 'Last year',
    period: (day) => monthsFrom(`${Number(day.slice(0, 4)) - 1}-01-01`, 12),
  },
]

const defaultPreset = 'month'

/** Parses a preset, or two days in any order, from the URL. */
export function parsePeriod(query: URLSearchParams): Period & { readonly preset: string } {
  const from = query.get('from') ?? ''
  const to = query.get('to') ?? ''
  if (isDay(from) && isDay(to))
    return from <= to ? { from, to, preset: '' } : { from: to, to: from, preset: '' }
  const findPreset = (name: string | null) => presets.find((preset) => preset.name === name)
  const preset = findPreset(query.get('period')) ?? (findPreset(defaultPreset) as Preset)
  return { ...preset.period(today()), preset: preset.name }
}

/** Returns the parameters that choose a preset; empty ones are removed from the URL. */
export const queryOfPreset = (name: string) => ({
  period: name === defaultPreset ? '' : name,
  from: '',
  to: '',
})
