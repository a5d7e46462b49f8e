import { waitUntilSettled } from '../db/change-log.ts'
import type { Database } from '../db/database.ts'
import { StatementTooSlowError } from '../db/limited-reads.ts'
import { sql } from '../db/sql.ts'
import { capitalize } from '../model/field.ts'
import { isNullOrBlank, timestamp } from '../model/field-kinds.ts'
import { gone, invalid, overloaded, type Violations } from '../model/problem.ts'

/** Older timestamps have settled, because transactions are shorter than this. */
const recentSeconds = 60

interface Age {
  readonly isFuture: boolean
  readonly isPurged: boolean
  readonly isRecent: boolean
}

/**
 * Rejects a timestamp for which the data is incomplete: one in the future, or older than the history. Waits
 * for transactions that were in progress then, so that the same timestamp always shows the same data.
 */
export async function requireSettled(database: Database, at: string, key = 'at'): Promise<void> {
  const [age] = await database.query<Age>(sql`
    select ${at}::timestamptz > statement_timestamp() as "isFuture",
      ${at}::timestamptz > statement_timestamp() - make_interval(secs => ${recentSeconds}) as "isRecent",
      ${at}::timestamptz < (select at from history_begin) as "isPurged"`)
  if (!age || age.isFuture) throw invalid({ [key]: [`${capitalize(key)} must not lie in the future.`] })
  if (age.isPurged) throw gone('The history does not go back that far.')
  if (!age.isRecent) return
  if (await waitUntilSettled(database)) return
  throw overloaded('Changes from that time are still being committed. Please try again.', {
    retryAfterSeconds: 5,
  })
}

/** Parses the requested timestamp; undefined means now. */
export function parseAt(input: unknown, violations: Violations): string | undefined {
  if (input === undefined) return undefined
  if (Array.isArray(input)) violations.add('at', 'At must be given once.')
  else if (isNullOrBlank(input)) violations.add('at', 'At must not be empty.')
  else {
    const parsed = timestamp.parse(String(input).trim(), 'At')
    if ('value' in parsed) return parsed.value
    violations.add('at', ...parsed.problems)
  }
  return undefined
}

export interface TimeoutAdvice {
  /** The subject of the sentence, such as "The list of projects". */
  readonly subject: string
  /** Advice for the caller. */
  readonly advice: string
  /** The request parameter that makes the read slow, if it is a particular one. */
  readonly key?: string
}

const retryAfterSeconds = 5

/** Runs the read. If the read exceeds its time limit, throws an error that advises the caller what to change. */
export async function explainTimeout<Result>(
  { subject, advice, key }: TimeoutAdvice,
  read: () => Promise<Result>,
) {
  try {
    return await read()
  } catch (error) {
    if (!(error instanceof StatementTooSlowError)) throw error
    const message = `${subject} took longer than ${error.seconds} seconds and was stopped. ${advice}`
    throw overloaded(message, { retryAfterSeconds, ...(key && { errors: { [key]: [message] } }) })
  }
}
