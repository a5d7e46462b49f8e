import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { administratorsOf } from '../../../src/accounts/administrators.ts'
import { createAuthentication } from '../../../src/auth/authenticate.ts'
import { openBudgets } from '../../../src/config/budgets.ts'
import { type Environment, readSettings } from '../../../src/config/settings.ts'
import type { Database } from '../../../src/db/database.ts'
import { readIdentitySettings } from '../../../src/hosts/identity/configuration.ts'
import { startIdentity } from '../../../src/hosts/identity/main.ts'
import { readRestSettings } from '../../../src/hosts/rest/configuration.ts'
import { startRest } from '../../../src/hosts/rest/main.ts'
import { readWebSettings } from '../../../src/hosts/web/configuration.ts'
import { startWeb } from '../../../src/hosts/web/main.ts'
import { createLog } from '../../../src/http/log.ts'
import { cheapPasswords } from '../../support/cheap-passwords.ts'
import { freePort } from '../../support/child-host.ts'
import { freshDatabase, underRoleOf } from '../../support/fresh-database.ts'
import { buildClient } from './build-client.ts'

export interface TrackerHosts {
  readonly web: string
  readonly api: string
  readonly issuer: string
  readonly database: Database
  /** A service client of the administrator. It creates the data of tests. */
  readonly robot: { readonly id: string; readonly secret: string }
  /** Stops the REST host, as in an outage. `startRest` starts it again on the same port. */
  stopRest(): Promise<void>
  startRest(): Promise<void>
  /** Stops all hosts. To the client, this looks like a missing network. */
  stopAll(): Promise<void>
  startAll(): Promise<void>
  stop(): Promise<void>
}

export const administratorLogin = 'root@example.com'
const robot = { id: 'robot', secret: 'a-secret-of-at-least-32-characters' }

/**
 * Starts the REST, identity and web hosts on free ports, with a new database. Rate limits are off by default.
 */
export async function startTrackerHosts(settings: Environment = {}): Promise<TrackerHosts> {
  const [folder, { database, drop }, dataDirectory, restPort, identityPort, webPort] = await Promise.all([
    buildClient(),
    freshDatabase(),
    mkdtemp(join(tmpdir(), 'tracker-data-')),
    freePort(),
    freePort(),
    freePort(),
  ])
  const issuer = `http://localhost:${identityPort}`
  const environment: Environment = {
    LOG_LEVEL: 'fatal',
    DATA_DIR: dataDirectory,
    REST_PORT: String(restPort),
    IDENTITY_PORT: String(identityPort),
    WEB_PORT: String(webPort),
    Jwt__Issuer: issuer,
    Jwt__SigningKey: 'the secret of all hosts in this test',
    SVC_ADMIN_LOGINS: administratorLogin,
    Auth__SessionValidationCacheSeconds: '0',
    RateLimit__Rest__PermitLimit: '0',
    RateLimit__Identity__PermitLimit: '0',
    [`Identity__ServiceClients__${robot.id}__Secret`]: robot.secret,
    [`Identity__ServiceClients__${robot.id}__Login`]: administratorLogin,
    ...settings,
  }
  const { rest, identity, web } = readSettings(environment, (parsed) => ({
    rest: readRestSettings(parsed),
    identity: readIdentitySettings(parsed),
    web: readWebSettings(parsed),
  }))
  const log = createLog({ level: 'fatal' })
  const contextOf = (host: 'rest' | 'identity') => ({
    database: underRoleOf(host, database),
    passwords: cheapPasswords(),
    budgets: openBudgets(),
  })
  const startRestHost = () =>
    startRest(
      contextOf('rest'),
      createAuthentication({
        ...rest,
        database: underRoleOf('rest', database),
        scope: 'svc.api',
        administrators: administratorsOf(rest),
        log,
      }),
      rest,
      log,
    )
  const startOtherHosts = async () => ({
    identityHost: await startIdentity(contextOf('identity'), identity, log),
    webHost: await startWeb(web, log, folder),
  })
  let otherHosts = await startOtherHosts()
  let restHost = await startRestHost()
  const stopAll = () =>
    Promise.all([otherHosts.webHost.stop(), restHost.stop(), otherHosts.identityHost.stop()])
  return {
    web: `http://localhost:${webPort}`,
    api: `http://localhost:${restPort}`,
    issuer,
    database,
    robot,
    stopRest: () => restHost.stop(),
    async startRest() {
      restHost = await startRestHost()
    },
    async stopAll() {
      await stopAll()
    },
    async startAll() {
      otherHosts = await startOtherHosts()
      restHost = await startRestHost()
    },
    async stop() {
      await stopAll()
      await drop()
      await rm(dataDirectory, { recursive: true, force: true })
    },
  }
}
