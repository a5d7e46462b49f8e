import { useCallback, useEffect, useRef, useState } from 'preact/hooks'
import {
  type ChangedName,
  keyOf,
  type Page,
  type QueryOf,
  type RecordOf,
  type ResourceName,
} from '../api/api.ts'
import { listKeyOf, readList } from '../api/last-seen.ts'
import { type Connection, openLive } from '../api/live.ts'
import { isOutage } from '../api/problems.ts'
import { useServices } from '../services/services.ts'
import { SessionEndedError } from '../session/session.ts'

interface Listing<Row> {
  /** The last known rows. They stay while a changed query loads or the connection is down. */
  readonly rows: readonly Row[]
  readonly totalCount: number
  /** True until the first rows arrive. Stays true without a query. */
  readonly isLoading: boolean
  /** True while the rows belong to an earlier query. */
  readonly isStale: boolean
  readonly problem: Error | undefined
  /** `closed` for listings that are not live. */
  readonly connection: Connection
  reload(): void
}

interface LoadedPage<Row> {
  readonly key: string
  readonly page?: Page<Row> | undefined
}

/**
 * Loads a list for a screen. It is reloaded after a write of this tab to its resource, and when the user
 * comes back to the page or signs in again. A live list follows every change. Without a query the list is
 * empty.
 */
export function useListing<Name extends ResourceName>(
  name: Name,
  query: QueryOf<Name> | undefined,
  { live = false }: { readonly live?: boolean } = {},
): Listing<RecordOf<Name>> {
  const services = useServices()
  const { api, session, lastPages, lastSeen } = services
  const key = query === undefined ? '' : listKeyOf(name, query)
  const latestQuery = useRef(query)
  latestQuery.current = query
  const [loaded, setLoaded] = useState<LoadedPage<RecordOf<Name>>>(() => ({
    key,
    page: lastPages.find<RecordOf<Name>>(key),
  }))
  const [problem, setProblem] = useProblemOf(key)
  const [connection, setConnection] = useState<Connection>('closed')
  const [reloads, setReloads] = useState(0)
  const isSignedIn = session.state.value === 'signed-in'
  const reload = useCallback(() => setReloads((count) => count + 1), [])
  useEffect(() => {
    const current = latestQuery.current
    if (current === undefined || !isSignedIn) return
    const onPage = (page: Page<RecordOf<Name>>) => {
      lastPages.set(key, page)
      setProblem(undefined)
      setLoaded((last) => (last.page === page ? last : { key, page }))
    }
    // A dialog reports the end of the session. The known rows stay visible behind it.
    const onProblem = (error: Error) => error instanceof SessionEndedError || setProblem(error)
    // While only the query changes, the status stays live.
    const onConnection = (next: Connection) =>
      setConnection((last) => (next === 'connecting' && last === 'live' ? last : next))
    if (live) {
      const connect = lastSeen.follow(key, api.connect(name, current), onProblem)
      return openLive(connect, { onValue: onPage, onProblem, onConnection })
    }
    const controller = new AbortController()
    readList(services, name, current, controller.signal).then(
      (page) => controller.signal.aborted || onPage(page),
      (error) => controller.signal.aborted || onProblem(error),
    )
    return () => controller.abort()
  }, [name, key, live, reloads, isSignedIn])
  useEffect(
    () =>
      lastPages.onSet<RecordOf<Name>>(key, (page) => {
        setProblem(undefined)
        setLoaded((last) => (last.key === key && last.page !== page ? { key, page } : last))
      }),
    [lastPages, name, key],
  )
  useRetry(problem, reload)
  useEffect(
    () => (live ? undefined : subscribeToReloads(api.onChange, [name], reload)),
    [api, name, live, reload],
  )
  return {
    rows: loaded.page?.data ?? noRows,
    totalCount: loaded.page?.totalCount ?? 0,
    isLoading: loaded.page === undefined && problem === undefined,
    isStale: loaded.key !== key,
    problem,
    connection,
    reload,
  }
}

