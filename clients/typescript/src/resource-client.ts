import { type ConnectionOptions, connectOnce, follow, type LiveAnswer, type LiveOptions } from './live.ts'
import { queryOf } from './query-of.ts'
import { readLines } from './read-lines.ts'
import { places, type Resources } from './rest-types.ts'
import { asJson, type RequestOptions, type Send, type TrackerOptions } from './send.ts'

export type ResourceName = keyof Resources

/** A question to a list; docs/reading.md has the grammar of filters. */
export interface Question<Fields extends readonly string[], Expand extends readonly string[]> {
  readonly filter?: string
  /** Fields; one after a minus sorts descending. */
  readonly sort?: readonly string[]
  readonly fields?: Fields
  /** References by their names without Id; a dot leads to the references of the expanded row. */
  readonly expand?: Expand
  /** The id of a saved view, whose keys are taken where they are not given here. */
  readonly view?: string
  /** The rows as they were then, for anyone who may see them now. */
  readonly at?: string
  readonly pageSize?: number
  readonly cursor?: string
  readonly count?: boolean
}

type Own<Name extends ResourceName, Fields extends readonly string[]> = Fields[number] &
  keyof Resources[Name]['record']

/** The chosen fields, the id, and what is expanded. */
export type RowOf<
  Name extends ResourceName,
  Fields extends readonly string[],
  Expand extends readonly string[],
> = ([Own<Name, Fields>] extends [never]
  ? Resources[Name]['record']
  : Pick<Resources[Name]['record'], Own<Name, Fields> | ('id' & keyof Resources[Name]['record'])>) &
  Required<Pick<Resources[Name]['row'], First<Expand[number]> & keyof Resources[Name]['row']>>

type First<Path extends string> = Path extends `${infer Head}.${string}` ? Head : Path

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

/** Everything that can be done with one resource. */
export interface ResourceClient<Name extends ResourceName> {
  create(body: Resources[Name]['create'], options?: RequestOptions): Promise<Resources[Name]['record']>
  get(id: string, options?: RequestOptions): Promise<Resources[Name]['record']>
  /** Returns the ETag too, which `update` and `remove` take as `ifMatch`. */
  getTagged(id: string, options?: RequestOptions): Promise<Tagged<Name>>
  list(query?: Resources[Name]['list'], options?: RequestOptions): Promise<Resources[Name]['page']>
  /** Returns the record as this update left it. */
  update(body: Resources[Name]['update'], options?: RequestOptions): Promise<Resources[Name]['record']>
  /** Returns the new ETag too, so that the next update needs no read. */
  updateTagged(body: Resources[Name]['update'], options?: RequestOptions): Promise<Tagged<Name>>
  remove(ids: readonly string[], options?: RequestOptions): Promise<void>
  restore(ids: readonly string[], options?: RequestOptions): Promise<void>
  /** Removed rows that the caller may restore, the newest removal first. */
  removed(query?: Resources[Name]['removed'], options?: RequestOptions): Promise<Resources[Name]['page']>
  query<const Fields extends readonly string[] = [], const Expand extends readonly string[] = []>(
    question?: Question<Fields, Expand>,
    options?: RequestOptions,
  ): Promise<QueryPage<RowOf<Name, Fields, Expand>>>
  /** Every row of a query, page after page; writes meanwhile neither hide nor double a row that stays. */
  rows<const Fields extends readonly string[] = [], const Expand extends readonly string[] = []>(
    question?: Question<Fields, Expand>,
    options?: RequestOptions,
  ): AsyncGenerator<RowOf<Name, Fields, Expand>, void>
  /** All rows of the list as they are at one instant, however many; only one row at a time is held in memory. */
  export(
    query?: Resources[Name]['export'],
    options?: Pick<RequestOptions, 'signal'>,
  ): AsyncGenerator<Resources[Name]['record'], void>
  /** A page of the list now, and again after every change. */
  live(query?: Resources[Name]['list'], options?: LiveOptions): AsyncGenerator<Resources[Name]['page'], void>
  /** The same over one connection, for programs that decide when to open the next one: the loop ends with it. */
  connect(
    query?: Resources[Name]['list'],
    options?: ConnectionOptions,
  ): AsyncGenerator<LiveAnswer<Resources[Name]['page']>, void>
  liveQuery<const Fields extends readonly string[] = [], const Expand extends readonly string[] = []>(
    question?: Question<Fields, Expand>,
    options?: LiveOptions,
  ): AsyncGenerator<QueryPage<RowOf<Name, Fields, Expand>>, void>
}

/** The largest page of the host. */
const pageSizeMax = 100

export function createResourceClient<Name extends ResourceName>(
  send: Send,
  plural: Name,
  pause: TrackerOptions['pause'],
): ResourceClient<Name> {
  const { root, name } = places[plural]
  const [row, list] = [`${root}/${name}`, `${root}/${plural}`]
  const questionPath = (question: object) => `/ext/query/${plural}${queryOf(question)}`
  const read = (path: string, options?: RequestOptions) => send({ ...options, method: 'GET', path }, asJson)
  const result = async (path: string, options?: RequestOptions) => (await read(path, options)).result
  const write = (method: string, path: string, body: unknown, options?: RequestOptions) =>
    send({ ...options, method, path, body }, asJson)
  const tagged = async (response: Response) => ({
    record: (await asJson(response))[name],
    tag: response.headers.get('etag') ?? '',
  })
  const results = async function* (path: string, options: LiveOptions = {}) {
    for await (const answer of follow<{ readonly result: never }>(send, path, options, pause))
      yield answer.result
  }
  return {
    create: async (body, options) => (await write('POST', row, body, options))[name],
    get: async (id, options) => (await read(row + queryOf({ id }), options))[name],
    getTagged: (id, options) => send({ ...options, method: 'GET', path: row + queryOf({ id }) }, tagged),
    list: (query = {}, options) => result(list + queryOf(query), options),
    update: async (body, options) => (await write('PATCH', row, body, options))[name],
    updateTagged: (body, options) => send({ ...options, method: 'PATCH', path: row, body }, tagged),
    remove: (ids, options) => write('DELETE', row, { ids }, options),
    restore: (ids, options) => write('POST', `${row}/restore`, { ids }, options),
    removed: (query = {}, options) => result(`/ext/removed/${plural}${queryOf(query)}`, options),
    query: (question = {}, options) => result(questionPath(question), options),
    async *rows(question = {}, options) {
      let cursor: string | null = question.cursor ?? null
      do {
        const page: QueryPage<never> = await result(
          questionPath({ pageSize: pageSizeMax, ...question, ...(cursor !== null && { cursor }) }),
          options,
        )
        yield* page.data
        cursor = page.nextCursor
      } while (cursor !== null)
    },
    export: (query = {}, { signal } = {}) =>
      readLines(send, `/ext/export/${plural}${queryOf({ ...query, format: 'jsonl' })}`, signal),
    live: (query = {}, options) => results(list + queryOf(query), options),
    async *connect(query = {}, options = {}) {
      const answers = connectOnce<{ readonly result: never }>(send, list + queryOf(query), options)
      for await (const { id, answer } of answers) yield { id, answer: answer.result }
    },
    liveQuery: (question = {}, options) => results(questionPath(question), options),
  }
}
