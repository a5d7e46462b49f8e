import { type ConnectionOptions, connectOnce, follow, type LiveAnswer, type LiveOptions } from './live.ts'
import { readLines } from './read-stream.ts'
import { type Resources, resourcePaths } from './rest-types.ts'
import { asJson, queryString, type RequestOptions, type Send, type TrackerOptions } from './send.ts'

export type ResourceName = keyof Resources

/** A query of rows; docs/reading.md has the grammar of filters. */
export interface RowQuery<Fields extends readonly string[], Expand extends readonly string[]> {
  readonly filter?: string
  /** The fields to sort by; a leading minus sorts descending. */
  readonly sort?: readonly string[]
  readonly fields?: Fields
  /** The references to expand, named without Id. A dot leads to a reference of the expanded row. */
  readonly expand?: Expand
  /** The id of a saved view. Its keys are the defaults for those that are absent here. */
  readonly view?: string
  /** Reads the rows as they were at this instant. The caller must be allowed to see them now. */
  readonly at?: string
  readonly pageSize?: number
  readonly cursor?: string
  readonly count?: boolean
}

// A record is what the routes of a resource return. A row of a query is a record, or the selected fields of
// one, with the rows that its expanded references lead to.

/** A row with the selected fields, its id, and the expanded references. */
export type RowOf<
  Name extends ResourceName,
  Fields extends readonly string[],
  Expand extends readonly string[],
> = SelectedFields<Resources[Name]['record'], Fields[number]> &
  ExpandedReferences<Resources[Name]['row'], FirstPart<Expand[number]>>

/** All fields if none is named; the tuple keeps TypeScript from distributing over `never`. */
type SelectedFields<Item, Field> = [Field & keyof Item] extends [never]
  ? Item
  : Pick<Item, (Field | 'id') & keyof Item>

type ExpandedReferences<Row, Reference> = Required<Pick<Row, Reference & keyof Row>>

type FirstPart<Path extends string> = Path extends `${infer Head}.${string}` ? Head : Path

export interface QueryPage<Row> {
  readonly data: readonly Row[]
  readonly nextCursor: string | null
  /** The rows of all pages, if `count` was set. */
  readonly totalCount?: number
}

export interface Tagged<Name extends ResourceName> {
  readonly record: Resources[Name]['record']
  readonly tag: string
}

/** The operations on one resource. */
export interface ResourceClient<Name extends ResourceName> {
  create(body: Resources[Name]['create'], options?: RequestOptions): Promise<Resources[Name]['record']>
  get(id: string, options?: RequestOptions): Promise<Resources[Name]['record']>
  /** Also returns the ETag as `tag`, which `update` and `remove` accept as `ifMatch`. */
  getTagged(id: string, options?: RequestOptions): Promise<Tagged<Name>>
  /**
   * Reads a page from the list route of the resource. `query` reads the same rows, with filters, fields and
   * references.
   */
  list(query?: Resources[Name]['list'], options?: RequestOptions): Promise<Resources[Name]['page']>
  /** Returns the updated record. */
  update(body: Resources[Name]['update'], options?: RequestOptions): Promise<Resources[Name]['record']>
  /** Also returns the new ETag, so that the next update needs no read. */
  updateTagged(body: Resources[Name]['update'], options?: RequestOptions): Promise<Tagged<Name>>
  remove(ids: readonly string[], options?: RequestOptions): Promise<void>
  restore(ids: readonly string[], options?: RequestOptions): Promise<void>
  /** Removed rows that the caller may restore, the newest removal first. */
  removed(query?: Resources[Name]['removed'], options?: RequestOptions): Promise<Resources[Name]['page']>
  /** Reads a page of rows from `/ext/query`. */
  query<const Fields extends readonly string[] = [], const Expand extends readonly string[] = []>(
    query?: RowQuery<Fields, Expand>,
    options?: RequestOptions,
  ): Promise<QueryPage<RowOf<Name, Fields, Expand>>>
  /**
   * Yields every row of a query, page after page. Concurrent writes neither hide nor repeat an unchanged row.
   */
  rows<const Fields extends readonly string[] = [], const Expand extends readonly string[] = []>(
    query?: RowQuery<Fields, Expand>,
    options?: RequestOptions,
  ): AsyncGenerator<RowOf<Name, Fields, Expand>, void>
  /** Yields all rows of the list, from one snapshot. Only a small part of them is in memory at a time. */
  export(
    query?: Resources[Name]['export'],
    options?: Pick<RequestOptions, 'signal'>,
  ): AsyncGenerator<Resources[Name]['record'], void>
  /** Yields a page of the list now, and again after every change. */
  live(query?: Resources[Name]['list'], options?: LiveOptions): AsyncGenerator<Resources[Name]['page'], void>
  /** Like `live` for a single connection: it never reconnects. */
  connect(
    query?: Resources[Name]['list'],
    options?: ConnectionOptions,
  ): AsyncGenerator<LiveAnswer<Resources[Name]['page']>, void>
  /** Yields a page of `query` now, and again after every change. */
  liveQuery<const Fields extends readonly string[] = [], const Expand extends readonly string[] = []>(
    query?: RowQuery<Fields, Expand>,
    options?: LiveOptions,
  ): AsyncGenerator<QueryPage<RowOf<Name, Fields, Expand>>, void>
}

