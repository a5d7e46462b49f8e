import type { Send } from './send.ts'
import type { ClientChange, ClientWish, NewClient, RegisteredClient } from './types.ts'

/** Apps in which people sign in, made by administrators. Part of the extensions. */
export interface Clients {
  list(): Promise<readonly RegisteredClient[]>
  make(wish: ClientWish): Promise<NewClient>
  change(change: ClientChange): Promise<void>
  renewSecret(id: string): Promise<NewClient>
  end(id: string): Promise<void>
}

const path = '/ext/clients'

export const createClients = (send: Send): Clients => ({
  list: async () => (await (await send({ path })).json()).clients,
  make: async (body) => (await send({ method: 'POST', path, body })).json(),
  async change(body) {
    await send({ method: 'PATCH', path, body })
  },
  renewSecret: async (id) => (await send({ method: 'POST', path: `${path}/secret`, body: { id } })).json(),
  async end(id) {
    await send({ method: 'DELETE', path, body: { id } })
  },
})
