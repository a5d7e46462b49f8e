import { createHmac } from 'node:crypto'
import type { ParsedUrlQuery } from 'node:querystring'
import type { FastifyInstance, FastifyReply, FastifyRequest, RouteOptions } from 'fastify'
import { type Authenticated, type Authentication, requireActiveSession } from '../../auth/authenticate.ts'
import { type FairQueue, holdSlotUntil } from '../../db/fair-queue.ts'
import type { ModificationDates } from '../../db/modification-dates.ts'
import { startWork, type Work } from '../../db/work.ts'
import { addressKey, requestOriginOf } from '../../http/addresses.ts'
import { envelopeType } from '../../http/errors.ts'
import { announceDeprecations, checkDeprecation, deprecationsIn } from '../../http/openapi.ts'
import { createSentDates, type SentDates, sendConditional } from '../../http/representations.ts'
import { onceClosed } from '../../http/server.ts'
import { createKeyNormalizer } from '../../http/url.ts'
import type { Caller, RequestOrigin } from '../../model/caller.ts'
import { zeroUuid } from '../../model/field-kinds.ts'
import { invalid, overloaded, Problem, unauthenticated } from '../../model/problem.ts'
import type { Context } from '../../records/context.ts'
import { createRunOnce, type KeyedRequest, type RunOnce } from '../../records/idempotency.ts'
import { rejectThirdPartyApp, rejectToken, requireWebClientSession } from '../../records/rights.ts'
import { resources } from '../../resources/all.ts'
import { pagingNumbers } from '../../resources/define-resource.ts'
import { filterNames } from '../../resources/derived.ts'
import { acceptsIdempotencyKey, type Exchange, type Route } from '../../routes/route.ts'

export interface Registration {
  readonly context: Context
  readonly authentication: Authentication
  readonly modificationDates: ModificationDates
  readonly routes: readonly Route[]
  /** True if administrators receive the duration of their requests. */
  readonly sendsServerTiming: boolean
}

/** Registers the routes. The token is checked before a body is read. */
export function registerRoutes(app: FastifyInstance, registration: Registration) {
  const { context, routes, sendsServerTiming } = registration
  const host: Host = {
    ...registration,
    runOnce: createRunOnce(context),
    sentDates: createSentDates(),
    normalizeKeys: createKeyNormalizer(queryKeysOf(routes)),
    admissions: new WeakMap(),
  }
  for (const route of routes) {
    checkDeprecation(route)
    const options: RouteOptions = {
      method: route.method,
      url: route.path,
      ...(route.bodyBytesMax !== undefined && { bodyLimit: route.bodyBytesMax }),
      onRequest: admissionHookOf(route, host),
      handler: handlerOf(route, host),
      onSend(request, reply, payload, done) {
        const { session, work } = host.admissions.get(request) ?? {}
        // Limited to administrators: timings would reveal rows that other callers may not see.
        if (work && sendsServerTiming && session?.caller.isAdministrator) addServerTiming(reply, work)
        done(null, payload)
      },
    }
    if (route.receive) registerUnparsed(app, options)
    else app.route(options)
  }
}

/** Registers a route in a separate scope, in which bodies are not parsed. */
function registerUnparsed(app: FastifyInstance, options: RouteOptions): void {
  app.register((scope, _options, done) => {
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser('*', async (_request: FastifyRequest, body: unknown) => body)
    scope.route(options)
    done()
  })
}

/** Shared by all routes of a host. */
interface Host extends Registration {
  readonly runOnce: RunOnce
  readonly sentDates: SentDates
  readonly normalizeKeys: ReturnType<typeof createKeyNormalizer>
  readonly admissions: WeakMap<FastifyRequest, Admission>
}

/**
 * The keys that need one spelling: paging, the names that lists know as filters (supported or rejected), and
 * the parameters of the routes.
 */
const queryKeysOf = (routes: readonly Route[]): string[] => [
  ...Object.keys(pagingNumbers),
  ...filterNames.ext,
  ...routes.flatMap(({ parameters = [] }) => parameters.map(({ name }) => name)),
]

interface Admission {
  readonly work: Work
  /** Set once the token was accepted. */
  session?: Authenticated
  slot?: QueueSlot
}

/**
 * Returns the hook that checks the token of a request, and lets the request wait if its route has a queue.
 */
