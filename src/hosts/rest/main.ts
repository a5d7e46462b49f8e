import type { FastifyInstance } from 'fastify'
import { administratorsOf } from '../../accounts/administrators.ts'
import type { QueuedMail } from '../../accounts/mail-queue.ts'
import type { Authentication } from '../../auth/authenticate.ts'
import type { MailSettings } from '../../config/host-settings.ts'
import { openInstances } from '../../db/instances.ts'
import { storeReadiness } from '../../db/migrate.ts'
import { createModificationDates } from '../../db/modification-dates.ts'
import { type Files, openFiles, startSweep } from '../../features/attachments/files.ts'
import { createFeedStreams } from '../../features/changes/feed-streams.ts'
import { createLiveListings } from '../../features/changes/live-listings.ts'
import { createStreamLimits } from '../../features/changes/streams.ts'
import { startNotifications } from '../../features/notifications/follow.ts'
import { composeNotifications } from '../../features/notifications/mails.ts'
import { startWebhooks } from '../../features/webhooks/worker.ts'
import { type AllowedReceivers, allowedReceivers } from '../../http/addresses.ts'
import { measureHost, shareMetricsOf } from '../../http/host-metrics.ts'
import { addHealthRoutes, addHelloRoute, listen, prepareShutdown } from '../../http/listen.ts'
import type { Log } from '../../http/log.ts'
import { addDocumentation } from '../../http/openapi.ts'
import { compressAnswers } from '../../http/representations.ts'
import { createServer } from '../../http/server.ts'
import { forbidden } from '../../model/problem.ts'
import { countEvents, createRejectionLog, createSecurityLog } from '../../observability/security-log.ts'
import type { Context, SharedContext } from '../../records/context.ts'
import { resources } from '../../resources/all.ts'
import type { Resource } from '../../resources/define-resource.ts'
import type { Route } from '../../routes/route.ts'
import type { RestSettings } from './configuration.ts'
import { openApiOf } from './openapi.ts'
import { registerRoutes } from './register-routes.ts'
import { aboutContract, aboutExtensions, contractRoutes, extensionRoutes } from './routes.ts'

export interface RestHost {
  readonly app: FastifyInstance
  /** Keeps serving, but reports that it is about to stop. */
  announceStop(): void
  stop(): Promise<void>
}

/** A load balancer and one more proxy are expected in front of this host. */
const trustedProxiesDefault = 2

/** Wires the REST host and listens. `declared` are the resources that it serves. */
export async function startRest(
  shared: SharedContext,
  authentication: Authentication,
  settings: RestSettings,
  log: Log,
  declared: readonly Resource[] = resources,
): Promise<RestHost> {
  const events = countEvents(createSecurityLog(log))
  const context = { ...shared, administrators: administratorsOf(settings), securityLog: events.log }
  const app = createServer({
    log,
    trustedHops: settings.trustedProxies(trustedProxiesDefault),
    budgets: context.budgets,
    cors: { origins: settings.allowedOrigins },
    rateLimit: {
      ...settings.rateLimit,
      shared: context.peers?.limiter('rest'),
      onRejected: createRejectionLog(events.log),
    },
  })
  const { readiness, announceStop, stop } = prepareShutdown(app)
  const streamLimits = createStreamLimits(context.budgets)
  const onFailure = (error: unknown) =>
    log.warn({ err: error }, 'Live listings and feeds wait for the store.')
  const live = createLiveListings(context, streamLimits, onFailure)
  const feeds = createFeedStreams(context, streamLimits, onFailure)
  app.addHook('preClose', async () => {
    live.closeForShutdown()
    feeds.closeForShutdown()
  })
  const readers = { 'live listings': live.secondsBehind, feeds: feeds.secondsBehind }
  const files = await openAttachments(context, settings, log)
  const sharedSettings = { ...settings.shared, ...(files && { [filesSetting]: files.identity }) }
  const instances = openInstances({ ...context, host: 'rest', settings: sharedSettings, log })
  const shareMetrics = shareMetricsOf('rest', context.peers)
  const metrics = await measureHost(app, { ...context, instances, events, readers, shareMetrics }, settings)
  if (files) metrics?.watch('attachmentBytes', () => Object.entries(files.bytes).map(byDirection))
  compressAnswers(app, context.budgets.budget('restCompressions'))
  const receivers = allowedReceivers(settings.webhookReceivers)
  const contract = contractRoutes(context, live, declared)
  const parts = { ...extensionSettings(settings), live, feeds, receivers, contract }
  // There are files if, and only if, the extensions are on.
  const extensions = files ? extensionRoutes(context, { ...parts, files }) : []
  registerRoutes(app, {
    context,
    authentication,
    modificationDates: createModificationDates(context.database),
    routes: rejectPasswordRoutes([...contract, ...extensions], settings),
    sendsServerTiming: settings.extensions,
  })
  addHelloRoute(app)
  addHealthRoutes(app, [readiness, ...storeReadiness(context.database), authentication.readiness])
  const about = aboutContract(declared)
  addDocumentation(app, {
    title: about.title,
    document: () => openApiOf(contract, about),
    ...(settings.extensions && {
      extensions: { title: aboutExtensions.title, document: () => openApiOf(extensions, aboutExtensions) },
    }),
  })
  await listen(app, settings)
  await instances.join()
  const workers = await startWorkers(context, settings, log, { receivers, files })
  return {
    app,
    announceStop,
    async stop() {
      await Promise.all([stop(), ...workers.map((worker) => worker.stop())])
      await instances.leave()
    },
  }
}

