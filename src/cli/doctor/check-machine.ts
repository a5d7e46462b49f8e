import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync, realpathSync } from 'node:fs'
import { access, constants, stat, statfs } from 'node:fs/promises'
import { createConnection } from 'node:net'
import { join } from 'node:path'
import { connect } from 'node:tls'
import { fetchIssuerKeys, WrongIssuerError } from '../../auth/issuer-keys.ts'
import { httpUrl, readTrackerSettings, type TrackerSettings } from '../../config/host-settings.ts'
import { type Environment, readSettings, type Settings } from '../../config/settings.ts'
import { identitySecretFile, type StoreSettings } from '../../config/store-settings.ts'
import { readBankSettings } from '../../hosts/bank/configuration.ts'
import { readCommandSettings } from '../../hosts/commands/configuration.ts'
import { readIdentitySettings } from '../../hosts/identity/configuration.ts'
import { readRestSettings } from '../../hosts/rest/configuration.ts'
import { error, type Finding, ok, warning } from './advice.ts'

const gibibyte = 1024 ** 3
/** PostgreSQL stops when the disk is full. Its WAL alone may grow by this much. */
const freeBytesMin = gibibyte
/** An operator has little time to react if less is free. */
const freeBytesGood = 5 * gibibyte

/** Files in the data directory that other users must not be able to read. */
const secretFiles = ['postgres.password', identitySecretFile, 'demo-password']

export async function checkDirectory({
  dataDirectory,
  databaseUrl,
}: StoreSettings): Promise<readonly Finding[]> {
  if (!existsSync(dataDirectory)) return []
  return [
    await checkWritable(dataDirectory),
    ...(databaseUrl === undefined ? [assessDisk(await readFreeBytes(dataDirectory))] : []),
    await checkSecrets(dataDirectory),
  ]
}

async function checkWritable(directory: string): Promise<Finding> {
  try {
    await access(directory, constants.R_OK | constants.W_OK | constants.X_OK)
    return ok('permissions', `this user may write to ${directory}`)
  } catch {
    return error(
      'permissions',
      `this user may not write to ${directory}`,
      'Start as the user who created it.',
    )
  }
}

export async function readFreeBytes(directory: string): Promise<number> {
  const { bavail, bsize } = await statfs(directory)
  return bavail * bsize
}

export function assessDisk(free: number): Finding {
  const result = `${(free / gibibyte).toFixed(1)} GiB are free`
  const advice = 'Free disk space: PostgreSQL stops when the disk is full.'
  if (free < freeBytesMin) return error('disk', result, advice)
  return free < freeBytesGood ? warning('disk', result, advice) : ok('disk', result)
}

async function checkSecrets(directory: string): Promise<Finding> {
  if (process.platform === 'win32') return ok('secrets', 'not checked on Windows')
  const exposed: string[] = []
  for (const name of secretFiles) {
    // A missing file needs no protection.
    const file = await stat(join(directory, name)).catch(() => undefined)
    const isReadableByOthers = file !== undefined && (file.mode & 0o077) !== 0
    if (isReadableByOthers) exposed.push(join(directory, name))
  }
  if (exposed.length === 0) return ok('secrets', 'only the owner may read files with secrets')
  return error('secrets', `others may read ${exposed.join(', ')}`, `chmod 600 ${exposed.join(' ')}`)
}