/** The largest page of the API. */
const pageSize = 100
/** Together 500 rows, which are still fast to render. */
const pagesMax = 5
/** The live listing covers only the first page. The others are reloaded at this interval. */
const refreshMilliseconds = 10_000

interface AllRows<Row> extends Listing<Row> {
  /** True if there are more rows than were loaded. */
  readonly isCut: boolean
}

/**
 * Returns a listing of several pages. The first page comes from `useListing`. The others are loaded whenever
 * the first page changes.
 */
export function useAllRows<Name extends ResourceName>(
  name: Name,
  query: QueryOf<Name> | undefined,
  options: { readonly live?: boolean } = {},
): AllRows<RecordOf<Name>> {
  const services = useServices()
  const { api } = services
  const first = useListing(name, query && { ...query, pageSize }, options)
  const key = keyOf(query ?? {})
  const queryOfPage = (pageNumber: number) => ({ ...query, pageSize, pageNumber }) as QueryOf<Name>
  const [others, setOthers] = useState<{ key: string; rows: readonly RecordOf<Name>[] }>({ key, rows: [] })
  const pages = Math.min(Math.ceil(first.totalCount / pageSize), pagesMax)
  useEffect(() => {
    if (pages < 2) return
    const controller = new AbortController()
    const load = async () => {
      const numbers = Array.from({ length: pages - 1 }, (_, index) => index + 2)
      const results = await Promise.all(
        numbers.map((pageNumber) => readList(services, name, queryOfPage(pageNumber), controller.signal)),
      )
      if (!controller.signal.aborted) setOthers({ key, rows: results.flatMap(({ data }) => data) })
    }
    const loadQuietly = () => void load().catch(() => undefined)
    loadQuietly()
    const timer = setInterval(loadQuietly, refreshMilliseconds)
    return () => {
      controller.abort()
      clearInterval(timer)
    }
  }, [api, name, key, pages, first.rows])
  const areOthersCurrent = pages > 1 && others.key === key
  return {
    ...first,
    rows: areOthersCurrent ? uniqueById([...first.rows, ...others.rows]) : first.rows,
    isCut: first.totalCount > pageSize * pagesMax,
  }
}

/** Removes duplicates, because a row may move from one page to another between two requests. */
const uniqueById = <Row extends { readonly id: string }>(rows: readonly Row[]): Row[] => [
  ...new Map(rows.map((row) => [row.id, row])).values(),
]

/**
 * The query of lists that forms choose from. It is the same for all forms, so the rows are known when a form
 * opens.
 */
export const catalogQuery = { sortColumn: 'name', pageSize: 100 } as const

/** Holds the problem of the latest request. A problem of another key is not returned. */
export function useProblemOf(key: string) {
  const [failure, setFailure] = useState<{ readonly key: string; readonly problem: Error }>()
  const setProblem = (problem: Error | undefined) => setFailure(problem && { key, problem })
  return [failure?.key === key ? failure.problem : undefined, setProblem] as const
}

/** An outage ends by itself, so the request is retried. Other errors would only repeat. */
const retryMilliseconds = 3000

export function useRetry(problem: Error | undefined, reload: () => void): void {
  useEffect(() => {
    if (!isOutage(problem)) return
    const timer = setTimeout(reload, retryMilliseconds)
    return () => clearTimeout(timer)
  }, [problem, reload])
}

const noRows: readonly never[] = []

/**
 * Reloads after a write of this tab to one of the resources, after an outage, and when the user returns to
 * the page. Returns a function that ends the subscription.
 */
export function subscribeToReloads(
  onChange: (listener: (name: ChangedName) => void) => () => void,
  names: readonly ResourceName[],
  reload: () => void,
): () => void {
  const onVisibility = () => document.hidden || reload()
  document.addEventListener('visibilitychange', onVisibility)
  const stop = onChange((changed) => {
    if (changed === 'all' || names.includes(changed)) reload()
  })
  return () => {
    document.removeEventListener('visibilitychange', onVisibility)
    stop()
  }
}
