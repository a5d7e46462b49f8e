import type { Budget } from './budget.ts'

/** The part of a log that is used here; pino's fits. */
export interface Lines {
  debug(details: object, message: string): void
  info(details: object, message: string): void
  warn(details: object, message: string): void
  error(details: object, message: string): void
}

/** There are few kinds of lines: sentences of the program, and the events and outcomes of the security log. */
interface Kind {
  leftOut: number
  /** Writes the newest line that was left out. */
  write?: (() => void) | undefined
}

/** The end of a flood is written at most this late. */
const pauseMilliseconds = 1000

/**
 * Writes lines as long as their kind has room in the budget, and counts the others. The next line of the kind, or the newest
 * after a second, reports in `leftOut` how many were not written.
 */
export function limitLines(lines: Lines, budget: Budget): Lines {
  const kinds = new Map<string, Kind>()
  const writeAs = (level: keyof Lines) => (details: object, message: string) => {
    const kind = kindOf(kinds, details, message)
    const { leftOut } = kind
    const write = () => {
      kind.leftOut = 0
      kind.write = undefined
      lines[level](leftOut === 0 ? details : { ...details, leftOut }, message)
    }
    if (budget.take(1, kind)) return write()
    if (kind.write === undefined) setTimeout(() => kind.write?.(), pauseMilliseconds).unref()
    kind.leftOut += 1
    kind.write = write
  }
  return { debug: writeAs('debug'), info: writeAs('info'), warn: writeAs('warn'), error: writeAs('error') }
}

function kindOf(kinds: Map<string, Kind>, details: object, message: string): Kind {
  const { security, outcome } = details as { security?: string; outcome?: string }
  const name = [message, security, outcome].join(' ')
  const kind = kinds.get(name) ?? { leftOut: 0 }
  kinds.set(name, kind)
  return kind
}
