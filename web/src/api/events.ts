import { queryOf } from './api.ts'
import type { Send } from './send.ts'
import type { History, Webhook, WebhookCreate, WebhookDelivery } from './types.ts'

/** History, activity and webhooks. Part of the extensions. */
export interface Events {
  history(query: HistoryQuery, signal?: AbortSignal): Promise<History['result']>
  webhooks(projectId: string | undefined): Promise<readonly Webhook[]>
  makeWebhook(wish: WebhookCreate): Promise<Webhook & { readonly secret: string }>
  setActive(id: string, active: boolean): Promise<void>
  removeWebhook(id: string): Promise<void>
  newSecret(id: string): Promise<string>
  testWebhook(id: string): Promise<void>
  deliveries(id: string): Promise<readonly WebhookDelivery[]>
  replay(id: string, deliveryId: string): Promise<void>
}

export type HistoryQuery = {
  readonly resource?: string
  readonly id?: string
  readonly projectId?: string
  readonly before?: string | undefined
  readonly pageSize?: number
}

export function createEvents(send: Send): Events {
  const read = async (path: string, signal?: AbortSignal) => (await send({ path, signal })).json()
  const post = async (path: string, body: unknown) => (await send({ method: 'POST', path, body })).json()
  return {
    history: async (query, signal) => (await read(`/ext/history${queryOf({ ...query })}`, signal)).result,
    webhooks: async (projectId) => (await read(`/ext/webhooks${queryOf({ projectId })}`)).webhooks,
    makeWebhook: async (wish) => (await post('/ext/webhook', wish)).webhook,
    async setActive(id, active) {
      await send({ method: 'PATCH', path: '/ext/webhook', body: { id, active } })
    },
    async removeWebhook(id) {
      await send({ method: 'DELETE', path: '/ext/webhook', body: { id } })
    },
    newSecret: async (id) => (await post('/ext/webhook/rotate', { id })).secret,
    testWebhook: (id) => post('/ext/webhook/test', { id }),
    deliveries: async (id) =>
      (await read(`/ext/webhook/deliveries${queryOf({ id, pageSize: 20 })}`)).result.data,
    // The ids of deliveries are numbers, but travel as text because they may be large.
    replay: (id, deliveryId) => post('/ext/webhook/replay', { id, deliveryId: Number(deliveryId) }),
  }
}
