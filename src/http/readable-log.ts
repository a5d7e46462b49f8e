import { styleText } from 'node:util'
import { type DestinationStream, pino } from 'pino'

/** Rewrites each JSON line of the log for a person who reads it in a terminal. */
export const readableLog = (write: (text: string) => unknown): DestinationStream => ({
  write: (line) => void write(readableLine(JSON.parse(line))),
})

interface LogLine {
  readonly level: number
  readonly time: number
  readonly host?: string
  readonly msg?: string
  readonly err?: { readonly stack?: string }
  readonly [name: string]: unknown
}

const colors = { warn: 'yellow', error: 'red', fatal: 'red' } as const

/** `14:03:05 warn   rest      A webhook is paused.  webhook="…" because="…"`; the stack of an error follows. */
export function readableLine({ level, time, host = '', msg = '', err, ...values }: LogLine): string {
  const label = pino.levels.labels[level] ?? String(level)
  const color = colors[label as keyof typeof colors] ?? 'dim'
  const clock = new Date(time).toTimeString().slice(0, 8)
  const pairs = Object.entries(values).map(([name, value]) => ` ${name}=${JSON.stringify(value)}`)
  const start = `${clock} ${styleText(color, label.padEnd(6))} ${host.padEnd(9)}`
  const stack = err === undefined ? '' : `\n${err.stack ?? JSON.stringify(err)}`.replaceAll('\n', '\n    ')
  return `${start}${harmless(` ${msg} ${pairs.join('')}`.trimEnd() + stack)}\n`
}

/** A terminal obeys control characters, and clients choose some of the values. */
const harmless = (text: string): string =>
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is replaced.
  text.replace(/[\x00-\x09\x0b-\x1f\x7f-\x9f]/g, escaped)

/** `JSON.stringify` leaves those from 0x7f on as they are. */
const escaped = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
