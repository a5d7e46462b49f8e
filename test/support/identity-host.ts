import { generateKeyPairSync } from 'node:crypto'
import type { AddressInfo } from 'node:net'
import type { DestinationStream } from 'pino'
import type { Passwords } from '../../src/accounts/passwords.ts'
import { openBudgets } from '../../src/config/budgets.ts'
import { type Environment, readSettings } from '../../src/config/settings.ts'
import type { Database } from '../../src/db/database.ts'
import { readIdentitySettings } from '../../src/hosts/identity/configuration.ts'
import { type IdentityHost, startIdentity } from '../../src/hosts/identity/main.ts'
import { createLog } from '../../src/http/log.ts'
import { type SignInOptions, signedIn, type Tokens } from './browser.ts'
import { cheapPasswords, password, passwordHash } from './cheap-passwords.ts'
import { freePort } from './child-host.ts'
import { disposable } from './fixture.ts'
import { freshDatabase, underRoleOf } from './fresh-database.ts'
import { type Account, type AccountOptions, insertAccount } from './insert-account.ts'
import { origin, otherOrigin, robot } from './known-clients.ts'
import { createServiceClients, type ServiceClients, serviceClientSettings } from './service-clients.ts'

export interface IdentityInstance extends AsyncDisposable {
  readonly address: string
  readonly host: IdentityHost
  stop(): Promise<void>
}

export interface IdentityOnStore extends ServiceClients, AsyncDisposable {
  /** The issuer, and the address of the first instance. */
  readonly address: string
  readonly host: IdentityHost
  /** Signs a user in as the web client does, with a new browser, on this or another instance. */
  signIn(
    login: string,
    options?: Omit<SignInOptions, 'login'> & { readonly address?: string },
  ): Promise<Tokens>
  /** Starts another instance on the same store, with its own address. */
  startAnother(environment?: Environment, now?: () => number): Promise<IdentityInstance>
  stop(): Promise<void>
}

export interface HostOptions {
  readonly environment?: Environment
  readonly passwords?: Passwords
  readonly now?: () => number
  /** The host of the address. Passkeys need a name instead of the default, 127.0.0.1. */
  readonly hostName?: 'localhost'
  /** The log is written here instead of to standard output. */
  readonly destination?: DestinationStream
}

/** Starts the identity host on a free port, with a store that others may share, without rate limits. */
export async function startIdentityHost(
  database: Database,
  { environment = {}, passwords = cheapPasswords(), now, hostName, destination }: HostOptions = {},
): Promise<IdentityOnStore> {
  // The settings contain the issuer, so the port has to be known before the host listens.
  const port = await freePort()
  const address = `http://${hostName ?? '127.0.0.1'}:${port}`
  const stops: (() => Promise<void>)[] = []
  const start = async (changes: Environment, clock = now): Promise<IdentityInstance> => {
    const settings = readSettings({ ...defaults(address), ...environment, ...changes }, readIdentitySettings)
    const log = createLog({ level: settings.logLevel, ...(destination && { destination }) })
    const store = underRoleOf('identity', database)
    const host = await startIdentity(
      { database: store, passwords, budgets: openBudgets() },
      settings,
      log,
      clock,
    )
    stops.push(host.stop)
    return disposable<IdentityInstance>({ host, address: addressOf(host), stop: host.stop })
  }
  const { host } = await start({ IDENTITY_PORT: String(port) })
  return disposable<IdentityOnStore>({
    address,
    host,
    async signIn(login, { address: instanceAddress = address, ...options } = {}) {
      const { tokens, answer } = await signedIn(instanceAddress, { login, ...options })
      // Without a token, later assertions would fail without showing the reason.
      if (tokens.access_token === undefined) throw new Error(`${login} could not sign in: ${answer.text}`)
      return tokens
    },
    ...createServiceClients((changes) => start({ IDENTITY_PORT: '0', ...changes })),
    startAnother: (changes = {}, clock) => start({ IDENTITY_PORT: '0', ...changes }, clock),
    async stop() {
      await Promise.all(stops.map((stop) => stop()))
    },
  })
}

export interface Clock {
  now(): number
  advance(milliseconds: number): void
}

export interface IdentityUnderTest extends IdentityOnStore {
  readonly database: Database
  readonly clock: Clock
  /** An account with the password `password`. */
  readonly person: Account
  /** The account of the service client. */
  readonly robotAccount: Account
  addAccount(options?: AccountOptions): Promise<Account>
}

/** Starts the identity host with its own store, two accounts, and a clock that tests can advance. */
export async function startIdentityUnderTest({
  environment = {},
  passwords,
  hostName,
  destination,
}: Omit<HostOptions, 'now'> = {}): Promise<IdentityUnderTest> {
  const { database, drop } = await freshDatabase()
  const clock = createClock()
  const hash = await (passwords ? passwords.hash(password) : passwordHash())
  const addAccount = (options: AccountOptions = {}) =>
    insertAccount(database, { passwordHash: hash, ...options })
  const [person, robotAccount] = await Promise.all([
    addAccount({ login: 'ada@example.com' }),
    addAccount({ login: robot.login, name: 'Robot' }),
  ])
  const identity = await startIdentityHost(database, {
    environment: { ...serviceClientSettings(robot), ...environment },
    ...(passwords && { passwords }),
    ...(hostName && { hostName }),
    ...(destination && { destination }),
    now: clock.now,
  })
  return {
    ...identity,
    database,
    clock,
    person,
    robotAccount,
    addAccount,
    async stop() {
      await identity.stop()
      await drop()
    },
  }
}

/** One key for all hosts, because generating an RSA key takes longer than most tests. */
export const signingPem = generateKeyPairSync('rsa', { modulusLength: 2048 })
  .privateKey.export({ type: 'pkcs8', format: 'pem' })
  .toString()

const defaults = (address: string): Environment => ({
  LOG_LEVEL: 'fatal',
  Jwt__Issuer: address,
  Jwt__SigningKey: 'the secret of all instances in this test',
  Jwt__SigningPrivateKey: signingPem,
  Cors__AllowedOrigins__0: origin,
  Cors__AllowedOrigins__1: otherOrigin,
  SVC_ADMIN_LOGINS: 'root@example.com',
  RateLimit__Identity__PermitLimit: '0',
})

const addressOf = ({ app }: IdentityHost): string =>
  `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`

function createClock(): Clock {
  let offset = 0
  return {
    now: () => Date.now() + offset,
    advance(milliseconds) {
      offset += milliseconds
    },
  }
}
