import { type FeedEvent, type FeedQuery, readFeed } from './feed.ts'
import { type ConnectionOptions, connectOnce, follow, type LiveAnswer, type LiveOptions } from './live.ts'
import { createResourceClient, type ResourceClient, type ResourceName } from './resource-client.ts'
import { type Attachment, type Change, type Operations, resourcePaths } from './rest-types.ts'
import { asJson, createSend, queryString, type RequestOptions, type TrackerOptions } from './send.ts'

/** This file is the entry of the package, so it exports all types that callers need. */
export type { FeedEvent, FeedQuery } from './feed.ts'
// biome-ignore lint/performance/noBarrelFile: anyone who opens a tracker needs these
export { filter } from './filter.ts'
export type * from './live.ts'
export type * from './resource-client.ts'
export type * from './rest-types.ts'
export { limits, resourcePaths } from './rest-types.ts'
export type { RequestOptions, TrackerOptions, TrackerRequest } from './send.ts'
export type { ClientCredentials, TokenSource } from './tokens.ts'
export { clientCredentials } from './tokens.ts'
export { errorOf, TrackerError } from './tracker-error.ts'

type EmptyObject = Record<never, never>

/** The query may be absent, unless one of its keys is required. */
type OperationInput<Key extends keyof Operations> = (Operations[Key] extends { readonly query: infer Query }
  ? EmptyObject extends Query
    ? { readonly query?: Query }
    : { readonly query: Query }
  : EmptyObject) &
  (Operations[Key] extends { readonly body: infer Body } ? { readonly body: Body } : EmptyObject)

type Arguments<Key extends keyof Operations, Options> =
  object extends OperationInput<Key>
    ? [input?: OperationInput<Key>, options?: Options]
    : [input: OperationInput<Key>, options?: Options]

/** The assignment and the name of a new file. */
export type UploadTarget = Operations['POST /ext/attachment']['query']

export interface DownloadOptions extends RequestOptions {
  /**
   * The positions of the first and the last byte. Without `end`, the range reaches to the end of the file.
   */
  readonly range?: { readonly start: number; readonly end?: number }
}

/** The time that the host allows for the largest file. */
const fileMilliseconds = 5 * 60_000

export interface GeneralClient {
  /**
   * Calls any operation by its method and path:
   * `call('GET /ext/reports/hours', { query: { groupBy: 'person' } })`.
   */
  call<Key extends keyof Operations>(
    operation: Key,
    ...input: Arguments<Key, RequestOptions>
  ): Promise<Operations[Key]['answer']>
  /**
   * Uploads a file to an assignment, and returns its attachment. In Node, `openAsBlob` of `node:fs` reads it
   * from the disk.
   */
  upload(file: Blob, to: UploadTarget, options?: RequestOptions): Promise<Attachment>
  /** Returns the file of an attachment, or a part of it. */
  download(id: string, options?: DownloadOptions): Promise<Blob>
  /** Yields every committed change that the caller may see, each once. */
  changes(query?: FeedQuery, options?: LiveOptions): AsyncGenerator<FeedEvent, void>
  /** Yields the answer of a GET now, and again after every change. */
  follow<Key extends keyof Operations & `GET ${string}`>(
    operation: Key,
    ...input: Arguments<Key, LiveOptions>
  ): AsyncGenerator<StreamedAnswer<Key>, void>
  /**
   * Like `follow`, but the loop ends with its connection, for programs that decide when to open the next one.
   */
  connect<Key extends keyof Operations & `GET ${string}`>(
    operation: Key,
    ...input: Arguments<Key, ConnectionOptions>
  ): AsyncGenerator<LiveAnswer<StreamedAnswer<Key>>, void>
}

/** The feed of changes streams each change by itself, all other operations their whole answer. */
type StreamedAnswer<Key extends keyof Operations> = Key extends 'GET /ext/changes'
  ? Change
  : Operations[Key]['answer']

/**
 * Has a client for each resource, under the name of its list, such as `tracker.projects`. Every other operation
 * is available by `call`.
 */
export type Tracker = { readonly [Name in ResourceName]: ResourceClient<Name> } & GeneralClient

/** Creates a client. This opens no connection, because `fetch` manages connections. */
export function openTracker(options: TrackerOptions): Tracker {
  const send = createSend(options)
  const clients = Object.keys(resourcePaths).map((name) => [
    name,
    createResourceClient(send, name as ResourceName, options.pause),
  ])
  const general: GeneralClient = {
    async call(operation, ...[input, requestOptions]) {
      const { method, path, body } = requestOf(operation, input)
      return send({ ...requestOptions, method, path, body }, asJson)
    },
    upload: (file, query, requestOptions) =>
      send(
        {
          withinMilliseconds: fileMilliseconds,
          ...requestOptions,
          ...requestOf('POST /ext/attachment', { query, body: file }),
        },
        async (response) => (await asJson(response)).attachment,
      ),
    download: (id, { range, ...requestOptions } = {}) =>
      send(
        {
          withinMilliseconds: fileMilliseconds,
          ...requestOptions,
          ...requestOf('GET /ext/attachment/content', { query: { id } }),
          headers: {
            ...requestOptions.headers,
            ...(range && { range: `bytes=${range.start}-${range.end ?? ''}` }),
          },
        },
        (response) => response.blob(),
      ),
    changes: (query = {}, liveOptions = {}) => readFeed(send, query, liveOptions, options.pause),
    follow(operation, ...[input, liveOptions]) {
      return follow(send, requestOf(operation, input).path, liveOptions ?? {}, options.pause)
    },
    connect(operation, ...[input, connectionOptions]) {
      return connectOnce(send, requestOf(operation, input).path, connectionOptions ?? {})
    },
  }
  return { ...(Object.fromEntries(clients) as Omit<Tracker, keyof GeneralClient>), ...general } as Tracker
}

function requestOf(operation: string, input: { readonly query?: unknown; readonly body?: unknown } = {}) {
  const [method = '', path = ''] = operation.split(' ')
  return { method, path: path + queryString(input.query as object | undefined), body: input.body }
}
