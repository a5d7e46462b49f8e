/**
 * Caches a limited number of values, each until its own expiry. When the cache is full, a new value evicts
 * the oldest.
 */
interface BoundedCache<Value> {
  /** Returns undefined for an entry that expires within `minimumRemainingMilliseconds`, and evicts it. */
  get(key: string, minimumRemainingMilliseconds?: number): Value | undefined
  /** `expiresAt` is in epoch milliseconds. */
  set(key: string, value: Value, expiresAt: number): void
  delete(key: string): void
}

interface BoundedCacheOptions {
  readonly entriesMax: number
  /** Epoch milliseconds. */
  readonly now: () => number
}

export function createBoundedCache<Value>({ entriesMax, now }: BoundedCacheOptions): BoundedCache<Value> {
  const entries = new Map<string, { readonly value: Value; readonly expiresAt: number }>()
  return {
    get(key, minimumRemainingMilliseconds = 0) {
      const entry = entries.get(key)
      if (entry === undefined) return undefined
      if (entry.expiresAt - now() > minimumRemainingMilliseconds) return entry.value
      entries.delete(key)
      return undefined
    },
    set(key, value, expiresAt) {
      // A map keeps the order of insertion, so a replaced entry is inserted again as the newest.
      entries.delete(key)
      const oldest = entries.size >= entriesMax ? entries.keys().next() : undefined
      if (oldest?.done === false) entries.delete(oldest.value)
      entries.set(key, { value, expiresAt })
    },
    delete: (key) => void entries.delete(key),
  }
}
