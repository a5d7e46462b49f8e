import assert from 'node:assert/strict'
import { execFile, execFileSync, spawn, spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import pg from 'pg'
import { freePort, spawnStart } from './child-host.ts'
import { freshDatabase, withDatabase } from './fresh-database.ts'
import { type Pooler, startPooler } from './pgbouncer.ts'
import { readCompose, type Service } from './read-compose.ts'

const root = join(import.meta.dirname, '..', '..')

/** `deploy/postgres/create-roles.sh` needs psql. */
export const hasPsql = spawnSync('psql', ['--version']).status === 0

/** The secrets that `deploy/make-env` would write. */
export const secrets: Readonly<Record<string, string>> = Object.fromEntries(
  ['POSTGRES', 'MIGRATION', 'REST', 'COMMANDS', 'IDENTITY', 'BANK']
    .map((name) => [`${name}_PASSWORD`, `${name.toLowerCase()}-${randomBytes(12).toString('hex')}`])
    .concat([['IDENTITY_KEY_SECRET', randomBytes(24).toString('hex')]]),
)

export const services = readCompose(secrets)

/** The containers of this project's image that keep running. */
export const hosts = Object.entries(services).filter(
  ([name, { build }]) => build !== undefined && name !== 'prepare' && name !== 'backup',
)

/** The service client that an operator adds for a script. It acts as the first account. */
export const robot = { login: 'ann@example.com', secret: 'a secret of more than 32 characters' }

export interface DeployedHosts {
  readonly ports: Readonly<Record<string, number>>
  readonly rolePrefix: string
  /** The output of the container `prepare`. */
  readonly prepared: string
  /** Runs a command of `src/cli.ts` in one of the containers, as `docker compose exec` does. */
  runIn(name: string, args: readonly string[], input?: string): Promise<string>
  /** Returns the URL of the store for one of the roles: rest, bank … or migrations. */
  urlFor(role: string): string
  /** Returns the variables of a container, adapted to this test. */
  environment(name: string): Readonly<Record<string, string>>
  /** The pooler between the hosts and the store, if a mode was given. */
  readonly pooler: Pooler | undefined
  tokenFor(scope: string): Promise<string>
  isRunning(name: string): boolean
  output(name: string): string
  stop(): Promise<void>
}

/** Runs the containers of compose.yaml as processes, with its roles in the tests' PostgreSQL. */
export async function startDeployedHosts(mode?: 'session' | 'transaction'): Promise<DeployedHosts> {
  const store = await freshDatabase()
  const folder = mkdtempSync(join(tmpdir(), 'compose-'))
  const id = `compose_${randomBytes(4).toString('hex')}`
  const rolePrefix = `${id}_`
  createRoles(store.url, { DB_ROLE_PREFIX: rolePrefix, TRACKER_DATABASE: id })
  const pooler = mode && (await startPooler(withDatabase(store.url, id), mode))
  const urlFor = (role: string) =>
    (pooler?.url ?? withDatabase(store.url, id)).replace(
      /^(\w+:\/\/)(?:[^@/]*@)?/,
      `$1${rolePrefix}${role}:${passwordOf(role)}@`,
    )
  const ports: Record<string, number> = {}
  for (const [name] of hosts) ports[name] = await freePort()
  // The port of `commands` is for health checks, and this port is for commands.
  ports.command = await freePort()
  const deployment = { ports, folder, urlFor }
  const prepared = await runPrepare(deployment)
  const runIn: DeployedHosts['runIn'] = async (name, args, input = '') => {
    const running = promisify(execFile)(process.execPath, ['src/cli.ts', ...args], {
      cwd: root,
      env: { ...environmentOf(deployment, name, requireService(name)), PATH: process.env.PATH },
    })
    running.child.stdin?.end(input)
    return (await running).stdout
  }
  await runIn('rest', ['account', 'create', robot.login, '--administrator'], 'Correct-Horse-1\n')
  const running = Object.fromEntries(
    hosts.map(([name, service]) => [
      name,
      spawnStart(environmentOf(deployment, name, service), service.command),
    ]),
  )
  return {
    ports,
    rolePrefix,
    prepared,
    runIn,
    urlFor,
    environment: (name) => environmentOf(deployment, name, services[name] as Service),
    pooler,
    async tokenFor(scope) {
      const response = await fetch(`http://127.0.0.1:${ports.identity}/connect/token`, {
        method: 'POST',
        headers: { authorization: `Basic ${btoa(`robot:${encodeURIComponent(robot.secret)}`)}` },
        body: new URLSearchParams({ grant_type: 'client_credentials', scope }),
      })
      const { access_token: token } = (await response.json()) as { access_token?: string }
      return token ?? assert.fail(`no token: ${response.status}`)
    },
    isRunning: (name) => running[name]?.process.exitCode === null,
    output: (name) => running[name]?.output() ?? '',
    async stop() {
      for (const child of Object.values(running)) child.process.kill('SIGTERM')
      await Promise.all(Object.values(running).map(({ exited }) => exited))
      await pooler?.stop()
      await dropRoles(store.url, id, rolePrefix)
      await store.drop()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

function requireService(name: string): Service {
  const service = services[name]
  if (service === undefined) throw new Error(`compose.yaml has no ${name}.`)
  return service
}

const passwordOf = (role: string) =>
  secrets[`${role === 'migrations' ? 'MIGRATION' : role.toUpperCase()}_PASSWORD`]

export function createRoles(url: string, environment: Readonly<Record<string, string>>): void {
  execFileSync('sh', [join(root, 'deploy', 'postgres', 'create-roles.sh')], {
    env: { PATH: process.env.PATH, PGDATABASE: url, ...secrets, ...environment },
    stdio: ['ignore', 'inherit', 'inherit'],
  })
}

async function dropRoles(url: string, database: string, prefix: string): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  await client.query(`drop database ${database} with (force)`)
  for (const role of ['migrations', 'rest', 'commands', 'identity', 'bank'])
    await client.query(`drop role ${prefix}${role}`)
  await client.end()
}

type Deployment = Pick<DeployedHosts, 'ports' | 'urlFor'> & { readonly folder: string }

async function runPrepare({ folder, urlFor }: Deployment): Promise<string> {
  const { entrypoint = [], command = [], environment } = services.prepare ?? { environment: {} }
  const { stdout } = await promisify(execFile)(process.execPath, [...entrypoint.slice(1), ...command], {
    cwd: root,
    env: {
      ...ownEnvironment(environment),
      PATH: process.env.PATH,
      DATABASE_URL: urlFor('migrations'),
      DATA_DIR: join(folder, 'kept'),
    },
  })
  return stdout
}

/** The command host has a separate port for health checks, because containers cannot check HTTP/2. */
const healthPortVariable = (host: string) =>
  host === 'commands' ? 'COMMAND_DIAGNOSTICS_PORT' : `${host.toUpperCase()}_PORT`

/** Returns the variables of a container, with the addresses of this test instead of the container network. */
function environmentOf(
  { ports, folder, urlFor }: Deployment,
  name: string,
  { command = [], environment }: Service,
) {
  const [host = ''] = command
  return {
    ...ownEnvironment(environment, (value) =>
      value.replace('http://identity:5200', `http://127.0.0.1:${ports.identity}`),
    ),
    ...('DATABASE_URL' in environment && { DATABASE_URL: urlFor(roleIn(environment.DATABASE_URL)) }),
    // In compose.yaml, the variable names a file that is mounted in the container.
    NODE_EXTRA_CA_CERTS: '/dev/null',
    // Hosts must not need a data directory.
    DATA_DIR: join(folder, 'none'),
    LOG_LEVEL: 'error',
    COMMAND_PORT: String(ports.command),
    [healthPortVariable(host)]: String(ports[name]),
    Identity__ServiceClients__robot__Login: robot.login,
    Identity__ServiceClients__robot__Secret: robot.secret,
  }
}

export const roleIn = (url: unknown): string => /^postgresql:\/\/tracker_(\w+):/.exec(String(url))?.[1] ?? ''

const ownEnvironment = (environment: Service['environment'], adapt = (value: string) => value) =>
  Object.fromEntries(
    Object.entries(environment).map(([variable, value]) => [variable, adapt(String(value ?? ''))]),
  )

/** Runs the command of the health check with the test's port, and returns its exit code. */
export async function checkHealth(name: string, port: number | undefined): Promise<number> {
  const [, , program = '', address = ''] = services[name]?.healthcheck?.test ?? []
  const testAddress = address.replace(/:\d+\//, `:${port}/`)
  const [code] = await once(
    spawn(process.execPath, [program, testAddress], { cwd: root, stdio: 'inherit' }),
    'exit',
  )
  return code
}
