import { limits } from '#tracker-client'
import type { Api, QueryOf, RecordOf, ResourceName } from './api.ts'

/** The largest page of the API. A request may contain the same number of ids. */
export const rowsMax = limits.pageSize

export interface AllLoaded<Row> {
  readonly rows: readonly Row[]
  /** True if there are more rows than were loaded. */
  readonly isCut: boolean
}

/** Loads a whole list, up to a number of pages. Screens say so if the list is longer. */
export async function loadAll<Name extends ResourceName>(
  api: Api,
  name: Name,
  query: QueryOf<Name>,
  { pagesMax, signal }: { readonly pagesMax: number; readonly signal: AbortSignal },
): Promise<AllLoaded<RecordOf<Name>>> {
  const load = (pageNumber: number) => api.list(name, { ...query, pageSize: rowsMax, pageNumber }, signal)
  const first = await load(1)
  const pages = Math.min(first.totalPages, pagesMax)
  const others = await Promise.all(
    Array.from({ length: Math.max(0, pages - 1) }, (_, index) => load(index + 2)),
  )
  const rows = [first, ...others].flatMap(({ data }) => data)
  // A row may move from one page to another between two requests.
  return { rows: [...byId(rows).values()], isCut: first.totalPages > pagesMax }
}

export type ById<Row> = ReadonlyMap<string, Row>

/** Loads records by id. Records that the caller may not see are missing in the result. */
export async function loadByIds<Name extends ResourceName>(
  api: Api,
  name: Name,
  ids: Iterable<string>,
  signal: AbortSignal,
): Promise<ById<RecordOf<Name>>> {
  const unique = [...new Set(ids)].sort()
  const results = await Promise.all(
    chunksOf(unique, rowsMax).map((chunk) =>
      api.list(name, { ids: chunk.join(','), pageSize: rowsMax } as QueryOf<Name>, signal),
    ),
  )
  return byId(results.flatMap(({ data }) => data))
}

/** Splits a list, for example of ids, into parts that each fit into one request. */
export const chunksOf = <Item>(items: readonly Item[], size: number): (readonly Item[])[] =>
  Array.from({ length: Math.ceil(items.length / size) }, (_, index) =>
    items.slice(index * size, (index + 1) * size),
  )

export const byId = <Row extends { readonly id: string }>(rows: readonly Row[]): Map<string, Row> =>
  new Map(rows.map((row) => [row.id, row]))

/** Shares one promise between all calls. After a failure, the next call loads again. */
export function loadOnce<Value>(load: () => Promise<Value>): () => Promise<Value> {
  let loading: Promise<Value> | undefined
  return () => {
    loading ??= load().catch((error: unknown) => {
      loading = undefined
      throw error
    })
    return loading
  }
}
