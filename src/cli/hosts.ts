import { administratorsOf } from '../accounts/administrators.ts'
import { createAuthentication } from '../authentication/authenticate.ts'
import type { Settings } from '../configuration/settings.ts'
import type { TrackerSettings } from '../configuration/tracker-settings.ts'
import { prepareBank } from '../hosts/bank/main.ts'
import { readCommandSettings } from '../hosts/commands/configuration.ts'
import { startCommands } from '../hosts/commands/main.ts'
import { readIdentitySettings } from '../hosts/identity/configuration.ts'
import { startIdentity } from '../hosts/identity/main.ts'
import { readRestSettings } from '../hosts/rest/configuration.ts'
import { startRest } from '../hosts/rest/main.ts'
import { readWebSettings } from '../hosts/web/configuration.ts'
import { startWeb } from '../hosts/web/main.ts'
import { createLog, type Log } from '../http/log.ts'
import type { Tracker } from '../operations/tracker.ts'
import { createSecurityLog } from '../security-log/security-log.ts'
import type { SharedStore } from './shared-store.ts'

export interface RunningHost {
  readonly title: string
  readonly address: string
  /** Worth a line of its own on the first screen. */
  readonly pages?: readonly string[]
  /** Goes on serving, but says that it is about to stop. */
  leave(): void
  stop(): Promise<void>
}

/** Reads the host's settings, and returns how to start it. */
type Prepare = (settings: Settings) => (store: SharedStore) => Promise<RunningHost>

/** In the order in which they start and are shown: people come for the web client. */
const hosts: Readonly<Record<string, Prepare>> = {
  web: prepareWeb,
  rest: prepareRest,
  identity: prepareIdentity,
  commands: prepareCommands,
  bank: (settings) => {
    const start = prepareBank(settings)
    return (store) => listening('BANK_PORT', async () => start({ url: await store.url() }))
  },
}

export function chosenHosts(names: readonly string[]): readonly Prepare[] {
  const unknown = names.filter((name) => !Object.hasOwn(hosts, name))
  if (unknown.length > 0) {
    throw new Error(`There is no host named ${unknown.join(', ')}. Hosts: ${Object.keys(hosts).join(', ')}.`)
  }
  return Object.entries(hosts).flatMap(([name, host]) =>
    names.length === 0 || names.includes(name) ? [host] : [],
  )
}

function prepareWeb(settings: Settings) {
  const web = readWebSettings(settings)
  return async (): Promise<RunningHost> => {
    const log = createLog({ level: web.logLevel, host: 'web' })
    const { leave, stop } = await listening('WEB_PORT', () => startWeb(web, log))
    return { title: 'Web', address: addressOf(web, web.port), leave, stop }
  }
}

function prepareRest(settings: Settings) {
  const rest = readRestSettings(settings)
  return async (store: SharedStore): Promise<RunningHost> => {
    const log = createLog({ level: rest.logLevel, host: 'rest' })
    const tracker = await store.tracker()
    await store.keepSmall()
    const authentication = authenticationOf(tracker, rest, 'svc.api', log)
    const { leave, stop } = await listening('REST_PORT', () =>
      startRest({ ...tracker, hoursStep: rest.hoursStep }, authentication, rest, log),
    )
    const address = addressOf(rest, rest.port)
    return { title: 'REST', address, pages: [`${address}/swagger`], leave, stop }
  }
}

function prepareIdentity(settings: Settings) {
  const identity = readIdentitySettings(settings)
  return async (store: SharedStore): Promise<RunningHost> => {
    const log = createLog({ level: identity.logLevel, host: 'identity' })
    const tracker = await store.tracker()
    const { leave, stop } = await listening('IDENTITY_PORT', () => startIdentity(tracker, identity, log))
    const address = addressOf(identity, identity.port)
    return { title: 'Identity', address, pages: [`${address}/swagger`], leave, stop }
  }
}

function prepareCommands(settings: Settings) {
  const commands = readCommandSettings(settings)
  return async (store: SharedStore): Promise<RunningHost> => {
    const log = createLog({ level: commands.logLevel, host: 'commands' })
    const tracker = await store.tracker()
    await store.keepSmall()
    const authentication = authenticationOf(tracker, commands, 'svc.grpc', log)
    const { leave, stop } = await listening('COMMAND_PORT or COMMAND_DIAGNOSTICS_PORT', () =>
      startCommands({ ...tracker, hoursStep: commands.hoursStep }, authentication, commands, log),
    )
    return { title: 'Commands', address: addressOf(commands, commands.port), leave, stop }
  }
}

const authenticationOf = (
  { database }: Tracker,
  settings: TrackerSettings & { readonly audience: string },
  scope: string,
  log: Log,
) =>
  createAuthentication({
    ...settings,
    database,
    scope,
    administrators: administratorsOf(settings),
    log,
    securityLog: createSecurityLog(log),
  })

const addressOf = ({ host }: Pick<TrackerSettings, 'host'>, port: number): string =>
  `http://${host === '127.0.0.1' ? 'localhost' : host}:${port}`

/** A taken port is the commonest reason for a start to fail, so it has a sentence of its own. */
async function listening<Host>(variable: string, start: () => Promise<Host>): Promise<Host> {
  try {
    return await start()
  } catch (error) {
    const { code, port } = error as NodeJS.ErrnoException & { port?: number }
    if (code !== 'EADDRINUSE') throw error
    throw new Error(`Port ${port} is in use. Stop what uses it, or set ${variable} to another port.`)
  }
}
