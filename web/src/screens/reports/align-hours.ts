import { cacheFormat, t } from '../../texts/text.ts'

const numberFormat = cacheFormat(
  (locale, decimals: '0' | '1' | '2') =>
    new Intl.NumberFormat(locale, {
      minimumFractionDigits: Number(decimals),
      maximumFractionDigits: Number(decimals),
    }),
)

/** Returns the number of decimals of hours, which are stored in hundredths. */
function decimalsOf(hours: number): '0' | '1' | '2' {
  const hundredths = Math.round(hours * 100)
  if (hundredths % 100 === 0) return '0'
  return hundredths % 10 === 0 ? '1' : '2'
}

/**
 * Returns a function that formats the hours of a column, all with as many decimals as the most exact of them
 * needs, so that they are aligned. A dash is quieter than a zero.
 */
export function alignHours(column: readonly number[]): (hours: number) => string {
  const [decimals = '0'] = column
    .map((hours) => decimalsOf(Math.abs(hours)))
    .sort()
    .reverse()
  return (hours) => (hours === 0 ? '–' : t('{hours} h', { hours: numberFormat(decimals).format(hours) }))
}
