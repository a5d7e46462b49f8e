import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createConnection } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { freePort } from './child-host.ts'
import { type StoreProxy, startStoreProxy } from './store-proxy.ts'

export interface Pooler {
  /** The URL of the database through the pooler. */
  readonly url: string
  /** The network between the pooler and the database. */
  readonly network: StoreProxy
  stop(): Promise<void>
}

export const poolerProgram = [process.env.PGBOUNCER ?? '', '/usr/sbin/pgbouncer', '/usr/bin/pgbouncer'].find(
  existsSync,
)

/** From version 1.21 on, the pooler supports named statements in transaction mode. */
export const knowsNamedStatements =
  poolerProgram !== undefined &&
  Number(
    /^PgBouncer 1\.(\d+)/i.exec(execFileSync(poolerProgram, ['--version'], { encoding: 'utf8' }))?.[1],
  ) >= 21

const shippedFile = join(import.meta.dirname, '..', '..', 'deploy', 'pgbouncer', 'pgbouncer.ini')

/**
 * Starts PgBouncer in front of the database at `url`, with the configuration in deploy/. Its users are the
 * roles of the server, with the same passwords. PGBOUNCER can name the program.
 */
export async function startPooler(
  url: string,
  mode: 'session' | 'transaction' | 'statement',
  lines: Readonly<Record<string, string>> = {},
): Promise<Pooler> {
  const port = await freePort()
  const folder = mkdtempSync(join(tmpdir(), 'pooler-'))
  // The pooler may run as another user, who must be able to read its files.
  chmodSync(folder, 0o755)
  const { user, password, database } = new pg.Client(url)
  // The pooler runs as another user, who cannot access the socket of an embedded store.
  const network = await startStoreProxy(new pg.Client(url))
  const users = join(folder, 'userlist.txt')
  writeFileSync(users, await readPasswords(url))
  const file = join(folder, 'pgbouncer.ini')
  const settings = {
    tracker: `host=127.0.0.1 port=${new URL(network.url).port} dbname=${database}`,
    listen_port: String(port),
    auth_file: users,
    pool_mode: mode,
    // Session mode needs a server connection for each connection of a host.
    ...(mode === 'session' && { default_pool_size: '60' }),
    ...(knowsNamedStatements && { max_prepared_statements: '1000' }),
    ...lines,
  }
  writeFileSync(file, Object.entries(settings).reduce(replaceLine, readFileSync(shippedFile, 'utf8')))
  const server = spawn(poolerProgram ?? '', ['-q', file], {
    stdio: 'ignore',
    // PgBouncer does not run as root.
    ...(process.getuid?.() === 0 && { uid: nobody, gid: nobody }),
  })
  await untilListening(port, server)
  return {
    url: `postgresql://${user}:${encodeURIComponent(password ?? '')}@127.0.0.1:${port}/tracker`,
    network,
    async stop() {
      const ended = once(server, 'exit')
      server.kill('SIGKILL')
      await ended
      network.stop()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

const nobody = 65_534

/** Replaces a setting, which may be commented out. */
function replaceLine(file: string, [name, value]: readonly [name: string, value: string]): string {
  const line = new RegExp(`^(; )?${name} = .*$`, 'm')
  if (!line.test(file)) throw new Error(`${shippedFile} has no ${name}.`)
  return file.replace(line, () => `${name} = ${value}`)
}

/** Returns the file of users, as docs/deployment.md describes it. */
async function readPasswords(url: string): Promise<string> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  const { rows } = await client.query<{ line: string }>(
    `select format('"%s" "%s"', rolname, rolpassword) as line from pg_authid where rolpassword is not null`,
  )
  await client.end()
  return rows.map(({ line }) => `${line}\n`).join('')
}

async function untilListening(port: number, server: ChildProcess) {
  for (let attempt = 0; attempt < 200; attempt += 1) {
    if (server.exitCode !== null) throw new Error(`The pooler ended with ${server.exitCode}.`)
    const socket = createConnection(port, '127.0.0.1')
    const isOpen = await Promise.race([
      once(socket, 'connect').then(() => true),
      once(socket, 'error').then(() => false),
    ]).catch(() => false)
    socket.destroy()
    if (isOpen) return
    await sleep(50)
  }
  throw new Error('The pooler did not start.')
}
