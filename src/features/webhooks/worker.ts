import { createHmac } from 'node:crypto'
import type { RequestOptions } from 'node:http'
import { request as requestHttps } from 'node:https'
import type { Administrators } from '../../accounts/administrators.ts'
import type { Database } from '../../db/database.ts'
import { startWork } from '../../db/work.ts'
import type { AllowedReceivers } from '../../http/addresses.ts'
import { request as requestHttp } from '../../http/node-http.ts'
import { type Budget, type BudgetShare, createBudget, releaseAll, takeAll } from '../../model/budget.ts'
import type { Caller } from '../../model/caller.ts'
import { Problem } from '../../model/problem.ts'
import { repeat } from '../../model/repeat.ts'
import {
  type Attempt,
  type ClaimedWebhook,
  claimedAtOnceMax,
  claimSeconds,
  claimWebhooks,
  type Delivery,
  fillQueue,
  findDueDeliveries,
  hasWebhooks,
  pauseWebhook,
  purgeDeliveries,
  readOwner,
  recordAttempt,
  releaseClaim,
  renewClaim,
  skipPurged,
  withdrawDeliveries,
} from './queue.ts'

export interface WebhookWorker {
  /** Delivers everything that is due now. Resolves when this process has nothing left to do. */
  poll(): Promise<void>
  stop(): Promise<void>
}

export interface WebhookOptions {
  readonly database: Database
  readonly administrators: Administrators
  readonly receivers: AllowedReceivers
  /** Limits the requests in flight in this process, and so the webhooks that are served at once. */
  readonly requests: Budget
  readonly onFailure: (error: unknown) => void
  /** Called once when a webhook is paused. */
  readonly onPaused: (details: { webhook: string; because: string }) => void
  /** Returns epoch milliseconds. Tests pass a clock. */
  readonly now?: () => number
  readonly responseTimeoutMilliseconds?: number
}

const pollMilliseconds = 1000
const pollAfterWriteMilliseconds = 100
const purgeMilliseconds = 60 * 60_000

/**
 * Polls once a second, and within 100 ms after a commit of this process, or after a turn that ended while
 * deliveries were still due.
 */
export function startWebhooks(options: WebhookOptions): Pick<WebhookWorker, 'stop'> {
  const { database, onFailure } = options
  let isPollWanted = false
  const wantPoll = () => {
    isPollWanted = true
  }
  const turns = createTurns(options, wantPoll)
  database.onCommit(wantPoll)
  let nextPollAt = performance.now() + pollMilliseconds
  const polling = repeat({ everyMilliseconds: pollAfterWriteMilliseconds, onFailure }, async () => {
    if (!isPollWanted && performance.now() < nextPollAt) return
    isPollWanted = false
    nextPollAt = performance.now() + pollMilliseconds
    await turns.begin()
  })
  const purging = repeat({ everyMilliseconds: purgeMilliseconds, onFailure }, () => purgeDeliveries(database))
  return {
    async stop() {
      await Promise.all([turns.stop(), polling.stop(), purging.stop()])
    },
  }
}

/** Creates a worker without a timer: tests and benchmarks call `poll`. */
export function createWebhookWorker(options: WebhookOptions): WebhookWorker {
  let isMoreDue = false
  const turns = createTurns(options, () => {
    isMoreDue = true
  })
  return {
    async poll() {
      do {
        isMoreDue = false
        await turns.begin()
        await turns.settled()
      } while (isMoreDue)
    },
    stop: turns.stop,
  }
}

interface Turns {
  /** Begins a turn for every webhook that is due, each as soon as the budget has a request for it. */
  begin(): Promise<void>
  /** Resolves when the turns in progress have ended. */
  settled(): Promise<void>
  stop(): Promise<void>
}

/**
 * Serves webhooks concurrently, each for one turn, those that have waited longest first. No round of requests
 * begins after the first second of a turn. If the receiver is slow, a turn takes one more response timeout. A
 * slow receiver delays others only while all requests of the budget are in use.
 */