const extensionSettings = (settings: RestSettings) => ({
  issuer: settings.issuer,
  signInMethods: settings,
  hasMail: settings.mail !== undefined,
  webOrigin: settings.allowedOrigins[0],
})

/** Starts the background work, which all instances share. */
async function startWorkers(
  context: Context,
  { extensions, webhooks, mail }: RestSettings,
  log: Log,
  { receivers, files }: { readonly receivers: AllowedReceivers; readonly files: Files | undefined },
): Promise<readonly { stop(): Promise<void> }[]> {
  const { database, administrators, budgets, securityLog } = context
  const webhookWorker = () =>
    startWebhooks({
      database,
      administrators,
      receivers,
      requests: budgets.budget('webhookRequests'),
      onFailure: (error) => log.warn({ err: error }, 'Webhooks wait for the store.'),
      onPaused: (details) => log.warn(details, 'A webhook is paused.'),
    })
  const mailWorker = async (settings: MailSettings) => {
    // The mail library is loaded only if mails are sent.
    const { startMailWorker } = await import('../../features/mail/worker.ts')
    if (!securityLog) return []
    const compose = (queued: QueuedMail) => composeNotifications({ database, administrators }, queued)
    return [startMailWorker({ database, settings, log, securityLog, composeNotifications: compose })]
  }
  const notifications = () =>
    startNotifications({
      database,
      hasMail: mail !== undefined,
      onFailure: (error) => log.warn({ err: error }, 'Notifications wait for the store.'),
    })
  const sweep = (attachmentFiles: Files) =>
    startSweep({
      database,
      files: attachmentFiles,
      onFailure: (error) => log.warn({ err: error }, 'Files without attachments could not be deleted.'),
    })
  return [
    ...(extensions && webhooks ? [webhookWorker()] : []),
    ...(files ? [sweep(files)] : []),
    ...(extensions ? [notifications()] : []),
    ...(mail ? await mailWorker(mail) : []),
  ]
}

/**
 * Instances also compare where they store files, because an instance with another store could not serve the
 * files of the others.
 */
const filesSetting = 'Attachments (folder or bucket)'

async function openAttachments(
  { budgets }: Context,
  { attachments, extensions }: RestSettings,
  log: Log,
): Promise<Files | undefined> {
  if (!extensions) return undefined
  const onFailure = (error: unknown) => log.warn({ err: error }, 'The folder of attachments cannot be used.')
  return openFiles({ settings: attachments, budgets, onFailure })
}

const byDirection = ([direction, bytes]: [string, number]) => [{ direction }, bytes] as const

/**
 * Makes routes that set passwords reject every request if passwords are switched off, because no account
 * could sign in with one.
 */
const rejectPasswordRoutes = (routes: readonly Route[], { passwords }: { readonly passwords: boolean }) =>
  passwords
    ? routes
    : routes.map((route): Route => (route.requiresPasswords ? { ...route, handle: rejectPasswords } : route))

async function rejectPasswords(): Promise<never> {
  throw forbidden('Passwords are switched off here: people sign in by an outside provider.')
}
