/** Accounts that lately asked for something slow. */
export interface SlowAccounts {
  has(account: string): boolean
  add(account: string): void
}

const rememberedMilliseconds = 60_000
/** Beyond these, the one that was slow longest ago is forgotten. */
const accountsMax = 10_000

export function rememberSlowAccounts(now: () => number = () => performance.now()): SlowAccounts {
  const until = new Map<string, number>()
  return {
    has: (account) => (until.get(account) ?? 0) > now(),
    add(account) {
      until.delete(account)
      until.set(account, now() + rememberedMilliseconds)
      for (const oldest of until.keys()) {
        if (until.size <= accountsMax) break
        until.delete(oldest)
      }
    },
  }
}
