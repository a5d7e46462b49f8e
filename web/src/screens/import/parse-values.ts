import { addDays, dayOfTimestamp, isDay } from '../../time/days.ts'

/** The part that comes first in a date such as 3/4/2026. */
export type DateOrder = 'day' | 'month'

/** The first three letters of the English and Portuguese months. */
const months: readonly (readonly string[])[] = [
  ['jan'],
  ['feb', 'fev'],
  ['mar'],
  ['apr', 'abr'],
  ['may', 'mai'],
  ['jun'],
  ['jul'],
  ['aug', 'ago'],
  ['sep', 'set'],
  ['oct', 'out'],
  ['nov'],
  ['dec', 'dez'],
]

/**
 * Parses a calendar day, and ignores a time after it. Returns undefined if the text does not begin with a
 * day.
 */
export function parseDay(text: string, order: DateOrder): string | undefined {
  const input = text.trim()
  if (/^\d{4}-\d\d-\d\dT.*(Z|[+-]\d\d:?\d\d)$/i.test(input))
    return Number.isNaN(Date.parse(input)) ? undefined : dayOfTimestamp(input)
  const found = /^(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})/.exec(input)
  if (found) return dayFrom(found[1], found[2], found[3])
  return parseNumericDay(input, order) ?? parseWrittenDay(input)
}

/** Parses days such as 31/1/2026, 1/31/26 and 31.1.2026. With points, the day always comes first. */
function parseNumericDay(input: string, order: DateOrder): string | undefined {
  const [, first, second, year] = /^(\d{1,2})[-/.](\d{1,2})[-/.](\d{4}|\d\d)(?!\d)/.exec(input) ?? []
  const isDayFirst = order === 'day' || input.includes('.')
  return isDayFirst ? dayFrom(year, second, first) : dayFrom(year, first, second)
}

const writtenDays: readonly RegExp[] = [
  /^(?<day>\d{1,2})[-/ .]+(?:de )?(?<month>[a-z]{3})[a-zç]*\.?[-/ ,]+(?:de )?(?<year>\d{4}|\d\d)(?!\d)/i,
  /^(?<month>[a-z]{3})[a-zç]*\.? (?<day>\d{1,2}),? (?<year>\d{4})/i,
]

/** Parses days such as 31/Jan/26, 31 de janeiro de 2026 and Jan 31, 2026. */
function parseWrittenDay(input: string): string | undefined {
  const groups = writtenDays.map((pattern) => pattern.exec(input)?.groups).find((found) => found)
  const position = months.findIndex((names) => names.includes(groups?.month?.toLowerCase() ?? ''))
  return position < 0 ? undefined : dayFrom(groups?.year, String(position + 1), groups?.day)
}

function dayFrom(year = '', month = '', day = ''): string | undefined {
  const fullYear = year.length === 2 ? `20${year}` : year
  const text = `${fullYear}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`
  // Date.parse accepts 30 February, which is a day in March.
  return isDay(text) && addDays(text, 0) === text ? text : undefined
}

/** Infers the order from a date such as 31/1/2026. Returns undefined if no date is unambiguous. */
export function dateOrderOf(texts: Iterable<string>): DateOrder | undefined {
  for (const text of texts) {
    const [, first, second] = /^(\d{1,2})[-/](\d{1,2})[-/]\d/.exec(text.trim()) ?? []
    if (Number(first) > 12) return 'day'
    if (Number(second) > 12) return 'month'
  }
  return undefined
}

/** Returns whether the texts contain a date whose meaning depends on the order. */
export const hasAmbiguousDates = (texts: readonly string[]): boolean =>
  texts.some((text) => /^\d{1,2}[-/]\d{1,2}[-/]\d/.test(text.trim())) && dateOrderOf(texts) === undefined

/** As in Jira, `2d` means two working days. */
const hoursPerWorkday = 8

/** Parses hours such as `4`, `4,5`, `1h30`, `90m` and `2d`. Rounds to hundredths. */
export function parseHours(text: string): number | undefined {
  const input = text.trim().toLowerCase().replace(',', '.')
  const [whole, days, hours, minutes] =
    /^(?:(\d+(?:\.\d+)?)\s*d)?\s*(?:(\d+(?:\.\d+)?)\s*h?)?\s*(?:(\d+)\s*(?:m|min)?)?$/.exec(input) ?? []
  if (!whole) return undefined
  const isMinutes = /^\d+\s*(m|min)$/.test(input)
  const total = isMinutes
    ? Number.parseInt(input, 10) / 60
    : Number(days ?? 0) * hoursPerWorkday + Number(hours ?? 0) + Number(minutes ?? 0) / 60
  return Math.round(total * 100) / 100
}

/** The names of priorities in this tracker and in other tools, from low to urgent. */
const priorities: readonly (readonly string[])[] = [
  ['low', 'lowest', 'minor', 'trivial', 'baixa', 'p4', '1'],
  ['medium', 'normal', 'média', 'media', 'p3', '2'],
  ['high', 'major', 'alta', 'p2', '3'],
  ['urgent', 'highest', 'critical', 'blocker', 'urgente', 'p1', 'p0', '4'],
]

/** Returns the number of a priority, or undefined if the name is empty or unknown. */
export function parsePriority(text: string): number | undefined {
  const position = priorities.findIndex((names) => names.includes(text.trim().toLowerCase()))
  return position < 0 ? undefined : position + 1
}
