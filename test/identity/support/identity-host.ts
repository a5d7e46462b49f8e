import { generateKeyPairSync } from 'node:crypto'
import type { AddressInfo } from 'node:net'
import { createServer } from 'node:net'
import { createPasswords, type Passwords } from '../../../src/accounts/passwords.ts'
import type { Environment } from '../../../src/configuration/settings.ts'
import { readSettings } from '../../../src/configuration/settings.ts'
import { readIdentitySettings } from '../../../src/hosts/identity/configuration.ts'
import { type IdentityHost, startIdentity } from '../../../src/hosts/identity/main.ts'
import { createLog } from '../../../src/http/log.ts'
import type { Database } from '../../../src/store/database.ts'
import { freshDatabase } from '../../support/fresh-database.ts'
import { type Account, type AccountOptions, insertAccount } from '../../support/insert-account.ts'

export const origin = 'http://app.example.test'
export const otherOrigin = 'http://other.example.test'
export const redirectUri = `${origin}/signin-callback/`
export const robot = { id: 'robot', secret: 'a-secret-of-at-least-32-characters', login: 'robot@example.com' }
export const password = 'Correct-Horse-1'

export interface Clock {
  now(): number
  advance(milliseconds: number): void
}

export interface IdentityUnderTest {
  readonly address: string
  readonly database: Database
  readonly clock: Clock
  /** Signs in with `password`. */
  readonly person: Account
  /** The account of the service client. */
  readonly robotAccount: Account
  readonly host: IdentityHost
  addAccount(options?: AccountOptions): Promise<Account>
  /** A further instance on the same store, with its own address unless it stands behind one. */
  startAnother(environment?: Environment): Promise<{ readonly address: string; stop(): Promise<void> }>
  stop(): Promise<void>
}

export interface UnderTestOptions {
  readonly environment?: Environment
  readonly passwords?: Passwords
}

/** The identity host as it is deployed, on a port and a database of its own. Limits are off unless asked for. */
export async function startIdentityUnderTest({
  environment = {},
  passwords = cheapPasswords,
}: UnderTestOptions = {}): Promise<IdentityUnderTest> {
  const [{ database, drop }, port] = await Promise.all([freshDatabase(), freePort()])
  const clock = createClock()
  const address = `http://127.0.0.1:${port}`
  const passwordHash = await passwords.hash(password)
  const addAccount = (options: AccountOptions = {}) => insertAccount(database, { passwordHash, ...options })
  const [person, robotAccount] = await Promise.all([
    addAccount({ login: 'ada@example.com' }),
    addAccount({ login: robot.login, name: 'Robot' }),
  ])
  const stops: (() => Promise<void>)[] = []
  const start = async (own: Environment) => {
    const settings = readSettings({ ...defaults(address), ...environment, ...own }, readIdentitySettings)
    const host = await startIdentity(
      { database, passwords },
      settings,
      createLog({ level: settings.logLevel }),
      clock.now,
    )
    stops.push(host.stop)
    return host
  }
  const host = await start({ IDENTITY_PORT: String(port) })
  return {
    address,
    database,
    clock,
    person,
    robotAccount,
    host,
    addAccount,
    async startAnother(own = {}) {
      const { app, stop } = await start({ IDENTITY_PORT: '0', ...own })
      return { address: `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`, stop }
    },
    async stop() {
      await Promise.all(stops.map((stop) => stop()))
      await drop()
    },
  }
}

/** Hashing is not what most tests are about. */
export const cheapPasswords = createPasswords({ memoryMebibytes: 1, passes: 1, lanes: 1 })

/** Making an RSA key takes longer than most tests. */
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
  [`Identity__ServiceClients__${robot.id}__Secret`]: robot.secret,
  [`Identity__ServiceClients__${robot.id}__Login`]: robot.login,
})

function createClock(): Clock {
  let ahead = 0
  return {
    now: () => Date.now() + ahead,
    advance(milliseconds) {
      ahead += milliseconds
    },
  }
}

/** The issuer is part of the settings, so the port has to be known before the host listens. */
export async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return port
}
