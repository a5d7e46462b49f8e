import { administratorsOf } from '../../src/accounts/administrators.ts'
import { createPasswords } from '../../src/accounts/passwords.ts'
import { createAuthentication } from '../../src/authentication/authenticate.ts'
import { type Environment, readSettings } from '../../src/configuration/settings.ts'
import { readCommandSettings } from '../../src/hosts/commands/configuration.ts'
import { startCommands, type TimeLimits } from '../../src/hosts/commands/main.ts'
import { createLog } from '../../src/http/log.ts'
import type { Database } from '../../src/store/database.ts'
import { freshDatabase } from './fresh-database.ts'
import { type Account, type AccountOptions, insertAccount } from './insert-account.ts'
import { startTestIssuer, type TestIssuer } from './test-issuer.ts'

export interface Person extends Account {
  readonly token: string
}

export interface CommandsUnderTest {
  /** Of the HTTP/2 side, as a gRPC client takes it: `127.0.0.1:50123`. */
  readonly target: string
  /** Of the HTTP/1.1 side. */
  readonly diagnostics: string
  readonly database: Database
  readonly issuer: TestIssuer
  /** An account with a token for commands; the administrator is listed in SVC_ADMIN_LOGINS. */
  signUp(options?: AccountOptions): Promise<Person>
  readonly administrator: Person
  /** The host alone: its database stays to be looked at. */
  stopHost(): Promise<void>
  stop(): Promise<void>
}

export interface HostOptions extends Partial<TimeLimits> {
  /** Of the rate limiter; a minute otherwise. */
  readonly windowMilliseconds?: number
}

const administratorLogin = 'admin@example.com'

/** The command host as it is deployed, on ports, a database and an issuer of its own. */
export async function startCommandsUnderTest(
  environment: Environment = {},
  { windowMilliseconds, ...limits }: HostOptions = {},
): Promise<CommandsUnderTest> {
  const [issuer, { database, drop }] = await Promise.all([startTestIssuer(), freshDatabase()])
  const settings = readSettings(
    {
      COMMAND_PORT: '0',
      COMMAND_DIAGNOSTICS_PORT: '0',
      LOG_LEVEL: 'error',
      Jwt__Issuer: issuer.issuer,
      SVC_ADMIN_LOGINS: administratorLogin,
      ...environment,
    },
    readCommandSettings,
  )
  const log = createLog({ level: settings.logLevel })
  const authentication = createAuthentication({
    ...settings,
    database,
    scope: 'svc.grpc',
    administrators: administratorsOf(settings),
    log,
  })
  const tracker = { database, passwords: createPasswords({ memoryMebibytes: 1, passes: 1, lanes: 1 }) }
  const rateLimit = { ...settings.rateLimit, ...(windowMilliseconds && { windowMilliseconds }) }
  const host = await startCommands(tracker, authentication, { ...settings, rateLimit }, log, limits)
  const signUp = async (options: AccountOptions = {}): Promise<Person> => {
    const account = await insertAccount(database, options)
    const admin = account.login === administratorLogin
    const grant = { admin, audience: 'svc-grpc', scope: 'svc.grpc' }
    return { ...account, token: await issuer.signIn(database, account.id, grant) }
  }
  let stopped: Promise<void> | undefined
  const stopHost = () => {
    stopped ??= host.stop()
    return stopped
  }
  return {
    target: `127.0.0.1:${host.port}`,
    diagnostics: `http://127.0.0.1:${host.diagnosticsPort}`,
    database,
    issuer,
    signUp,
    administrator: await signUp({ login: administratorLogin, name: 'Root' }),
    stopHost,
    async stop() {
      await stopHost()
      await issuer.stop()
      await drop()
    },
  }
}
