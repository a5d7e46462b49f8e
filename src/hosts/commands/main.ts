import type { AddressInfo } from 'node:net'
import { Server, ServerCredentials, status } from '@grpc/grpc-js'
import type { FastifyInstance } from 'fastify'
import { administratorsOf } from '../../accounts/administrators.ts'
import type { Authentication } from '../../auth/authenticate.ts'
import { type Budgets, budgetLimits } from '../../config/budgets.ts'
import { hostAndPort, type MetricsSettings } from '../../config/host-settings.ts'
import { openInstances } from '../../db/instances.ts'
import { storeReadiness } from '../../db/migrate.ts'
import { createFeedStreams } from '../../features/changes/feed-streams.ts'
import { createStreamLimits } from '../../features/changes/streams.ts'
import { measureHost, shareMetricsOf } from '../../http/host-metrics.ts'
import {
  addHealthRoutes,
  lingerMilliseconds,
  listen,
  prepareShutdown,
  type ReadinessCheck,
  type Shutdown,
} from '../../http/listen.ts'
import type { Log } from '../../http/log.ts'
import { createServer, smallBodyLimits } from '../../http/server.ts'
import {
  countEvents,
  createRejectionLog,
  createSecurityLog,
  type SecurityLog,
} from '../../observability/security-log.ts'
import type { Context, SharedContext } from '../../records/context.ts'
import { resources } from '../../resources/all.ts'
import type { Edition, Resource } from '../../resources/define-resource.ts'
import { resourcesOf } from '../../resources/derived.ts'
import {
  type AdmittedCalls,
  admitCalls,
  createTrustedConnections,
  limitUnauthenticatedCalls,
} from './admit-calls.ts'
import { messageBytesMax } from './call-error.ts'
import { createCallLog, createRequestIds, type RequestIds } from './call-log.ts'
import { type Command, commandsOfResources, historyCommands } from './commands.ts'
import type { CommandSettings } from './configuration.ts'
import {
  answerOtherRequests,
  guardStreams,
  paceRequests,
  rejectUnreadableMessages,
  requestTimeLimit,
  type StreamLimits,
} from './guard-streams.ts'
import { createAccountCallLimit, createCallLimiter, trustedProxiesDefault } from './limit-calls.ts'
import { limitNewcomers, type Newcomers } from './newcomers.ts'
import { createPendingRequests } from './pending-requests.ts'
import { addStandardServices } from './protobuf/standard-services.ts'
import { commandNames, registerCommands } from './register-commands.ts'
import { http2ServersOf, type OpenCalls, stopServer, trackCalls, trackConnections } from './stop-server.ts'

export interface CommandHost {
  readonly port: number
  readonly diagnosticsPort: number
  /** Keeps serving, but reports that it is about to stop. */
  announceStop(): void
  stop(): Promise<void>
}

/** Wires the command host and listens. `declared` are the resources that it serves. */
export async function startCommands(
  shared: SharedContext,
  authentication: Authentication,
  settings: CommandSettings,
  log: Log,
  limitOverrides: Partial<TimeLimits> = {},
  declared: readonly Resource[] = resources,
): Promise<CommandHost> {
  const limits = { ...timeLimits, ...limitOverrides }
  const proxies = settings.trustedProxies(trustedProxiesDefault)
  const events = countEvents(createSecurityLog(log))
  const context = { ...shared, administrators: administratorsOf(settings), securityLog: events.log }
  const limiter = openCallLimiter(context, settings)
  const { diagnostics, shutdown } = createDiagnostics(authentication, storeReadiness(context.database), {
    log,
    trustedHops: proxies,
    budgets: context.budgets,
  })
  const allCommands = [
    ...commandsOfEdition('v1', declared),
    ...(settings.extensions ? commandsOfEdition('ext', declared) : []),
  ]
  const feeds = openFeeds(context, log)
  const readers = { feeds: feeds.secondsBehind }
  const instances = openInstances({ ...context, host: 'commands', settings: settings.shared, log })
  const shareMetrics = shareMetricsOf('commands', context.peers)
  const parts = { ...context, instances, events, readers, shareMetrics }
  const measureCall = await measureCalls(diagnostics, parts, settings)
  const callLog = createCallLog(log, measureCall)
  const requestIds = createRequestIds()
  const guards = createGuards(context.budgets, proxies, limits)
  const admitted = admitCalls({
    ...guards,
    authentication,
    waitForRateLimit: limiter.waitForRateLimit,
    callLog: createCallLog(log.rateLimited, measureCall),
    requestIds,
    commandAt: commandNames(allCommands, settings.dotnetNamespace),
  })
  const calls = trackCalls()
  const server = new Server(serverOptions(limits, { requestIds, admitted, calls }))
  const handlerOptions = { ...settings, ...admitted, ...limits, feeds, callLog, requestIds }
  registerCommands(server, { ...handlerOptions, commands: allCommands, context })
  const standard = addStandardServices(server, allCommands)
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
  await instances.join()
  let hasAnnouncedStop = false
  return {
    port,
    diagnosticsPort: (diagnostics.server.address() as AddressInfo).port,
    announceStop() {
      hasAnnouncedStop = true
      standard.announceStop()
      shutdown.announceStop()
    },
    async stop() {
      const open = { ...guarded, standard, limiter, feeds, calls }
      await Promise.all([stopServer(server, { ...limits, ...open, hasAnnouncedStop }), shutdown.stop()])
      await instances.leave()
    },
  }
}