function createTurns(options: WebhookOptions, onMoreDue: () => void): Turns {
  const { database, requests, onFailure, now = Date.now } = options
  const extraRequestBudget = createBudget(Math.floor(requests.max / 2))
  const stopping = new AbortController()
  const { signal } = stopping
  const turns = new Map<string, Promise<void>>()
  let beginning: Promise<void> | undefined

  async function beginAll() {
    if (!(await hasWebhooks(database))) return
    const served = new Set(turns.keys())
    for (let isMoreDue = true; isMoreDue && !signal.aborted; ) {
      const max = Math.min(requests.max - requests.used(), claimedAtOnceMax)
      if (max > 0) isMoreDue = await claim(max, served)
      else await Promise.race(turns.values())
    }
  }

  /** Takes the requests from the budget while it claims, so that no turn in progress takes them. */
  async function claim(max: number, served: Set<string>): Promise<boolean> {
    if (!requests.take(max)) return false
    let unused = max
    try {
      const claimed = await claimWebhooks(database, now(), { max, except: [...served] })
      for (const webhook of claimed) {
        unused -= 1
        served.add(webhook.id)
        turns.set(webhook.id, serve(webhook))
      }
      // If fewer were claimed, all other webhooks are not due, or are claimed by another instance.
      return claimed.length === max
    } finally {
      if (unused > 0) requests.release(unused)
    }
  }

  async function serve(webhook: ClaimedWebhook) {
    try {
      const { isMoreDue } = await takeTurn({ ...options, signal, extraRequestBudget }, webhook)
      if (isMoreDue) onMoreDue()
    } catch (error) {
      onFailure(error)
    } finally {
      turns.delete(webhook.id)
      requests.release()
    }
  }

  const settled = async () => void (await Promise.all(turns.values()))
  return {
    begin() {
      beginning ??= beginAll().finally(() => {
        beginning = undefined
      })
      return beginning
    },
    settled,
    async stop() {
      stopping.abort()
      // The caller of `begin` gets its error.
      await beginning?.catch(() => undefined)
      await settled()
    },
  }
}

interface DeliveryContext extends WebhookOptions {
  /** Aborts requests in flight. They count as failed attempts. */
  readonly signal: AbortSignal
  /**
   * Limits the second and further concurrent requests of all webhooks to half of `requests`, so that other
   * webhooks can still start.
   */
  readonly extraRequestBudget: Budget
}

interface TurnResult {
  readonly pauseReason?: string
  /** True if the turn ended before everything that was due was delivered. */
  readonly isMoreDue?: boolean
}

/** Serves a webhook while the claim lasts. The caller holds one request of the budget for it. */
async function takeTurn(context: DeliveryContext, webhook: ClaimedWebhook): Promise<TurnResult> {
  const { database, onFailure, onPaused, now = Date.now } = context
  let isClaimValid = true
  // If one renewal fails, the next still comes before the claim expires.
  const renewing = repeat({ everyMilliseconds: (claimSeconds * 1000) / 3, onFailure }, async () => {
    isClaimValid = await renewClaim(database, webhook, now())
  })
  try {
    const result = await deliverInRounds(context, webhook, () => isClaimValid && !context.signal.aborted)
    const { pauseReason } = result
    if (pauseReason !== undefined) {
      await pauseWebhook(database, webhook.id, pauseReason, now())
      onPaused({ webhook: webhook.id, because: pauseReason })
    }
    return result
  } finally {
    await renewing.stop()
    await releaseClaim(database, webhook, now())
  }
}

/** No round begins after this time, so that waiting webhooks get a request of the budget. */
const turnMilliseconds = 1000

async function deliverInRounds(
  context: DeliveryContext,
  webhook: ClaimedWebhook,
  mayContinue: () => boolean,
): Promise<TurnResult> {
  const endsAt = performance.now() + turnMilliseconds
  let { position } = webhook
  while (mayContinue()) {
    if (performance.now() > endsAt) return { isMoreDue: true }
    // The owner is read again for each round, because the account may have been deactivated or may have lost
    // its role.
    const owner = await readOwner(context.database, webhook)
    if (!owner.isOwnerActive)
      return { pauseReason: 'The account that it belongs to was removed or deactivated.' }
    const caller = { id: webhook.userId, isAdministrator: context.administrators.isAdministrator(owner) }
    const filled = await fillOrSkip(context, { ...webhook, position }, caller)
    if (filled === 'purged') return { pauseReason: purgedReason }
    position = filled.position
    const outcomes = await deliverRound(context, webhook, caller)
    const pause = outcomes.find(({ pauseReason }) => pauseReason !== undefined)
    if (pause) return pause
    if (outcomes.length === 0) return {}
  }
  return {}
}

