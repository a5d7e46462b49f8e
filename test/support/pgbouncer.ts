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
  /** Of the same database, through the pooler. */
  readonly url: string
  /** Between the pooler and the database. */
  readonly network: StoreProxy
  stop(): Promise<void>
}

export const poolerProgram = [process.env.PGBOUNCER ?? '', '/usr/sbin/pgbouncer', '/usr/bin/pgbouncer'].find(
  existsSync,
)

/** In transaction mode: from 1.21 on. */
export const knowsNamedStatements =
  poolerProgram !== undefined &&
  Number(
    /^PgBouncer 1\.(\d+)/i.exec(execFileSync(poolerProgram, ['--version'], { encoding: 'utf8' }))?.[1],
  ) >= 21

const shippedFile = join(import.meta.dirname, '..', '..', 'deploy', 'pgbouncer', 'pgbouncer.ini')

/**
 * The one of PGBOUNCER, or Debian's, before the database at `url`, in a process and a folder of its own, with
 * the file in deploy/. Its users are all roles of the server, whose passwords are those of the server.
 */
export async function startPooler(
  url: string,
  mode: 'session' | 'transaction' | 'statement',
  lines: Readonly<Record<string, string>> = {},
): Promise<Pooler> {
  const port = await freePort()
  const folder = mkdtempSync(join(tmpdir(), 'pooler-'))
  // As root it switches to another user, who must be able to read its files.
  chmodSync(folder, 0o755)
  const { user, password, database } = new pg.Client(url)
  // Only the owner of an embedded store reaches its socket, and the pooler is another user.
  const network = await startStoreProxy(new pg.Client(url))
  const users = join(folder, 'userlist.txt')
  writeFileSync(users, await readPasswords(url))
  const file = join(folder, 'pgbouncer.ini')
  const own = {
    tracker: `host=127.0.0.1 port=${new URL(network.url).port} dbname=${database}`,
    listen_port: String(port),
    auth_file: users,
    pool_mode: mode,
    // Session mode needs one for each connection of a host.
    ...(mode === 'session' && { default_pool_size: '60' }),
    ...(knowsNamedStatements && { max_prepared_statements: '1000' }),
    ...lines,
  }
  writeFileSync(file, Object.entries(own).reduce(replaceLine, readFileSync(shippedFile, 'utf8')))
  const server = spawn(poolerProgram ?? '', ['-q', file], {
    stdio: 'ignore',
    // It does not run as root.
    ...(process.getuid?.() === 0 && { uid: nobody, gid: nobody }),
  })
  await isListening(port, server)
  return {
    url: `postgresql://${user}:${encodeURIComponent(password ?? '')}@127.0.0.1:${port}/tracker`,
    network,
    async stop() {
      const ended = once(server, 'exit')
      server.kill('SIGKILL')
      await ended
      network.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

const nobody = 65_534

/** A commented line counts, too. */
function replaceLine(file: string, [name, value]: readonly [name: string, value: string]): string {
  const line = new RegExp(`^(; )?${name} = .*$`, 'm')
  if (!line.test(file)) throw new Error(`${shippedFile} has no ${name}.`)
  return file.replace(line, () => `${name} = ${value}`)
}

/** As docs/deployment.md has it written. */
async function readPasswords(url: string): Promise<string> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  const { rows } = await client.query<{ line: string }>(
    `select format('"%s" "%s"', rolname, rolpassword) as line from pg_authid where rolpassword is not null`,
  )
  await client.end()
  return rows.map(({ line }) => `${line}\n`).join('')
}

async function isListening(port: number, server: ChildProcess) {
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
