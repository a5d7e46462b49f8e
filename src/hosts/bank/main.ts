import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import type { Logger } from 'pino'
import type { Settings } from '../../config/settings.ts'
import type { StoreAddress } from '../../db/poolers.ts'
import { createLog } from '../../http/log.ts'
import { localUrl } from '../../model/host-url.ts'
import { type BankSettings, readBankSettings } from './configuration.ts'
import type { InstanceSetup } from './instance.ts'
import { type SupervisedInstances, superviseInstances } from './supervisor.ts'

export interface RunningBank extends SupervisedInstances {
  readonly port: number
}

/** Parses the settings and returns a function that starts the bank on a store with an up-to-date schema. */
export function prepareBank(settings: Settings) {
  const bank = readBankSettings(settings)
  return async (store: StoreAddress | Promise<StoreAddress>) => {
    const log = createLog({ level: bank.logLevel, host: 'bank' })
    const { port, restart, announceStop, stop } = await startBank(store, bank, log)
    const address = localUrl(bank.host, port)
    const restartOnSignal = () => {
      log.info('The instances are being replaced one by one.')
      restart().then(
        () => log.info('The instances have been replaced.'),
        (error) => log.error({ err: error }, 'The instances could not be replaced.'),
      )
    }
    process.on(restartSignal, restartOnSignal)
    return {
      title: 'Bank',
      address,
      announceStop,
      stop() {
        process.off(restartSignal, restartOnSignal)
        return stop()
      },
    }
  }
}

/** SIGHUP is not used, because a closing terminal sends it too. */
const restartSignal = 'SIGUSR2'

/**
 * Starts identical instances behind one port. The operating system assigns each connection to an instance.
 */
export async function startBank(
  store: StoreAddress | Promise<StoreAddress>,
  settings: BankSettings,
  log: Logger,
): Promise<RunningBank> {
  const instances = portSharingPlatforms.has(process.platform) ? settings.instances : 1
  if (instances < settings.instances) log.warn('This system cannot share a port, so there is one instance.')
  const setup = prepareSetup(store, { ...settings, instances })
  const supervised = await superviseInstances(setup, { ...settings, instances }, log)
  return { port: (await setup).settings.port, ...supervised }
}

/** Resolves when the store is open; until then the instances warm up. */
async function prepareSetup(
  opening: StoreAddress | Promise<StoreAddress>,
  settings: BankSettings,
): Promise<InstanceSetup> {
  const { url, pooler, namedStatements = true } = await opening
  return {
    store: { url, pooler, namedStatements },
    settings: { ...settings, port: await requireFreePort(settings) },
  }
}

/**
 * Platforms on which `reusePort` balances:
 * https://nodejs.org/docs/latest-v24.x/api/net.html#serverlistenoptions-callback
 */
const portSharingPlatforms: ReadonlySet<string> = new Set(['linux', 'freebsd', 'aix', 'sunos'])

/**
 * Rejects if the port is in use. Otherwise, a second bank could share it and receive half of the requests.
 */
async function requireFreePort({ host, port }: BankSettings): Promise<number> {
  const probe = createServer()
  await once(probe.listen({ host, port, exclusive: true }), 'listening')
  const { port: boundPort } = probe.address() as AddressInfo
  await new Promise((resolve) => probe.close(resolve))
  return boundPort
}
