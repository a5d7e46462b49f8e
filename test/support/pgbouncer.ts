import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createConnection, createServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { freePort } from './child-host.ts'

export interface Pooler {
  /** Of the same database, through the pooler. */
  readonly url: string
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

/** The one of PGBOUNCER, or Debian's, before the database at `url`, in a process and a folder of its own. */
export async function startPooler(url: string, mode: 'session' | 'transaction'): Promise<Pooler> {
  const port = await freePort()
  const folder = mkdtempSync(join(tmpdir(), 'pooler-'))
  // As root it switches to another user, who must be able to read its files.
  chmodSync(folder, 0o755)
  const { host, port: serverPort, user, password, database } = new pg.Client(url)
  const relay = await startRelay(
    host.startsWith('/') ? `${host}/.s.PGSQL.${serverPort}` : { host, port: serverPort },
  )
  const target = [
    'host=127.0.0.1',
    `port=${(relay.address() as AddressInfo).port}`,
    `dbname=${database}`,
    `user=${user}`,
    ...(password ? [`password=${password}`] : []),
  ]
  const file = join(folder, 'pgbouncer.ini')
  writeFileSync(
    file,
    `[databases]
tracker = ${target.join(' ')}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = any
pool_mode = ${mode}
${knowsNamedStatements ? 'max_prepared_statements = 200' : ''}
default_pool_size = 40
max_client_conn = 200
`,
  )
  const server = spawn(poolerProgram ?? '', ['-q', file], {
    stdio: 'ignore',
    // It does not run as root.
    ...(process.getuid?.() === 0 && { uid: nobody, gid: nobody }),
  })
  await isListening(port, server)
  return {
    url: `postgresql://${user}@127.0.0.1:${port}/tracker`,
    async stop() {
      const ended = once(server, 'exit')
      server.kill('SIGKILL')
      await ended
      relay.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

const nobody = 65_534

/** Only the owner of an embedded store reaches its socket, and the pooler is another user. */
async function startRelay(target: string | { host: string; port: number }): Promise<Server> {
  const relay = createServer((incoming) => {
    const outgoing = typeof target === 'string' ? createConnection(target) : createConnection(target)
    for (const [from, to] of [
      [incoming, outgoing],
      [outgoing, incoming],
    ] as const) {
      from.on('error', () => to.destroy()).pipe(to)
    }
  })
  relay.listen(0, '127.0.0.1')
  await once(relay, 'listening')
  return relay
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
