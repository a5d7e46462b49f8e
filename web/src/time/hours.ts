import { t } from '../texts/text.ts'
import { keptFormat } from './kept-format.ts'

const formatOf = keptFormat(
  (locale, useGrouping: boolean) => new Intl.NumberFormat(locale, { maximumFractionDigits: 2, useGrouping }),
)

export const showNumber = (number: number): string => formatOf(true).format(number)

/** As people would type it into a field. */
export const typeHours = (hours: number): string => formatOf(false).format(hours)

export const showHours = (hours: number): string => t('{hours} h', { hours: showNumber(hours) })

/** The time that has run, as a clock shows it. */
export function showClock(seconds: number): string {
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60]
  return `${hours}:${String(minutes).padStart(2, '0')}:${String(Math.floor(seconds) % 60).padStart(2, '0')}`
}
