import { createHmac } from 'node:crypto'
import type { ParsedUrlQuery } from 'node:querystring'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { type Authenticated, type Authentication, requireActiveSession } from '../../auth/authenticate.ts'
import { type FairQueue, takePlace } from '../../db/fair-queue.ts'
import type { ModificationDates } from '../../db/modification-dates.ts'
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
import type { Context } from '../../records/context.ts'
import { createOnce, type KeyedRequest, type Once } from '../../records/idempotency.ts'
import { requireNoApp, requireOwnClient, requirePerson } from '../../records/rights.ts'
import { resources } from '../../resources/all.ts'
import { filterNames } from '../../resources/derived.ts'
import { pagingNumbers } from '../../resources/list-keys.ts'
import { type Exchange, isKeyed, type Route } from '../../routes/route.ts'

export interface Registration {
  readonly context: Context
  readonly authentication: Authentication
  readonly modificationDates: ModificationDates
  readonly routes: readonly Route[]
  /** True if administrators receive the duration of their requests. */
  readonly sendsServerTiming: boolean
}

/** Registers every route of the table. The token is checked before a body is read. */
export function registerRoutes(app: FastifyInstance, registration: Registration) {
  const { context, routes, sendsServerTiming } = registration
  const host: Host = {
    ...registration,
    once: createOnce(context),
    sentDates: createSentDates(),
    spelled: keySpeller(queryKeysOf(routes)),
    admissions: new WeakMap(),
  }
  for (const route of routes) {
    checkDeprecation(route)
    app.route({
      method: route.method,
      url: route.path,
      ...(route.bodyBytesMax !== undefined && { bodyLimit: route.bodyBytesMax }),
      onRequest: admitting(route, host),
      handler: handling(route, host),
      onSend(request, reply, payload, done) {
        const { session, work } = host.admissions.get(request) ?? {}
        // Limited to administrators: timings would reveal rows that other callers may not see.
        if (work && sendsServerTiming && session?.caller.isAdministrator) addServerTiming(reply, work)
        done(null, payload)
      },
    })
  }
}

