import {
  type BatchItem,
  type BatchResult,
  type ConnectionOptions,
  type LiveAnswer,
  limits,
  type Operations,
  type Person,
  type RequestOptions,
  type ResourceClient,
  type Resources,
  type Tracker,
  TrackerError,
} from '#tracker-client'
import type { Configuration } from '../session/configuration.ts'
import { translateSentence } from '../texts/text.ts'
import { isOutage } from './problems.ts'

type Singular<List> = List extends `${infer Name}ies`
  ? `${Name}y`
  : List extends `${infer Name}s`
    ? Name
    : never
export type ResourceName = Exclude<Singular<keyof Resources>, `ext${string}`>
type Plural<Name extends ResourceName> = Name extends `${infer Stem}y` ? `${Stem}ies` : `${Name}s`
type ExtensionKey<Name extends ResourceName> = Extract<`ext${Capitalize<Plural<Name>>}`, keyof Resources>
/** Without the extensions, these fields are absent. */
type ExtensionFields<Name extends ResourceName, Part extends 'record' | 'create' | 'update'> = [
  ExtensionKey<Name>,
] extends [never]
  ? unknown
  : Partial<Omit<Resources[ExtensionKey<Name>][Part], keyof Resources[Plural<Name>][Part]>>
export type RecordOf<Name extends ResourceName> = Resources[Plural<Name>]['record'] &
  ExtensionFields<Name, 'record'>
export type CreateOf<Name extends ResourceName> = Resources[Plural<Name>]['create'] &
  ExtensionFields<Name, 'create'>
type UpdateOf<Name extends ResourceName> = Resources[Plural<Name>]['update'] & ExtensionFields<Name, 'update'>
/** A list with fields of extensions can be sorted and filtered by them. */
type ListQuery<Name extends ResourceName> = [ExtensionKey<Name>] extends [never]
  ? Resources[Plural<Name>]['list']
  : Resources[ExtensionKey<Name>]['list']
/** The part of a client that a page uses, with the fields that extensions add. */
interface Client<Name extends ResourceName> extends Pick<ResourceClient<Plural<Name>>, 'remove' | 'restore'> {
  list(query: ListQuery<Name>, options?: RequestOptions): Promise<Page<RecordOf<Name>>>
  removed(query: ListQuery<Name>, options?: RequestOptions): Promise<Page<RecordOf<Name>>>
  connect(
    query: ListQuery<Name>,
    options: ConnectionOptions,
  ): AsyncGenerator<LiveAnswer<Page<RecordOf<Name>>>, void>
  get(id: string): Promise<RecordOf<Name>>
  getTagged(id: string): Promise<Tagged<Name>>
  create(body: CreateOf<Name>): Promise<RecordOf<Name>>
  update(body: UpdateOf<Name>, options?: RequestOptions): Promise<RecordOf<Name>>
  updateTagged(body: UpdateOf<Name>, options?: RequestOptions): Promise<Tagged<Name>>
}

interface Tagged<Name extends ResourceName> {
  readonly record: RecordOf<Name>
  /** The ETag of this version. */
  readonly tag: string
}

/** The filters and the order of a list. Undefined and empty values are not sent. */
export type QueryOf<Name extends ResourceName> = {
  readonly [Key in keyof ListQuery<Name>]?: ListQuery<Name>[Key] | undefined
}

export interface Page<Row> {
  readonly data: readonly Row[]
  readonly totalCount: number
  readonly pageNumber: number
  readonly pageSize: number
  readonly totalPages: number
}

/** Opens a connection on which an answer is sent again whenever it changes. */
export type Connect<Value> = (options: ConnectionOptions) => AsyncGenerator<LiveAnswer<Value>, void>

/** One write of a batch. All writes of a batch have the same resource. */
export type BatchRequest = Omit<BatchItem, 'resource'>

/** A changed resource; `all` after an outage, when any may have changed. */
export type ChangedName = ResourceName | 'all'

