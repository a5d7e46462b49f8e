import { createHash, timingSafeEqual } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { BlockList, isIPv6 } from 'node:net'
import type { FastifyInstance } from 'fastify'
import type { MetricsSettings } from '../config/host-settings.ts'
import { unauthenticated } from '../model/problem.ts'
import type { WorkerPeers } from '../model/worker-peers.ts'
import type { BudgetsToWatch, Metrics } from '../observability/metrics.ts'
import type { CountedEvents } from '../observability/security-log.ts'
import { sendEnvelope } from './errors.ts'
import { notFoundEnvelope } from './server.ts'
import { pathOf } from './url.ts'

/** The part of a database that is measured. */
interface TimedStore {
  readonly standbyOutcomes?: Readonly<Record<string, number>> | undefined
  onStatement(listener: (ended: { readonly kind: string; readonly seconds: number }) => void): void
}

/** The part of `Instances` that is measured. */
interface MeasuredInstances {
  disagreements(): ReadonlyMap<string, number>
  backupAt(): number | undefined
}

export interface MeasuredParts {
  readonly budgets: BudgetsToWatch
  readonly database?: TimedStore
  readonly instances?: MeasuredInstances
  readonly events?: Pick<CountedEvents, 'counts'>
  /** Functions that return how many seconds a reader is behind the change log, by the name of the reader. */
  readonly readers?: Readonly<Record<string, () => number>>
  /** Merges the metrics of all processes that serve the host. */
  readonly shareMetrics?: ShareMetrics | undefined
}

/** Returns a function that reads the metrics of all processes. */
type ShareMetrics = (readOwn: () => Promise<object[]>) => () => Promise<readonly object[]>

export const shareMetricsOf = (host: string, peers: WorkerPeers | undefined): ShareMetrics | undefined =>
  peers && ((readOwn) => peers.shareMetrics(host, readOwn))

/** Serves the metrics that all hosts have at `/metrics`. Their library is loaded only if they are enabled. */
export async function measureHost(
  app: FastifyInstance,
  { budgets, database, instances, events, readers, shareMetrics }: MeasuredParts,
  { metrics: isOn, metricsToken }: MetricsSettings,
): Promise<Metrics | undefined> {
  if (!isOn) return undefined
  const { mergedPage, openMetrics, watchHost } = await import('../observability/metrics.ts')
  const metrics = openMetrics()
  watchHost(metrics, budgets)
  measureRequests(app, metrics)
  const readAll = shareMetrics?.(metrics.toData)
  const readPage = readAll ? async () => mergedPage(await readAll()) : metrics.prometheusPage
  servePage(app, readPage, metricsToken)
  if (database) measureStore(metrics, database)
  if (instances) measureInstances(metrics, instances)
  if (events) measureEvents(metrics, events)
  if (readers) measureLag(metrics, readers)
  return metrics
}

/** Measures how long this process waits for its store, and counts the reads of standbys. */
export function measureStore(metrics: Metrics, { onStatement, standbyOutcomes }: TimedStore): void {
  const record = metrics.histogram('statements')
  onStatement(({ kind, seconds }) => {
    // The duration of its transaction includes this statement.
    if (kind !== 'in transaction') record({ kind }, seconds)
  })
  if (standbyOutcomes === undefined) return
  metrics.watch('standbyReads', () =>
    Object.entries(standbyOutcomes).map(([outcome, count]) => [{ outcome }, count] as const),
  )
}

export function measureInstances(metrics: Metrics, { disagreements, backupAt }: MeasuredInstances): void {
  metrics.watch('settingDisagreements', () =>
    [...disagreements()].map(([setting, count]) => [{ setting }, count] as const),
  )
  metrics.watch('latestBackup', () => {
    const milliseconds = backupAt()
    return milliseconds === undefined ? [] : [[{}, milliseconds / 1000] as const]
  })
}

