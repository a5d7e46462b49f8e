import type { Database } from '../db/database.ts'
import type { EndedStatement } from '../db/work.ts'

export interface SlowStatement {
  /** Such as `ListProjects`; undefined outside of requests and commands. */
  readonly operation: string | undefined
  readonly kind: EndedStatement['kind']
  readonly milliseconds: number
  /** The part that was spent waiting in a queue or for a connection. */
  readonly waitMilliseconds: number
  /** The text, without parameter values. */
  readonly statement: string | undefined
  /** The number of slow statements that were not reported since the last report. */
  readonly leftOut: number
}

/** A slow database slows every statement: more log lines would repeat that and add load. */
const reportIntervalMilliseconds = 1000
const textLengthMax = 2000

/** Reports statements that begin from now on and take longer than `slowMilliseconds`, at most one a second. */
export function watchSlowStatements(
  { onStatement }: Pick<Database, 'onStatement'>,
  { slowMilliseconds, now = () => performance.now() }: { slowMilliseconds: number; now?: () => number },
  report: (slow: SlowStatement) => void,
): void {
  const watchedFrom = now()
  let reportedAt = Number.NEGATIVE_INFINITY
  let leftOut = 0
  onStatement(({ kind, startedAt, seconds, waitSeconds, work, text }) => {
    if (startedAt < watchedFrom || seconds * 1000 < slowMilliseconds) return
    if (now() - reportedAt < reportIntervalMilliseconds) {
      leftOut += 1
      return
    }
    reportedAt = now()
    report({
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