/** Accesses resources by their names. Every error is a TrackerError in the user's language. */
export interface Api {
  list<Name extends ResourceName>(
    name: Name,
    query?: QueryOf<Name>,
    signal?: AbortSignal,
  ): Promise<Page<RecordOf<Name>>>
  /** The list as a live listing. */
  connect<Name extends ResourceName>(name: Name, query: QueryOf<Name>): Connect<Page<RecordOf<Name>>>
  get<Name extends ResourceName>(name: Name, id: string): Promise<RecordOf<Name>>
  getTagged<Name extends ResourceName>(name: Name, id: string): Promise<Tagged<Name>>
  create<Name extends ResourceName>(name: Name, body: CreateOf<Name>): Promise<RecordOf<Name>>
  /** With the tag of a version, the update is rejected if the record has changed since. */
  update<Name extends ResourceName>(
    name: Name,
    body: UpdateOf<Name>,
    ifMatch?: string,
  ): Promise<RecordOf<Name>>
  /** Also returns the tag of the new version. */
  updateTagged<Name extends ResourceName>(
    name: Name,
    body: UpdateOf<Name>,
    ifMatch?: string,
  ): Promise<Tagged<Name>>
  remove(name: ResourceName, ids: readonly string[]): Promise<void>
  restore(name: ResourceName, ids: readonly string[]): Promise<void>
  /** Stops the account's timer, and records its time as an appointment. Part of the extensions. */
  stopTimer(body: Operations['POST /ext/timer/stop']['body']): Promise<RecordOf<'appointment'>>
  /**
   * Sends independent writes of one resource, so that one error affects no other write. Part of the
   * extensions.
   */
  batch(name: ResourceName, items: readonly BatchRequest[]): Promise<readonly BatchResult[]>
  /** Removed records the caller could restore, the newest removal first. Part of the extensions. */
  removed<Name extends ResourceName>(
    name: Name,
    query?: QueryOf<Name>,
    signal?: AbortSignal,
  ): Promise<Page<RecordOf<Name>>>
  /** Names of people the caller shares a project with. Part of the extensions. */
  people(query: Operations['GET /ext/people']['query'], signal?: AbortSignal): Promise<Page<Person>>
  /**
   * Notifies of resources that this tab has just changed or that `announce` names. Returns a function that
   * ends the subscription.
   */
  onChange(listener: (name: ChangedName) => void): () => void
  /** Reports that records of the resource, or of any resource, may have changed. */
  announce(name: ChangedName): void
}