/** Measures the lag of live listings and feeds behind the change log. */
export const measureLag = (metrics: Metrics, readers: Readonly<Record<string, () => number>>): void =>
  metrics.watch('changeLogLag', () =>
    Object.entries(readers).map(([reader, secondsBehind]) => [{ reader }, secondsBehind()] as const),
  )

export const measureEvents = (metrics: Metrics, events: Pick<CountedEvents, 'counts'>): void =>
  metrics.watch('securityEvents', () => {
    const counts = [...events.counts()]
    const missing = eventsFromStart.filter(
      (series) => !counts.some(({ event, outcome }) => event === series.event && outcome === series.outcome),
    )
    return [
      ...missing.map((labels) => [labels, 0] as const),
      ...counts.map(({ event, outcome, count }) => [{ event, outcome }, count] as const),
    ]
  })

/** The series of the alert `TrackerRefusedSignIns`. They begin with 0, because a rate misses a first event. */
const eventsFromStart = [
  { event: 'sign-in', outcome: 'right' },
  { event: 'sign-in', outcome: 'wrong' },
  { event: 'sign-in', outcome: 'locked' },
  { event: 'client-refused', outcome: 'wrong credentials' },
  { event: 'token-refused', outcome: 'audience' },
]

function measureRequests(app: FastifyInstance, metrics: Metrics): void {
  const countError = metrics.counter('serverErrors')
  const record = metrics.histogram('requests')
  app.addHook('onResponse', (request, reply, done) => {
    if (reply.statusCode >= 500) countError()
    if (isEndless(reply.getHeader('content-type'))) return done()
    // Labels have the pattern of the route, because every unknown path would create another series.
    const route = request.is404 ? 'unmatched' : (request.routeOptions.url ?? 'unmatched')
    const method = methods.has(request.method) ? request.method : 'other'
    record({ method, route, status: reply.statusCode }, reply.elapsedTime / 1000)
    done()
  })
}

function servePage(
  app: FastifyInstance,
  readPage: Metrics['prometheusPage'],
  token: string | undefined,
): void {
  app.get('/metrics', async (request, reply) => {
    // Proxies block this path, and their rule may match only this spelling.
    if (pathOf(request.url) !== '/metrics') return sendEnvelope(reply, notFoundEnvelope)
    if (!mayReadMetrics(request.raw, token)) throw unauthenticated()
    request.isAuthenticated = true
    const { text, type } = await readPage()
    return reply.header('cache-control', 'no-store').type(type).send(text)
  })
}

const methods: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])

function isEndless(contentType: unknown): boolean {
  return String(contentType).startsWith('text/event-stream')
}

/**
 * Returns whether a request for `/metrics` may be answered. A configured token must be presented. Without a
 * token, only programs on this machine may read the metrics: the address must be a loopback address, and no
 * header may say that a proxy forwarded the request.
 */
export function mayReadMetrics({ headers, socket }: IncomingMessage, token: string | undefined): boolean {
  if (token !== undefined) return isEqual(bearerIn(headers.authorization), token)
  return (
    isLoopback(socket.remoteAddress ?? '') && forwardedHeaders.every((name) => headers[name] === undefined)
  )
}

const forwardedHeaders = [
  'forwarded',
  'via',
  'x-forwarded-for',
  'x-forwarded-host',
  'x-forwarded-proto',
  'x-real-ip',
]

const bearerIn = (header = ''): string => /^bearer +(\S{1,512})$/i.exec(header)?.[1] ?? ''

/** Compares digests of equal length, so the time reveals nothing about the token. */
const isEqual = (presented: string, expected: string): boolean =>
  timingSafeEqual(digestOf(presented), digestOf(expected))
const digestOf = (text: string): Buffer => createHash('sha256').update(text).digest()

const loopback = new BlockList()
loopback.addSubnet('127.0.0.0', 8, 'ipv4')
loopback.addAddress('::1', 'ipv6')

const isLoopback = (address: string): boolean => loopback.check(address, isIPv6(address) ? 'ipv6' : 'ipv4')
