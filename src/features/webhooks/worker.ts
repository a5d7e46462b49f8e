import { createHmac } from 'node:crypto'
import type { RequestOptions } from 'node:http'
import { request as requestHttps } from 'node:https'
import type { Administrators } from '../../accounts/administrators.ts'
import type { Database } from '../../db/database.ts'
import { startWork } from '../../db/work.ts'
import type { AllowedReceivers } from '../../http/addresses.ts'
import { request as requestHttp } from '../../http/node-http.ts'
import type { Budget } from '../../model/budget.ts'
import { Problem } from '../../model/problem.ts'
import { repeat } from '../../model/repeat.ts'
import {
  type Attempt,
  type Claimed,
  claimedAtOnceMax,
  claimSeconds,
  claimWebhooks,
  type Delivery,
  dueDeliveries,
  fillQueue,
  hasWebhooks,
  type Owner,
  pauseWebhook,
  purgeDeliveries,
  readOwner,
  recordAttempt,
  releaseClaim,
  renewClaim,
  skipPurged,
  withdraw,
} from './queue.ts'

export interface WebhookWorker {
  /** Delivers everything that is due now; resolves when this process has nothing left to do. */
  look(): Promise<void>
  stop(): Promise<void>
}

export interface WebhookOptions {
  readonly database: Database
  readonly administrators: Administrators
  readonly receivers: AllowedReceivers
  /** Requests in flight in this process. */
  readonly requests: Budget
  readonly onFailure: (error: unknown) => void
  /** Called once when a webhook is paused. */
  readonly onPaused: (details: { webhook: string; because: string }) => void
  /** Epoch milliseconds; tests move it. */
  readonly now?: () => number
  readonly answerMilliseconds?: number
}

const pollMilliseconds = 1000
const pollAfterWriteMilliseconds = 100
const purgeMilliseconds = 60 * 60_000

/** Checks for work every second, and soon after a write of this process, but never more often than that. */
export function startWebhooks(options: WebhookOptions): WebhookWorker {
  const worker = createWebhookWorker(options)
  const { database, onFailure } = options
  let lookAt = performance.now() + pollMilliseconds
  database.onCommit(() => {
    lookAt = 0
  })
  const looking = repeat({ everyMilliseconds: pollAfterWriteMilliseconds, onFailure }, async () => {
    if (performance.now() < lookAt) return
    lookAt = performance.now() + pollMilliseconds
    await worker.look()
  })
  const purging = repeat({ everyMilliseconds: purgeMilliseconds, onFailure }, () => purgeDeliveries(database))
  return {
    look: worker.look,
    async stop() {
      await Promise.all([looking.stop(), purging.stop()])
      await worker.stop()
    },
  }
}

export function createWebhookWorker(options: WebhookOptions): WebhookWorker {
  const { database, onFailure, now = Date.now } = options
  const stopping = new AbortController()
  const { signal } = stopping
  let looking: Promise<void> | undefined

  async function claimAndWork() {
    if (!(await hasWebhooks(database))) return
    let claimed: Claimed[]
    do {
      claimed = signal.aborted ? [] : await claimWebhooks(database, now())
      await Promise.all(claimed.map((hook) => deliverFor({ ...options, signal }, hook).catch(onFailure)))
      // Fewer than the limit: the rest is not due, or claimed by another instance.
    } while (claimed.length === claimedAtOnceMax)
  }

  return {
    look() {
      looking ??= claimAndWork().finally(() => {
        looking = undefined
      })
      return looking
    },
    async stop() {
      stopping.abort()
      await looking?.catch(() => undefined)
    },
  }
}

interface Working extends WebhookOptions {
  /** Aborts requests in flight: they count as failed attempts. */
  readonly signal: AbortSignal
}

/** The limit for one webhook. */
const requestsAtOnce = 8

async function deliverFor(options: Working, hook: Claimed): Promise<void> {
  const { database, onFailure, now = Date.now } = options
  let isMine = true
  const renewing = repeat({ everyMilliseconds: (claimSeconds * 1000) / 3, onFailure }, async () => {
    isMine = await renewClaim(database, hook, now())
  })
  try {
    const because = hook.isOwnerActive ? await deliverAll(options, hook, () => isMine) : withoutOwner
    if (because !== undefined) await pause(options, hook, because)
  } finally {
    await renewing.stop()
    await releaseClaim(database, hook)
  }
}

const withoutOwner = 'The account that it belongs to was removed or deactivated.'

/** Returns the reason when the webhook has to be paused. */
async function deliverAll(
  options: Working,
  hook: Claimed,
  isMine: () => boolean,
): Promise<string | undefined> {
  const { database, administrators, signal, now = Date.now } = options
  let { position } = hook
  let owner: Owner = hook
  while (isMine() && !signal.aborted) {
    const caller = { id: hook.userId, isAdministrator: administrators.isAdministrator(owner) }
    const filled = await fillQueue(database, { ...hook, position }, caller, now()).catch(ifGone)
    if (filled === undefined) {
      await skipPurged(database, hook, caller)
      return 'It was paused for longer than changes are kept: resumed, it goes on with new ones.'
    }
    position = filled
    // Read again for each round: rounds follow each other for as long as messages come.
    owner = await readOwner(database, hook)
    if (!owner.isOwnerActive) return withoutOwner
    const outcomes = await deliverDue(options, hook, owner)
    const pausing = outcomes.find((outcome) => typeof outcome === 'object')
    if (pausing) return pausing.because
    if (outcomes.length === 0 || outcomes.includes('noRoom')) return undefined
  }
  return undefined
}

