import type { Budgets } from '../../config/budgets.ts'
import type { Budget } from '../../model/budget.ts'
import { overloaded, Problem } from '../../model/problem.ts'

/** Snapshots of live listings in memory: the newest of each, and those that clients have not read yet. */
export interface KeptSnapshots {
  keeperOf(account?: string): Keeper
}

/** A listing, which keeps snapshots for all accounts, or a stream, which also keeps them for its account. */
export interface Keeper {
  /** Replaces the kept snapshots by exactly these. Returns the reason when there is no room, and leaves them unchanged. */
  keep(snapshots: readonly Buffer[]): Problem | undefined
}

export function createKeptSnapshots(budgets: Budgets): KeptSnapshots {
  const ofProcess = createSharedCount(budgets.budget('liveBytes'))
  const ofAccount = createSharedCount(budgets.budget('liveBytesOfAccount'))

  function hold(snapshot: Buffer, account: string | undefined): Problem | undefined {
    if (account !== undefined && !ofAccount.hold(snapshot, account)) return tooManyOfAccount(ofAccount.max)
    if (ofProcess.hold(snapshot)) return undefined
    if (account !== undefined) ofAccount.release(snapshot, account)
    return tooMany()
  }
  function release(snapshot: Buffer, account: string | undefined) {
    if (account !== undefined) ofAccount.release(snapshot, account)
    ofProcess.release(snapshot)
  }

  /** Takes room for all of them, or for none. */
  function holdAll(wanted: readonly Buffer[], account: string | undefined): Problem | undefined {
    for (const [index, each] of wanted.entries()) {
      const problem = hold(each, account)
      if (!problem) continue
      for (const held of wanted.slice(0, index)) release(held, account)
      return problem
    }
    return undefined
  }

  return {
    keeperOf(account) {
      let kept: readonly Buffer[] = []
      return {
        keep(wanted) {
          const problem = holdAll(
            wanted.filter((each) => !kept.includes(each)),
            account,
          )
          if (problem) return problem
          for (const each of kept.filter((one) => !wanted.includes(one))) release(each, account)
          kept = wanted
          return undefined
        },
      }
    },
  }
}

/** Counts the same bytes once for each account and once for the process, however many streams have them. */
function createSharedCount(budget: Budget) {
  const holds = new Map<string | undefined, Map<Buffer, number>>()
  return {
    max: budget.max,
    hold(snapshot: Buffer, account?: string): boolean {
      const own = holds.get(account)
      const count = own?.get(snapshot) ?? 0
      if (count === 0 && !budget.take(snapshot.length, account)) return false
      if (own) own.set(snapshot, count + 1)
      else holds.set(account, new Map([[snapshot, 1]]))
      return true
    },
    release(snapshot: Buffer, account?: string) {
      const own = holds.get(account)
      const count = own?.get(snapshot) ?? 0
      if (count > 1) own?.set(snapshot, count - 1)
      if (count !== 1) return
      own?.delete(snapshot)
      if (own?.size === 0) holds.delete(account)
      budget.release(snapshot.length, account)
    },
  }
}

const retryAfterSeconds = 30

const tooManyOfAccount = (bytesMax: number) =>
  new Problem(
    'busy',
    `The live listings of an account may have at most ${bytesMax / 1024 ** 2} MiB together. Close one or ask for smaller pages.`,
    { retryAfterSeconds },
  )

const tooMany = () =>
  overloaded('Live listings take too much memory. Please try again later.', { retryAfterSeconds })
