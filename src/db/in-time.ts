/** A server, or the way to it, has been silent for too long. The code makes it a lost connection. */
export class Silent extends Error {
  readonly code = 'ETIMEDOUT'

  constructor() {
    super('The store did not answer in time.')
    this.name = 'Silent'
  }
}

/**
 * Only the client can notice that a server has stopped to answer. `endsAt` is on the clock of `performance.now()`; `giveUp` ends
 * what would go on waiting.
 */
export async function inTime<Result>(
  endsAt: number,
  work: Promise<Result>,
  giveUp: () => unknown = () => undefined,
): Promise<Result> {
  const { promise: late, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(
    () => {
      giveUp()
      reject(new Silent())
    },
    Math.max(0, endsAt - performance.now()),
  )
  work.catch(() => undefined)
  try {
    return await Promise.race([work, late])
  } finally {
    clearTimeout(timer)
  }
}

/** The same for something that its caller would have to give back: what comes too late is given back here. */
export async function gotInTime<Thing>(
  endsAt: number,
  coming: Promise<Thing>,
  giveBack: (thing: Thing) => void,
): Promise<Thing> {
  let isLate = false
  coming.then(
    (thing) => isLate && giveBack(thing),
    () => undefined,
  )
  return inTime(endsAt, coming, () => {
    isLate = true
  })
}

export interface TimeLimits {
  /** After this time a store that is silent is given up. It bounds everything that one call of the store waits for. */
  readonly answerMilliseconds: number
  /** After this time the server itself stops a statement, so that its caller knows that nothing was done. */
  readonly statementMilliseconds: number
}

/** The server's error needs time to arrive. */
const timesOfStatement = 8 / 7

/** A caller is answered within ten seconds, whatever happens to the store; two of them are left to everything else. */
const requestMilliseconds = 8000

export const limitsOfRequests = (answerMilliseconds = requestMilliseconds): TimeLimits => ({
  answerMilliseconds,
  statementMilliseconds: Math.floor(answerMilliseconds / timesOfStatement),
})

/** No caller waits for what the program does by itself, such as maintenance, whose statements delete thousands of rows. */
export const limitsOfUpkeep: TimeLimits = { answerMilliseconds: 32_000, statementMilliseconds: 30_000 }
