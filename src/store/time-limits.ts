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
