/** Writes of one kind that wait while another of their kind is under way, and are then written together. */
export interface Gathering<Item, Result> {
  /** The turn of whoever finds nobody under way; undefined for others. */
  enter(): Turn | undefined
  /** Waits for others. */
  wait(item: Item): Promise<Gathered<Result>>
}

/** To write by oneself, until it is told that this is over. */
export type Turn = () => void

export interface Gathered<Result> {
  /** Undefined where it was not written with others. */
  readonly written?: Result | undefined
  /** Of one that nobody else waited with. */
  readonly turn?: Turn
}

export interface GatheringOptions<Item, Result> {
  readonly write: (items: readonly Item[]) => Promise<readonly (Result | undefined)[]>
  /** Whose it is: accounts take turns. */
  readonly accountOf: (item: Item) => string
  /** Of equal ones the second waits for the first. */
  readonly idOf: (item: Item) => string
  /** When there is nobody left. */
  readonly onIdle: () => void
}

/** More would make one of them wait for the others' rows, and gains little. */
const togetherMax = 32
/** One that takes longer, because it waits for a lock or for a slow store, is not waited for. */
const waitMillisecondsMax = 20

interface Waiter<Item, Result> {
  readonly item: Item
  readonly resolve: (gathered: Gathered<Result>) => void
  readonly reject: (error: unknown) => void
}

export function createGathering<Item, Result>({
  write,
  accountOf,
  idOf,
  onIdle,
}: GatheringOptions<Item, Result>): Gathering<Item, Result> {
  /** By account; the one whose turn it is comes first. */
  const waiting = new Map<string, Waiter<Item, Result>[]>()
  const underWay = new Set<object>()
  let timer: NodeJS.Timeout | undefined

  function enter(): Turn {
    const one = {}
    underWay.add(one)
    return () => {
      if (!underWay.delete(one)) return
      if (waiting.size > 0) writeNext()
      else if (underWay.size === 0) onIdle()
    }
  }

  function goOn() {
    underWay.clear()
    writeNext()
  }

  function writeNext() {
    clearTimeout(timer)
    const waiters = takeTurns(waiting, idOf)
    timer = waiting.size > 0 ? setTimeout(goOn, waitMillisecondsMax) : undefined
    const leave = enter()
    const [first] = waiters
    if (first && waiters.length === 1) return first.resolve({ turn: leave })
    write(waiters.map(({ item }) => item))
      .then(
        (results) => {
          for (const [index, { resolve }] of waiters.entries()) resolve({ written: results[index] })
        },
        (error: unknown) => {
          for (const { reject } of waiters) reject(error)
        },
      )
      .finally(leave)
  }

  return {
    enter: () => (underWay.size === 0 ? enter() : undefined),
    wait: (item) =>
      new Promise((resolve, reject) => {
        const account = accountOf(item)
        const own = waiting.get(account) ?? []
        own.push({ item, resolve, reject })
        waiting.set(account, own)
        timer ??= setTimeout(goOn, waitMillisecondsMax)
      }),
  }
}

/** Takes out the next ones, round by round. */
function takeTurns<Item, Result>(
  waiting: Map<string, Waiter<Item, Result>[]>,
  idOf: (item: Item) => string,
): Waiter<Item, Result>[] {
  const taken: Waiter<Item, Result>[] = []
  const ids = new Set<string>()
  let before: number
  do {
    before = taken.length
    for (const [account, own] of [...waiting]) {
      const [next] = own
      if (taken.length === togetherMax || !next || ids.has(idOf(next.item))) continue
      ids.add(idOf(next.item))
      taken.push(next)
      // It comes last the next time.
      waiting.delete(account)
      if (own.length > 1) waiting.set(account, own.slice(1))
    }
  } while (taken.length > before)
  return taken
}
