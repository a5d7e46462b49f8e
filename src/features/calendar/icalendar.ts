/** An entry of a calendar: whole days, from the first to the last. */
export interface CalendarEvent {
  readonly id: string
  readonly summary: string
  readonly description: string | null
  readonly firstDay: string
  readonly lastDay: string
  readonly categories: readonly string[]
  readonly changedAt: string
  readonly url: string | undefined
}

/** Writes RFC 5545. The texts are those of users, so each is escaped and every line folded. */
export function writeCalendar(name: string, events: readonly CalendarEvent[]): string {
  const lines = [
    'BEGIN:VCALENDAR',
    'VERSION:2.0',
    'PRODID:-//Tracker//Assignments//EN',
    'CALSCALE:GREGORIAN',
    'METHOD:PUBLISH',
    `NAME:${escapeText(name)}`,
    // Older clients know only this name.
    `X-WR-CALNAME:${escapeText(name)}`,
    'REFRESH-INTERVAL;VALUE=DURATION:PT1H',
    'X-PUBLISHED-TTL:PT1H',
    ...events.flatMap(linesOf),
    'END:VCALENDAR',
  ]
  return lines.map((line) => `${fold(line)}\r\n`).join('')
}

function linesOf(event: CalendarEvent): string[] {
  const { id, summary, description, firstDay, lastDay, categories, changedAt, url } = event
  return [
    'BEGIN:VEVENT',
    `UID:${id}`,
    // The same in every answer, so that an unchanged calendar has an unchanged tag.
    `DTSTAMP:${basicTimestamp(changedAt)}`,
    `LAST-MODIFIED:${basicTimestamp(changedAt)}`,
    `DTSTART;VALUE=DATE:${basicDate(firstDay)}`,
    // RFC 5545, 3.6.1: the end is the first day after the event.
    `DTEND;VALUE=DATE:${basicDate(dayAfter(lastDay))}`,
    `SUMMARY:${escapeText(summary)}`,
    ...(description === null ? [] : [`DESCRIPTION:${escapeText(description)}`]),
    `CATEGORIES:${categories.map(escapeText).join()}`,
    ...(url === undefined ? [] : [`URL:${url}`]),
    // An assignment takes some hours of its days, and does not make its people busy.
    'TRANSP:TRANSPARENT',
    'END:VEVENT',
  ]
}

const basicDate = (day: string): string => day.slice(0, 10).replaceAll('-', '')

const basicTimestamp = (timestamp: string): string =>
  `${new Date(timestamp).toISOString().slice(0, 19).replaceAll(/[-:]/g, '')}Z`

function dayAfter(day: string): string {
  const next = new Date(`${day.slice(0, 10)}T00:00:00Z`)
  next.setUTCDate(next.getUTCDate() + 1)
  return next.toISOString()
}

/** RFC 5545, 3.3.11. Control characters other than tabs and line breaks are not allowed at all. */
export const escapeText = (text: string): string =>
  text
    .replaceAll(/\r\n?/g, '\n')
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is removed
    .replaceAll(/[\u0000-\u0008\u000b-\u001f\u007f]/g, '')
    .replaceAll(/[\\;,]/g, (character) => `\\${character}`)
    .replaceAll('\n', '\\n')

/** Without the line break. */
const lineBytesMax = 75

/** RFC 5545, 3.1: longer lines continue after a line break and a space. No character is cut. */
export function fold(line: string): string {
  if (Buffer.byteLength(line) <= lineBytesMax) return line
  const parts: string[] = []
  let part = ''
  let bytes = 0
  for (const character of line) {
    const length = Buffer.byteLength(character)
    if (bytes + length > lineBytesMax) {
      parts.push(part)
      // The space that begins the next line counts.
      part = ' '
      bytes = 1
    }
    part += character
    bytes += length
  }
  return [...parts, part].join('\r\n')
}
