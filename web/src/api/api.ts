import { inOwnWords } from '../texts/text.ts'
import type { Send } from './send.ts'
import {
  type Account,
  type BatchItem,
  type BatchResult,
  limits,
  listRoutes,
  type Person,
  type Resources,
  roots,
} from './types.ts'

export type ResourceName = keyof Resources
export type RecordOf<Name extends ResourceName> = Resources[Name]['record']
export type CreateOf<Name extends ResourceName> = Resources[Name]['create']
export type UpdateOf<Name extends ResourceName> = Resources[Name]['update']
/** Absent and blank values are left out. */
export type QueryOf<Name extends ResourceName> = {
  readonly [Key in Resources[Name]['query']]?: string | number | undefined
}

export interface Page<Row> {
  readonly data: readonly Row[]
  readonly totalCount: number
  readonly pageNumber: number
  readonly pageSize: number
  readonly totalPages: number
}

/** One write of a batch; its resource is that of the batch. */
export type BatchWish = Omit<BatchItem, 'resource'>

export interface PeopleQuery {
  readonly search?: string | undefined
  readonly ids?: string | undefined
  readonly pageNumber?: number
  readonly pageSize?: number
}

/** The API, typed by its contract. Every error is an ApiProblem. */
export interface Api {
  list<Name extends ResourceName>(
    name: Name,
    query?: QueryOf<Name>,
    signal?: AbortSignal,
  ): Promise<Page<RecordOf<Name>>>
  get<Name extends ResourceName>(name: Name, id: string): Promise<RecordOf<Name>>
  create<Name extends ResourceName>(name: Name, body: CreateOf<Name>): Promise<RecordOf<Name>>
  update<Name extends ResourceName>(name: Name, body: UpdateOf<Name>): Promise<void>
  remove(name: ResourceName, ids: readonly string[]): Promise<void>
  restore(name: ResourceName, ids: readonly string[]): Promise<void>
  /** Sends independent writes of one resource, so that one error affects no other write. Part of the extensions. */
  batch(name: ResourceName, items: readonly BatchWish[]): Promise<readonly BatchResult[]>
  /** Removed records the caller could restore, the newest removal first. Part of the extensions. */
  removed<Name extends ResourceName>(
    name: Name,
    query?: QueryOf<Name>,
    signal?: AbortSignal,
  ): Promise<Page<RecordOf<Name>>>
  /** Names of people the caller shares a project with. Part of the extensions. */
  people(query: PeopleQuery, signal?: AbortSignal): Promise<Page<Person>>
  me(): Promise<Account>
  rename(name: string): Promise<void>
  changePassword(currentPassword: string, newPassword: string): Promise<void>
  /** Notifies of the resources that this tab has just changed; returns a function that ends the subscription. */
  onChange(listener: (name: ResourceName) => void): () => void
}

export function createApi(send: Send): Api {
  const listeners = new Set<(name: ResourceName) => void>()
  const read = async (path: string, signal?: AbortSignal) => (await send({ path, signal })).json()
  const readResult = askTogether(async (path, signal) => (await read(path, signal)).result)
  const readPage = (path: string, query: Query, signal?: AbortSignal) =>
    readResult(path + queryOf(query), signal)
  const write = async (
    name: ResourceName,
    request: { method: 'POST' | 'PATCH' | 'DELETE'; path?: string; body: unknown },
  ) => {
    const response = await send({ ...request, path: request.path ?? pathOf(name) })
    const answer = await response.json()
    for (const listener of listeners) listener(name)
    return answer
  }
  return {
    list: (name, query = {}, signal) => readPage(listPathOf(name), query, signal),
    get: async (name, id) => (await read(`${pathOf(name)}${queryOf({ id })}`))[name],
    create: async (name, body) => (await write(name, { method: 'POST', body }))[name],
    update: (name, body) => write(name, { method: 'PATCH', body }),
    remove: (name, ids) => write(name, { method: 'DELETE', body: { ids } }),
    restore: (name, ids) => write(name, { method: 'POST', path: `${pathOf(name)}/restore`, body: { ids } }),
    async batch(name, items) {
      const results: BatchResult[] = []
      for (let from = 0; from < items.length; from += limits.items) {
        const some = items.slice(from, from + limits.items).map((item) => ({ ...item, resource: name }))
        const body = { mode: 'eachForItself', items: some }
        const answer = await write(name, { method: 'POST', path: '/ext/batch', body })
        results.push(...answer.results.map(inOwnWordsOf))
      }
      return results
    },
    removed: (name, query = {}, signal) => readPage(`/ext/removed/${listRoutes[name]}`, query, signal),
    people: (query, signal) => readPage('/ext/people', { ...query }, signal),
    me: () => read('/api/me'),
    async rename(name) {
      await send({ method: 'PATCH', path: '/api/me', body: { name } })
    },
    async changePassword(currentPassword, newPassword) {
      const body = { currentPassword, newPassword }
      await send({ method: 'POST', path: '/api/me/password', body, waitsWhenBusy: false })
    },
    onChange(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}

type Query = Readonly<Record<string, string | number | undefined>>

const pathOf = (name: ResourceName): string => `${roots[name]}/${name}`

export const listPathOf = (name: ResourceName): string => `${roots[name]}/${listRoutes[name]}`

export function queryOf(query: Query): string {
  const given = Object.entries(query).flatMap(([key, value]) =>
    value === undefined || value === '' ? [] : [[key, String(value)]],
  )
  return given.length === 0 ? '' : `?${new URLSearchParams(given)}`
}

const inOwnWordsOf = (result: BatchResult): BatchResult =>
  result.message === undefined ? result : { ...result, message: inOwnWords(result.message) }

type Ask<Answer> = (path: string, signal?: AbortSignal) => Promise<Answer>

interface Asked<Answer> {
  readonly answer: Promise<Answer>
  readonly left: AbortController
  waiting: number
}

/**
 * Shares one request between all parts of a screen that ask at the same time, until the last of them has
 * left. It is not cached longer: a response from before a write, or from before the user returned to the
 * page, would be outdated.
 */
export function askTogether<Answer>(ask: Ask<Answer>): Ask<Answer> {
  const asked = new Map<string, Asked<Answer>>()
  const begin = (path: string): Asked<Answer> => {
    const left = new AbortController()
    const one = { answer: ask(path, left.signal), left, waiting: 0 }
    asked.set(path, one)
    queueMicrotask(() => asked.delete(path))
    return one
  }
  return (path, signal) => {
    if (signal?.aborted) return Promise.reject(signal.reason)
    const one = asked.get(path) ?? begin(path)
    one.waiting += 1
    return new Promise((resolve, reject) => {
      const leave = () => {
        one.waiting -= 1
        if (one.waiting === 0) one.left.abort()
        reject(signal?.reason)
      }
      signal?.addEventListener('abort', leave, { once: true })
      one.answer.then(resolve, reject)
    })
  }
}
