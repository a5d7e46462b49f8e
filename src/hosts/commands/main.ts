import type { AddressInfo } from 'node:net'
import { Server, ServerCredentials, status } from '@grpc/grpc-js'
import type { FastifyInstance } from 'fastify'
import type { Authentication } from '../../auth/authenticate.ts'
import { type Budgets, budgetLimits } from '../../config/budgets.ts'
import type { MetricsSettings } from '../../config/host-settings.ts'
import { storeReadiness } from '../../db/migrate.ts'
import { createFeedStreams } from '../../features/changes/feed-streams.ts'
import { createStreamLimits } from '../../features/changes/stream-limits.ts'
import { countEvents } from '../../http/count-events.ts'
import { addHealthRoutes, type ReadinessCheck } from '../../http/health.ts'
import { measureHost } from '../../http/host-metrics.ts'
import { hostAndPort } from '../../http/host-url.ts'
import { lingerMilliseconds, listen, prepareStop, type Stopping } from '../../http/listen.ts'
import type { Log } from '../../http/log.ts'
import { createServer, smallBodies } from '../../http/server.ts'
import { createSecurityLog, requestsRejected } from '../../observability/security-log.ts'
import type { Context } from '../../records/context.ts'
import { resources, resourcesOf } from '../../resources/all.ts'
import type { Edition, Resource } from '../../resources/define-resource.ts'
import { type AdmittedCalls, admitCalls } from './admit-calls.ts'
import { messageBytesMax } from './call-error.ts'
import { createCallLog, createRequestIds, type RequestIds } from './call-log.ts'
import { type Command, commandsOfResources } from './commands.ts'
import type { CommandSettings } from './configuration.ts'
import {
  answerRoot,
  answerUnreadable,
  guardStreams,
  paceRequests,
  requestTimeLimit,
  type StreamLimits,
} from './guard-streams.ts'
import { historyCommands } from './history-commands.ts'
import { createCallCounter, createCallLimiter, proxiesByDefault } from './limit-calls.ts'
import { limitNewcomers, type Newcomers } from './newcomers.ts'
import { createPendingRequests } from './pending-requests.ts'
import { addStandardServices } from './protobuf/standard-services.ts'
import { commandNames, registerCommands } from './register-commands.ts'
import { http2ServersOf, type OpenCalls, stopServer, trackCalls, trackConnections } from './stop-server.ts'
import { createTrustedConnections, limitUnauthenticatedCalls } from './unauthenticated-calls.ts'

export interface CommandHost {
  readonly port: number
  readonly diagnosticsPort: number
  /** Keeps serving, but reports that it is about to stop. */
  leave(): void
  stop(): Promise<void>
}

/** Wires the command host and listens. `declared` are the resources that it serves. */
export async function startCommands(
  context: Context,
  authentication: Authentication,
  settings: CommandSettings,
  log: Log,
  givenLimits: Partial<TimeLimits> = {},
  declared: readonly Resource[] = resources,
): Promise<CommandHost> {
  const limits = { ...timeLimits, ...givenLimits }
  const proxies = settings.trustedProxies(proxiesByDefault)
  const events = countEvents(createSecurityLog(log))
  const onRejected = requestsRejected(events.log)
  const limiter = createCallLimiter({ ...settings, onRejected: (address) => onRejected({ address }) })
  const { diagnostics, stopping } = createDiagnostics(authentication, storeReadiness(context.database), {
    log,
    trustedHops: proxies,
    budgets: context.budgets,
  })
  const all = [...commands('v1', declared), ...(settings.extensions ? commands('ext', declared) : [])]
  const feeds = openFeeds(context, log)
  const readers = { feeds: feeds.secondsBehind }
  const measureCall = await measureCalls(diagnostics, { ...context, events, readers }, settings)
  const callLog = createCallLog(log, measureCall)
  const requestIds = createRequestIds()
  const guards = guardsOf(context.budgets, proxies, limits)
  const admitted = admitCalls({
    ...guards,
    authentication,
    admit: limiter.admit,
    callLog: createCallLog(log.ofUnauthenticated, measureCall),
    requestIds,
    commandAt: commandNames(all, settings.dotnetNamespace),
  })
  const calls = trackCalls()
  const server = new Server(serverOptions(limits, { requestIds, admitted, calls }))
  registerCommands(server, {
    ...{ ...settings, ...admitted, ...limits, feeds, callLog, requestIds },
    commands: all,
    context: { ...context, securityLog: events.log },
  })
  const standard = addStandardServices(server, all)
  const port = await bind(server, settings)
  const guarded = guardConnections(server, context.budgets, {
    newcomers: guards.newcomers,
    diagnostics,
    limits,
  })
  try {
    await listen(diagnostics, { host: settings.host, port: settings.diagnosticsPort })
  } catch (error) {
    server.forceShutdown()
    throw error
  }
  let hasLeft = false
  return {
    port,
    diagnosticsPort: (diagnostics.server.address() as AddressInfo).port,
    leave() {
      hasLeft = true
      standard.announceStop()
      stopping.leave()
    },
    async stop() {
      const parts = { ...guarded, standard, limiter, feeds, calls, hasLeft }
      await Promise.all([stopServer(server, { ...limits, ...parts }), stopping.stop()])
    },
  }
}

const openFeeds = (context: Context, log: Log) =>
  createFeedStreams(context, createStreamLimits(context.budgets), (error) =>
    log.warn({ err: error }, 'Live listings and feeds wait for the store.'),
  )

