import { type FeedEvent, type FeedQuery, readFeed } from './feed.ts'
import { type ConnectionOptions, connectOnce, follow, type LiveAnswer, type LiveOptions } from './live.ts'
import { queryOf } from './query-of.ts'
import { createResourceClient, type ResourceClient, type ResourceName } from './resource-client.ts'
import { type Operations, places } from './rest-types.ts'
import { asJson, createSend, type RequestOptions, type TrackerOptions } from './send.ts'

/** The one entry of the package: callers find all of its types next to the client. */
export type { FeedEvent, FeedQuery } from './feed.ts'
// biome-ignore lint/performance/noBarrelFile: anyone who opens a tracker needs these
export { filter } from './filter.ts'
export type * from './live.ts'
export type * from './resource-client.ts'
export type * from './rest-types.ts'
export { limits } from './rest-types.ts'
export type { RequestOptions, Sent, TrackerOptions } from './send.ts'
export type { ClientCredentials, TokenSource } from './tokens.ts'
export { clientCredentials } from './tokens.ts'
export { errorOf, TrackerError } from './tracker-error.ts'

type Nothing = Record<never, never>

/** A query may be left out unless one of its keys is required. */
type Given<Key extends keyof Operations> = (Operations[Key] extends { readonly query: infer Query }
  ? Nothing extends Query
    ? { readonly query?: Query }
    : { readonly query: Query }
  : Nothing) &
  (Operations[Key] extends { readonly body: infer Body } ? { readonly body: Body } : Nothing)

type Arguments<Key extends keyof Operations, Options> =
  object extends Given<Key> ? [given?: Given<Key>, options?: Options] : [given: Given<Key>, options?: Options]

export interface General {
  /** Any operation by its method and path: `call('GET /ext/reports/hours', { query: { groupBy: 'person' } })`. */
  call<Key extends keyof Operations>(
    operation: Key,
    ...given: Arguments<Key, RequestOptions>
  ): Promise<Operations[Key]['answer']>
  /** The feed: every committed change that the caller may see, each once. */
  changes(query?: FeedQuery, options?: LiveOptions): AsyncGenerator<FeedEvent, void>
  /** Its answer now, and again after every change. */
  follow<Key extends keyof Operations & `GET ${string}`>(
    operation: Key,
    ...given: Arguments<Key, LiveOptions>
  ): AsyncGenerator<Operations[Key]['answer'], void>
  /** The same over one connection, for programs that decide when to open the next one: the loop ends with it. */
  connect<Key extends keyof Operations & `GET ${string}`>(
    operation: Key,
    ...given: Arguments<Key, ConnectionOptions>
  ): AsyncGenerator<LiveAnswer<Operations[Key]['answer']>, void>
}

/** Each resource under the name of its list, such as `tracker.projects`, and every other operation by `call`. */
export type Tracker = { readonly [Name in ResourceName]: ResourceClient<Name> } & General

/** Opens nothing yet: requests are sent one by one, and connections kept by fetch. */
export function openTracker(options: TrackerOptions): Tracker {
  const send = createSend(options)
  const clients = Object.keys(places).map((name) => [
    name,
    createResourceClient(send, name as ResourceName, options.pause),
  ])
  const general: General = {
    async call(operation, ...[given, requestOptions]) {
      const { method, path, body } = requestOf(operation, given)
      return send({ ...requestOptions, method, path, body }, asJson)
    },
    changes: (query = {}, liveOptions = {}) => readFeed(send, query, liveOptions, options.pause),
    follow(operation, ...[given, liveOptions]) {
      return follow(send, requestOf(operation, given).path, liveOptions ?? {}, options.pause)
    },
    connect(operation, ...[given, connectionOptions]) {
      return connectOnce(send, requestOf(operation, given).path, connectionOptions ?? {})
    },
  }
  return { ...(Object.fromEntries(clients) as Omit<Tracker, keyof General>), ...general } as Tracker
}

function requestOf(operation: string, given: { readonly query?: unknown; readonly body?: unknown } = {}) {
  const [method = '', path = ''] = operation.split(' ')
  return { method, path: path + queryOf(given.query as object | undefined), body: given.body }
}
