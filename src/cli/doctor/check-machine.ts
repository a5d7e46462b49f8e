import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync, realpathSync } from 'node:fs'
import { access, constants, stat, statfs } from 'node:fs/promises'
import { createConnection } from 'node:net'
import { join } from 'node:path'
import { type Environment, readSettings, type Settings } from '../../config/settings.ts'
import type { StoreSettings } from '../../config/store-settings.ts'
import { identitySecretFile } from '../../config/store-settings.ts'
import { readBankSettings } from '../../hosts/bank/configuration.ts'
import { readCommandSettings } from '../../hosts/commands/configuration.ts'
import { readIdentitySettings } from '../../hosts/identity/configuration.ts'
import { readRestSettings } from '../../hosts/rest/configuration.ts'
import { httpUrl } from '../../model/host-url.ts'
import { error, type Finding, ok, warning } from './finding.ts'

const gibibyte = 1024 ** 3
/** PostgreSQL stops when the disk is full, and its WAL alone may take this much. */
const freeBytesMin = gibibyte
/** Less leaves little time to react. */
const freeBytesGood = 5 * gibibyte

/** Files that other users must not be able to read. */
const secrets = ['postgres.password', identitySecretFile, 'demo-password']

export async function checkFolder({
  dataDirectory,
  databaseUrl,
}: StoreSettings): Promise<readonly Finding[]> {
  if (!existsSync(dataDirectory)) return []
  return [
    await checkWritable(dataDirectory),
    ...(databaseUrl === undefined ? [gradeDisk(await readFreeBytes(dataDirectory))] : []),
    await checkSecrets(dataDirectory),
  ]
}

async function checkWritable(folder: string): Promise<Finding> {
  try {
    await access(folder, constants.R_OK | constants.W_OK | constants.X_OK)
    return ok('permissions', `this user may write to ${folder}`)
  } catch {
    return error('permissions', `this user may not write to ${folder}`, 'Start as the user who created it.')
  }
}

export async function readFreeBytes(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder)
  return bavail * bsize
}

export function gradeDisk(free: number): Finding {
  const result = `${(free / gibibyte).toFixed(1)} GiB are free`
  const advice = 'Free disk space: PostgreSQL stops when the disk is full.'
  if (free < freeBytesMin) return error('disk', result, advice)
  return free < freeBytesGood ? warning('disk', result, advice) : ok('disk', result)
}

async function checkSecrets(folder: string): Promise<Finding> {
  if (process.platform === 'win32') return ok('secrets', 'not checked on Windows')
  const exposed: string[] = []
  for (const name of secrets) {
    const file = await stat(join(folder, name)).catch(() => undefined)
    if (file && (file.mode & 0o077) !== 0) exposed.push(join(folder, name))
  }
  if (exposed.length === 0) return ok('secrets', 'only the owner may read files with secrets')
  return error('secrets', `others may read ${exposed.join(', ')}`, `chmod 600 ${exposed.join(' ')}`)
}

interface Port {
  readonly host: string
  readonly variable: string
  readonly port: number
  /** The readiness path; undefined where the host has no HTTP/1.1. */
  readonly path?: string
}

function portsOf(settings: Settings): readonly Port[] {
  const commands = readCommandSettings(settings)
  return [
    { host: 'web', variable: 'WEB_PORT', port: settings.get('WEB_PORT'), path: '/healthz' },
    { host: 'rest', variable: 'REST_PORT', port: readRestSettings(settings).port, path: '/readyz' },
    {
      host: 'identity',
      variable: 'IDENTITY_PORT',
      port: readIdentitySettings(settings).port,
      path: '/readyz',
    },
    { host: 'commands', variable: 'COMMAND_PORT', port: commands.port },
    {
      host: 'commands',
      variable: 'COMMAND_DIAGNOSTICS_PORT',
      port: commands.diagnosticsPort,
      path: '/readyz',
    },
    { host: 'bank', variable: 'BANK_PORT', port: readBankSettings(settings).port, path: '/readyz' },
  ]
}

