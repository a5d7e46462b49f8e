import { oneAtATime } from '../accounts/one-at-a-time.ts'
import { Problem, type ProblemKind } from '../model/problem.ts'
import type { SecurityEvent } from '../security-log/security-log.ts'
import { createFairQueue } from '../store/fair-queue.ts'
import { within } from '../store/within.ts'
import { claimKey, createKeyMeter, type KeyedRequest, keepAnswer } from './idempotency-keys.ts'
import type { Tracker } from './tracker.ts'

export interface AnsweredOnce {
  readonly answer: string
  /** It was made for an earlier request. */
  readonly isReplay: boolean
}

/** Does the work of a keyed request once, however often the request comes, and answers each with the first answer. */
export type Once = (
  request: KeyedRequest,
  work: (tracker: Tracker) => Promise<string>,
) => Promise<AnsweredOnce>

/**
 * Key, effect and answer are one transaction: a process that dies in between leaves all of them or none. A refusal undoes
 * the claim as well, so that the key may be used again once its reason is gone.
 */
export function createOnce(tracker: Tracker): Once {
  const { budgets, database } = tracker
  const meter = createKeyMeter(database, {
    keysMax: budgets.budget('keysOfAccount').max,
    bytesMax: budgets.budget('keyedAnswerBytesOfAccount').max,
  })
  const fairly = createFairQueue({
    atOnce: budgets.budget('keyedWrites'),
    atOncePerAccount: budgets.budget('keyedWritesOfAccount'),
    waiting: budgets.budget('keyedWritesWaiting'),
    waitingPerAccount: budgets.budget('keyedWritesWaitingOfAccount'),
  })
  // Of one key only one waits in the store.
  const inTurn = oneAtATime({ waitingMax: 32, retryAfterSeconds: 1 })
  return (request, work) => {
    const { account, key } = request
    return inTurn(`${account} ${key.toString('base64')}`, () =>
      fairly(account, async () => {
        await meter.requireRoom(account)
        const done = await runOnce(tracker, request, work)
        if (!done.isReplay) meter.note(account, done.answer)
        return done
      }),
    )
  }
}

const storeIsAway: ReadonlySet<ProblemKind> = new Set(['overloaded', 'uncertain'])

async function runOnce(
  tracker: Tracker,
  request: KeyedRequest,
  work: (tracker: Tracker) => Promise<string>,
): Promise<AnsweredOnce> {
  const { database, securityLog } = tracker
  let events: SecurityEvent[] = []
  const logEvents = () => {
    for (const event of events) securityLog?.(event)
  }
  try {
    const done = await database.transaction(async (transaction) => {
      // After a conflict all of it is done again.
      events = []
      const known = await claimKey(transaction, request)
      if (known !== undefined) return { answer: known, isReplay: true }
      const answer = await work({
        ...tracker,
        database: within(database, transaction),
        securityLog: (event) => void events.push(event),
      })
      await keepAnswer(transaction, request, answer)
      return { answer, isReplay: false }
    })
    logEvents()
    return done
  } catch (error) {
    // A refusal may itself be an event for the log, such as the failure that begins a lockout; a store that is away is none.
    if (error instanceof Problem && !storeIsAway.has(error.kind)) logEvents()
    throw error
  }
}
