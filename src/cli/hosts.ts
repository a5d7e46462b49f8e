import { administratorsOf } from '../accounts/administrators.ts'
import { createAuthentication } from '../authentication/authenticate.ts'
import type { Settings } from '../configuration/settings.ts'
import { readRestSettings } from '../hosts/rest/configuration.ts'
import { startRest } from '../hosts/rest/main.ts'
import { createLog } from '../http/log.ts'
import type { Tracker } from '../operations/tracker.ts'

export interface RunningHost {
  readonly title: string
  readonly address: string
  /** Worth a line of its own on the first screen. */
  readonly pages?: readonly string[]
  stop(): Promise<void>
}

/** Reads the host's settings, and returns how to start it. */
type Prepare = (settings: Settings) => (tracker: Tracker) => Promise<RunningHost>

/** In the order in which they start. */
const hosts: Readonly<Record<string, Prepare>> = { rest: prepareRest }

export function chosenHosts(names: readonly string[]): readonly Prepare[] {
  const unknown = names.filter((name) => !Object.hasOwn(hosts, name))
  if (unknown.length > 0) {
    throw new Error(`There is no host named ${unknown.join(', ')}. Hosts: ${Object.keys(hosts).join(', ')}.`)
  }
  return Object.entries(hosts).flatMap(([name, prepare]) =>
    names.length === 0 || names.includes(name) ? [prepare] : [],
  )
}

function prepareRest(settings: Settings) {
  const rest = readRestSettings(settings)
  return async (tracker: Tracker): Promise<RunningHost> => {
    const log = createLog({ level: rest.logLevel, host: 'rest' })
    const { issuer, audience, metadataAddress, sessionCacheSeconds } = rest
    const authentication = createAuthentication({
      database: tracker.database,
      issuer,
      audience,
      scope: 'svc.api',
      metadataAddress,
      administrators: administratorsOf(rest),
      sessionCacheSeconds,
      log,
    })
    const { stop } = await listening('REST_PORT', rest.port, () =>
      startRest(tracker, authentication, rest, log),
    )
    const address = `http://${rest.host === '127.0.0.1' ? 'localhost' : rest.host}:${rest.port}`
    return { title: 'REST', address, pages: [`${address}/swagger`], stop }
  }
}

/** A taken port is the commonest reason for a start to fail; it deserves a sentence. */
async function listening<Host>(variable: string, port: number, start: () => Promise<Host>): Promise<Host> {
  try {
    return await start()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error
    throw new Error(`Port ${port} is in use. Stop what uses it, or set ${variable} to another port.`)
  }
}
