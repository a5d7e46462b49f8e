import { randomUUID } from 'node:crypto'
import type { Environment } from '../../src/config/settings.ts'
import { openBrowser } from './browser.ts'
import { robot } from './known-clients.ts'

export interface ServiceClients {
  /** Returns an access token of a service client that acts as the account: for both hosts, or for `scope`. */
  serviceToken(login: string, scope?: string): Promise<string>
  /**
   * Returns an unused login that already has a client. Any other login needs a new client, and so another
   * instance of the identity host.
   */
  serviceLogin(): Promise<string>
}

interface ServiceClient {
  readonly id: string
  readonly address: string
}

/** Enough for the accounts of a test file. An instance does not start more slowly with more clients. */
const loginsAtOnce = 100

/** Service clients are part of the settings, so a new one requires a new instance of the identity host. */
export function createServiceClients(
  start: (environment: Environment) => Promise<{ readonly address: string }>,
): ServiceClients {
  const clients = new Map<string, Promise<ServiceClient>>()
  const spareLogins: string[] = []
  const settings: Record<string, string | undefined> = {}
  let starting = Promise.resolve<{ readonly address: string }>({ address: '' })
  const configure = (logins: readonly string[]) => {
    const named = logins.map((login, index) => ({
      ...robot,
      id: `${robot.id}-${clients.size + index}`,
      login,
    }))
    // If a test advances the clock by a minute, a client that the newest instance does not know is retired.
    Object.assign(settings, ...named.map(serviceClientSettings))
    const instanceSettings = { ...settings }
    // Instances start one after the other, so that each knows the clients of the earlier instances.
    starting = starting.then(() => start(instanceSettings))
    const instance = starting
    for (const { id, login } of named)
      clients.set(
        login,
        instance.then(({ address }) => ({ id, address })),
      )
  }
  return {
    async serviceToken(login, scope) {
      if (!clients.has(login)) configure([login])
      const { id, address } = (await clients.get(login)) as ServiceClient
      const { json } = await openBrowser(address).post('/connect/token', {
        grant_type: 'client_credentials',
        client_id: id,
        client_secret: robot.secret,
        ...(scope !== undefined && { scope }),
      })
      return json.access_token
    },
    async serviceLogin() {
      if (spareLogins.length === 0) {
        spareLogins.push(...Array.from({ length: loginsAtOnce }, () => `${randomUUID()}@example.com`))
        configure(spareLogins)
      }
      return spareLogins.pop() as string
    },
  }
}

export const serviceClientSettings = ({ id, secret, login }: typeof robot): Environment => ({
  [`Identity__ServiceClients__${id}__Secret`]: secret,
  [`Identity__ServiceClients__${id}__Login`]: login,
})