/** Purged changes are no failure. */
function ifGone(error: unknown): undefined {
  if (!(error instanceof Problem && error.kind === 'gone')) throw error
}

async function deliverDue(options: Working, hook: Claimed, owner: Owner): Promise<readonly Outcome[]> {
  const { database, administrators, now = Date.now } = options
  const reader = { id: hook.userId, isAdministrator: administrators.isAdministrator(owner) }
  const { readable, unreadable } = await dueDeliveries(database, hook, reader, now(), requestsAtOnce)
  await withdraw(database, unreadable)
  const outcomes = await Promise.all(readable.map((delivery) => deliver(options, hook, delivery)))
  return [...outcomes, ...unreadable.map(() => 'withdrawn' as const)]
}

async function pause(
  { database, onPaused, now = Date.now }: WebhookOptions,
  { id }: Claimed,
  because: string,
) {
  await pauseWebhook(database, id, because, now())
  onPaused({ webhook: id, because })
}

type Outcome = 'delivered' | 'failed' | 'withdrawn' | 'noRoom' | { readonly because: string }

async function deliver(options: Working, hook: Claimed, delivery: Delivery): Promise<Outcome> {
  const {
    database,
    receivers,
    requests,
    signal,
    answerMilliseconds = answerMillisecondsMax,
    now = Date.now,
  } = options
  // Too many requests are in flight in this process: the next check finds it again.
  if (!requests.take()) return 'noRoom'
  const at = now()
  const work = startWork('DeliverWebhook', 'rest')
  const headers = { ...headersOf(hook, delivery, at), ...database.traceHeaders(work) }
  const startedAt = performance.now()
  const answered = await database
    .complete(work, () =>
      sendMessage({ url: hook.url, headers, body: delivery.body }, receivers, {
        signal,
        milliseconds: answerMilliseconds,
      }),
    )
    .finally(() => requests.release())
  const attempt = { at, milliseconds: performance.now() - startedAt, headers, ...answered }
  const { status = 0 } = answered
  const isDelivered = status >= 200 && status < 300
  await recordAttempt(
    database,
    delivery,
    attempt,
    isDelivered ? undefined : at + waitAfter(delivery.attempts),
  )
  if (isDelivered) return 'delivered'
  if (status === 410) return { because: 'The receiver answered 410: it wants no more of it.' }
  const firstAt = delivery.firstAt === null ? at : Date.parse(delivery.firstAt)
  if (at - firstAt < giveUpMilliseconds) return 'failed'
  return {
    because: `Deliveries failed for three days, at last with ${answered.error ?? `the status ${status}`}.`,
  }
}

const headersOf = ({ secret, previousSecret }: Claimed, { message: id, body }: Delivery, at: number) => ({
  'content-type': 'application/json',
  'user-agent': 'tracker-webhooks',
  ...signedHeaders(
    { id, timestampSeconds: Math.floor(at / 1000), body },
    previousSecret === null ? [secret] : [secret, previousSecret],
  ),
})

/** A receiver should confirm the message at once, and process it afterwards. */
const answerMillisecondsMax = 10_000

const minute = 60_000
const hour = 60 * minute
const giveUpMilliseconds = 72 * hour

/** The waits after failures; the last one repeats: sixteen attempts in three days. */
const waits = [5000, 30_000, 2 * minute, 10 * minute, 30 * minute, hour, 2 * hour, 4 * hour, 8 * hour]

/** Randomized, so that a recovering receiver does not get everything at once. */
const waitAfter = (attempts: number): number =>
  (waits[Math.min(attempts, waits.length - 1)] ?? 0) * (0.9 + Math.random() * 0.2)

export interface Outgoing {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** Only this much of a response is kept for people to read; the rest is discarded. */
const answerBytesMax = 2048

type SendResult = Pick<Attempt, 'status' | 'answer' | 'error'>

/** Every result is an outcome, never an exception. Redirects are not followed: their target was not checked. */
export async function sendMessage(
  { url, headers, body }: Outgoing,
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
    // A new connection each time, so that the address that was checked is the one that is used.
    agent: false,
    signal: AbortSignal.any([timeout, limits.signal]),
  }
  try {
    return await new Promise<SendResult>((resolve, reject) => {
      const sent = send(target, options, (response) => {
        let answer = Buffer.alloc(0)
        const finish = () => {
          sent.destroy()
          resolve({ status: response.statusCode ?? 0, answer: textOf(answer) })
        }
        response.on('data', (piece: Buffer) => {
          answer = Buffer.concat([answer, piece])
          if (answer.length >= answerBytesMax) finish()
        })
        response.on('end', finish).on('error', reject)
      })
      sent.on('error', reject)
      sent.end(body)
    })
  } catch (error) {
    return {
      error: timeout.aborted
        ? `No answer within ${limits.milliseconds / 1000} seconds.`
        : (error as Error).message,
    }
  }
}

/** PostgreSQL stores no NUL. */
const textOf = (bytes: Buffer): string => bytes.subarray(0, answerBytesMax).toString().replaceAll('\0', '')

export interface Message {
  readonly id: string
  readonly timestampSeconds: number
  readonly body: string
}

/** Follows https://www.standardwebhooks.com: one signature for each valid secret, separated by spaces. */
export const signedHeaders = ({ id, timestampSeconds, body }: Message, secrets: readonly string[]) => ({
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
