import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import { TrackerError } from '#tracker-client'
import { keyOf, type Page, type QueryOf, type RecordOf, type ResourceName } from '../api/api.ts'
import { type Connection, openLive } from '../api/live.ts'
import { useServices } from '../services/services.ts'
import { SessionEndedError } from '../session/session.ts'

export interface Listing<Row> {
  /** The last known rows, which stay while a changed query loads or the connection is down. */
  readonly rows: readonly Row[]
  readonly totalCount: number
  /** Set until the first rows arrive. */
  readonly isLoading: boolean
  /** Set while the rows belong to an earlier query. */
  readonly isStale: boolean
  readonly problem: Error | undefined
  /** `closed` for listings that are not live. */
  readonly connection: Connection
  reload(): void
}

interface Known<Row> {
  readonly key: string
  readonly page?: Page<Row> | undefined
  readonly problem?: Error
}

/**
 * A list of the API for a screen. It is reloaded after a write of this tab to its resource, and when the user comes back to the
 * page or signs in again; a live one follows every change. Without a query it is empty.
 */
export function useListing<Name extends ResourceName>(
  name: Name,
  query: QueryOf<Name> | undefined,
  { live = false }: { readonly live?: boolean } = {},
): Listing<RecordOf<Name>> {
  const { api, session, lastPages } = useServices()
  const key = query === undefined ? '' : `${name} ${keyOf(query)}`
  const wanted = useRef(query)
  wanted.current = query
  const [known, setKnown] = useState<Known<RecordOf<Name>>>(() => ({
    key,
    page: lastPages.find<RecordOf<Name>>(key),
  }))
  const [connection, setConnection] = useState<Connection>('closed')
  const [turn, setTurn] = useState(0)
  const isSignedIn = session.state.value === 'signed-in'
  const reload = useMemo(() => () => setTurn((count) => count + 1), [])
  useEffect(() => {
    const current = wanted.current
    if (current === undefined || !isSignedIn) return
    const onPage = (page: Page<RecordOf<Name>>) => {
      lastPages.keep(key, page)
      setKnown((last) => (last.page === page ? last : { key, page }))
    }
    // The end of the session has a dialog of its own; the known rows stay visible behind it.
    const onProblem = (problem: Error) =>
      problem instanceof SessionEndedError || setKnown((last) => ({ ...last, problem }))
    // The connection works and only the query has changed, so the connection status stays.
    const onConnection = (next: Connection) =>
      setConnection((last) => (next === 'connecting' && last === 'live' ? last : next))
    if (live) return openLive(api.connect(name, current), { onValue: onPage, onProblem, onConnection })
    const left = new AbortController()
    api.list(name, current, left.signal).then(onPage, (error) => left.signal.aborted || onProblem(error))
    return () => left.abort()
  }, [name, key, live, turn, isSignedIn])
  useEffect(
    () =>
      lastPages.onKept<RecordOf<Name>>(key, (page) =>
        setKnown((last) => (last.key === key && last.page !== page ? { key, page } : last)),
      ),
    [lastPages, name, key],
  )
  useRetry(known.problem, reload)
  useEffect(() => (live ? undefined : reloadWhenDue(api.onChange, [name], reload)), [api, name, live, reload])
  return {
    rows: known.page?.data ?? none,
    totalCount: known.page?.totalCount ?? 0,
    isLoading: known.page === undefined && known.problem === undefined,
    isStale: known.key !== key,
    problem: known.problem,
    connection,
    reload,
  }
}

/** The lists that forms choose from. All forms send the same query, so the rows are known when a form opens. */
export const catalogQuery = { sortColumn: 'name', pageSize: 100 } as const

/** An outage ends by itself, so it is retried; other errors would only repeat. */
const retryMilliseconds = 3000

export function useRetry(problem: Error | undefined, reload: () => void): void {
  useEffect(() => {
    if (!(problem instanceof TrackerError && problem.status === 0)) return
    const timer = setTimeout(reload, retryMilliseconds)
    return () => clearTimeout(timer)
  }, [problem, reload])
}

const none: readonly never[] = []

/** Reloads after a write of this tab to one of the resources, and on coming back to the page. */
export function reloadWhenDue(
  onChange: (listener: (name: ResourceName) => void) => () => void,
  names: readonly ResourceName[],
  reload: () => void,
): () => void {
  const onVisibility = () => document.hidden || reload()
  document.addEventListener('visibilitychange', onVisibility)
  const stop = onChange((changed) => {
    if (names.includes(changed)) reload()
  })
  return () => {
    document.removeEventListener('visibilitychange', onVisibility)
    stop()
  }
}
