import type { FastifyInstance } from 'fastify'
import { administratorsOf } from '../../accounts/administrators.ts'
import { createLockouts, type LockoutOptions, purgeLockouts } from '../../accounts/lockouts.ts'
import { isAccountDeactivatedSql } from '../../accounts/sign-in.ts'
import { budgetLimits } from '../../config/budgets.ts'
import { timestamp } from '../../db/columns.ts'
import type { Database } from '../../db/database.ts'
import { openInstances } from '../../db/instances.ts'
import { storeReadiness } from '../../db/migrate.ts'
import { batchSize, deleteInBatches, repeatInBatches } from '../../db/purge.ts'
import { type Sql, sql } from '../../db/sql.ts'
import { measureHost, shareMetricsOf } from '../../http/host-metrics.ts'
import { addHealthRoutes, addHelloRoute, listen, prepareShutdown } from '../../http/listen.ts'
import type { Log } from '../../http/log.ts'
import { addDocumentation, type Documentation } from '../../http/openapi.ts'
import { createServer, type ServerOptions, smallBodyLimits } from '../../http/server.ts'
import { invalid } from '../../model/problem.ts'
import { type RepeatedWork, repeat } from '../../model/repeat.ts'
import { countEvents, createRejectionLog, createSecurityLog } from '../../observability/security-log.ts'
import type { SharedContext } from '../../records/context.ts'
import { type IdentitySettings, secretSettingsOf } from './configuration.ts'
import type { Identity } from './core/endpoint.ts'
import { openProviders } from './core/providers.ts'
import { type Account, accountColumns } from './core/sessions.ts'
import { providersPath } from './endpoints/federated-sign-in.ts'
import { navigationPaths, registerRoutes, routesOf } from './endpoints.ts'
import { openKeys } from './keys/open-keys.ts'
import { keySecretCharactersMin } from './keys/secret-box.ts'
import { openClients } from './open-clients.ts'
import { identityDocument, identityExtensionsDocument } from './openapi.ts'
import { addPageScripts, pageScriptPaths } from './pages/scripts.ts'

export interface IdentityHost {
  readonly app: FastifyInstance
  /** Keeps serving, but reports in health checks that it is about to stop. */
  announceStop(): void
  stop(): Promise<void>
}

/** A reverse proxy is expected in front of this host. */
const trustedProxiesDefault = 1
/** Expired rows may stay this long. */
const maintenanceMilliseconds = 5 * 60_000

/** Registered clients are reloaded at this interval, so a new client can be used after this time. */
const clientRefreshMilliseconds = 3000

/** Keys are reloaded this often, so this host uses a key for at most this long after `keys revoke`. */
const keyRefreshMilliseconds = 15_000

export async function startIdentity(
  { database, passwords, budgets, peers }: SharedContext,
  settings: IdentitySettings,
  log: Log,
  clock?: () => number,
): Promise<IdentityHost> {
  const now = clock ?? Date.now
  // Lockouts use the store's clock, so that all instances count together. Tests pass their own.
  const lockoutOptions = clock ? { now: () => new Date(clock()) } : {}
  const securityEvents = countEvents(createSecurityLog(log))
  const { refreshKeys, ...keys } = await openKeys(database, settings, now)
  warnOfKeySecret(settings, log)
  const registry = await openClients(database, settings, now, log)
  const instances = openInstances({
    database,
    host: 'identity',
    log,
    now: clock,
    clients: registry.knownClients,
    settings: settings.shared,
    secretSettings: secretSettingsOf(settings),
  })
  if (!settings.extensions) await warnOfSecondFactors(database, log)
  const identity: Identity = {
    settings,
    database,
    passwords,
    lockouts: createLockouts({ database, ...lockoutOptions }),
    administrators: administratorsOf(settings),
    clients: registry.clients,
    providers: openProviders(settings.providers, budgets, now),
    ...keys,
    now,
    log,
    securityLog: securityEvents.log,
  }
  await warnOfSignInRisks(identity)
  const routes = routesOf(identity)
  const app = createApp(settings, log, {
    budgets,
    cors: {
      origins: settings.allowedOrigins,
      originsWithCookies: registry.scriptOrigins,
      closedPaths: navigationPaths(routes),
    },
    rateLimit: {
      ...settings.rateLimit,
      shared: peers?.limiter('identity'),
      onRejected: createRejectionLog(securityEvents.log),
      uncountedRoutes,
    },
  })
  const shutdown = prepareShutdown(app)
  const shareMetrics = shareMetricsOf('identity', peers)
  await measureHost(app, { budgets, database, instances, events: securityEvents, shareMetrics }, settings)
  rejectNul(app)
  registerRoutes(app, routes, database)
  if (settings.extensions) addPageScripts(app)
  addHelloRoute(app)
  addHealthRoutes(app, [shutdown.readiness, ...storeReadiness(database)])
  addDocumentation(app, documentationOf(settings))
  // This records the clients: other hosts accept tokens of a client only after that.
  await instances.join()
  await listen(app, settings).catch(async (error) => {
    await instances.leave()
    throw error
  })
  const jobs = startJobs(identity, { refreshKeys, refreshClients: registry.refreshClients, lockoutOptions })
  const stop = async () => {
    await Promise.all([...jobs.map((job) => job.stop()), shutdown.stop()])
    await instances.leave()
  }
  return { app, announceStop: shutdown.announceStop, stop }
}

