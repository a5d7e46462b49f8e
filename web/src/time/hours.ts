import { locale, t } from '../texts/text.ts'

/** Making one costs more than using it a thousand times. */
const formats = new Map<string, Intl.NumberFormat>()

function formatOf(useGrouping: boolean): Intl.NumberFormat {
  const key = `${locale()} ${useGrouping}`
  const known = formats.get(key)
  if (known !== undefined) return known
  const format = new Intl.NumberFormat(locale(), { maximumFractionDigits: 2, useGrouping })
  formats.set(key, format)
  return format
}

export const showNumber = (number: number): string => formatOf(true).format(number)

/** As people would type it into a field. */
export const typeHours = (hours: number): string => formatOf(false).format(hours)

export const showHours = (hours: number): string => t('{hours} h', { hours: showNumber(hours) })

/** The time that has run, as a clock shows it. */
export function showClock(seconds: number): string {
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60]
  return `${hours}:${String(minutes).padStart(2, '0')}:${String(Math.floor(seconds) % 60).padStart(2, '0')}`
}