function admissionHookOf(route: Route, { context, authentication, normalizeKeys, admissions }: Host) {
  const { method, isPublic, acceptsPersonalAccessTokens, requiresWebClient, deprecation, queue } = route
  return async (request: FastifyRequest, reply: FastifyReply) => {
    if (deprecation) announceDeprecations(reply, [deprecation])
    request.query = normalizeKeys(request.query as ParsedUrlQuery)
    const origin = { ...requestOriginOf(request), host: 'rest' } as const
    const work = startWork(route.id, 'rest', request.headers.traceparent)
    const admission: Admission = { work }
    admissions.set(request, admission)
    const admit = async () => {
      const session = await authentication
        .authenticate(authorizationOf(route, request), origin)
        .catch((error) => rejectWithChallenge(error, route, request, reply))
      request.isAuthenticated = true
      request.accountId = session.caller.id
      if (requiresWebClient) requireWebClientSession(session.caller)
      else if (!acceptsPersonalAccessTokens) rejectToken(session.caller)
      // Routes that accept no personal access tokens manage accounts and credentials. Third-party apps may only
      // read there: credentials that they create would outlast the user's consent.
      if (!acceptsPersonalAccessTokens && method !== 'GET') rejectThirdPartyApp(session.caller)
      await route.admit?.(session.caller)
      return session
    }
    const session = isPublic ? anonymousSession(origin) : await context.database.during(work, admit)
    admission.session = session
    work.holder = isPublic ? addressKey(origin.address) : session.caller.id
    if (queue) admission.slot = await waitForSlot(queue, session.caller.id, request, reply, work)
  }
}

function rejectWithChallenge(
  error: unknown,
  { challenge }: Route,
  request: FastifyRequest,
  reply: FastifyReply,
): never {
  if (challenge && error instanceof Problem && error.kind === 'unauthenticated')
    reply.header('www-authenticate', challenge(request))
  throw error
}

function authorizationOf({ acceptsTokenInQuery }: Route, request: FastifyRequest): string | undefined {
  const { authorization } = request.headers
  if (!acceptsTokenInQuery || authorization !== undefined) return authorization
  const { token } = request.query as Readonly<Record<string, unknown>>
  return typeof token === 'string' ? `Bearer ${token}` : undefined
}

/** Returns the handler of a route for admitted requests. */
function handlerOf(route: Route, host: Host) {
  const { context, admissions } = host
  const { deprecation, deprecatedFields = {} } = route
  const hasDeprecatedFields = Object.keys(deprecatedFields).length > 0
  const responder = route.isConditional ? conditionalResponderOf(route, host) : responderOf(route, host)
  const respond = withReceivedBody(route, responder)
  return async (request: FastifyRequest, reply: FastifyReply) => {
    const { session, work, slot } = admissions.get(request) ?? {}
    if (!session || !work) throw new Error('A route was reached without authentication.')
    if (hasDeprecatedFields) {
      const bodyDeprecations = deprecationsIn(request.body, deprecatedFields)
      announceDeprecations(reply, deprecation ? [deprecation, ...bodyDeprecations] : bodyDeprecations)
    }
    slot?.bodyArrived()
    const { caller } = session
    const run = () => respond({ context, caller, session, request, reply })
    await context.database.complete(work, run).finally(slot?.release)
    return reply
  }
}

type Respond = (exchange: Exchange) => Promise<void>

/** Receives the body first if the route does so itself. */
function withReceivedBody({ receive }: Route, respond: Respond): Respond {
  if (!receive) return respond
  return async (exchange) => {
    const { body, release } = await receive(exchange)
    exchange.request.body = body
    await respond(exchange).finally(release)
  }
}

/** Sends the response of the route's handler. */
function responderOf(route: Route, { runOnce }: Host) {
  const isKeyedRoute = acceptsIdempotencyKey(route)
  const isCredentialChange = changesCredentials(route)
  return async (exchange: Exchange): Promise<void> => {
    const { context, session, request, reply } = exchange
    // The body may have taken long to arrive, so the session is checked after it.
    if (isCredentialChange && !(await session.isActiveNow())) throw unauthenticated()
    const key = isKeyedRoute ? request.headers['idempotency-key'] : undefined
    if (key !== undefined) return respondOnce(runOnce, route, exchange, key)
    const checkedExchange = isCredentialChange
      ? { ...exchange, context: requireSession(session, context) }
      : exchange
    const response = await route.handle(checkedExchange)
    // Without a response, the handler has taken over the connection.
    if (response) reply.send(response.body)
  }
}

/** Returns the responder for reads. It sends validators, and 304 to a client that already has the body. */
const conditionalResponderOf =
  (route: Route, { modificationDates, sentDates }: Host) =>
  async (exchange: Exchange): Promise<void> => {
    const { caller, request, reply } = exchange
    // The dates are read first, because they must not be newer than the rows.
    const dates = await modificationDates()
    const response = await route.handle(exchange)
    if (!response) return
    sendConditional(request, reply, {
      body: response.json ?? JSON.stringify(response.body),
      callerId: caller.id,
      isAdministrator: caller.isAdministrator,
      sentDates,
      readAt: dates.second,
      // The rights of a personal access token change with the role of its account. No row changes then, so a
      // 304 could confirm an outdated body.
      lastModified: caller.token ? undefined : dates.dateOf(response),
    })
  }

