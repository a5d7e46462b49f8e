/** When a key is the one to use, in epoch milliseconds. */
export interface KeyTimes {
  readonly startsAt: number
  readonly endsAt: number
}

const dayMilliseconds = 24 * 60 * 60_000
/** The contract's 90 days; protection keys follow the same calendar. */
const useMilliseconds = 90 * dayMilliseconds
/** A client that caches the published keys for less than a day knows a key before its first token. */
const announceMilliseconds = dayMilliseconds
/** Far longer than anything made with a key is valid. */
const keepMilliseconds = 7 * dayMilliseconds

/** The key that must be added now: the first one, or the successor that has to be announced. */
export function dueKey(keys: readonly KeyTimes[], now: number): KeyTimes | undefined {
  const latestEnd = Math.max(...keys.map(({ endsAt }) => endsAt))
  if (now < latestEnd - announceMilliseconds) return undefined
  // After a pause of months the successor starts at once: there is no key that could still be used.
  const startsAt = Math.max(latestEnd, now)
  return { startsAt, endsAt: startsAt + useMilliseconds }
}

/** The key to use now; before the first start or after the last end, the nearest one. */
export function currentKey<Key extends KeyTimes>(keys: readonly Key[], now: number): Key | undefined {
  const ordered = keys.toSorted((first, second) => first.startsAt - second.startsAt)
  return ordered.findLast(({ startsAt }) => startsAt <= now) ?? ordered[0]
}

/** Keys that ended before this moment are gone. */
export const keptSince = (now: number): number => now - keepMilliseconds