/** Longer than any host needs to respond. */
const answerMilliseconds = 5000

export async function checkPorts(environment: Environment): Promise<readonly Finding[]> {
  const { address, ports } = readSettings(environment, (settings) => {
    const { host } = readRestSettings(settings)
    const loopbackOf: Readonly<Record<string, string>> = { '0.0.0.0': '127.0.0.1', '::': '::1' }
    return { address: loopbackOf[host] ?? host, ports: portsOf(settings) }
  })
  return Promise.all(ports.map((port) => checkPort(address, port)))
}

async function checkPort(address: string, { host, variable, port, path }: Port): Promise<Finding> {
  const subject = `port ${port}`
  if (!(await isOpen(address, port))) return ok(subject, `is free for ${host}`)
  if (path === undefined) return ok(subject, `in use, by ${host} if it was started`)
  const signal = AbortSignal.timeout(answerMilliseconds)
  const answer = await fetch(`${httpUrl(address, port)}${path}`, { signal })
    .then(async (response) => ({ status: response.status, text: await response.text() }))
    .catch(() => undefined)
  if (answer?.status === 200) return ok(subject, `${host} is ready`)
  if (answer?.status === 503)
    return error(
      subject,
      `${host} is not ready: ${answer.text.slice(0, 200)}`,
      'See its log; check the store first.',
    )
  return warning(
    subject,
    'in use by another program, or by a host that does not answer',
    `Stop it before ${host} starts, or set ${variable} to another port.`,
  )
}

async function isOpen(host: string, port: number): Promise<boolean> {
  const socket = createConnection({ host, port, timeout: answerMilliseconds })
  try {
    await once(socket, 'connect')
    return true
  } catch {
    return false
  } finally {
    socket.destroy()
  }
}

interface ProcessInfo {
  readonly pid: number
  readonly parent: number
  readonly command: string
}

/** Finds processes that still run although the program that started them has ended. */
export function checkProcesses({ dataDirectory, databaseUrl }: StoreSettings): readonly Finding[] {
  if (process.platform !== 'linux') return []
  const all = readdirSync('/proc').map(Number).filter(Number.isInteger).flatMap(readProcess)
  const orphans = [
    ...findOrphanedBankInstances(all),
    ...(databaseUrl === undefined ? findOrphanedServer(all, dataDirectory) : []),
  ]
  if (orphans.length === 0) return [ok('processes', 'no process is orphaned')]
  return orphans.map(({ pid, command }) =>
    error('processes', `${pid} is orphaned: ${command.slice(0, 120)}`, `kill ${pid}`),
  )
}

const bankInstanceProgram = join(import.meta.dirname, '..', '..', 'hosts', 'bank', 'instance.ts')

/** A process whose parent has ended gets process 1 as its parent, or one that adopts such processes. */
function findOrphanedBankInstances(all: readonly ProcessInfo[]): readonly ProcessInfo[] {
  const starters = new Set(all.filter(({ command }) => / \S*cli\.ts\b/.test(command)).map(({ pid }) => pid))
  return all.filter(({ command, parent }) => command.includes(bankInstanceProgram) && !starters.has(parent))
}

function findOrphanedServer(all: readonly ProcessInfo[], dataDirectory: string): readonly ProcessInfo[] {
  const cluster = join(dataDirectory, 'postgres')
  if (!existsSync(cluster)) return []
  const path = realpathSync(cluster)
  const owner = readOwner(dataDirectory)
  if (all.some(({ pid }) => pid === owner)) return []
  return all.filter(
    ({ command }) => command.includes(`postgres -D ${path} `) && !command.startsWith('/bin/sh'),
  )
}

function readOwner(dataDirectory: string): number {
  try {
    return Number(readFileSync(join(dataDirectory, 'postgres.owner'), 'utf8'))
  } catch {
    return 0
  }
}

function readProcess(pid: number): ProcessInfo[] {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8')
    const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ')
    return [{ pid, parent: Number(/^PPid:\s+(\d+)/m.exec(status)?.[1]), command }]
  } catch {
    return []
  }
}
