import type { Snapshot } from '../../db/change-log.ts'

/**
 * The progress of a reader of the feed: it has read everything committed in `since` and, between two pages,
 * everything committed in `until` up to the entry `last`. Snapshots are used instead of numbers, because a
 * transaction that commits late is in no earlier snapshot, however early its number is.
 */
export interface Position {
  readonly since: Snapshot
  /** The time of that snapshot, in milliseconds since 1970 by the database's clock. */
  readonly sinceAt: number
  readonly within?: RangeInProgress
}

interface RangeInProgress {
  readonly until: Snapshot
  readonly untilAt: number
  readonly last: number
}

/** Opaque to clients. It grants no access: every request that uses it is authorized again. */
export const formatPosition = ({ since, sinceAt, within }: Position): string =>
  Buffer.from(
    JSON.stringify([since, sinceAt, ...(within ? [within.until, within.untilAt, within.last] : [])]),
  ).toString('base64url')

/** A snapshot contains a number for each transaction in progress, and no store of ours has thousands. */
export const positionCharactersMax = 8192

/** Undefined for any other text: PostgreSQL never receives one that it would reject with an error of its own. */
export function parsePosition(text: string): Position | undefined {
  if (text.length > positionCharactersMax) return undefined
  const [since, sinceAt, until, untilAt, last, ...more] = decodeParts(text)
  if (!isSnapshot(since) || !isCount(sinceAt) || more.length > 0) return undefined
  if (until === undefined) return { since, sinceAt }
  if (!isSnapshot(until) || !isCount(untilAt) || !isCount(last)) return undefined
  return { since, sinceAt, within: { until, untilAt, last } }
}

function decodeParts(text: string): readonly unknown[] {
  try {
    const parts: unknown = JSON.parse(Buffer.from(text, 'base64url').toString())
    return Array.isArray(parts) ? parts : []
  } catch {
    return []
  }
}

const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) >= 0

const transactionMax = 2n ** 63n

/** xmin:xmax:list in ascending order, as PostgreSQL writes it. */
function isSnapshot(value: unknown): value is Snapshot {
  const [matched, xmin, xmax, list] =
    (typeof value === 'string' && /^(\d{1,19}):(\d{1,19}):((?:\d{1,19}(?:,\d{1,19})*)?)$/.exec(value)) || []
  if (matched === undefined) return false
  const [least, next] = [BigInt(xmin ?? 0), BigInt(xmax ?? 0)]
  if (least < 1n || next < least || next >= transactionMax) return false
  const open = list ? list.split(',').map(BigInt) : []
  return open.every((one, index) => one >= (index === 0 ? least : (open[index - 1] ?? 0n) + 1n) && one < next)
}
