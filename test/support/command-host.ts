import type { DestinationStream } from 'pino'
import { administratorsOf } from '../../src/accounts/administrators.ts'
import { createAuthentication } from '../../src/auth/authenticate.ts'
import { type Budgets, openBudgets } from '../../src/config/budgets.ts'
import { type Environment, readSettings } from '../../src/config/settings.ts'
import { type Database, type DatabaseOptions, openDatabase } from '../../src/db/database.ts'
import { sql } from '../../src/db/sql.ts'
import { readCommandSettings } from '../../src/hosts/commands/configuration.ts'
import { startCommands, type TimeLimits } from '../../src/hosts/commands/main.ts'
import { createLog } from '../../src/http/log.ts'
import type { LimiterClock } from '../../src/http/rate-limiter.ts'
import type { Resource } from '../../src/resources/define-resource.ts'
import { cheapPasswords } from './cheap-passwords.ts'
import { disposable } from './fixture.ts'
import { addressOf, freshDatabase, underRoleOf } from './fresh-database.ts'
import { type IdentityOnStore, startIdentityHost } from './identity-host.ts'
import { type Account, type AccountOptions, insertAccount } from './insert-account.ts'

export interface Person extends Account {
  readonly token: string
}

export interface CommandsUnderTest extends AsyncDisposable {
  /** The address of the HTTP/2 port in the form of gRPC clients: `127.0.0.1:50123`. */
  readonly target: string
  /** The address of the HTTP/1.1 port. */
  readonly diagnostics: string
  readonly database: Database
  /** The real identity host, on the same store. */
  readonly identity: IdentityOnStore
  /** Creates an account, with the token of a service client. */
  signUp(options?: AccountOptions): Promise<Person>
  /** An account that SVC_ADMIN_LOGINS names. */
  readonly administrator: Person
  announceHostStop(): void
  /** Stops only the host, so that the test can examine its database. */
  stopHost(): Promise<void>
  stop(): Promise<void>
}

export interface HostOptions extends Partial<TimeLimits> {
  /** The clock of the rate limiter. */
  readonly limiterClock?: LimiterClock
  readonly alongside?: Alongside
  readonly budgets?: Budgets
  /** The log is written here instead of to standard output. */
  readonly destination?: DestinationStream
  /** The resources that the host serves; by default, all of them. */
  readonly declared?: readonly Resource[]
  /** With `alongside`, the time limit for responses of the store. */
  readonly storeMilliseconds?: number
}

const administratorLogin = 'admin@example.com'

/** A running host, whose store and identity host are shared. */
export type Alongside = Pick<CommandsUnderTest, 'database' | 'identity'>

/** Starts the command host on free ports, with its own store or the store of another host. */
export async function startCommandsUnderTest(
  environment: Environment = {},
  {
    alongside,
    limiterClock,
    budgets = openBudgets(),
    storeMilliseconds,
    declared,
    destination,
    ...limits
  }: HostOptions = {},
): Promise<CommandsUnderTest> {
  const { database, identity, end } = alongside
    ? await openStoreOf(alongside, {
        budgets,
        ...(storeMilliseconds && { answerMilliseconds: storeMilliseconds }),
      })
    : await createStore()
  const settings = readSettings(
    {
      COMMAND_PORT: '0',
      COMMAND_DIAGNOSTICS_PORT: '0',
      LOG_LEVEL: 'error',
      Jwt__Issuer: identity.address,
      SVC_ADMIN_LOGINS: administratorLogin,
      ...environment,
    },
    readCommandSettings,
  )
  const log = createLog({
    level: settings.logLevel,
    lineBudget: budgets.budget('unauthenticatedLines'),
    ...(destination && { destination }),
  })
  const store = underRoleOf('commands', database)
  const authentication = createAuthentication({
    ...settings,
    database: store,
    scope: 'svc.grpc',
    administrators: administratorsOf(settings),
    log,
  })
  const context = { database: store, passwords: cheapPasswords(), budgets, hoursStep: settings.hoursStep }
  const rateLimit = { ...settings.rateLimit, ...(limiterClock && { clock: limiterClock }) }
  const host = await startCommands(context, authentication, { ...settings, rateLimit }, log, limits, declared)
  const withToken = async (account: Account): Promise<Person> => ({
    ...account,
    token: await identity.serviceToken(account.login, 'svc.grpc'),
  })
  const signUp = async (options: AccountOptions = {}) => {
    const login = options.login ?? (await identity.serviceLogin())
    return withToken(await insertAccount(database, { ...options, login }))
  }
  const known = await findAccount(database, administratorLogin)
  let stopped: Promise<void> | undefined
  const stopHost = () => {
    stopped ??= host.stop()
    return stopped
  }
  return disposable<CommandsUnderTest>({
    target: `127.0.0.1:${host.port}`,
    diagnostics: `http://127.0.0.1:${host.diagnosticsPort}`,
    database,
    identity,
    signUp,
    administrator: await (known ? withToken(known) : signUp({ login: administratorLogin, name: 'Root' })),
    announceHostStop: host.announceStop,
    stopHost,
    async stop() {
      await stopHost()
      await end()
    },
  })
}

async function createStore() {
  const { database, drop } = await freshDatabase()
  const identity = await startIdentityHost(database, {
    environment: { SVC_ADMIN_LOGINS: administratorLogin },
  })
  const end = async () => {
    await identity.stop()
    await drop()
  }
  return { database, identity, end }
}

/** Opens separate connections to the store of another host, as another process would. */
async function openStoreOf(
  { identity, database: shared }: Alongside,
  options: Pick<DatabaseOptions, 'answerMilliseconds' | 'budgets'>,
) {
  const database = openDatabase({
    url: addressOf(shared),
    applicationName: 'another command host',
    ...options,
  })
  return { database, identity, end: () => database.close() }
}

async function findAccount(database: Database, login: string): Promise<Account | undefined> {
  const [account] = await database.query<Account>(sql`
    select id, name, login, security_stamp as "securityStamp" from users where login = ${login}`)
  return account
}
