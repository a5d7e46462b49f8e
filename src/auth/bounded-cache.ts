/** Caches a limited number of values, each until its own expiry; the oldest is evicted for the next. */
export interface BoundedCache<Value> {
  /** An entry that expires sooner than `minimumRemainingMilliseconds` is not returned. */
  get(key: string, minimumRemainingMilliseconds?: number): Value | undefined
  set(key: string, value: Value, expiresAt: number): void
  delete(key: string): void
}

export interface BoundedCacheOptions {
  readonly entriesMax: number
  /** Epoch milliseconds. */
  readonly now: () => number
}

export function createBoundedCache<Value>({ entriesMax, now }: BoundedCacheOptions): BoundedCache<Value> {
  const entries = new Map<string, { readonly value: Value; readonly expiresAt: number }>()
  return {
    get(key, minimumRemainingMilliseconds = 0) {
      const entry = entries.get(key)
      if (entry === undefined || now() + minimumRemainingMilliseconds < entry.expiresAt) return entry?.value
      entries.delete(key)
      return undefined
    },
    set(key, value, expiresAt) {
      // A replaced entry becomes the newest again.
      entries.delete(key)
      const oldest = entries.size >= entriesMax ? entries.keys().next() : undefined
      if (oldest?.done === false) entries.delete(oldest.value)
      entries.set(key, { value, expiresAt })
    },
    delete: (key) => void entries.delete(key),
  }
}
