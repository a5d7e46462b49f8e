import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import { type Api, keyOf, type QueryOf, type RecordOf } from '../api/api.ts'
import { followChanges } from '../api/follow-changes.ts'
import type { Connection } from '../api/live.ts'
import { byId, rowsMax } from '../api/load-all.ts'
import { useServices } from '../services/services.ts'
import { SessionEndedError } from '../session/session.ts'
import { reloadWhenDue, useRetry } from './use-listing.ts'

type Assignment = RecordOf<'assignment'>
type Rows = ReadonlyMap<string, Assignment>

export interface FollowedRows {
  readonly rows: readonly Assignment[]
  /** Set until the first rows arrive. */
  readonly isLoading: boolean
  /** Set while the rows belong to an earlier query. */
  readonly isStale: boolean
  /** Set when there are more than were loaded. */
  readonly isCut: boolean
  readonly problem: Error | undefined
  readonly connection: Connection
  /** Shows a row written by this tab before the listing reports it. */
  put(rows: readonly Assignment[]): void
  reload(): void
}

/** 5,000 assignments; beyond that the screen says that it does not show all. */
const pagesMax = 50
/** Browsers have six connections to a host, and a live listing needs one of them. */
const parallelMax = 3
/** Several changes within a second share one request. */
const settleMilliseconds = 400

interface Known {
  readonly key: string
  readonly rows: Rows
  readonly totalCount: number
}

export interface FollowOptions {
  /** Switched off where later rows would move earlier ones: nothing is shown before all are loaded. */
  readonly firstPageAtOnce?: boolean
}

/** Loads all assignments of a query, the first page at once, and follows every change. */
export function useFollowedRows(
  query: QueryOf<'assignment'>,
  { firstPageAtOnce = true }: FollowOptions = {},
): FollowedRows {
  const { api, session } = useServices()
  const key = keyOf(query)
  const [known, setKnown] = useState<Known>()
  const [problem, setProblem] = useState<Error>()
  const [connection, setConnection] = useState<Connection>('connecting')
  const [turn, setTurn] = useState(0)
  const latest = useRef<Known>(undefined)
  const isSignedIn = session.state.value === 'signed-in'
  const reload = () => setTurn((count) => count + 1)
  useRetry(problem, reload)
  const show = (rows: Rows, totalCount: number) => {
    latest.current = { key, rows, totalCount }
    setProblem(undefined)
    setKnown(latest.current)
  }
  useEffect(() => {
    if (!isSignedIn) return
    const left = new AbortController()
    const report = (error: Error) =>
      left.signal.aborted || error instanceof SessionEndedError || setProblem(error)
    const known = { key, find: () => latest.current, show, firstPageAtOnce }
    follow(api, query, known, { signal: left.signal, onConnection: setConnection, report })
    return () => left.abort()
  }, [api, key, turn, isSignedIn])
  const rows = useMemo(() => [...(known?.rows.values() ?? [])], [known?.rows])
  return {
    rows,
    isLoading: known === undefined && problem === undefined,
    isStale: known !== undefined && known.key !== key,
    isCut: (known?.totalCount ?? 0) > rowsMax * pagesMax,
    problem,
    connection,
    put: (some) => latest.current && show(merge(latest.current.rows, some), latest.current.totalCount),
    reload,
  }
}

interface Following {
  readonly signal: AbortSignal
  onConnection(connection: Connection): void
  report(error: Error): unknown
}

interface KnownRows {
  readonly key: string
  readonly firstPageAtOnce: boolean
  find(): Known | undefined
  show(rows: Rows, totalCount: number): void
}

/** Loads all pages, and again whenever a change concerns an unknown row. */
function follow(
  api: Api,
  query: QueryOf<'assignment'>,
  { key, find, show, firstPageAtOnce }: KnownRows,
  { signal, onConnection, report }: Following,
): void {
  let isLoaded = false
  const load = async () => {
    try {
      // The known rows stay visible during a reload.
      const onPart = find()?.key === key || !firstPageAtOnce ? () => undefined : show
      const { rows, totalCount } = await loadPages(api, query, { signal, onPart })
      if (signal.aborted) return
      isLoaded = true
      show(rows, totalCount)
    } catch (error) {
      report(error as Error)
    }
  }
  const soon = debounce(load)
  const stop = followChanges(api, 'assignment', query, {
    onConnection,
    onProblem: report,
    onRows(changed, totalCount) {
      const before = find()
      if (!isLoaded || before === undefined) return
      const rows = merge(before.rows, changed)
      if (rows !== before.rows) show(rows, totalCount)
      const isWhole = totalCount > rowsMax * pagesMax || rows.size === totalCount
      if (!isWhole) soon.run()
    },
  })
  void load()
  const stopWatching = reloadWhenDue(api.onChange, [], soon.run)
  signal.addEventListener('abort', () => {
    stop()
    stopWatching()
    soon.stop()
  })
}

interface Loading {
  readonly signal: AbortSignal
  onPart(rows: Rows, totalCount: number): void
}

async function loadPages(api: Api, query: QueryOf<'assignment'>, { signal, onPart }: Loading) {
  const ask = (pageNumber: number) =>
    api.list('assignment', { ...query, sortColumn: 'endDate', pageSize: rowsMax, pageNumber }, signal)
  const first = await ask(1)
  const rows = byId(first.data)
  const pages = Math.min(first.totalPages, pagesMax)
  if (pages > 1) onPart(new Map(rows), first.totalCount)
  const waiting = Array.from({ length: Math.max(0, pages - 1) }, (_, index) => index + 2)
  const work = async () => {
    for (let number = waiting.shift(); number !== undefined; number = waiting.shift())
      for (const row of (await ask(number)).data) rows.set(row.id, row)
  }
  await Promise.all(Array.from({ length: parallelMax }, work))
  return { rows: rows as Rows, totalCount: first.totalCount }
}

const changedAt = ({ createdAt, updatedAt }: Assignment): string => updatedAt ?? createdAt

/** Returns the same rows if nothing is newer, to avoid a render. */
function merge(rows: Rows, some: readonly Assignment[]): Rows {
  const newer = some.filter((row) => {
    const known = rows.get(row.id)
    return known === undefined || changedAt(row) > changedAt(known)
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
      timer = setTimeout(run, settleMilliseconds)
    },
  }
}
