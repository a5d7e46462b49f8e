import { createHmac } from 'node:crypto'
import type { ParsedUrlQuery } from 'node:querystring'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { type Authenticated, type Authentication, whileItStands } from '../../auth/authenticate.ts'
import { type FairQueue, takePlace } from '../../db/fair-queue.ts'
import type { KnownDates, ModificationDates } from '../../db/modification-dates.ts'
import { startWork, type Work } from '../../db/work.ts'
import { addressKey } from '../../http/addresses.ts'
import { createSentDates, type SentDates, sendConditional } from '../../http/conditional.ts'
import { originOf } from '../../http/cors.ts'
import { envelopeType } from '../../http/errors.ts'
import { announceDeprecations, checkDeprecation, deprecationsIn } from '../../http/operation.ts'
import { keySpeller } from '../../http/url.ts'
import type { Caller, RequestOrigin } from '../../model/caller.ts'
import { zeroUuid } from '../../model/field-kinds.ts'
import { invalid, overloaded, unauthenticated } from '../../model/problem.ts'
import type { Tracker } from '../../records/context.ts'
import { createOnce, type KeyedRequest, type Once } from '../../records/idempotency.ts'
import { requireNoApp, requireOwnClient, requirePerson } from '../../records/token-rights.ts'
import { resources } from '../../resources/all.ts'
import { filterNames } from '../../resources/derived.ts'
import { pagingNumbers } from '../../resources/list-keys.ts'
import { type Answer, type Exchange, isKeyed, type Route } from '../../routes/route.ts'

export interface Registration {
  readonly tracker: Tracker
  readonly authentication: Authentication
  readonly modificationDates: ModificationDates
  readonly routes: readonly Route[]
  /** True if administrators receive the duration of their requests. */
  readonly showsTimes: boolean
}

/** Registers every route of the table. The token is checked before a body is read. */
export function registerRoutes(
  app: FastifyInstance,
  { tracker, authentication, modificationDates, routes, showsTimes }: Registration,
) {
  const once = createOnce(tracker)
  const sentDates = createSentDates()
  const { during, complete } = tracker.database
  const spelled = keySpeller(queryKeysOf(routes))
  const admissions = new WeakMap<FastifyRequest, Admission>()
  async function answer(route: Route, exchange: Exchange) {
    if (await answerKeyed(once, route, exchange)) return
    // Read before the response is made, because it must cover everything read afterwards.
    const dates = route.isConditional ? await modificationDates() : undefined
    sendAnswer(exchange, await route.handle(exchange), dates, sentDates)
  }
  for (const route of routes) {
    checkDeprecation(route)
    const ofRoute = route.deprecation ? [route.deprecation] : []
    app.route({
      method: route.method,
      url: route.path,
      ...(route.bodyBytesMax !== undefined && { bodyLimit: route.bodyBytesMax }),
      async onRequest(request, reply) {
        announceDeprecations(reply, ofRoute)
        request.query = spelled(request.query as ParsedUrlQuery)
        const origin = { ...originOf(request), host: 'rest' } as const
        const work = startWork(route.id, 'rest', request.headers.traceparent)
        const admission: Admission = { work }
        admissions.set(request, admission)
        const session = await during(work, () => admit(authentication, route, request, origin))
        admission.session = session
        work.holder = route.isOpen ? addressKey(origin.address) : session.caller.id
        if (route.turns) admission.turn = await takeTurn(route.turns, session.caller.id, request, reply, work)
      },
      onSend(request, reply, payload, done) {
        const { session, work } = admissions.get(request) ?? {}
        if (work && session && showsTimes) showServerTiming(reply, session.caller, work)
        done(null, payload)
      },
      async handler(request, reply) {
        announceDeprecations(reply, [...ofRoute, ...deprecationsIn(request.body, route.deprecatedFields)])
        const { session, work, turn } = admissions.get(request) ?? {}
        if (!session || !work) throw new Error('A route was reached without authentication.')
        const handle = async () => {
          // Checked after the body, which may have taken long to arrive.
          if (mayLast(route) && !(await session.standsNow())) throw unauthenticated()
          await answer(route, {
            tracker: heldTo(route, session, tracker),
            caller: session.caller,
            session,
            request,
            reply,
          })
        }
        turn?.bodyIsHere()
        await complete(work, handle).finally(turn?.leave)
        return reply
      },
    })
  }
}

/** Every key that some route supports, and every name that a list rejects. */
const queryKeysOf = (routes: readonly Route[]): string[] => [
  ...Object.keys(pagingNumbers),
  ...filterNames.ext,
  ...routes.flatMap(({ parameters = [] }) => parameters.map(({ name }) => name)),
]

interface Admission {
  readonly work: Work
  /** Set once the token was accepted. */
  session?: Authenticated
  turn?: Turn
}

async function admit(
  authentication: Authentication,
  route: Route,
  request: FastifyRequest,
  origin: RequestOrigin,
): Promise<Authenticated> {
  const { method, isOpen, isForTokens, isForOwnClient } = route
  if (isOpen) return nobody(origin)
  const session = await authentication.authenticate(request.headers.authorization, origin)
  request.isAuthenticated = true
  if (isForOwnClient) requireOwnClient(session.caller)
  else if (!isForTokens) requirePerson(session.caller)
  // The new credential would outlast the consent.
  if (!isForTokens && method !== 'GET') requireNoApp(session.caller)
  await route.admit?.(session.caller)
  return session
}

/** Changes of credentials outlast the session, so they require one that is valid now, despite the cache. */
const mayLast = ({ method, isOpen, isForTokens, changesAccounts }: Route): boolean =>
  method !== 'GET' && !isOpen && (!isForTokens || changesAccounts === true)

