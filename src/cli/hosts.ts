import { setImmediate as nextTurn } from 'node:timers/promises'
import { localUrl, type TrackerSettings } from '../config/host-settings.ts'
import type { Settings } from '../config/settings.ts'
import { prepareBank } from '../hosts/bank/main.ts'
import { type CommandSettings, readCommandSettings } from '../hosts/commands/configuration.ts'
import { type IdentitySettings, readIdentitySettings } from '../hosts/identity/configuration.ts'
import { type RestSettings, readRestSettings } from '../hosts/rest/configuration.ts'
import { readWebSettings, type WebSettings } from '../hosts/web/configuration.ts'
import { createLog, type Log } from '../http/log.ts'
import type { SharedContext } from '../records/context.ts'
import type { SharedStore } from './shared-store.ts'
import { UsageError } from './usage.ts'

export interface RunningHost {
  readonly title: string
  /** The URL of the host, which is printed at the start. */
  readonly address: string
  /** The URLs of pages that are printed below the address. */
  readonly pages?: readonly string[]
  /** Makes the host report that it is about to stop, while it keeps serving. */
  announceStop(): void
  stop(): Promise<void>
}

export type StartHost = (store: SharedStore) => Promise<RunningHost>

interface HostDefinition {
  readonly name: string
  /**
   * True if several processes can serve the host. The web host has little to do, and the bank starts its own
   * processes, so both run only in the first process.
   */
  readonly runsInWorkers: boolean
  /** Parses the settings of the host, and returns a function that starts it. */
  prepare(settings: Settings): StartHost
}

/** The hosts, in the order in which they are printed. */
const hosts: readonly HostDefinition[] = [
  {
    name: 'web',
    runsInWorkers: false,
    prepare(settings) {
      const web = readWebSettings(settings)
      return async () => {
        // The import blocks the process, so the other hosts send their first queries before it.
        await nextTurn()
        return startWeb(web)
      }
    },
  },
  { name: 'rest', runsInWorkers: true, prepare: afterStore(readRestSettings, startRest) },
  { name: 'identity', runsInWorkers: true, prepare: afterStore(readIdentitySettings, startIdentity) },
  { name: 'commands', runsInWorkers: true, prepare: afterStore(readCommandSettings, startCommands) },
  {
    name: 'bank',
    runsInWorkers: false,
    prepare(settings) {
      const start = prepareBank(settings)
      return (store) => explainPortInUse('BANK_PORT', () => start(store.address()))
    },
  },
]

/** Returns the named hosts, or all hosts if no name is given. Throws for an unknown name. */
export function selectHosts(names: readonly string[]): readonly HostDefinition[] {
  const known = hosts.map(({ name }) => name)
  const unknown = names.filter((name) => !known.includes(name))
  if (unknown.length > 0)
    throw new UsageError(`There is no host named ${unknown.join(', ')}. Hosts: ${known.join(', ')}.`)
  return names.length === 0 ? hosts : hosts.filter(({ name }) => names.includes(name))
}

/**
 * Opens the store before it loads the host's modules. Loading them blocks this process for about 100 ms;
 * meanwhile the bank's processes, which need the address of the store, can start.
 */
function afterStore<HostSettings>(
  parse: (settings: Settings) => HostSettings,
  start: (settings: HostSettings, store: SharedStore) => Promise<RunningHost>,
): HostDefinition['prepare'] {
  return (settings) => {
    const hostSettings = parse(settings)
    return async (store) => {
      await store.context()
      return start(hostSettings, store)
    }
  }
}

async function startWeb(settings: WebSettings): Promise<RunningHost> {
  const web = await import('../hosts/web/main.ts')
  const log = createLog({ level: settings.logLevel, host: 'web' })
  const { announceStop, stop } = await explainPortInUse('WEB_PORT', () => web.startWeb(settings, log))
  return { title: 'Web', address: localUrl(settings.host, settings.port), announceStop, stop }
}

export async function startRest(settings: RestSettings, store: SharedStore): Promise<RunningHost> {
  const rest = await import('../hosts/rest/main.ts')
  const context = await store.context()
  const log = createHostLog('rest', settings, context)
  // The REST and command hosts run the hourly jobs. The identity host purges its own tables.
  await store.startMaintenance(settings.retention)
  const authentication = await createHostAuthentication(context, settings, 'svc.api', log)
  const { announceStop, stop } = await explainPortInUse('REST_PORT', () =>
    rest.startRest({ ...context, hoursStep: settings.hoursStep }, authentication, settings, log),
  )
  const address = localUrl(settings.host, settings.port)
  return { title: 'REST', address, pages: [`${address}/swagger`], announceStop, stop }
}

async function startIdentity(settings: IdentitySettings, store: SharedStore): Promise<RunningHost> {
  const identity = await import('../hosts/identity/main.ts')
  const context = await store.context()
  const log = createHostLog('identity', settings, context)
  const { announceStop, stop } = await explainPortInUse('IDENTITY_PORT', () =>
    identity.startIdentity(context, settings, log),
  )
  const address = localUrl(settings.host, settings.port)
  return { title: 'Identity', address, pages: [`${address}/swagger`], announceStop, stop }
}

async function startCommands(settings: CommandSettings, store: SharedStore): Promise<RunningHost> {
  const commands = await import('../hosts/commands/main.ts')
  const context = await store.context()
  const log = createHostLog('commands', settings, context)
  await store.startMaintenance(settings.retention)
  const authentication = await createHostAuthentication(context, settings, 'svc.grpc', log)
  const { announceStop, stop } = await explainPortInUse('COMMAND_PORT or COMMAND_DIAGNOSTICS_PORT', () =>
    commands.startCommands({ ...context, hoursStep: settings.hoursStep }, authentication, settings, log),
  )
  return { title: 'Commands', address: localUrl(settings.host, settings.port), announceStop, stop }
}

const createHostLog = (host: string, { logLevel }: TrackerSettings, { budgets }: SharedContext): Log =>
  createLog({ level: logLevel, host, lineBudget: budgets.budget('unauthenticatedLines') })

/** A port in use is the most common reason for a failed start, so it has its own message. */
async function explainPortInUse<Host>(settingNames: string, start: () => Promise<Host>): Promise<Host> {
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

/** Creates the authentication of a host that accepts bearer tokens. */
async function createHostAuthentication(
  { database }: SharedContext,
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
    log: log.rateLimited,
    securityLog: createSecurityLog(log),
  })
}
