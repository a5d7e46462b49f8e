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
  // biome-ignore lint/suspicious/noExplicitAny: the network determines the type
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
  /** Creates an account with the password `password`, and signs it in. */
  signUp(options?: Omit<AccountOptions, 'passwordHash'>): Promise<Person>
  /** An account that SVC_ADMIN_LOGINS names. */
  readonly administrator: Person
  /** Starts another instance on the same store, as behind a load balancer. */
  startAnother(changes?: Partial<RestSettings>): Promise<RestInstance>
  stop(): Promise<void>
}

const administratorLogin = 'admin@example.com'

/** The identity host rejects sign-ins if more than twenty passwords are to be verified at once. */
const signInsMax = 10

/** Returns the variables that also configure the identity host. */
const identityEnvironment = (environment: Environment): Environment =>
  Object.fromEntries(
    Object.entries(environment).filter(
      ([name]) =>
        name === 'LOG_LEVEL' || /^(Identity__|SMTP_|MAIL_|ASPNETCORE_FORWARDED|TRUSTED_)/.test(name),
    ),
  )

interface RestOptions extends Pick<HostOptions, 'destination'>, OwnLimits {
  /** The resources that the host serves; by default, all of them. */
  readonly resources?: readonly Resource[]
  /** A store to use instead of a fresh one. The host drops it when it stops. */
  readonly existingStore?: Pick<FreshDatabase, 'database' | 'drop'>
}

/**
 * Starts the REST host on a free port, with its own database and identity host. Rate limits are off unless
 * `environment` sets them.
 */
export async function startRestUnderTest(
  environment: Environment = {},
  { destination, budgets = openBudgets(), resources, exportLimits, existingStore }: RestOptions = {},
): Promise<RestUnderTest> {
  const { database, drop } =
    existingStore ?? (await freshDatabase({ budgets, ...(exportLimits && { exportLimits }) }))
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
  const start = async (budgets: Budgets, changes: Partial<RestSettings> = {}) => {
    const restrictedDatabase = underRoleOf('rest', database)
    const hostSettings = { ...settings, ...changes }
    const log = createLog({
      level: settings.logLevel,
      lineBudget: budgets.budget('unauthenticatedLines'),
      ...(destination && { destination }),
    })
    const authentication = createAuthentication({
      ...hostSettings,
      database: restrictedDatabase,
      scope: 'svc.api',
      administrators: administratorsOf(hostSettings),
      log,
      securityLog: createSecurityLog(log),
    })
    const context = {
      database: restrictedDatabase,
      passwords: cheapPasswords(),
      budgets,
      hoursStep: settings.hoursStep,
    }
    const { app, stop } = await startRest(context, authentication, hostSettings, log, resources)
    stops.push(stop)
    return disposable<RestInstance>({
      address: `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`,
      stop,
    })
  }
  const { address } = await start(budgets)
  const signIns = Array.from({ length: signInsMax }, () => Promise.resolve<unknown>(undefined))
  let signInCount = 0
  const signInByTurns = (login: string) => {
    const turn = signInCount++ % signInsMax
    const signedIn = Promise.resolve(signIns[turn]).then(() => identity.signIn(login))
    signIns[turn] = signedIn.catch(() => undefined)
    return signedIn
  }
  const signUp: RestUnderTest['signUp'] = async (options = {}) => {
    const account = await insertAccount(database, { ...options, passwordHash: await passwordHash() })
    const { access_token: token } = await signInByTurns(account.login)
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
    // Each instance has its own budgets, as if it were a process of its own.
    startAnother: (changes) => start(openBudgets(), changes),
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