function guardsOf(budgets: Budgets, proxies: number, { unauthenticatedMilliseconds }: TimeLimits) {
  const trusted = createTrustedConnections()
  return {
    proxies,
    trusted,
    newcomers: limitNewcomers(budgets, proxies),
    pendingRequests: createPendingRequests(budgets),
    countCall: createCallCounter(budgets),
    unauthenticated: limitUnauthenticatedCalls(budgets, { trusted, proxies }, unauthenticatedMilliseconds),
  }
}

function guardConnections(
  server: Server,
  budgets: Budgets,
  {
    newcomers,
    diagnostics,
    limits,
  }: {
    readonly newcomers: Newcomers
    readonly diagnostics: FastifyInstance
    readonly limits: StreamLimits
  },
) {
  const http2Servers = http2ServersOf(server)
  newcomers.guard(http2Servers)
  answerRoot(http2Servers, diagnostics)
  guardStreams(http2Servers, newcomers, limits)
  return { http2Servers, newcomers, connections: trackConnections(http2Servers, budgets) }
}

/** The time limits of clients. */
export interface TimeLimits extends StreamLimits {
  readonly requestMilliseconds: number
  readonly silenceMilliseconds: number
  /** Limits a call of reflection or health on a connection without a token. */
  readonly unauthenticatedMilliseconds: number
  /** Limits how long a client may accept nothing of a stream. */
  readonly takeMilliseconds: number
  /** Limits how long a client may keep a connection to a host that has announced its stop. */
  readonly lingerMilliseconds: number
  /** Limits the calls in flight when the host stops. */
  readonly stopMilliseconds: number
}

const timeLimits: TimeLimits = {
  // The same as on the HTTP hosts: the largest message takes half of it over a slow mobile connection.
  requestMilliseconds: 60_000,
  answerMilliseconds: 60_000,
  // After this the connection is probed with a ping.
  silenceMilliseconds: 60_000,
  // A load balancer that watches health reconnects; no other client needs this long.
  unauthenticatedMilliseconds: 5 * 60_000,
  // The time that proxies wait for a client that reads nothing.
  takeMilliseconds: 30_000,
  lingerMilliseconds,
  // Container platforms kill after 10 s, and closing the store takes a part of that.
  stopMilliseconds: 8000,
}

/** The interceptors are in the order in which they see a call: the first receives the library's call itself. */
const serverOptions = (limits: TimeLimits, { requestIds, admitted, calls }: Interceptors) => ({
  'grpc.max_receive_message_length': messageBytesMax,
  'grpc.max_concurrent_streams': budgetLimits.commandStreamsBeforeToken.max,
  // A peer that lost its power, or one that never sends anything, would keep its connection.
  'grpc.keepalive_time_ms': limits.silenceMilliseconds,
  'grpc.keepalive_timeout_ms': Math.min(pingMilliseconds, limits.silenceMilliseconds),
  'grpc.enable_channelz': 0,
  interceptors: [
    answerUnreadable,
    requestIds.interceptor,
    admitted.interceptor,
    paceRequests,
    requestTimeLimit(limits.requestMilliseconds),
    calls.interceptor,
  ],
})

interface Interceptors {
  readonly requestIds: RequestIds
  readonly admitted: AdmittedCalls
  readonly calls: OpenCalls
}

/** Leaves time for the answer to a ping over a bad connection. */
const pingMilliseconds = 20_000

function bind(server: Server, { host, port }: CommandSettings): Promise<number> {
  return new Promise((resolve, reject) => {
    server.bindAsync(hostAndPort(host, port), ServerCredentials.createInsecure(), (error, bound) =>
      error ? reject(Object.assign(error, inUse(error, port))) : resolve(bound),
    )
  })
}

/** The library reports a port in use only by a sentence. */
const inUse = ({ message }: Error, port: number) =>
  message.includes('EADDRINUSE') ? { code: 'EADDRINUSE', port } : {}

/** Every command of an edition, in the order of its .proto file. */
export const commands = (edition: Edition, declared: readonly Resource[] = resources): Command[] => [
  ...commandsOfResources(resourcesOf(edition, declared)),
  ...(edition === 'ext' ? historyCommands : []),
]

/** The HTTP/1.1 side: health for all clients, and `GET /` under the fallback policy. */
function createDiagnostics(
  authentication: Authentication,
  checks: readonly ReadinessCheck[],
  { log, trustedHops, budgets }: { log: Log; trustedHops: number; budgets: Budgets },
): { readonly diagnostics: FastifyInstance; readonly stopping: Stopping } {
  const app = createServer({
    log,
    trustedHops,
    budgets,
    ...smallBodies(budgetLimits.diagnosticsBodyBytes.max),
  })
  const stopping = prepareStop(app)
  app.get('/', {
    async onRequest(request) {
      await authentication.authenticate(request.headers.authorization)
      request.isAuthenticated = true
    },
    handler: (_request, reply) => reply.send('Hello World!'),
  })
  addHealthRoutes(app, [stopping.readiness, ...checks])
  return { diagnostics: app, stopping }
}

/** Measures durations by command and status, at `/metrics` of the diagnostics, together with the metrics of every host. */
async function measureCalls(
  diagnostics: FastifyInstance,
  parts: Parameters<typeof measureHost>[1],
  options: MetricsSettings,
) {
  const metrics = await measureHost(diagnostics, parts, options)
  if (!metrics) return () => undefined
  const record = metrics.histogram('commands')
  return (command: string, code: status, seconds: number) => record({ command, code: status[code] }, seconds)
}