/** The largest page of the host. */
const pageSizeMax = 100

export function createResourceClient<Name extends ResourceName>(
  send: Send,
  key: Name,
  pause: TrackerOptions['pause'],
): ResourceClient<Name> {
  const { root, name, plural } = resourcePaths[key]
  const recordPath = `${root}/${name}`
  const listPath = `${root}/${plural}`
  const queryPath = (query: object) => `/ext/query/${plural}${queryString(query)}`
  const read = (path: string, options?: RequestOptions) => send({ ...options, method: 'GET', path }, asJson)
  const readResult = async (path: string, options?: RequestOptions) => (await read(path, options)).result
  const write = (method: string, path: string, body: unknown, options?: RequestOptions) =>
    send({ ...options, method, path, body }, asJson)
  const readTagged = async (response: Response) => ({
    record: (await asJson(response))[name],
    tag: response.headers.get('etag') ?? '',
  })
  // Responses are not checked: `never` lets a result have the type that each method declares.
  const followResults = async function* (path: string, options: LiveOptions = {}) {
    for await (const answer of follow<{ readonly result: never }>(send, path, options, pause))
      yield answer.result
  }
  return {
    create: async (body, options) => (await write('POST', recordPath, body, options))[name],
    get: async (id, options) => (await read(recordPath + queryString({ id }), options))[name],
    getTagged: (id, options) =>
      send({ ...options, method: 'GET', path: recordPath + queryString({ id }) }, readTagged),
    list: (query = {}, options) => readResult(listPath + queryString(query), options),
    update: async (body, options) => (await write('PATCH', recordPath, body, options))[name],
    updateTagged: (body, options) =>
      send({ ...options, method: 'PATCH', path: recordPath, body }, readTagged),
    remove: (ids, options) => write('DELETE', recordPath, { ids }, options),
    restore: (ids, options) => write('POST', `${recordPath}/restore`, { ids }, options),
    removed: (query = {}, options) => readResult(`/ext/removed/${plural}${queryString(query)}`, options),
    query: (query = {}, options) => readResult(queryPath(query), options),
    async *rows(query = {}, options) {
      let cursor: string | null = query.cursor ?? null
      do {
        const page: QueryPage<never> = await readResult(
          queryPath({ pageSize: pageSizeMax, ...query, ...(cursor !== null && { cursor }) }),
          options,
        )
        yield* page.data
        cursor = page.nextCursor
      } while (cursor !== null)
    },
    export: (query = {}, { signal } = {}) =>
      readLines(send, `/ext/export/${plural}${queryString({ ...query, format: 'jsonl' })}`, signal),
    live: (query = {}, options) => followResults(listPath + queryString(query), options),
    async *connect(query = {}, options = {}) {
      const answers = connectOnce<{ readonly result: never }>(send, listPath + queryString(query), options)
      for await (const { id, answer } of answers) yield { id, answer: answer.result }
    },
    liveQuery: (query = {}, options) => followResults(queryPath(query), options),
  }
}
