import type { Database } from './database.ts'
import type { EndedStatement } from './statement-times.ts'

export interface SlowStatement {
  /** Such as `ListProjects`; nothing outside of requests and commands. */
  readonly operation: string | undefined
  readonly kind: EndedStatement['kind']
  readonly milliseconds: number
  /** Of these, waiting for a turn or a connection. */
  readonly waitMilliseconds: number
  /** Without values. */
  readonly statement: string | undefined
  /** How many were slow since the last one that was told. */
  readonly leftOut: number
}

/** A store that is slow is so for everybody: more lines would say the same, and cost what is scarce. */
const betweenMilliseconds = 1000
const textLengthMax = 2000

/** Tells of statements that take longer than they should, one a second at most. */
export function watchSlowStatements(
  { onStatement }: Pick<Database, 'onStatement'>,
  { slowMilliseconds, now = () => performance.now() }: { slowMilliseconds: number; now?: () => number },
  tell: (slow: SlowStatement) => void,
): void {
  let toldAt = Number.NEGATIVE_INFINITY
  let leftOut = 0
  onStatement(({ kind, seconds, waitSeconds, work, text }) => {
    if (seconds * 1000 < slowMilliseconds) return
    if (now() - toldAt < betweenMilliseconds) {
      leftOut += 1
      return
    }
    toldAt = now()
    tell({
      operation: work?.operation,
      kind,
      milliseconds: Math.round(seconds * 1000),
      waitMilliseconds: Math.round(waitSeconds * 1000),
      statement: text()?.slice(0, textLengthMax),
      leftOut,
    })
    leftOut = 0
  })
}
