import type { Budget } from './budget.ts'

/** The methods of a log that are used here, as pino has them. */
export interface LogWriter {
  debug(details: object, message: string): void
  info(details: object, message: string): void
  warn(details: object, message: string): void
  error(details: object, message: string): void
}

/** A log for code that writes warnings only. */
export type WarningLog = Pick<LogWriter, 'warn'>

/** Lines of one kind have the same message and, in the security log, the same event and outcome. */
interface LineKind {
  leftOut: number
  /** Writes the newest line that was left out. */
  write?: (() => void) | undefined
}

/** If no further line follows, the newest line that was left out is written after this time. */
const pauseMilliseconds = 1000

/**
 * Writes lines as long as their kind has room in the budget, and counts those that it leaves out. Their
 * number is reported as `leftOut` by the next line of the kind. If there is none, the newest line that was
 * left out is written after a second.
 */
export function limitLogLines(logger: LogWriter, budget: Budget): LogWriter {
  const kinds = new Map<string, LineKind>()
  const writeAs = (level: keyof LogWriter) => (details: object, message: string) => {
    const kind = kindOf(kinds, details, message)
    // The lines that were left out before this one. A line that is written later does not count itself.
    const { leftOut } = kind
    const write = () => {
      kind.leftOut = 0
      kind.write = undefined
      logger[level](leftOut === 0 ? details : { ...details, leftOut }, message)
    }
    if (budget.take(1, kind)) return write()
    if (kind.write === undefined) setTimeout(() => kind.write?.(), pauseMilliseconds).unref()
    kind.leftOut += 1
    kind.write = write
  }
  return { debug: writeAs('debug'), info: writeAs('info'), warn: writeAs('warn'), error: writeAs('error') }
}

function kindOf(kinds: Map<string, LineKind>, details: object, message: string): LineKind {
  const { security, outcome } = details as { security?: string; outcome?: string }
  const name = [message, security, outcome].join(' ')
  const kind = kinds.get(name) ?? { leftOut: 0 }
  kinds.set(name, kind)
  return kind
}