/** Shared by all routes of a host. */
interface Host extends Registration {
  readonly once: Once
  readonly sentDates: SentDates
  readonly spelled: ReturnType<typeof keySpeller>
  readonly admissions: WeakMap<FastifyRequest, Admission>
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

/** Accepts or rejects the requests of a route by their tokens, and lets them wait for their turn. */
function admitting(route: Route, { context, authentication, spelled, admissions }: Host) {
  const { method, isOpen, isForTokens, isForOwnClient, deprecation, turns } = route
  return async (request: FastifyRequest, reply: FastifyReply) => {
    if (deprecation) announceDeprecations(reply, [deprecation])
    request.query = spelled(request.query as ParsedUrlQuery)
    const origin = { ...originOf(request), host: 'rest' } as const
    const work = startWork(route.id, 'rest', request.headers.traceparent)
    const admission: Admission = { work }
    admissions.set(request, admission)
    const admit = async () => {
      const session = await authentication.authenticate(request.headers.authorization, origin)
      request.isAuthenticated = true
      if (isForOwnClient) requireOwnClient(session.caller)
      else if (!isForTokens) requirePerson(session.caller)
      // The new credential would outlast the consent.
      if (!isForTokens && method !== 'GET') requireNoApp(session.caller)
      await route.admit?.(session.caller)
      return session
    }
    const session = isOpen ? anonymous(origin) : await context.database.during(work, admit)
    admission.session = session
    work.holder = isOpen ? addressKey(origin.address) : session.caller.id
    if (turns) admission.turn = await takeTurn(turns, session.caller.id, request, reply, work)
  }
}

/** Handles the requests of a route that were admitted. */
function handling(route: Route, host: Host) {
  const { context, admissions } = host
  const { deprecation, deprecatedFields = {} } = route
  const hasDeprecatedFields = Object.keys(deprecatedFields).length > 0
  const answer = (route.isConditional ? answeringDated : answering)(route, host)
  return async (request: FastifyRequest, reply: FastifyReply) => {
    const { session, work, turn } = admissions.get(request) ?? {}
    if (!session || !work) throw new Error('A route was reached without authentication.')
    if (hasDeprecatedFields) {
      const ofBody = deprecationsIn(request.body, deprecatedFields)
      announceDeprecations(reply, deprecation ? [deprecation, ...ofBody] : ofBody)
    }
    turn?.bodyIsHere()
    const { caller } = session
    const run = () => answer({ context, caller, session, request, reply })
    await context.database.complete(work, run).finally(turn?.leave)
    return reply
  }
}

/** Answers with what the handler of the route makes. */
function answering(route: Route, { once }: Host) {
  const takesKey = isKeyed(route)
  const outlastsSession = changesCredentials(route)
  return async (exchange: Exchange): Promise<void> => {
    const { context, session, request, reply } = exchange
    // Checked after the body, which may have taken long to arrive.
    if (outlastsSession && !(await session.isActiveNow())) throw unauthenticated()
    const key = takesKey ? request.headers['idempotency-key'] : undefined
    if (key !== undefined) return answerKeyed(once, route, exchange, key)
    const held = outlastsSession ? { ...exchange, context: heldTo(session, context) } : exchange
    const answer = await route.handle(held)
    // Without one, the handler has taken over the connection.
    if (answer) reply.send(answer.body)
  }
}

/** The same for reads, with validators, and with 304 to a client that has the same body already. */
const answeringDated =
  (route: Route, { modificationDates, sentDates }: Host) =>
  async (exchange: Exchange): Promise<void> => {
    const { caller, request, reply } = exchange
    // Read before the response is made, because they must cover everything read afterwards.
    const dates = await modificationDates()
    const answer = await route.handle(exchange)
    if (!answer) return
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

/** Changes of credentials outlast the session, so they require one that is valid now, despite the cache. */
const changesCredentials = ({ method, isOpen, isForTokens, changesAccounts }: Route): boolean =>
  method !== 'GET' && !isOpen && (!isForTokens || changesAccounts === true)

/** A request may have waited for a turn, or for the hash of a password, so its transactions check the session again. */
const heldTo = (session: Authenticated, context: Context): Context => ({
  ...context,
  database: requireActiveSession(context.database, session),
})

/** No account has this id, so it neither sees nor changes anything. */
const anonymous = (origin: RequestOrigin): Authenticated => ({
  caller: { id: zeroUuid, isAdministrator: false, origin },
  sessionId: undefined,
  expiresAt: 0,
  recheck: async () => false,
  isActiveNow: async () => false,
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
  const { promise: ended, resolve: leave } = Promise.withResolvers<void>()
  const gone = new AbortController()
  reply.raw.once('close', () => {
    gone.abort()
    leave()
  })
  const askedAt = performance.now()
  let lateFrom = Number.POSITIVE_INFINITY
  await takePlace(turns, account, ended, {
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

/** Executes a POST with a key once. */
async function answerKeyed(once: Once, route: Route, exchange: Exchange, key: string | string[]) {
  const { caller, session, request, reply } = exchange
  const { answer, isReplay } = await once(parseKeyedRequest(key, request, caller), async (context) => {
    const held = changesCredentials(route) ? heldTo(session, context) : context
    const made = await route.handle({ ...exchange, context: held })
    return JSON.stringify(made?.body)
  })
  if (isReplay) reply.header(replayedHeader, 'true')
  // A later request gets it from here, never from a cache.
  reply.type(envelopeType).header('cache-control', 'no-store').send(answer)
}

function addServerTiming(reply: FastifyReply, work: Work): void {
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

/** Parses the header of a POST: the key, and a hash of the request. */
function parseKeyedRequest(key: string | string[], request: FastifyRequest, caller: Caller): KeyedRequest {
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
