import { execFileSync, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { freePort, spawnStart } from './child-host.ts'
import { freshDatabase } from './fresh-database.ts'
import { readCompose, type Service } from './read-compose.ts'

const root = join(import.meta.dirname, '..', '..')

/** What `deploy/make-env` writes. */
export const secrets: Readonly<Record<string, string>> = Object.fromEntries(
  ['POSTGRES', 'MIGRATION', 'REST', 'COMMANDS', 'IDENTITY', 'BANK']
    .map((name) => [`${name}_PASSWORD`, `${name.toLowerCase()}-${randomBytes(12).toString('hex')}`])
    .concat([['IDENTITY_KEY_SECRET', randomBytes(24).toString('hex')]]),
)

export const services = readCompose(secrets)

/** The containers that run this project's image and stay. */
export const hosts = Object.entries(services).filter(
  ([name, { build }]) => build !== undefined && name !== 'prepare',
)

/** What an operator adds for a script. */
export const robot = { login: 'demo@example.com', secret: 'a secret of more than 32 characters' }

export interface DeployedHosts {
  readonly ports: Readonly<Record<string, number>>
  readonly rolePrefix: string
  /** What the container `prepare` printed. */
  readonly prepared: string
  /** The address of the store for one of the roles: rest, bank … or migrations. */
  urlFor(role: string): string
  isRunning(name: string): boolean
  output(name: string): string
  stop(): Promise<void>
}

/** Commands and variables of compose.yaml as processes on this machine, and its roles in the tests' PostgreSQL. */
export async function startDeployedHosts(): Promise<DeployedHosts> {
  const store = await freshDatabase()
  const folder = mkdtempSync(join(tmpdir(), 'compose-'))
  const id = `compose_${randomBytes(4).toString('hex')}`
  const rolePrefix = `${id}_`
  const urlFor = (role: string) =>
    store.url.replace(
      /^(\w+:\/\/)(?:[^@/]*@)?([^/?]*)\/[^?]*/,
      `$1${rolePrefix}${role}:${passwordOf(role)}@$2/${id}`,
    )
  createRoles(store.url, { DB_ROLE_PREFIX: rolePrefix, TRACKER_DATABASE: id })
  const ports: Record<string, number> = {}
  for (const [name] of [...hosts, ['command']] as const) ports[name ?? ''] = await freePort()
  const here = { ports, folder, urlFor }
  const prepared = runPrepare(here)
  const running = Object.fromEntries(
    hosts.map(([name, service]) => [name, spawnStart(environmentOf(here, name, service), service.command)]),
  )
  return {
    ports,
    rolePrefix,
    prepared,
    urlFor,
    isRunning: (name) => running[name]?.process.exitCode === null,
    output: (name) => running[name]?.output() ?? '',
    async stop() {
      for (const child of Object.values(running)) child.process.kill('SIGTERM')
      await Promise.all(Object.values(running).map(({ exited }) => exited))
      await dropRoles(store.url, id, rolePrefix)
      await store.drop()
      rmSync(folder, { recursive: true, force: true })
    },
  }
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

type Here = Pick<DeployedHosts, 'ports' | 'urlFor'> & { readonly folder: string }

function runPrepare({ folder, urlFor }: Here): string {
  const { entrypoint = [], command = [], environment } = services.prepare ?? { environment: {} }
  return execFileSync(process.execPath, [...entrypoint.slice(1), ...command], {
    cwd: root,
    encoding: 'utf8',
    env: {
      ...ownEnvironment(environment),
      PATH: process.env.PATH,
      DATABASE_URL: urlFor('migrations'),
      DATA_DIR: join(folder, 'kept'),
    },
  })
}

/** Commands themselves travel over HTTP/2, which no health check of a container speaks. */
const healthPortVariable = (host: string) =>
  host === 'commands' ? 'COMMAND_DIAGNOSTICS_PORT' : `${host.toUpperCase()}_PORT`

/** Addresses of the containers' network become those of this test; everything else stays. */
function environmentOf(
  { ports, folder, urlFor }: Here,
  name: string,
  { command = [], environment }: Service,
) {
  const [host = ''] = command
  return {
    ...ownEnvironment(environment, (value) =>
      value.replace('http://identity:5200', `http://127.0.0.1:${ports.identity}`),
    ),
    ...('DATABASE_URL' in environment && { DATABASE_URL: urlFor(roleIn(environment.DATABASE_URL)) }),
    // Nothing may be kept here.
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

/** The health check's own command, asking on the test's port. */
export async function checkHealth(name: string, port: number | undefined): Promise<number> {
  const [, , program = '', address = ''] = services[name]?.healthcheck?.test ?? []
  const there = address.replace(/:\d+\//, `:${port}/`)
  const [code] = await once(
    spawn(process.execPath, [program, there], { cwd: root, stdio: 'inherit' }),
    'exit',
  )
  return code
}