const purgedReason =
  'It was paused for longer than changes are kept. When resumed, it continues with new ones.'

/** Queues new changes. If some after the position were purged, the webhook continues from the newest one. */
async function fillOrSkip(
  { database, now = Date.now }: DeliveryContext,
  webhook: ClaimedWebhook,
  caller: Caller,
): Promise<{ readonly position: string } | 'purged'> {
  try {
    return { position: await fillQueue(database, webhook, caller, now()) }
  } catch (error) {
    if (!(error instanceof Problem && error.kind === 'gone')) throw error
    await skipPurged(database, webhook, caller)
    return 'purged'
  }
}

/** The most requests in flight for one webhook. There are fewer if the budget has fewer left. */
export const requestsAtOnce = 8

interface Outcome {
  readonly pauseReason?: string
}

/** Returns an outcome for each delivery that was sent or withdrawn, or none if nothing was due. */
async function deliverRound(
  context: DeliveryContext,
  webhook: ClaimedWebhook,
  caller: Caller,
): Promise<readonly Outcome[]> {
  const { database, now = Date.now } = context
  const due = await findDueDeliveries(database, webhook, caller, now(), requestsAtOnce)
  await withdrawDeliveries(database, due.unreadable)
  const extraCount = takeExtraRequests(context, due.readable.length - 1)
  try {
    const toSend = due.readable.slice(0, 1 + extraCount)
    const outcomes = await allEnded(toSend.map((delivery) => deliver(context, webhook, delivery)))
    return [...outcomes, ...due.unreadable.map(() => ({}))]
  } finally {
    releaseAll(extraShares(context), extraCount)
  }
}

/** Takes up to `max` requests of the budgets, as many as are free, and returns their number. */
function takeExtraRequests(context: DeliveryContext, max: number): number {
  const shares = extraShares(context)
  const free = Math.min(...shares.map(({ budget }) => budget.max - budget.used()), max)
  return free > 0 && takeAll(shares, free) ? free : 0
}

const extraShares = ({ requests, extraRequestBudget }: DeliveryContext): readonly BudgetShare[] => [
  { budget: requests },
  { budget: extraRequestBudget },
]

/** Waits for all promises, even if one fails. The claim must not be released while requests are in flight. */
async function allEnded<Result>(promises: readonly Promise<Result>[]): Promise<readonly Result[]> {
  await Promise.allSettled(promises)
  return Promise.all(promises)
}

async function deliver(
  context: DeliveryContext,
  webhook: ClaimedWebhook,
  delivery: Delivery,
): Promise<Outcome> {
  const { database, now = Date.now } = context
  const at = now()
  const startedAt = performance.now()
  const { headers, ...result } = await sendTraced(context, webhook, delivery, at)
  const attempt = { at, milliseconds: performance.now() - startedAt, headers, ...result }
  const { status = 0 } = result
  const isDelivered = status >= 200 && status < 300
  const giveUpAt = (delivery.firstAt === null ? at : Date.parse(delivery.firstAt)) + giveUpMilliseconds
  const isGivenUp = !isDelivered && at >= giveUpAt
  // After giving up, the delivery stays queued for when the webhook is resumed, and has no deadline.
  const deadline = isGivenUp ? Number.POSITIVE_INFINITY : giveUpAt
  const nextAt = isDelivered ? undefined : nextAttemptAt(at, delivery.attempts, deadline)
  await recordAttempt(database, delivery, attempt, nextAt)
  if (isDelivered) return {}
  if (status === 410) return { pauseReason: 'The receiver answered 410: it wants no further messages.' }
  if (!isGivenUp) return {}
  const lastError = result.error ?? `The receiver responded with the status ${status}.`
  return { pauseReason: `Deliveries failed for three days. The last attempt: ${lastError}` }
}

/** Measures and traces each request as work of its own, like the requests that this host receives. */
async function sendTraced(
  { database, receivers, signal, responseTimeoutMilliseconds = responseTimeoutDefault }: DeliveryContext,
  webhook: ClaimedWebhook,
  delivery: Delivery,
  at: number,
) {
  const work = startWork('DeliverWebhook', 'rest')
  const headers = { ...headersOf(webhook, delivery, at), ...database.traceHeaders(work) }
  const request = { url: webhook.url, headers, body: delivery.body }
  const limits = { signal, milliseconds: responseTimeoutMilliseconds }
  const result = await database.complete(work, () => sendMessage(request, receivers, limits))
  return { headers, ...result }
}

