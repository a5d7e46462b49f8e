import { useEffect, useState } from 'preact/hooks'
import { type Connect, keyOf, type QueryOf, type RecordOf, type ResourceName } from '../api/api.ts'
import { readList } from '../api/last-seen.ts'
import { type Connection, openLive } from '../api/live.ts'
import { useServices } from '../services/services.ts'
import { SessionEndedError } from '../session/session.ts'
import { type Listing, useListing, useProblemOf } from './use-listing.ts'
import type { Loaded } from './use-loaded.ts'

export interface Live<Value> extends Loaded<Value> {
  readonly connection: Connection
}

/** Follows a response that is sent again whenever it changes, such as a report. */
export function useLive<Value>(key: string, connect: Connect<Value>): Live<Value> {
  const { lastSeen, session } = useServices()
  const [loaded, setLoaded] = useState<{ key: string; value?: Value }>({ key })
  const [problem, setProblem] = useProblemOf(key)
  const [connection, setConnection] = useState<Connection>('connecting')
  const [reloads, setReloads] = useState(0)
  const isSignedIn = session.state.value === 'signed-in'
  useEffect(() => {
    if (!isSignedIn) return
    return openLive(lastSeen.follow(key, connect), {
      onValue(value) {
        setProblem(undefined)
        setLoaded({ key, value })
      },
      onConnection: setConnection,
      onProblem: (error) => error instanceof SessionEndedError || setProblem(error),
    })
  }, [key, reloads, isSignedIn])
  return {
    value: loaded.value,
    isStale: loaded.value !== undefined && loaded.key !== key,
    problem,
    connection,
    reload: () => setReloads((count) => count + 1),
  }
}

/** The largest page of the API. */
const pageSize = 100
/** Together 500 rows: more than a user reads on one screen, and still fast to render. */
const pagesMax = 5
/** The live listing covers only the first page; the others are reloaded this often. */
const refreshMilliseconds = 10_000

interface AllRows<Row> extends Listing<Row> {
  /** True if there are more rows than were loaded. */
  readonly isCut: boolean
}

/**
 * Returns a listing of several pages, which is empty without a query. The first page comes from `useListing`;
 * the others are loaded whenever the first one changes.
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
