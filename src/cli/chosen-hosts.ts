import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Settings } from '../config/settings.ts'
import { prepareBank } from '../hosts/bank/main.ts'
import { readCommandSettings } from '../hosts/commands/configuration.ts'
import { readIdentitySettings } from '../hosts/identity/configuration.ts'
import { readRestSettings } from '../hosts/rest/configuration.ts'
import { readWebSettings } from '../hosts/web/configuration.ts'
import { listening, type RunningHost } from './hosts/running-host.ts'
import type { SharedStore } from './shared-store.ts'

/** Reads the host's settings, and returns a function that starts it. */
type Prepare = (settings: Settings) => (store: SharedStore) => Promise<RunningHost>

/** Listed in the order in which they are shown; the web client comes first. */
const hosts: Readonly<Record<string, Prepare>> = {
  web: (settings) => {
    const web = readWebSettings(settings)
    return async () => {
      await nextTurn()
      return (await import('./hosts/web.ts')).start(web)
    }
  },
  rest: withStore(readRestSettings, () => import('./hosts/rest.ts')),
  identity: withStore(readIdentitySettings, () => import('./hosts/identity.ts')),
  commands: withStore(readCommandSettings, () => import('./hosts/commands.ts')),
  bank: (settings) => {
    const start = prepareBank(settings)
    return (store) => listening('BANK_PORT', () => start({ url: store.url() }))
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

/**
 * Loading a host's modules keeps this process busy for a tenth of a second: the database and the bank's processes are started
 * before that, and the queries that all hosts share are sent first.
 */
function withStore<HostSettings>(
  read: (settings: Settings) => HostSettings,
  load: () => Promise<{ start(settings: HostSettings, store: SharedStore): Promise<RunningHost> }>,
): Prepare {
  return (settings) => {
    const own = read(settings)
    return async (store) => {
      await store.tracker()
      const { start } = await load()
      return start(own, store)
    }
  }
}