const openFeeds = (context: Context, log: Log) =>
  createFeedStreams(context, createStreamLimits(context.budgets), (error) =>
    log.warn({ err: error }, 'Live listings and feeds wait for the store.'),
  )

function createGuards(budgets: Budgets, proxies: number, { unauthenticatedMilliseconds }: TimeLimits) {
  const trusted = createTrustedConnections()
  return {
    proxies,
    trusted,
    newcomers: limitNewcomers(budgets, proxies),
    pendingRequests: createPendingRequests(budgets),
    limitAccountCalls: createAccountCallLimit(budgets),
    unauthenticatedCalls: limitUnauthenticatedCalls(
      budgets,
      { trusted, proxies },
      unauthenticatedMilliseconds,
    ),
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
  answerOtherRequests(http2Servers, diagnostics)
  guardStreams(http2Servers, newcomers, limits)
  return { http2Servers, newcomers, connections: trackConnections(http2Servers, budgets) }
}

function openCallLimiter(
  { peers, securityLog }: Pick<SharedContext, 'peers'> & { readonly securityLog: SecurityLog },
  settings: CommandSettings,
) {
  const onRejected = createRejectionLog(securityLog)
  return createCallLimiter({
    ...settings,
    shared: peers?.limiter('commands'),
    onRejected: (address) => onRejected({ address }),
  })
}

export interface TimeLimits extends StreamLimits {
  readonly requestMilliseconds: number
  readonly keepaliveMilliseconds: number
  /** Limits a call of reflection or health on a connection without a token. */
  readonly unauthenticatedMilliseconds: number
  /** Limits how long a client may leave a stream unread. */
  readonly unreadStreamMilliseconds: number
  /** Limits how long a client may keep a connection to a host that has announced its stop. */
  readonly lingerMilliseconds: number
  /** Limits how long the host waits for calls in flight when it stops. */
  readonly stopMilliseconds: number
}

const timeLimits: TimeLimits = {
  // The same as on the HTTP hosts: the largest message takes half of this time over a slow mobile connection.
  requestMilliseconds: 60_000,
  unreadResponseMilliseconds: 60_000,
  // The interval of the pings that probe a connection.
  keepaliveMilliseconds: 60_000,
  // A load balancer that watches health reconnects. No other client needs this long.
  unauthenticatedMilliseconds: 5 * 60_000,
  // Proxies usually wait this long for a client that reads nothing.
  unreadStreamMilliseconds: 30_000,
  lingerMilliseconds,
  // Container platforms kill a process after 10 s, and closing the store takes a part of that.
  stopMilliseconds: 8000,
}

/**
 * Interceptors receive a call in this order. All up to the first that wraps the call receive the library's
 * own object.
 */
const serverOptions = (limits: TimeLimits, { requestIds, admitted, calls }: Interceptors) => ({
  'grpc.max_receive_message_length': messageBytesMax,
  'grpc.max_concurrent_streams': budgetLimits.commandStreamsBeforeToken.max,
  // Without pings, a peer that lost its power or never sends anything would keep its connection.
  'grpc.keepalive_time_ms': limits.keepaliveMilliseconds,
  'grpc.keepalive_timeout_ms': Math.min(pingMilliseconds, limits.keepaliveMilliseconds),
  'grpc.enable_channelz': 0,
  interceptors: [
    rejectUnreadableMessages,
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
      error ? reject(Object.assign(error, portInUse(error, port))) : resolve(bound),
    )
  })
}

/** The library reports a port in use only in the message of its error. */
const portInUse = ({ message }: Error, port: number) =>
  message.includes('EADDRINUSE') ? { code: 'EADDRINUSE', port } : {}

/** Every command of an edition, in the order of its .proto file. */
export const commandsOfEdition = (edition: Edition, declared: readonly Resource[] = resources): Command[] => [
  ...commandsOfResources(resourcesOf(edition, declared)),
  ...(edition === 'ext' ? historyCommands : []),
]

/** The HTTP/1.1 side: health for all clients, and `GET /` for clients with a token. */
function createDiagnostics(
  authentication: Authentication,
  checks: readonly ReadinessCheck[],
  { log, trustedHops, budgets }: { log: Log; trustedHops: number; budgets: Budgets },
): { readonly diagnostics: FastifyInstance; readonly shutdown: Shutdown } {
  const app = createServer({
    log,
    trustedHops,
    budgets,
    ...smallBodyLimits(budgetLimits.diagnosticsBodyBytes.max),
  })
  const shutdown = prepareShutdown(app)
  app.get('/', {
    async onRequest(request) {
      await authentication.authenticate(request.headers.authorization)
      request.isAuthenticated = true
    },
    handler: (_request, reply) => reply.send('Hello World!'),
  })
  addHealthRoutes(app, [shutdown.readiness, ...checks, authentication.readiness])
  return { diagnostics: app, shutdown }
}

/** Measures durations by command and status, in addition to the metrics of every host at `/metrics`. */
async function measureCalls(
  diagnostics: FastifyInstance,
  parts: Parameters<typeof measureHost>[1],
  options: MetricsSettings,
) {
  const metrics = await measureHost(diagnostics, parts, options)
  if (!metrics) return () => undefined
  const record = metrics.histogram('commands')
  const countFailure = metrics.counter('commandFailures')
  return (command: string, code: status, seconds: number) => {
    if (failureCodes.has(code)) countFailure()
    record({ command, code: status[code] }, seconds)
  }
}

/** The codes of failures that are not the client's mistake. */
const failureCodes: ReadonlySet<status> = new Set([status.INTERNAL, status.UNKNOWN, status.UNAVAILABLE])
