import { administratorsOf } from '../../src/accounts/administrators.ts'
import { createPasswords } from '../../src/accounts/passwords.ts'
import { createAuthentication } from '../../src/authentication/authenticate.ts'
import { type Environment, readSettings } from '../../src/configuration/settings.ts'
import { readCommandSettings } from '../../src/hosts/commands/configuration.ts'
import { startCommands } from '../../src/hosts/commands/main.ts'
import { createLog } from '../../src/http/log.ts'
import { type Database, openDatabase } from '../../src/store/database.ts'
import { sql } from '../../src/store/sql.ts'
import { freshDatabase } from './fresh-database.ts'
import { type Account, type AccountOptions, insertAccount } from './insert-account.ts'
import { addressOf } from './outside-connection.ts'
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
  /** A fresh token for an account that is there. */
  signIn(account: Account): Promise<Person>
  readonly administrator: Person
  stop(): Promise<void>
}

const administratorLogin = 'admin@example.com'

/** A host that runs already, whose store and issuer are shared. */
export type Beside = Pick<CommandsUnderTest, 'database' | 'issuer'>

/** The command host as it is deployed, on ports of its own; the store and the issuer too, unless it starts beside a host. */
export async function startCommandsUnderTest(
  environment: Environment = {},
  beside?: Beside,
): Promise<CommandsUnderTest> {
  const { issuer, database, end } = beside ? await join(beside) : await ownGround()
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
  const host = await startCommands(tracker, authentication, settings, log)
  const signIn = async (account: Account): Promise<Person> => {
    const admin = account.login === administratorLogin
    const grant = { admin, audience: 'svc-grpc', scope: 'svc.grpc' }
    return { ...account, token: await issuer.signIn(database, account.id, grant) }
  }
  const signUp = async (options: AccountOptions = {}) => signIn(await insertAccount(database, options))
  /** Beside a host the administrator is there already. */
  const findOrSignUp = async () => {
    const [known] = await database.query<Account>(sql`
      select id, name, login, security_stamp as "securityStamp" from users where login = ${administratorLogin}`)
    return known ? signIn(known) : signUp({ login: administratorLogin, name: 'Root' })
  }
  return {
    target: `127.0.0.1:${host.port}`,
    diagnostics: `http://127.0.0.1:${host.diagnosticsPort}`,
    database,
    issuer,
    signUp,
    signIn,
    administrator: await findOrSignUp(),
    async stop() {
      await host.stop()
      await end()
    },
  }
}

async function ownGround() {
  const [issuer, { database, drop }] = await Promise.all([startTestIssuer(), freshDatabase()])
  return { issuer, database, end: () => Promise.all([issuer.stop(), drop()]) }
}

/** Connections of its own, as another process has them. */
async function join({ issuer, database: shared }: Beside) {
  const database = openDatabase({ url: await addressOf(shared), applicationName: 'commands beside' })
  return { issuer, database, end: () => database.close() }
}
