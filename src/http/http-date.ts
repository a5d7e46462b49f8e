/** As HTTP writes dates, to the second; seconds since 1970. */
export const httpDate = (second: number): string => new Date(second * 1000).toUTCString()

/** RFC 9110, 5.6.7: the form that everybody writes, and the two that have to be read as well. */
const forms = [
  /^\w{3}, (?<day>\d\d) (?<month>\w{3}) (?<year>\d{4}) (?<time>\d\d:\d\d:\d\d) GMT$/,
  /^\w{6,9}, (?<day>\d\d)-(?<month>\w{3})-(?<year>\d\d) (?<time>\d\d:\d\d:\d\d) GMT$/,
  /^\w{3} (?<month>\w{3}) (?<day>[\d ]\d) (?<time>\d\d:\d\d:\d\d) (?<year>\d{4})$/,
]

/** In seconds since 1970; undefined for a text that is no date of HTTP. */
export function readHttpDate(text: string, now = Date.now()): number | undefined {
  const parts = forms.map((form) => form.exec(text)?.groups).find((groups) => groups !== undefined)
  if (!parts) return undefined
  const { day = '', month, year = '', time } = parts
  const written = `${day.replace(' ', '0')} ${month} ${year.length === 4 ? year : fullYear(year, now)} ${time} GMT`
  const second = Date.parse(written) / 1000
  // Dates roll over: the 30th of February would silently become the 2nd of March.
  return httpDate(second).slice('Mon, '.length) === written ? second : undefined
}

/** Of two digits: a year that would be more than fifty years ahead is the one a century before. */
function fullYear(twoDigits: string, now: number): number {
  const thisYear = new Date(now).getUTCFullYear()
  const year = thisYear - (thisYear % 100) + Number(twoDigits)
  return year > thisYear + 50 ? year - 100 : year
}
