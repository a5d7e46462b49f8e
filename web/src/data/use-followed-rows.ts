import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import { keyOf, type QueryOf, type RecordOf } from '../api/api.ts'
import { readList } from '../api/last-seen.ts'
import { type Connection, followChanges } from '../api/live.ts'
import { byId, rowsMax } from '../api/load-all.ts'
import { type Services, useServices } from '../services/services.ts'
import { SessionEndedError } from '../session/session.ts'
import { changedAt } from './assignments.ts'
import { subscribeToReloads, useProblemOf, useRetry } from './use-listing.ts'

type Assignment = RecordOf<'assignment'>
type Rows = ReadonlyMap<string, Assignment>

interface FollowedRows {
  readonly rows: readonly Assignment[]
  /** True until the first rows arrive. After a problem, it stays true if no rows of the query are known. */
  readonly isLoading: boolean
  /** True while the rows belong to an earlier query. */
  readonly isStale: boolean
  /** True if there are more rows than were loaded. */
  readonly isCut: boolean
  readonly problem: Error | undefined
  readonly connection: Connection
  /** Shows rows written by this tab before the listing reports them. */
  put(rows: readonly Assignment[]): void
  reload(): void
}

/** At most this many pages are loaded, with 5,000 assignments. If there are more, the screen says so. */
const pagesMax = 50
/** Browsers have six connections to a host. A live listing needs one of them. */
const parallelMax = 3
/** Changes that follow each other within this time share one request. */
const debounceMilliseconds = 400

type ScreenServices = Pick<Services, 'api' | 'lastSeen'>

interface LoadedRows {
  readonly key: string
  readonly rows: Rows
  readonly totalCount: number
}

export interface FollowOptions {
  /** If false, nothing is shown before all rows are loaded, because later rows would move earlier ones. */
  readonly firstPageAtOnce?: boolean
}

/** Loads all assignments of a query, the first page at once, and follows every change. */
export function useFollowedRows(
  query: QueryOf<'assignment'>,
  { firstPageAtOnce = true }: FollowOptions = {},
): FollowedRows {
  const services = useServices()
  const { api, session } = services
  const key = keyOf(query)
  const [loaded, setLoaded] = useState<LoadedRows>()
  const [problem, setProblem] = useProblemOf(key)
  const [connection, setConnection] = useState<Connection>('connecting')
  const [reloads, setReloads] = useState(0)
  const latestRows = useRef<LoadedRows>(undefined)
  const isSignedIn = session.state.value === 'signed-in'
  const reload = () => setReloads((count) => count + 1)
  useRetry(problem, reload)
  const show = (rows: Rows, totalCount: number) => {
    latestRows.current = { key, rows, totalCount }
    setProblem(undefined)
    setLoaded(latestRows.current)
  }
  useEffect(() => {
    if (!isSignedIn) return
    const controller = new AbortController()
    const report = (error: Error) =>
      controller.signal.aborted || error instanceof SessionEndedError || setProblem(error)
    const rowsOfQuery = { key, current: () => latestRows.current, show, firstPageAtOnce }
    follow(services, query, rowsOfQuery, { signal: controller.signal, onConnection: setConnection, report })
    return () => controller.abort()
  }, [api, key, reloads, isSignedIn])
  const rows = useMemo(() => [...(loaded?.rows.values() ?? [])], [loaded?.rows])
  return {
    rows,
    isLoading: loaded === undefined || (problem !== undefined && loaded.key !== key),
    isStale: loaded !== undefined && loaded.key !== key,
    isCut: (loaded?.totalCount ?? 0) > rowsMax * pagesMax,
    problem,
    connection,
    put: (changed) =>
      latestRows.current && show(merge(latestRows.current.rows, changed), latestRows.current.totalCount),
    reload,
  }
}

interface FollowListener {
  readonly signal: AbortSignal
  onConnection(connection: Connection): void
  report(error: Error): unknown
}

interface RowStore {
  readonly key: string
  readonly firstPageAtOnce: boolean
  current(): LoadedRows | undefined
  show(rows: Rows, totalCount: number): void
}

/** Loads all pages, and reloads them when their number of rows is no longer the total count. */
function follow(
  services: ScreenServices,
  query: QueryOf<'assignment'>,
  { key, current, show, firstPageAtOnce }: RowStore,
  { signal, onConnection, report }: FollowListener,
): void {
  let isLoaded = false
  const { api } = services
  const load = async () => {
    try {
      // The known rows stay visible during a reload.
      const onPart = current()?.key === key || !firstPageAtOnce ? () => undefined : show
      const { rows, totalCount } = await loadPages(services, query, { signal, onPart })
      if (signal.aborted) return
      isLoaded = true
      show(rows, totalCount)
    } catch (error) {
      report(error as Error)
    }
  }
  const debouncedLoad = debounce(load)
  const stop = followChanges(api, 'assignment', query, {
    onConnection,
    onProblem: report,
    onRows(changed, totalCount) {
      const before = current()
      if (!isLoaded || before === undefined) return
      const rows = merge(before.rows, changed)
      if (rows !== before.rows) show(rows, totalCount)
      const isComplete = totalCount > rowsMax * pagesMax || rows.size === totalCount
      if (!isComplete) debouncedLoad.run()
    },
  })
  void load()
  const stopWatching = subscribeToReloads(api.onChange, [], debouncedLoad.run)
  signal.addEventListener('abort', () => {
    stop()
    stopWatching()
    debouncedLoad.stop()
  })
}

interface LoadOptions {
  readonly signal: AbortSignal
  onPart(rows: Rows, totalCount: number): void
}

async function loadPages(
  services: ScreenServices,
  query: QueryOf<'assignment'>,
  { signal, onPart }: LoadOptions,
) {
  const loadPage = (pageNumber: number) =>
    readList(
      services,
      'assignment',
      { ...query, sortColumn: 'endDate', pageSize: rowsMax, pageNumber },
      signal,
    )
  const first = await loadPage(1)
  const rows = byId(first.data)
  const pages = Math.min(first.totalPages, pagesMax)
  if (pages > 1) onPart(new Map(rows), first.totalCount)
  const pageNumbers = Array.from({ length: Math.max(0, pages - 1) }, (_, index) => index + 2)
  const loadNext = async () => {
    for (let number = pageNumbers.shift(); number !== undefined; number = pageNumbers.shift())
      for (const row of (await loadPage(number)).data) rows.set(row.id, row)
  }
  await Promise.all(Array.from({ length: parallelMax }, loadNext))
  return { rows: rows as Rows, totalCount: first.totalCount }
}

/** Returns the same rows if nothing is newer, to avoid a render. */
function merge(rows: Rows, changed: readonly Assignment[]): Rows {
  const newer = changed.filter((row) => {
    const previous = rows.get(row.id)
    return previous === undefined || changedAt(row) > changedAt(previous)
  })
  return newer.length === 0 ? rows : new Map([...rows, ...newer.map((row) => [row.id, row] as const)])
}

function debounce(run: () => unknown) {
  let timer: ReturnType<typeof setTimeout> | undefined
  const stop = () => clearTimeout(timer)
  return {
    stop,
    run() {
      stop()
      timer = setTimeout(run, debounceMilliseconds)
    },
  }
}
