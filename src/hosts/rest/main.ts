import type { FastifyInstance } from 'fastify'
import { administratorsOf } from '../../accounts/administrators.ts'
import type { Authentication } from '../../auth/authenticate.ts'
import type { MailSettings } from '../../config/host-settings.ts'
import { storeReadiness } from '../../db/migrate.ts'
import { createModificationDates } from '../../db/modification-dates.ts'
import { createFeedStreams } from '../../features/changes/feed-streams.ts'
import { createLiveListings } from '../../features/changes/live-listings.ts'
import { createStreamLimits } from '../../features/changes/stream-limits.ts'
import { startWebhooks } from '../../features/webhooks/worker.ts'
import { allowedReceivers } from '../../http/addresses.ts'
import { compressAnswers } from '../../http/compress.ts'
import { countEvents } from '../../http/count-events.ts'
import { addDocumentation } from '../../http/documentation.ts'
import { addHealthRoutes, addHelloRoute } from '../../http/health.ts'
import { measureHost } from '../../http/host-metrics.ts'
import { listen, prepareStop } from '../../http/listen.ts'
import type { Log } from '../../http/log.ts'
import { createServer } from '../../http/server.ts'
import { forbidden } from '../../model/problem.ts'
import { createSecurityLog, requestsRejected } from '../../observability/security-log.ts'
import type { Context } from '../../records/context.ts'
import { resources } from '../../resources/all.ts'
import type { Resource } from '../../resources/define-resource.ts'
import type { Route } from '../../routes/route.ts'
import type { RestSettings } from './configuration.ts'
import { aboutExtensions, type ExtensionParts, extensionRoutes } from './extension-routes.ts'
import { openApiOf } from './openapi.ts'
import { registerRoutes } from './register-routes.ts'
import { aboutContract, contractRoutes } from './routes.ts'

export interface RestHost {
  readonly app: FastifyInstance
  /** Keeps serving, but reports that it is about to stop. */
  leave(): void
  stop(): Promise<void>
}

/** One proxy and one load balancer are expected. */
const proxiesByDefault = 2

/** Wires the REST host and listens. `declared` are the resources that it serves. */
export async function startRest(
  givenContext: Context,
  authentication: Authentication,
  settings: RestSettings,
  log: Log,
  declared: readonly Resource[] = resources,
): Promise<RestHost> {
  const events = countEvents(createSecurityLog(log))
  const context = { ...givenContext, securityLog: events.log }
  const app = createServer({
    log,
    trustedHops: settings.trustedProxies(proxiesByDefault),
    budgets: context.budgets,
    cors: { origins: settings.allowedOrigins },
    rateLimit: { ...settings.rateLimit, onRejected: requestsRejected(events.log) },
  })
  const { readiness, leave, stop } = prepareStop(app)
  const streamLimits = createStreamLimits(context.budgets)
  const onFailure = (error: unknown) =>
    log.warn({ err: error }, 'Live listings and feeds wait for the store.')
  const live = createLiveListings(context, streamLimits, onFailure)
  const feeds = createFeedStreams(context, streamLimits, onFailure)
  app.addHook('preClose', async () => {
    live.sendAway()
    feeds.sendAway()
  })
  const readers = { 'live listings': live.secondsBehind, feeds: feeds.secondsBehind }
  await measureHost(app, { ...context, events, readers }, settings)
  compressAnswers(app, context.budgets.budget('restCompressions'))
  const receivers = allowedReceivers(settings.webhookReceivers)
  const administrators = administratorsOf(settings)
  const parts = {
    ...{ live, feeds, receivers, administrators, passwords: settings.passwords },
    hasMail: settings.mail !== undefined,
  }
  const contract = contractRoutes(context, live, declared)
  const extensions = settings.extensions ? extensionRoutes(context, parts) : []
  registerRoutes(app, {
    context,
    authentication,
    modificationDates: createModificationDates(context.database),
    routes: withoutPasswords([...contract, ...extensions], settings),
    sendsServerTiming: settings.extensions,
  })
  addHelloRoute(app)
  addHealthRoutes(app, [readiness, ...storeReadiness(context.database)])
  const about = aboutContract(declared)
  addDocumentation(app, {
    title: about.title,
    document: () => openApiOf(contract, about),
    ...(settings.extensions && {
      extensions: { title: aboutExtensions.title, document: () => openApiOf(extensions, aboutExtensions) },
    }),
  })
  await listen(app, settings)
  const workers = await startWorkers(context, settings, log, { administrators, receivers })
  return {
    app,
    leave,
    async stop() {
      await Promise.all([stop(), ...workers.map((worker) => worker.stop())])
    },
  }
}

/** Starts the background work, which all instances share. */
async function startWorkers(
  context: Context,
  { extensions, webhooks, mail }: RestSettings,
  log: Log,
  { administrators, receivers }: Pick<ExtensionParts, 'administrators' | 'receivers'>,
): Promise<readonly { stop(): Promise<void> }[]> {
  const { database, budgets, securityLog } = context
  const webhookWorker = () =>
    startWebhooks({
      ...{ database, administrators, receivers },
      requests: budgets.budget('webhookRequests'),
      onFailure: (error) => log.warn({ err: error }, 'Webhooks wait for the store.'),
      onPaused: (details) => log.warn(details, 'A webhook is paused.'),
    })
  const mailWorker = async (settings: MailSettings) => {
    // Its library is loaded only if mails are sent.
    const { startMails } = await import('../../features/mail/worker.ts')
    return securityLog ? [startMails({ database, settings, log, securityLog })] : []
  }
  return [...(extensions && webhooks ? [webhookWorker()] : []), ...(mail ? await mailWorker(mail) : [])]
}

/** Rejects every route that sets a password where these are switched off: it could not be used to sign in. */
const withoutPasswords = (routes: readonly Route[], { passwords }: { readonly passwords: boolean }) =>
  passwords
    ? routes
    : routes.map((route): Route => (route.isForPasswords ? { ...route, handle: reject } : route))

async function reject(): Promise<never> {
  throw forbidden('Passwords are switched off here: people sign in by an outside provider.')
}
