import type { FastifyInstance } from 'fastify'
import { administratorsOf } from '../../accounts/administrators.ts'
import { createLockouts, forgetOldLockouts } from '../../accounts/lockouts.ts'
import { budgetLimits } from '../../configuration/budgets.ts'
import type { CorsOptions } from '../../http/cors.ts'
import { countEvents } from '../../http/count-events.ts'
import { addDocumentation, type Documentation } from '../../http/documentation.ts'
import { addHealthRoutes, addHelloRoute } from '../../http/health.ts'
import { listen } from '../../http/listen.ts'
import type { Log } from '../../http/log.ts'
import { measureHost } from '../../http/measure-host.ts'
import { createServer, smallBodies } from '../../http/server.ts'
import { prepareStop } from '../../http/shutdown.ts'
import type { Tracker } from '../../operations/tracker.ts'
import { repeat } from '../../schedule/repeat.ts'
import { createSecurityLog, requestsRefused } from '../../security-log/security-log.ts'
import { storeReadiness } from '../../store/readiness.ts'
import { sql } from '../../store/sql.ts'
import type { IdentitySettings } from './configuration.ts'
import { extensionRoutes } from './extension-routes.ts'
import type { Identity } from './identity.ts'
import { openKeys } from './keys/open-keys.ts'
import { openClients } from './open-clients.ts'
import { identityExtensionsDocument, openApiOf } from './openapi.ts'
import { openProviders } from './outside/open-providers.ts'
import { warnOfProviders } from './outside/warn-of-providers.ts'
import { addPageScripts } from './pages/scripts.ts'
import { refuseNul } from './refuse-nul.ts'
import { registerRoutes } from './register-routes.ts'
import type { Route } from './route.ts'
import { identityRoutes, navigationPaths } from './routes.ts'
import { sweep } from './sweep.ts'

export interface IdentityHost {
  readonly app: FastifyInstance
  /** Goes on serving, but says that it is about to stop. */
  leave(): void
  stop(): Promise<void>
}

/** Between browsers and this host stands one proxy. */
const proxiesByDefault = 1
/** A key is announced a day before it is used, and expired rows may stay for this long. */
const upkeepMilliseconds = 5 * 60_000

/** Administrators wait no longer for a client that they have made. */
const clientsMilliseconds = 3000

/** Wires the identity host and starts to listen. */
export async function startIdentity(
  { database, passwords, budgets }: Tracker,
  settings: IdentitySettings,
  log: Log,
  clock?: () => number,
): Promise<IdentityHost> {
  const now = clock ?? Date.now
  // Lockouts go by the store's clock, so that all instances count together, unless a test moves its own.
  const lockoutClock = clock ? { now: () => new Date(clock()) } : {}
  const events = countEvents(createSecurityLog(log))
  warnOfKeySecret(settings, log)
  const { refreshKeys, ...keys } = await openKeys(database, settings, now)
  const { clients, scriptOrigins, refreshClients } = await openClients(database, settings, now)
  if (!settings.extensions) await warnOfClosedAccounts(database, log)
  const identity: Identity = {
    settings,
    database,
    passwords,
    lockouts: createLockouts({ database, ...lockoutClock }),
    administrators: administratorsOf(settings),
    clients,
    providers: openProviders(settings.providers, budgets, now),
    ...keys,
    now,
    log,
    securityLog: events.log,
  }
  await warnOfProviders(identity)
  const contract = identityRoutes(identity)
  const routes = [...contract, ...(settings.extensions ? extensionRoutes(identity) : [])]
  const app = createServer({
    log,
    trustedHops: settings.trustedProxies(proxiesByDefault),
    budgets,
    bodies: ['form'],
    ...smallBodies(budgetLimits.identityBodyBytes.max),
    cors: corsOf(settings, scriptOrigins, navigationPaths(routes)),
    rateLimit: { ...settings.rateLimit, onRefused: requestsRefused(events.log) },
  })
  const stopping = prepareStop(app)
  await measureHost(app, { budgets, database, events }, settings)
  refuseNul(app)
  registerRoutes(app, routes, database)
  if (settings.extensions) addPageScripts(app)
  addHelloRoute(app)
  addHealthRoutes(app, [stopping.readiness, ...storeReadiness(database)])
  addDocumentation(app, documentationOf(contract, settings))
  await listen(app, settings)
  const onFailure = (error: unknown) => log.warn({ err: error }, 'The upkeep of keys and sessions failed.')
  const upkeep = repeat({ everyMilliseconds: upkeepMilliseconds, onFailure }, async () => {
    await refreshKeys()
    await sweep(database, now(), settings.inactivityMinutes)
    await forgetOldLockouts(database, lockoutClock)
  })
  const clientUpkeep = repeat({ everyMilliseconds: clientsMilliseconds, onFailure }, refreshClients)
  const stop = async () => void (await Promise.all([upkeep.stop(), clientUpkeep.stop(), stopping.stop()]))
  return { app, leave: stopping.leave, stop }
}

const documentationOf = (contract: readonly Route[], { extensions }: IdentitySettings): Documentation => ({
  title: 'Project tracking: identity',
  document: () => openApiOf(contract),
  ...(extensions && {
    extensions: { title: 'Project tracking: identity, extensions', document: identityExtensionsDocument },
  }),
})

const corsOf = (
  { allowedOrigins }: IdentitySettings,
  originsWithCookies: ReadonlySet<string>,
  closedPaths: readonly string[],
): CorsOptions => ({
  origins: allowedOrigins,
  originsWithCookies,
  closedPaths,
})

/** Without the extensions there is no page for second factors, so accounts that have one cannot sign in. */
async function warnOfClosedAccounts(database: Tracker['database'], log: Log): Promise<void> {
  const [{ accounts } = { accounts: 0 }] = await database.query<{ accounts: number }>(
    sql`
      select count(*)::int as accounts from (
        select user_id from authenticator_apps union select user_id from passkeys) as proved`,
  )
  if (accounts > 0)
    log.warn({ accounts }, 'Accounts with a second factor cannot sign in while the extensions are off.')
}

/** The contract sets no least length, so a shorter secret only causes a warning. */
const keySecretCharactersMin = 32

function warnOfKeySecret({ keySecret, isStoreShared, dataDirectory }: IdentitySettings, log: Log): void {
  if (keySecret === undefined && isStoreShared)
    log.warn(
      { dataDirectory },
      'The keys in the store are encrypted with a secret of this machine: set Jwt__SigningKey before another instance starts.',
    )
  if (keySecret !== undefined && keySecret.length < keySecretCharactersMin)
    log.warn({ keySecretCharactersMin }, 'The secret that encrypts the keys is shorter than recommended.')
}