interface Port {
  readonly host: string
  readonly variable: string
  readonly port: number
  /**
   * The path that reports whether the host is ready. Undefined if the port does not serve HTTP/1.1. The web
   * host has only `/healthz`.
   */
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

/** Longer than any host needs to answer. */
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

/** Reports processes that still run although the program that started them has ended. */
export function checkProcesses({ dataDirectory, databaseUrl }: StoreSettings): readonly Finding[] {
  // Only Linux has /proc.
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

/** A bank instance is orphaned if its parent is no longer its launcher, `cli.ts`. */
function findOrphanedBankInstances(all: readonly ProcessInfo[]): readonly ProcessInfo[] {
  const launchers = new Set(all.filter(({ command }) => / \S*cli\.ts\b/.test(command)).map(({ pid }) => pid))
  return all.filter(({ command, parent }) => command.includes(bankInstanceProgram) && !launchers.has(parent))
}

/** The embedded server is orphaned if the program that owns the data directory has ended. */
function findOrphanedServer(all: readonly ProcessInfo[], dataDirectory: string): readonly ProcessInfo[] {
  const cluster = join(dataDirectory, 'postgres')
  if (!existsSync(cluster)) return []
  const path = realpathSync(cluster)
  const owner = readOwner(dataDirectory)
  if (all.some(({ pid }) => pid === owner)) return []
  // The program may start the server through a shell. The command line of the shell contains that of the
  // server.
  return all.filter(
    ({ command }) => command.includes(`postgres -D ${path} `) && !command.startsWith('/bin/sh'),
  )
}

/** Returns the id of the process that owns the data directory, or 0 if there is none. */
function readOwner(dataDirectory: string): number {
  try {
    return Number(readFileSync(join(dataDirectory, 'postgres.owner'), 'utf8'))
  } catch {
    return 0
  }
}

/** Returns an empty list if the process has ended. */
function readProcess(pid: number): ProcessInfo[] {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8')
    const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ')
    return [{ pid, parent: Number(/^PPid:\s+(\d+)/m.exec(status)?.[1]), command }]
  } catch {
    return []
  }
}

/** Checks the issuer, and the certificates of all https URLs that hosts and browsers call. */
export async function checkAddresses(environment: Environment): Promise<readonly Finding[]> {
  const { tracker, apiUrl } = readSettings(environment, (settings) => ({
    tracker: readTrackerSettings(settings),
    apiUrl: settings.get('WEB_API_URL'),
  }))
  const { issuer, metadataAddress, allowedOrigins } = tracker
  const urls = [issuer, metadataAddress, ...allowedOrigins, ...(apiUrl === undefined ? [] : [apiUrl])]
  const httpsHosts = new Set(
    urls.map((url) => new URL(url)).flatMap(({ protocol, host }) => (protocol === 'https:' ? [host] : [])),
  )
  return Promise.all([checkIssuer(tracker), ...[...httpsHosts].map(checkCertificate)])
}

/** Checks the discovery document, which REST and commands need to become ready. */
async function checkIssuer({
  issuer,
  metadataAddress,
}: Pick<TrackerSettings, 'issuer' | 'metadataAddress'>): Promise<Finding> {
  try {
    await fetchIssuerKeys(metadataAddress, issuer)
    return ok('issuer', `${metadataAddress} answers with the keys of ${issuer}`)
  } catch (failure) {
    const { message, cause } = failure as Error & { readonly cause?: NodeJS.ErrnoException }
    if (failure instanceof WrongIssuerError)
      return error(
        'issuer',
        message,
        'Set Jwt__Issuer of every host to the issuer in that document, or Jwt__MetadataAddress to the document of the issuer.',
      )
    return warning(
      'issuer',
      `${metadataAddress} cannot be read: ${cause?.message || cause?.code || message}`,
      'Start the identity host, or set Jwt__MetadataAddress to where this machine reaches it; for a certificate of your own authority, set NODE_EXTRA_CA_CERTS. Until then, REST and commands are not ready.',
    )
  }
}

async function checkCertificate(host: string): Promise<Finding> {
  const { hostname, port } = new URL(`https://${host}`)
  const servername = hostname.replace(/^\[|\]$/g, '')
  const isIpAddress = /^[\d.]+$|:/.test(servername)
  const socket = connect({
    host: servername,
    port: Number(port || 443),
    // This is safe, because nothing is sent. Otherwise an untrusted certificate could not be inspected.
    rejectUnauthorized: false,
    // The server chooses its certificate by this name. TLS allows no IP address here.
    ...(!isIpAddress && { servername }),
  })
  try {
    await once(socket, 'secureConnect', { signal: AbortSignal.timeout(answerMilliseconds) })
    const { valid_to: validTo } = socket.getPeerCertificate()
    const daysLeft = (Date.parse(validTo) - Date.now()) / (24 * 60 * 60_000)
    return assessCertificate(
      host,
      daysLeft,
      socket.authorized ? undefined : String(socket.authorizationError),
    )
  } catch (cause) {
    const { message, code } = cause as NodeJS.ErrnoException
    return warning(
      'certificate',
      `${host} cannot be reached: ${message || code}`,
      'Check its proxy, or run the doctor where this address can be reached.',
    )
  } finally {
    socket.destroy()
  }
}

/** Clients such as certbot renew a month before expiry. With fewer days left than this, renewals have failed. */
const daysLeftGood = 21
const daysLeftMin = 7

/** `distrust` is the reason why this machine does not trust the certificate. Undefined if it trusts it. */
export function assessCertificate(host: string, daysLeft: number, distrust: string | undefined): Finding {
  if (daysLeft > 0 && distrust !== undefined)
    return error(
      'certificate',
      `that of ${host} is not trusted on this machine: ${distrust}`,
      'Set NODE_EXTRA_CA_CERTS to the certificate of your own authority, for every host that calls this address; check the names in the certificate.',
    )
  const result = `that of ${host} ${describeValidity(daysLeft)}`
  if (daysLeft >= daysLeftGood) return ok('certificate', result)
  const advice = 'Renew it, and reload the proxy that serves it.'
  return daysLeft < daysLeftMin
    ? error('certificate', result, advice)
    : warning('certificate', result, advice)
}

function describeValidity(daysLeft: number): string {
  if (daysLeft < 0) return 'has expired'
  if (daysLeft < 2) return `is valid for ${Math.floor(daysLeft * 24)} hours`
  return `is valid for ${Math.floor(daysLeft)} days`
}
