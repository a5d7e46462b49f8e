import { once } from 'node:events'
import { createConnection } from 'node:net'
import { type Environment, readSettings, type Settings } from '../../configuration/settings.ts'
import { readBankSettings } from '../../hosts/bank/configuration.ts'
import { readCommandSettings } from '../../hosts/commands/configuration.ts'
import { readIdentitySettings } from '../../hosts/identity/configuration.ts'
import { readRestSettings } from '../../hosts/rest/configuration.ts'
import { type Finding, fine, look, wrong } from './finding.ts'

interface Port {
  readonly host: string
  readonly variable: string
  readonly port: number
  /** The path that says whether it works; none where the host has no HTTP/1.1. */
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
    { host: 'bank', variable: 'BANK_PORT', port: readBankSettings(settings).port, path: '/healthz' },
  ]
}

/** Longer than any host needs to say whether it is ready. */
const answerMilliseconds = 5000

export async function checkPorts(environment: Environment): Promise<readonly Finding[]> {
  const { address, ports } = readSettings(environment, (settings) => {
    const { host } = readRestSettings(settings)
    const everywhere: Readonly<Record<string, string>> = { '0.0.0.0': '127.0.0.1', '::': '::1' }
    return { address: everywhere[host] ?? host, ports: portsOf(settings) }
  })
  return Promise.all(ports.map((port) => checkPort(address, port)))
}

async function checkPort(address: string, { host, variable, port, path }: Port): Promise<Finding> {
  const subject = `port ${port}`
  if (!(await isOpen(address, port))) return fine(subject, `is free for ${host}`)
  if (path === undefined) return fine(subject, `somebody listens, ${host} if it was started`)
  const at = `${address.includes(':') ? `[${address}]` : address}:${port}`
  const answer = await fetch(`http://${at}${path}`, { signal: AbortSignal.timeout(answerMilliseconds) })
    .then(async (response) => ({ status: response.status, text: await response.text() }))
    .catch(() => undefined)
  if (answer?.status === 200) return fine(subject, `${host} answers that it is ready`)
  if (answer?.status === 503)
    return wrong(
      subject,
      `${host} is not ready: ${answer.text.slice(0, 200)}`,
      'Its log says more; look at the store first.',
    )
  return look(
    subject,
    'something listens that is none of this program, or does not answer',
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
