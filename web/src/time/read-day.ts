import { locale } from '../texts/text.ts'
import { addDays, isDay, today } from './days.ts'

/** A day as people type it: 2026-11-24, 24 Nov, 24/11, 24.11.2026, +3. Undefined: no day can be read from it. */
export function readDay(text: string): string | undefined {
  const given = text.trim().toLowerCase()
  for (const [pattern, read] of forms) {
    const found = pattern.exec(given)
    if (found !== null) return read(found[1], found[2], found[3])
  }
  return undefined
}

type Part = string | undefined
const thisYear = () => today().slice(0, 4)

/** Both languages of the client write the day before the month. */
const forms: readonly (readonly [RegExp, (first: Part, second: Part, third: Part) => string | undefined])[] =
  [
    [/^([+-]\d{1,4})$/, (count) => addDays(today(), Number(count))],
    [/^(\d{4})-(\d{1,2})-(\d{1,2})/, dayFrom],
    [
      /^(\d{1,2})[./ -](\d{1,2})(?:[./ -](\d{4}))?\.?$/,
      (day, month, year) => dayFrom(year ?? thisYear(), month, day),
    ],
    [
      /^(\d{1,2})\.? (?:de )?(\p{L}{3,})\.?(?: (?:de )?(\d{4}))?$/u,
      (day, name, year) => dayFrom(year ?? thisYear(), monthCalled(name), day),
    ],
  ]

function monthCalled(name = ''): string {
  return String(monthNames().findIndex((one) => one.startsWith(name.slice(0, 3))) + 1)
}

function dayFrom(year: Part, month = '', day = ''): string | undefined {
  const text = `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`
  // 31 February would become another day.
  return isDay(text) && new Date(`${text}T00:00:00Z`).getUTCDate() === Number(day) ? text : undefined
}

const monthNames = (): string[] => {
  const format = new Intl.DateTimeFormat(locale(), { month: 'long', timeZone: 'UTC' })
  return Array.from({ length: 12 }, (_, index) => format.format(Date.UTC(2026, index, 1)).toLowerCase())
}
