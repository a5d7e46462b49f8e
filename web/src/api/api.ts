import {
  type BatchItem,
  type BatchResult,
  type ConnectionOptions,
  type LiveAnswer,
  limits,
  type Operations,
  type Person,
  type ResourceClient,
  type Resources,
  type Tracker,
} from '#tracker-client'
import { translateSentence } from '../texts/text.ts'

type Singular<List> = List extends `${infer Name}s` ? Name : never
export type ResourceName = Singular<keyof Resources>
type Plural<Name extends ResourceName> = `${Name}s`
export type RecordOf<Name extends ResourceName> = Resources[Plural<Name>]['record']
export type CreateOf<Name extends ResourceName> = Resources[Plural<Name>]['create']
export type UpdateOf<Name extends ResourceName> = Resources[Plural<Name>]['update']
type ListQuery<Name extends ResourceName> = Resources[Plural<Name>]['list']
/** Absent and blank values are left out. */
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

/** An answer that is sent again whenever it changes, over one connection. */
export type Connect<Value> = (options: ConnectionOptions) => AsyncGenerator<LiveAnswer<Value>, void>

/** One write of a batch; its resource is that of the batch. */
export type BatchRequest = Omit<BatchItem, 'resource'>

/** The resources by their names. Every error is a TrackerError in the user's words. */
export interface Api {
  list<Name extends ResourceName>(
    name: Name,
    query?: QueryOf<Name>,
    signal?: AbortSignal,
  ): Promise<Page<RecordOf<Name>>>
  /** The list as a live listing. */
  connect<Name extends ResourceName>(name: Name, query: QueryOf<Name>): Connect<Page<RecordOf<Name>>>
  get<Name extends ResourceName>(name: Name, id: string): Promise<RecordOf<Name>>
  create<Name extends ResourceName>(name: Name, body: CreateOf<Name>): Promise<RecordOf<Name>>
  update<Name extends ResourceName>(name: Name, body: UpdateOf<Name>): Promise<void>
  remove(name: ResourceName, ids: readonly string[]): Promise<void>
  restore(name: ResourceName, ids: readonly string[]): Promise<void>
  /** Sends independent writes of one resource, so that one error affects no other write. Part of the extensions. */
  batch(name: ResourceName, items: readonly BatchRequest[]): Promise<readonly BatchResult[]>
  /** Removed records the caller could restore, the newest removal first. Part of the extensions. */
  removed<Name extends ResourceName>(
    name: Name,
    query?: QueryOf<Name>,
    signal?: AbortSignal,
  ): Promise<Page<RecordOf<Name>>>
  /** Names of people the caller shares a project with. Part of the extensions. */
  people(query: Operations['GET /ext/people']['query'], signal?: AbortSignal): Promise<Page<Person>>
  /** Notifies of the resources that this tab has just changed; returns a function that ends the subscription. */
  onChange(listener: (name: ResourceName) => void): () => void
}

export function createApi(tracker: Tracker): Api {
  const listeners = new Set<(name: ResourceName) => void>()
  const together = askTogether()
  const clients: { readonly [List in keyof Resources]: ResourceClient<List> } = tracker
  const rows = <Name extends ResourceName>(name: Name) => clients[pluralOf(name)]
  const written = async <Answer>(name: ResourceName, answer: Promise<Answer>): Promise<Answer> => {
    await answer
    for (const listener of listeners) listener(name)
    return answer
  }
  return {
    list: (name, query = {}, signal) =>
      together(
        `${name} ${keyOf(query)}`,
        (left) => rows(name).list(withoutBlanks(query), { signal: left }),
        signal,
      ),
    connect: (name, query) => (options) => rows(name).connect(withoutBlanks(query), options),
    get: (name, id) => rows(name).get(id),
    create: (name, body) => written(name, rows(name).create(body)),
    async update(name, body) {
      await written(name, rows(name).update(body))
    },
    remove: (name, ids) => written(name, rows(name).remove(ids)),
    restore: (name, ids) => written(name, rows(name).restore(ids)),
    async batch(name, items) {
      const results: BatchResult[] = []
      for (let from = 0; from < items.length; from += limits.items) {
        const some = items.slice(from, from + limits.items).map((item) => ({ ...item, resource: name }))
        const body = { mode: 'eachForItself', items: some } as const
        const answer = await written(name, tracker.call('POST /ext/batch', { body }))
        results.push(...answer.results.map(inOwnWordsOf))
      }
      return results
    },
    removed: (name, query = {}, signal) => rows(name).removed(withoutBlanks(query), { signal }),
    people: async (query, signal) =>
      together(
        `people ${keyOf(query)}`,
        async (left) =>
          (await tracker.call('GET /ext/people', { query: withoutBlanks(query) }, { signal: left })).result,
        signal,
      ),
    onChange(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}

const pluralOf = <Name extends ResourceName>(name: Name) => `${name}s` as const

/** The filters of a screen without those that are not set. */
export const withoutBlanks = <Query extends object>(query: Query) =>
  Object.fromEntries(Object.entries(query).filter(([, value]) => value !== undefined && value !== '')) as {
    readonly [Key in keyof Query]: Exclude<Query[Key], undefined>
  }

/** Equal for queries that ask for the same. */
export const keyOf = (query: object): string => JSON.stringify(withoutBlanks(query))

const inOwnWordsOf = (result: BatchResult): BatchResult =>
  result.message === undefined ? result : { ...result, message: translateSentence(result.message) }

interface Asked {
  readonly answer: Promise<unknown>
  readonly left: AbortController
  waiting: number
}

/**
 * Shares one request between all parts of a screen that ask at the same time, until the last of them has
 * left. It is not cached longer: a response from before a write, or from before the user returned to the
 * page, would be outdated.
 */
export function askTogether() {
  const asked = new Map<string, Asked>()
  const begin = (key: string, ask: (left: AbortSignal) => Promise<unknown>): Asked => {
    const left = new AbortController()
    const one = { answer: ask(left.signal), left, waiting: 0 }
    asked.set(key, one)
    queueMicrotask(() => asked.delete(key))
    return one
  }
  return <Answer>(
    key: string,
    ask: (left: AbortSignal) => Promise<Answer>,
    signal?: AbortSignal,
  ): Promise<Answer> => {
    if (signal?.aborted) return Promise.reject(signal.reason)
    const one = asked.get(key) ?? begin(key, ask)
    one.waiting += 1
    return new Promise((resolve, reject) => {
      const leave = () => {
        one.waiting -= 1
        if (one.waiting === 0) one.left.abort()
        reject(signal?.reason)
      }
      signal?.addEventListener('abort', leave, { once: true })
      ;(one.answer as Promise<Answer>).then(resolve, reject)
    })
  }
}
