import type { Snapshot } from '../../db/change-log.ts'

/**
 * How far a reader of the feed has come. They have everything that was committed in `since`; between two pages, also what was
 * committed in `until` up to the entry `last`. Snapshots rather than numbers: a transaction that commits late is in none of
 * those before, however early its number is.
 */
export interface Position {
  readonly since: Snapshot
  /** When that was, in milliseconds since 1970 by the store's clock. */
  readonly sinceAt: number
  readonly within?: Within
}

interface Within {
  readonly until: Snapshot
  readonly untilAt: number
  readonly last: number
}

/** The position before the first change. */
export const beginning: Snapshot = '1:1:'

/** Opaque to clients. It grants no access, because every request that uses it is checked again. */
export const writePosition = ({ since, sinceAt, within }: Position): string =>
  Buffer.from(
    JSON.stringify([since, sinceAt, ...(within ? [within.until, within.untilAt, within.last] : [])]),
  ).toString('base64url')

/** A snapshot has a number for each transaction that was under way; no store of ours has thousands. */
export const positionCharactersMax = 8192

/** Nothing for any other text: the store is never given what it would refuse with an error of its own. */
export function readPosition(text: string): Position | undefined {
  if (text.length > positionCharactersMax) return undefined
  const [since, sinceAt, until, untilAt, last, ...more] = partsOf(text)
  if (!isSnapshot(since) || !isCount(sinceAt) || more.length > 0) return undefined
  if (until === undefined) return { since, sinceAt }
  if (!isSnapshot(until) || !isCount(untilAt) || !isCount(last)) return undefined
  return { since, sinceAt, within: { until, untilAt, last } }
}

function partsOf(text: string): readonly unknown[] {
  try {
    const parts: unknown = JSON.parse(Buffer.from(text, 'base64url').toString())
    return Array.isArray(parts) ? parts : []
  } catch {
    return []
  }
}

const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) >= 0

const transactionMax = 2n ** 63n

/** xmin:xmax:list, ascending, as the store writes it. */
function isSnapshot(value: unknown): value is Snapshot {
  const [matched, xmin, xmax, list] =
    (typeof value === 'string' && /^(\d{1,19}):(\d{1,19}):((?:\d{1,19}(?:,\d{1,19})*)?)$/.exec(value)) || []
  if (matched === undefined) return false
  const [least, next] = [BigInt(xmin ?? 0), BigInt(xmax ?? 0)]
  if (least < 1n || next < least || next >= transactionMax) return false
  const open = list ? list.split(',').map(BigInt) : []
  return open.every((one, index) => one >= (index === 0 ? least : (open[index - 1] ?? 0n) + 1n) && one < next)
}
