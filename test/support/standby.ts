import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  appendFileSync,
  chownSync,
  mkdtempSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { startEmbeddedStore } from '../../src/db/embedded/start-embedded-store.ts'
import { migrate } from '../../src/db/migrate.ts'
import { until } from './until.ts'

export interface ReplicatedStore {
  readonly primaryUrl: string
  readonly standbyUrl: string
  readonly primary: pg.Client
  /** Runs a statement on the standby as the superuser, with a separate connection. */
  atStandby(statement: string): Promise<unknown>
  /** Sends a signal to the standby. */
  signal(signal: NodeJS.Signals): void
  /** Ends the standby immediately. */
  kill(): Promise<void>
  /** Starts the standby again. */
  start(): Promise<void>
  stop(): Promise<void>
}

/** Starts the embedded PostgreSQL, and a streaming standby from a copy of its files. */
export async function startReplicatedStore(): Promise<ReplicatedStore> {
  const dataDirectory = mkdtempSync(join(tmpdir(), 'tracker-primary-'))
  const store = await startEmbeddedStore({ dataDirectory, settings: { fsync: 'off' } })
  await migrate(store.url)
  const primary = new pg.Client({ connectionString: store.url })
  await primary.connect()
  const server = readServer(dataDirectory)
  const folder = mkdtempSync(join(tmpdir(), 'tracker-standby-'))
  chownSync(folder, server.uid, server.gid)
  appendFileSync(join(server.cluster, 'pg_hba.conf'), 'local replication all trust\n')
  await primary.query('select pg_reload_conf()')
  const cluster = await copyCluster(primary, server, folder)
  const standbyUrl = store.url.replace(encodeURIComponent(server.socketFolder), encodeURIComponent(folder))
  const command = commandOf(server, cluster, folder)
  let child: ChildProcess
  const atStandby = async (statement: string) => {
    const client = new pg.Client({ connectionString: standbyUrl })
    client.on('error', () => undefined)
    await client.connect()
    try {
      return (await client.query(statement)).rows[0]
    } finally {
      await client.end()
    }
  }
  const start = async () => {
    const [program = '', ...args] = [...prefixFor(server), server.program, ...command]
    child = spawn(program, args, { uid: server.uid, gid: server.gid, stdio: 'ignore' })
    const isStarted = () =>
      atStandby('select 1').then(
        () => true,
        () => false,
      )
    await until(isStarted, 'the start of the standby')
  }
  const kill = async () => {
    if (child.exitCode !== null || child.signalCode !== null) return
    const ended = once(child, 'exit')
    // A test may have stopped the standby with SIGSTOP.
    child.kill('SIGCONT')
    child.kill('SIGQUIT')
    await ended
  }
  process.once('exit', () => child?.kill('SIGQUIT'))
  await start()
  return {
    primaryUrl: store.url,
    standbyUrl,
    primary,
    atStandby,
    signal: (signal) => void child.kill(signal),
    kill,
    start,
    async stop() {
      await kill()
      await primary.end()
      await store.stop()
      rmSync(folder, { recursive: true, force: true })
      rmSync(dataDirectory, { recursive: true, force: true })
    },
  }
}

/** PostgreSQL does not run as root. If root owns the embedded cluster, it runs in a user namespace. */
const prefixFor = ({ uid }: Server) =>
  uid === 0 ? ['unshare', '--user', '--map-user=65534', '--map-group=65534', '--'] : []

interface Server {
  readonly program: string
  readonly cluster: string
  readonly socketFolder: string
  readonly arguments: readonly string[]
  readonly uid: number
  readonly gid: number
}

/** Reads how a server was started from its files and from /proc. */
function readServer(dataDirectory: string): Server {
  const lines = readFileSync(join(dataDirectory, 'postgres', 'postmaster.pid'), 'utf8').split('\n')
  const [pid, cluster = '', , , socketFolder = ''] = lines
  const { uid, gid } = statSync(`/proc/${pid}`)
  return {
    program: readlinkSync(`/proc/${pid}/exe`),
    cluster,
    socketFolder,
    arguments: readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0').slice(1, -1),
    uid,
    gid,
  }
}

/** https://www.postgresql.org/docs/current/continuous-archiving.html#BACKUP-LOWLEVEL-BASE-BACKUP */
async function copyCluster(primary: pg.Client, { cluster, uid, gid }: Server, folder: string) {
  const copy = join(folder, 'cluster')
  await primary.query(`select pg_backup_start('standby', true)`)
  // Files may disappear during the copy. That is no problem, because the WAL has the changes.
  await once(spawn('cp', ['-a', cluster, copy], { stdio: 'ignore' }), 'exit')
  rmSync(join(copy, 'postmaster.pid'), { force: true })
  const { rows } = await primary.query<{ labelfile: string }>('select labelfile from pg_backup_stop(false)')
  writeFileSync(join(copy, 'backup_label'), rows[0]?.labelfile ?? '')
  writeFileSync(join(copy, 'standby.signal'), '')
  await once(spawn('chown', ['-R', `${uid}:${gid}`, copy]), 'exit')
  return copy
}

/** Uses the arguments of the primary, because some limits of a standby must not be lower. */
function commandOf({ arguments: args, cluster, socketFolder }: Server, copy: string, folder: string) {
  const adapted = args.map((argument) =>
    argument === cluster
      ? copy
      : argument.replace(/^(cluster_name)=.*/, '$1=standby').replace(socketFolder, folder),
  )
  return [
    ...adapted,
    '-c',
    `primary_conninfo=host=${socketFolder} port=5432 user=tracker application_name=standby`,
    '-c',
    // A statement that conflicts with replay is soon cancelled.
    'max_standby_streaming_delay=100ms',
  ]
}