export function createApi(tracker: Tracker, { extensions }: Pick<Configuration, 'extensions'>): Api {
  const listeners = new Set<(name: ChangedName) => void>()
  const shareRequest = createRequestSharing()
  // The type of the tracker does not allow a look-up by a computed name.
  const clients = { ...tracker } as Readonly<Record<string, unknown>>
  const clientOf = <Name extends ResourceName>(name: Name) => {
    const plural = pluralOf(name)
    const extended = extensions
      ? clients[`ext${plural.charAt(0).toUpperCase()}${plural.slice(1)}`]
      : undefined
    return (extended ?? clients[plural]) as Client<Name>
  }
  const announce = (name: ChangedName) => {
    for (const listener of listeners) listener(name)
  }
  const notifyAfter = async <Answer>(name: ResourceName, answer: Promise<Answer>): Promise<Answer> => {
    await answer
    announce(name)
    return answer
  }
  return {
    list: (name, query = {}, signal) =>
      shareRequest(
        `${name} ${keyOf(query)}`,
        (sharedSignal) => clientOf(name).list(listQueryOf<typeof name>(query), { signal: sharedSignal }),
        signal,
      ),
    connect: (name, query) => (options) => clientOf(name).connect(listQueryOf<typeof name>(query), options),
    get: (name, id) => clientOf(name).get(id),
    getTagged: (name, id) => clientOf(name).getTagged(id),
    create: (name, body) => notifyAfter(name, clientOf(name).create(body)),
    update: (name, body, ifMatch) =>
      notifyAfter(name, clientOf(name).update(body, ifMatch === undefined ? {} : { ifMatch })),
    updateTagged: (name, body, ifMatch) =>
      notifyAfter(name, clientOf(name).updateTagged(body, ifMatch === undefined ? {} : { ifMatch })),
    remove: (name, ids) => notifyAfter(name, clientOf(name).remove(ids)),
    restore: (name, ids) => notifyAfter(name, clientOf(name).restore(ids)),
    async stopTimer(body) {
      const answer = await notifyAfter('appointment', tracker.call('POST /ext/timer/stop', { body }))
      return answer.appointment
    },
    async batch(name, items) {
      const results: BatchResult[] = []
      for (let from = 0; from < items.length; from += limits.items) {
        const chunk = items.slice(from, from + limits.items).map((item) => ({ ...item, resource: name }))
        const body = { mode: 'eachForItself', items: chunk } as const
        const answer = await notifyAfter(name, tracker.call('POST /ext/batch', { body }))
        results.push(...answer.results.map(translateResult))
      }
      return results
    },
    removed: (name, query = {}, signal) =>
      clientOf(name).removed(listQueryOf<typeof name>(query), { signal }),
    people: async (query, signal) =>
      shareRequest(
        `people ${keyOf(query)}`,
        async (sharedSignal) => {
          const options = { signal: sharedSignal }
          return (await tracker.call('GET /ext/people', { query: withoutBlanks(query) }, options)).result
        },
        signal,
      ),
    onChange(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    announce,
  }
}

/**
 * Asserts the type, because the compiler cannot follow the filters of one resource through `withoutBlanks`.
 */
const listQueryOf = <Name extends ResourceName>(query: QueryOf<Name>) =>
  withoutBlanks(query) as ListQuery<Name>

export const pluralOf = <Name extends ResourceName>(name: Name) =>
  `${name.replace(/y$/, 'ie')}s` as Plural<Name>

/** Leaves out filters that are not set. */
export const withoutBlanks = <Query extends object>(query: Query) =>
  Object.fromEntries(Object.entries(query).filter(([, value]) => value !== undefined && value !== '')) as {
    readonly [Key in keyof Query]: Exclude<Query[Key], undefined>
  }

/** Two queries with the same key have the same result. */
export const keyOf = (query: object): string => JSON.stringify(withoutBlanks(query))

const translateResult = (result: BatchResult): BatchResult =>
  result.message === undefined ? result : { ...result, message: translateSentence(result.message) }

interface SharedRequest {
  readonly response: Promise<unknown>
  readonly controller: AbortController
  waiters: number
}

/**
 * Shares a request between all parts of a screen that need it at the same time. The request is aborted when
 * no part needs it any more. Responses are not cached, because they could be outdated.
 */
export function createRequestSharing() {
  const requests = new Map<string, SharedRequest>()
  const start = (key: string, send: (signal: AbortSignal) => Promise<unknown>): SharedRequest => {
    const controller = new AbortController()
    const request = { response: send(controller.signal), controller, waiters: 0 }
    requests.set(key, request)
    queueMicrotask(() => requests.delete(key))
    return request
  }
  return <Answer>(
    key: string,
    send: (signal: AbortSignal) => Promise<Answer>,
    signal?: AbortSignal,
  ): Promise<Answer> => {
    if (signal?.aborted) return Promise.reject(signal.reason)
    const request = requests.get(key) ?? start(key, send)
    request.waiters += 1
    return new Promise((resolve, reject) => {
      const leave = () => {
        request.waiters -= 1
        if (request.waiters === 0) request.controller.abort()
        reject(signal?.reason)
      }
      signal?.addEventListener('abort', leave, { once: true })
      ;(request.response as Promise<Answer>).then(resolve, reject)
    })
  }
}

/**
 * Creates a record with an id that this client has chosen. If the server rejects it, an earlier attempt may
 * have succeeded although its response was lost. In this case, returns the record that the earlier attempt
 * created.
 */
export async function createOnce<Name extends ResourceName>(
  api: Pick<Api, 'create' | 'get'>,
  name: Name,
  body: CreateOf<Name> & { readonly id: string },
): Promise<{ readonly record: RecordOf<Name>; readonly isEarlier: boolean }> {
  try {
    return { record: await api.create(name, body), isEarlier: false }
  } catch (error) {
    if (isOutage(error)) throw error
    const record = await api.get(name, body.id).catch(() => undefined)
    if (record === undefined) throw error
    return { record, isEarlier: true }
  }
}

/** More changes by others within one save are not plausible. */
const attemptsMax = 5

const isPreconditionFailed = (error: unknown) => error instanceof TrackerError && error.status === 412

/**
 * Changes a record based on its current version. If another user saves in between, the record is read and
 * changed again. Returns undefined if `bodyOf` returns undefined because there is nothing to save.
 */
export async function changeRecord<Name extends ResourceName>(
  api: Pick<Api, 'getTagged' | 'update'>,
  name: Name,
  id: string,
  bodyOf: (current: RecordOf<Name>) => UpdateOf<Name> | undefined,
): Promise<{ readonly before: RecordOf<Name>; readonly after: RecordOf<Name> } | undefined> {
  let rejectedTag = ''
  for (let attempt = 1; ; attempt += 1) {
    const { record: before, tag } = await api.getTagged(name, id)
    const body = bodyOf(before)
    if (body === undefined) return undefined
    try {
      // A compressing proxy may alter tags. If the record still has the tag that was just rejected, the
      // update is sent without it.
      return { before, after: await api.update(name, body, tag === rejectedTag ? undefined : tag) }
    } catch (error) {
      if (!isPreconditionFailed(error) || attempt === attemptsMax) throw error
      rejectedTag = tag
    }
  }
}