const createApp = (
  settings: IdentitySettings,
  log: Log,
  options: Pick<ServerOptions, 'budgets' | 'cors' | 'rateLimit'>,
): FastifyInstance =>
  createServer({
    ...options,
    log,
    trustedHops: settings.trustedProxies(trustedProxiesDefault),
    bodies: ['form'],
    ...smallBodyLimits(budgetLimits.identityBodyBytes.max),
  })

/** Browsers cache the responses, so the rate limit does not count these requests. */
const uncountedRoutes = [providersPath, ...pageScriptPaths]

interface JobOptions {
  refreshKeys(): Promise<void>
  refreshClients(): Promise<void>
  readonly lockoutOptions: Pick<LockoutOptions, 'now'>
}

/**
 * Repeats each job separately. A key that cannot be decrypted must not prevent the purge of sessions and
 * codes.
 */
function startJobs(
  { database, settings, log, now }: Identity,
  { refreshKeys, refreshClients, lockoutOptions }: JobOptions,
): RepeatedWork[] {
  return [
    repeat(
      {
        everyMilliseconds: keyRefreshMilliseconds,
        onFailure: (err) => log.warn({ err }, 'The signing keys could not be renewed.'),
      },
      refreshKeys,
    ),
    repeat(
      {
        everyMilliseconds: maintenanceMilliseconds,
        onFailure: (err) => log.warn({ err }, 'Expired sessions and codes could not be purged.'),
      },
      () => purgeExpired(database, now(), settings.inactivityMinutes),
    ),
    repeat(
      {
        everyMilliseconds: maintenanceMilliseconds,
        onFailure: (err) => log.warn({ err }, 'Expired lockouts could not be purged.'),
      },
      () => purgeLockouts(database, lockoutOptions),
    ),
    repeat(
      {
        everyMilliseconds: clientRefreshMilliseconds,
        onFailure: (err) => log.warn({ err }, 'The registered clients could not be read.'),
      },
      refreshClients,
    ),
  ]
}

const documentationOf = ({ extensions }: IdentitySettings): Documentation => ({
  title: 'Project tracking: identity',
  document: identityDocument,
  ...(extensions && {
    extensions: { title: 'Project tracking: identity, extensions', document: identityExtensionsDocument },
  }),
})

/** Without the extensions there is no page for second factors, so accounts that have one cannot sign in. */
async function warnOfSecondFactors(database: Database, log: Log): Promise<void> {
  const [{ accounts } = { accounts: 0 }] = await database.query<{ accounts: number }>(
    sql`
      select count(*)::int as accounts from (
        select user_id from authenticator_apps union select user_id from passkeys) as protected`,
  )
  if (accounts > 0)
    log.warn({ accounts }, 'Accounts with a second factor cannot sign in while the extensions are off.')
}