const headersOf = (
  { secret, previousSecret }: ClaimedWebhook,
  { message: id, body }: Delivery,
  at: number,
) => ({
  'content-type': 'application/json',
  'user-agent': 'tracker-webhooks',
  ...signedHeaders(
    { id, timestampSeconds: Math.floor(at / 1000), body },
    previousSecret === null ? [secret] : [secret, previousSecret],
  ),
})

/** Receivers should confirm at once and process later, so this is enough. */
const responseTimeoutDefault = 10_000

const minute = 60_000
const hour = 60 * minute
const giveUpMilliseconds = 72 * hour

/** The pauses after failures. The last pause repeats. */
const retryDelays = [5000, 30_000, 2 * minute, 10 * minute, 30 * minute, hour, 2 * hour, 4 * hour, 8 * hour]

/** Returns the time of the next attempt. The last attempt is made at the deadline. */
const nextAttemptAt = (at: number, attempts: number, deadline: number): number =>
  Math.min(at + retryDelayAfter(attempts), deadline)

/** Returns a randomized delay, so that a recovering receiver does not get everything at once. */
const retryDelayAfter = (attempts: number): number =>
  (retryDelays[Math.min(attempts, retryDelays.length - 1)] ?? 0) * (0.9 + Math.random() * 0.2)

export interface OutgoingRequest {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** Only this much of a response is stored, for users who look for an error. */
const responseBytesMax = 2048

type SendResult = Pick<Attempt, 'status' | 'answer' | 'error'>

/**
 * Sends a message. Errors are returned, never thrown. Redirects are not followed: their target was not
 * checked.
 */
export async function sendMessage(
  { url, headers, body }: OutgoingRequest,
  receivers: AllowedReceivers,
  limits: { readonly milliseconds: number; readonly signal: AbortSignal },
): Promise<SendResult> {
  const target = new URL(url)
  const problem = receivers.problemOf(target)
  if (problem !== undefined) return { error: `The address ${problem}` }
  const send = target.protocol === 'https:' ? requestHttps : requestHttp
  const timeout = AbortSignal.timeout(limits.milliseconds)
  const options: RequestOptions = {
    method: 'POST',
    headers: { ...headers, 'content-length': String(Buffer.byteLength(body)) },
    lookup: receivers.lookupFor(target),
    // Opens a new connection each time, so that the lookup checks the address that is used.
    agent: false,
    signal: AbortSignal.any([timeout, limits.signal]),
  }
  try {
    return await new Promise<SendResult>((resolve, reject) => {
      const request = send(target, options, (response) => {
        let answer = Buffer.alloc(0)
        const finish = () => {
          request.destroy()
          resolve({ status: response.statusCode ?? 0, answer: responseText(answer) })
        }
        response.on('data', (piece: Buffer) => {
          answer = Buffer.concat([answer, piece])
          if (answer.length >= responseBytesMax) finish()
        })
        response.on('end', finish).on('error', reject)
      })
      request.on('error', reject)
      request.end(body)
    })
  } catch (error) {
    return {
      error: timeout.aborted
        ? `No answer within ${limits.milliseconds / 1000} seconds.`
        : (error as Error).message,
    }
  }
}

/** Removes NUL characters, which PostgreSQL cannot store. */
const responseText = (bytes: Buffer): string =>
  bytes.subarray(0, responseBytesMax).toString().replaceAll('\0', '')

export interface SignedMessage {
  readonly id: string
  readonly timestampSeconds: number
  readonly body: string
}

/**
 * Follows https://www.standardwebhooks.com. The header has one signature for each valid secret, separated by
 * spaces.
 */
export const signedHeaders = ({ id, timestampSeconds, body }: SignedMessage, secrets: readonly string[]) => ({
  'webhook-id': id,
  'webhook-timestamp': String(timestampSeconds),
  'webhook-signature': secrets
    .map((secret) => `v1,${signature(`${id}.${timestampSeconds}.${body}`, secret)}`)
    .join(' '),
})

export const secretPrefix = 'whsec_'

const signature = (text: string, secret: string): string =>
  createHmac('sha256', Buffer.from(secret.slice(secretPrefix.length), 'base64'))
    .update(text)
    .digest('base64')