/**
 * Returns whether the route changes credentials. Such a change outlasts the session, so a cached result of
 * the session check is not enough.
 */
const changesCredentials = ({
  method,
  isPublic,
  acceptsPersonalAccessTokens,
  changesAccounts,
}: Route): boolean =>
  method !== 'GET' && !isPublic && (!acceptsPersonalAccessTokens || changesAccounts === true)

/**
 * Makes transactions check the session again, because a request may have waited for a slot or for the hash of
 * a password.
 */
const requireSession = (session: Authenticated, context: Context): Context => ({
  ...context,
  database: requireActiveSession(context.database, session),
})

/** The session of public routes. No account has this id. */
const anonymousSession = (origin: RequestOrigin): Authenticated => ({
  caller: { id: zeroUuid, isAdministrator: false, origin },
  sessionId: undefined,
  expiresAt: 0,
  recheck: async () => false,
  isActiveNow: async () => false,
})

interface QueueSlot {
  bodyArrived(): void
  /** Called when the handler has sent the response. It does not wait until the client has read it. */
  release(): void
}

/** A request whose body is incomplete after this time loses its slot if other requests wait. */
const bodySecondsMax = 2

/** Waits for a slot in the queue. The request keeps it until it is released or the connection closes. */
async function waitForSlot(
  queue: FairQueue,
  account: string,
  request: FastifyRequest,
  reply: FastifyReply,
  work: Work,
): Promise<QueueSlot> {
  const { promise: ended, resolve: release } = Promise.withResolvers<void>()
  const disconnected = new AbortController()
  // The client may have left while its token was checked.
  onceClosed(reply, () => {
    disconnected.abort()
    release()
  })
  const queuedAt = performance.now()
  let bodyDueAt = Number.POSITIVE_INFINITY
  await holdSlotUntil(ended, queue, account, {
    signal: disconnected.signal,
    overdueMilliseconds: () => Math.max(0, performance.now() - bodyDueAt),
    evict() {
      release()
      // The rest of the body is not read.
      reply.raw.once('finish', () => request.raw.destroy())
      reply.send(overloaded('The body came too slowly while others waited.', { retryAfterSeconds: 5 }))
    },
  })
  const enteredAt = performance.now()
  work.waitSeconds += (enteredAt - queuedAt) / 1000
  bodyDueAt = enteredAt + bodySecondsMax * 1000
  return {
    release,
    bodyArrived() {
      bodyDueAt = Number.POSITIVE_INFINITY
    },
  }
}

/** Executes a POST with a key once. */
async function respondOnce(runOnce: RunOnce, route: Route, exchange: Exchange, key: string | string[]) {
  const { caller, session, request, reply } = exchange
  const { answer, isReplay } = await runOnce(parseKeyedRequest(key, request, caller), async (context) => {
    const checkedContext = changesCredentials(route) ? requireSession(session, context) : context
    const response = await route.handle({ ...exchange, context: checkedContext })
    return JSON.stringify(response?.body)
  })
  if (isReplay) reply.header(replayedHeader, 'true')
  // A repeated request must reach the host, not a cache.
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

/** Parses the key in the header of a POST, and hashes the request. */
function parseKeyedRequest(key: string | string[], request: FastifyRequest, caller: Caller): KeyedRequest {
  // Only visible characters are allowed. Node joins two headers with a comma and a space, so they are
  // rejected too.
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
    // The response for one token must not be returned for another token with fewer rights.
    key: hashOf(key, caller.token ? `key of ${caller.token.id}` : 'key'),
    // Encrypts the stored response.
    secret: hashOf(key, 'answer'),
    request: hashOf(key, `${method} ${routeOptions.url}\n${JSON.stringify(body, comparableValue)}`),
  }
}

const hashOf = (key: string, text: string): Buffer => createHmac('sha256', key).update(text).digest()

/** Passwords are excluded, because a fast hash would help to guess them from a copy of the database. */
const secretNames: ReadonlySet<string> = new Set([
  'currentPassword',
  'newPassword',
  ...resources.flatMap(({ fields }) => Object.keys(fields).filter((name) => fields[name]?.isSecret)),
])

/**
 * Replaces values in JSON so that requests that differ only in the order of keys or in passwords are equal.
 */
function comparableValue(name: string, value: unknown): unknown {
  if (secretNames.has(name)) return undefined
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  return Object.fromEntries(Object.entries(value).sort(([first], [second]) => (first < second ? -1 : 1)))
}
