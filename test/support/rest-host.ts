import { mkdtemp, rm } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { administratorsOf } from '../../src/accounts/administrators.ts'
import { createAuthentication } from '../../src/auth/authenticate.ts'
import { type Budgets, openBudgets } from '../../src/config/budgets.ts'
import { type Environment, readSettings } from '../../src/config/settings.ts'
import type { Database } from '../../src/db/database.ts'
import { type RestSettings, readRestSettings } from '../../src/hosts/rest/configuration.ts'
import { startRest } from '../../src/hosts/rest/main.ts'
import { createLog } from '../../src/http/log.ts'
import { createSecurityLog } from '../../src/observability/security-log.ts'
import type { Resource } from '../../src/resources/define-resource.ts'
import { cheapPasswords, passwordHash } from './cheap-passwords.ts'
import { disposable } from './fixture.ts'
import { type FreshDatabase, freshDatabase, type OwnLimits, underRoleOf } from './fresh-database.ts'
import { type HostOptions, type IdentityOnStore, startIdentityHost } from './identity-host.ts'
import { type Account, type AccountOptions, insertAccount } from './insert-account.ts'

export interface Answer {
  readonly status: number
  readonly headers: Headers
  // The tests look into answers of every shape.
  // biome-ignore lint/suspicious/noExplicitAny: an answer is what came over the network
  readonly body: any
}

export interface Call {
  readonly token?: string | undefined
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
}

export interface Person extends Account {
  readonly token: string
  /** Sends a request with the token; `body` as JSON. */
  call(method: string, path: string, body?: unknown, headers?: Call['headers']): Promise<Answer>
}

export interface RestInstance extends AsyncDisposable {
  readonly address: string
  stop(): Promise<void>
}

export interface RestUnderTest extends AsyncDisposable {
  readonly address: string
  readonly database: Database
  /** The DATA_DIR of the host, empty unless a test uploads files. */
  readonly dataDirectory: string
  /** The real identity host, on the same store. */
  readonly identity: IdentityOnStore
  /** Sends a request; `body` as JSON. */
  call(method: string, path: string, call?: Call): Promise<Answer>
  /** An account that has signed in with `password`; the administrator is listed in SVC_ADMIN_LOGINS. */
  signUp(options?: Omit<AccountOptions, 'passwordHash'>): Promise<Person>
  readonly administrator: Person
  /** A second instance on the same store, as behind a load balancer. */
  startAnother(own?: Partial<RestSettings>): Promise<RestInstance>
  stop(): Promise<void>
}

const administratorLogin = 'admin@example.com'

/** The variables that the identity host gets too. */
const identityEnvironment = (environment: Environment): Environment =>
  Object.fromEntries(
    Object.entries(environment).filter(
      ([name]) =>
        name === 'LOG_LEVEL' || /^(Identity__|SMTP_|MAIL_|ASPNETCORE_FORWARDED|TRUSTED_)/.test(name),
    ),
  )

interface RestOptions extends Pick<HostOptions, 'destination'>, OwnLimits {
  /** The resources that it serves; all of them otherwise. */
  readonly declared?: readonly Resource[]
  /** Dropped with the host, as a fresh one would be. */
  readonly ownStore?: Pick<FreshDatabase, 'database' | 'drop'>
}

/**
 * The REST host as it is deployed, on a port, a database and an identity host of its own. Limits are off
 * unless asked for.
 */
export async function startRestUnderTest(
  environment: Environment = {},
  { destination, budgets = openBudgets(), declared, exportLimits, ownStore }: RestOptions = {},
): Promise<RestUnderTest> {
  const { database, drop } =
    ownStore ?? (await freshDatabase({ budgets, ...(exportLimits && { exportLimits }) }))
  const administrators = { SVC_ADMIN_LOGINS: environment.SVC_ADMIN_LOGINS ?? administratorLogin }
  const identity = await startIdentityHost(database, {
    environment: { ...administrators, ...identityEnvironment(environment) },
    ...(destination && { destination }),
  })
  const dataDirectory = await mkdtemp(join(tmpdir(), 'tracker-data-'))
  const settings = readSettings(
    {
      REST_PORT: '0',
      DATA_DIR: dataDirectory,
      LOG_LEVEL: 'error',
      Jwt__Issuer: identity.address,
      RateLimit__Rest__PermitLimit: '0',
      ...administrators,
      ...environment,
    },
    readRestSettings,
  )
  const stops: (() => Promise<void>)[] = []
  const start = async (given: Database, budgets: Budgets, own: Partial<RestSettings> = {}) => {
    const store = underRoleOf('rest', given)
    const log = createLog({
      level: settings.logLevel,
      lineBudget: budgets.budget('unauthenticatedLines'),
      ...(destination && { destination }),
    })
    const authentication = createAuthentication({
      ...settings,
      ...own,
      database: store,
      scope: 'svc.api',
      administrators: administratorsOf({ ...settings, ...own }),
      log,
      securityLog: createSecurityLog(log),
    })
    const tracker = { database: store, passwords: cheapPasswords(), budgets, hoursStep: settings.hoursStep }
    const { app, stop } = await startRest(tracker, authentication, { ...settings, ...own }, log, declared)
    stops.push(stop)
    return disposable<RestInstance>({
      address: `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`,
      stop,
    })
  }
  const { address } = await start(database, budgets)
  const signUp: RestUnderTest['signUp'] = async (options = {}) => {
    const account = await insertAccount(database, { ...options, passwordHash: await passwordHash() })
    const { access_token: token } = await identity.signIn(account.login)
    const person: Person = {
      ...account,
      token,
      call(method, path, body, headers = {}) {
        return send(address, method, path, { token: this.token, body, headers })
      },
    }
    return person
  }
  return disposable<RestUnderTest>({
    address,
    database,
    dataDirectory,
    identity,
    call: (method, path, call) => send(address, method, path, call),
    signUp,
    administrator: await signUp({ login: administratorLogin, name: 'Root' }),
    // A process counts by itself.
    startAnother: (own) => start(database, openBudgets(), own),
    async stop() {
      await Promise.all(stops.map((stop) => stop()))
      await identity.stop()
      await drop()
      await rm(dataDirectory, { recursive: true, force: true })
    },
  })
}

export async function send(address: string, method: string, path: string, call: Call = {}): Promise<Answer> {
  const { token, body, headers } = call
  const response = await fetch(`${address}${path}`, {
    method,
    headers: {
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  const text = await response.text()
  const isJson = response.headers.get('content-type')?.startsWith('application/json') ?? false
  return {
    status: response.status,
    headers: response.headers,
    body: isJson && text !== '' ? JSON.parse(text) : text,
  }
}