/** A request may have waited for a turn, or for the hash of a password, so its transactions check the session again. */
const heldTo = (route: Route, session: Authenticated, tracker: Tracker): Tracker =>
  mayLast(route) ? { ...tracker, database: whileItStands(tracker.database, session) } : tracker

/** No account has this id, so it neither sees nor changes anything. */
const nobody = (origin: RequestOrigin): Authenticated => ({
  caller: { id: zeroUuid, isAdministrator: false, origin },
  sessionId: undefined,
  expiresAt: 0,
  recheck: async () => false,
  standsNow: async () => false,
})

interface Turn {
  bodyIsHere(): void
  /** Called before the response is sent: its reader may take long. */
  leave(): void
}

/** While other requests wait, a body that is incomplete after this time loses its place. */
const bodySeconds = 2

/** Waits for a place, which its holder keeps until it leaves or its connection closes. */
async function takeTurn(
  turns: FairQueue,
  account: string,
  request: FastifyRequest,
  reply: FastifyReply,
  work: Work,
): Promise<Turn> {
  const { promise: over, resolve: leave } = Promise.withResolvers<void>()
  const gone = new AbortController()
  reply.raw.once('close', () => {
    gone.abort()
    leave()
  })
  const askedAt = performance.now()
  let lateFrom = Number.POSITIVE_INFINITY
  await takePlace(turns, account, over, {
    signal: gone.signal,
    lateMilliseconds: () => Math.max(0, performance.now() - lateFrom),
    giveWay() {
      leave()
      // The rest of the body is not read.
      reply.raw.once('finish', () => request.raw.destroy())
      reply.send(overloaded('The body came too slowly while others waited.', { retryAfterSeconds: 5 }))
    },
  })
  const enteredAt = performance.now()
  work.waitSeconds += (enteredAt - askedAt) / 1000
  lateFrom = enteredAt + bodySeconds * 1000
  return {
    leave,
    bodyIsHere() {
      lateFrom = Number.POSITIVE_INFINITY
    },
  }
}

/** Executes a POST with a key once; returns whether the request has a key. */
async function answerKeyed(once: Once, route: Route, exchange: Exchange): Promise<boolean> {
  const { caller, request, reply } = exchange
  const keyed = isKeyed(route) ? readKeyedRequest(request, caller) : undefined
  if (keyed === undefined) return false
  const { answer, isReplay } = await once(keyed, async (tracker) => {
    const made = await route.handle({ ...exchange, tracker: heldTo(route, exchange.session, tracker) })
    return JSON.stringify(made?.body)
  })
  if (isReplay) reply.header(replayedHeader, 'true')
  // A later request gets it from here, never from a cache.
  reply.type(envelopeType).header('cache-control', 'no-store').send(answer)
  return true
}

/** Sends nothing when the handler has taken over the connection. */
function sendAnswer(
  { caller, request, reply }: Exchange,
  answer: Answer | undefined,
  dates: KnownDates | undefined,
  sentDates: SentDates,
): void {
  if (answer === undefined) return
  if (dates === undefined) return void reply.send(answer.body)
  sendConditional(request, reply, {
    body: answer.json ?? JSON.stringify(answer.body),
    callerId: caller.id,
    isAdministrator: caller.isAdministrator,
    sentDates,
    readAt: dates.second,
    // A personal access token sees more or less when the role of its account changes, and no change of a row shows that.
    lastModified: caller.token ? undefined : dates.dateOf(answer.lastChangeSecond),
  })
}

/** Limited to administrators: timings would reveal rows that other callers may not see. */
function showServerTiming(reply: FastifyReply, caller: Caller, work: Work): void {
  if (!caller.isAdministrator) return
  const parts = [
    ['total', reply.elapsedTime],
    ['store', work.storeSeconds * 1000],
    ['queue', work.waitSeconds * 1000],
  ] as const
  reply.header(
    'server-timing',
    parts.map(([name, milliseconds]) => `${name};dur=${milliseconds.toFixed(1)}`).join(', '),
  )
}

export const keyHeader = 'Idempotency-Key'
export const replayedHeader = 'Idempotency-Replayed'

export const keyCharactersMax = 255

/** Parses the header of a POST: the key, and a hash of the request. Undefined without the header. */
function readKeyedRequest(request: FastifyRequest, caller: Caller): KeyedRequest | undefined {
  const key = request.headers['idempotency-key']
  if (key === undefined) return undefined
  // Two headers arrive as one text that contains a space.
  if (typeof key !== 'string' || key.length > keyCharactersMax || !/^[!-~]+$/.test(key)) {
    throw invalid({
      idempotencyKey: [
        `IdempotencyKey must be 1 to ${keyCharactersMax} visible ASCII characters, without spaces.`,
      ],
    })
  }
  const { method, routeOptions, body } = request
  return {
    account: caller.id,
    // The response for one token must not be returned to another, which may see less.
    key: hashOf(key, caller.token ? `key of ${caller.token.id}` : 'key'),
    secret: hashOf(key, 'answer'),
    request: hashOf(key, `${method} ${routeOptions.url}\n${JSON.stringify(body, comparable)}`),
  }
}

const hashOf = (key: string, text: string): Buffer => createHmac('sha256', key).update(text).digest()

/** Left out of the comparison: a fast hash of a password would help to guess it from a copy of the database. */
const secrets: ReadonlySet<string> = new Set([
  'currentPassword',
  'newPassword',
  ...resources.flatMap(({ fields }) => Object.keys(fields).filter((name) => fields[name]?.isSecret)),
])

/** Requests that differ in the order of keys are the same. */
function comparable(name: string, value: unknown): unknown {
  if (secrets.has(name)) return undefined
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  return Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)))
}
