import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Settings } from '../config/settings.ts'
import type { TrackerSettings } from '../config/tracker-settings.ts'
import { prepareBank } from '../hosts/bank/main.ts'
import { type CommandSettings, readCommandSettings } from '../hosts/commands/configuration.ts'
import { type IdentitySettings, readIdentitySettings } from '../hosts/identity/configuration.ts'
import { type RestSettings, readRestSettings } from '../hosts/rest/configuration.ts'
import { readWebSettings, type WebSettings } from '../hosts/web/configuration.ts'
import { localUrl } from '../http/host-url.ts'
import { createLog, type Log } from '../http/log.ts'
import type { Context } from '../records/context.ts'
import type { SharedStore } from './shared-store.ts'

export interface RunningHost {
  readonly title: string
  readonly address: string
  /** Pages that are worth a line on the first screen. */
  readonly pages?: readonly string[]
  /** Keeps serving, but reports that it is about to stop. */
  leave(): void
  stop(): Promise<void>
}

/** Reads the host's settings, and returns a function that starts it. */
type Prepare = (settings: Settings) => (store: SharedStore) => Promise<RunningHost>

/** Listed in the order in which they are shown; the web client comes first. */
const hosts: Readonly<Record<string, Prepare>> = {
  web: (settings) => {
    const web = readWebSettings(settings)
    return async () => {
      // Lets the other hosts send their first queries before this import blocks the process.
      await nextTurn()
      return startWeb(web)
    }
  },
  rest: afterStore(readRestSettings, startRest),
  identity: afterStore(readIdentitySettings, startIdentity),
  commands: afterStore(readCommandSettings, startCommands),
  bank: (settings) => {
    const start = prepareBank(settings)
    return (store) => listening('BANK_PORT', () => start({ url: store.url() }))
  },
}

/** The named hosts, or all of them without a name. */
export function chosenHosts(names: readonly string[]): readonly Prepare[] {
  const unknown = names.filter((name) => !Object.hasOwn(hosts, name))
  if (unknown.length > 0) {
    throw new Error(`There is no host named ${unknown.join(', ')}. Hosts: ${Object.keys(hosts).join(', ')}.`)
  }
  return Object.entries(hosts).flatMap(([name, host]) =>
    names.length === 0 || names.includes(name) ? [host] : [],
  )
}

/**
 * Opens the store before the host's modules are loaded. Loading blocks this process for about 100 ms; in this
 * order PostgreSQL and the bank's processes start meanwhile.
 */
function afterStore<HostSettings>(
  read: (settings: Settings) => HostSettings,
  start: (settings: HostSettings, store: SharedStore) => Promise<RunningHost>,
): Prepare {
  return (settings) => {
    const own = read(settings)
    return async (store) => {
      await store.context()
      return start(own, store)
    }
  }
}

async function startWeb(settings: WebSettings): Promise<RunningHost> {
  const web = await import('../hosts/web/main.ts')
  const log = createLog({ level: settings.logLevel, host: 'web' })
  const { leave, stop } = await listening('WEB_PORT', () => web.startWeb(settings, log))
  return { title: 'Web', address: localUrl(settings.host, settings.port), leave, stop }
}

export async function startRest(settings: RestSettings, store: SharedStore): Promise<RunningHost> {
  const rest = await import('../hosts/rest/main.ts')
  const context = await store.context()
  const log = logOf('rest', settings, context)
  // Hosts that write rows of resources run the hourly jobs; the identity host has its own upkeep.
  await store.startMaintenance()
  const authentication = await authenticationOf(context, settings, 'svc.api', log)
  const { leave, stop } = await listening('REST_PORT', () =>
    rest.startRest({ ...context, hoursStep: settings.hoursStep }, authentication, settings, log),
  )
  const address = localUrl(settings.host, settings.port)
  return { title: 'REST', address, pages: [`${address}/swagger`], leave, stop }
}

async function startIdentity(settings: IdentitySettings, store: SharedStore): Promise<RunningHost> {
  const identity = await import('../hosts/identity/main.ts')
  const context = await store.context()
  const log = logOf('identity', settings, context)
  const { leave, stop } = await listening('IDENTITY_PORT', () =>
    identity.startIdentity(context, settings, log),
  )
  const address = localUrl(settings.host, settings.port)
  return { title: 'Identity', address, pages: [`${address}/swagger`], leave, stop }
}

async function startCommands(settings: CommandSettings, store: SharedStore): Promise<RunningHost> {
  const commands = await import('../hosts/commands/main.ts')
  const context = await store.context()
  const log = logOf('commands', settings, context)
  await store.startMaintenance()
  const authentication = await authenticationOf(context, settings, 'svc.grpc', log)
  const { leave, stop } = await listening('COMMAND_PORT or COMMAND_DIAGNOSTICS_PORT', () =>
    commands.startCommands({ ...context, hoursStep: settings.hoursStep }, authentication, settings, log),
  )
  return { title: 'Commands', address: localUrl(settings.host, settings.port), leave, stop }
}

const logOf = (host: string, { logLevel }: TrackerSettings, { budgets }: Context): Log =>
  createLog({ level: logLevel, host, ofUnauthenticated: budgets.budget('unauthenticatedLines') })

/** A port in use is the most common reason for a start to fail, so it has a message of its own. */
async function listening<Host>(settingNames: string, start: () => Promise<Host>): Promise<Host> {
  try {
    return await start()
  } catch (error) {
    const { code, port } = error as NodeJS.ErrnoException & { port?: number }
    if (code !== 'EADDRINUSE') throw error
    throw new Error(`Port ${port} is in use. Stop what uses it, or set ${settingNames} to another port.`, {
      cause: error,
    })
  }
}

/** The authentication of a host that verifies tokens itself. */
async function authenticationOf(
  { database }: Context,
  settings: TrackerSettings & { readonly audience: string },
  scope: string,
  log: Log,
) {
  const [{ administratorsOf }, { createAuthentication }, { createSecurityLog }] = await Promise.all([
    import('../accounts/administrators.ts'),
    import('../auth/authenticate.ts'),
    import('../observability/security-log.ts'),
  ])
  return createAuthentication({
    ...settings,
    database,
    scope,
    administrators: administratorsOf(settings),
    log: log.ofUnauthenticated,
    securityLog: createSecurityLog(log),
  })
}