/** Called after the keys were decrypted, so the secret is right. */
function warnOfKeySecret({ keySecret, isStoreShared, dataDirectory }: IdentitySettings, log: Log): void {
  if (keySecret === undefined && isStoreShared)
    log.warn(
      { dataDirectory },
      'The keys in the store are encrypted with a secret of this machine, so no other instance can use them.',
    )
  if (keySecret !== undefined && keySecret.length < keySecretCharactersMin)
    log.warn({ keySecretCharactersMin }, 'The secret that encrypts the keys is shorter than recommended.')
}

/** PostgreSQL stores no NUL, and no valid request contains one. Queries and form bodies are flat. */
function rejectNul(app: FastifyInstance): void {
  app.addHook('preValidation', (request, _reply, done) => {
    if (hasNul(request.query) || hasNul(request.body))
      throw invalid({ generalErrors: ['The request contains a character that is not allowed.'] })
    done()
  })
}

const hasNul = (parameters: unknown): boolean =>
  Object.entries(parameters ?? {}).some(([name, value]) => `${name}${value}`.includes('\0'))

/** Ended instances are kept for a day for operators. */
const dayMilliseconds = 24 * 60 * 60_000

/** Deletes expired rows and ends inactive sessions. Several instances may do so concurrently. */
export async function purgeExpired(
  database: Database,
  now: number,
  inactivityMinutes: number,
): Promise<void> {
  const isExpired = sql`expires_at <= ${timestamp(now)}`
  // A spent code is kept as long as its session, to detect a second use.
  await deleteInBatches(database, { table: 'authorization_codes' }, sql`${isExpired} and spent_at is null`)
  await deleteInBatches(database, { table: 'revoked_tokens' }, isExpired)
  await deleteInBatches(database, { table: 'spent_steps' }, isExpired)
  await deleteInBatches(database, { table: 'outside_attempts' }, isExpired)
  await deleteInBatches(database, { table: 'outside_attempts' }, exceedsAttemptLimit)
  await deleteInBatches(database, { table: 'instances' }, sql`seen_at <= ${timestamp(now - dayMilliseconds)}`)
  // Spent codes and all refresh tokens are deleted with their session.
  await deleteInBatches(database, { table: 'signin_sessions' }, isExpired)
  // Inactive sessions are rejected already, but must not be listed either.
  if (inactivityMinutes > 0)
    await repeatInBatches(database, endInactiveSessions(now, now - inactivityMinutes * 60_000))
}

/**
 * Matches the attempts to sign in at a provider that exceed the limit for all network addresses together.
 * Each address also has its own limit. The rows are counted without a lock, so that callbacks from providers
 * do not wait.
 */
const exceedsAttemptLimit = sql`expires_at <= (
  select expires_at from outside_attempts order by expires_at desc offset ${budgetLimits.providerAttempts.max}::int limit 1)`

const endInactiveSessions = (now: number, unusedSince: number): Sql => sql`
  update signin_sessions set ended_at = ${timestamp(now)} where id in (
    select id from signin_sessions
    where ended_at is null and coalesce(last_used_at, created_at) <= ${timestamp(unusedSince)}
    limit ${batchSize}::int for update skip locked)
  returning 1`

/** Warns of providers without TLS, and of a system that no administrator can sign in to. */
async function warnOfSignInRisks(identity: Identity): Promise<void> {
  const { settings, log } = identity
  for (const { id, issuer } of settings.providers)
    if (issuer.startsWith('http:'))
      log.warn(
        { provider: id, issuer },
        'A provider is used without TLS: an attacker on the network path could sign in as any user.',
      )
  if (!settings.passwords && !(await canAdministratorSignIn(identity)))
    log.warn(
      'No administrator can sign in yet: passwords are off, and no administrator is connected to a provider.',
    )
}

/** Limits the query. Among that many connected accounts, one is assumed to be an administrator. */
const connectedAccountsMax = 10_000

async function canAdministratorSignIn({ settings, database, administrators }: Identity): Promise<boolean> {
  if (settings.providers.some(({ linkByVerifiedEmail }) => linkByVerifiedEmail)) return true
  const connected = await database.query<Account>(sql`
    select distinct ${accountColumns} from users as account
    join outside_identities as external on external.user_id = account.id
    where account.active and not ${isAccountDeactivatedSql} limit ${connectedAccountsMax}::int`)
  return (
    connected.length === connectedAccountsMax ||
    connected.some((account) => administrators.isAdministrator(account))
  )
}
