import { useEffect, useRef, useState } from 'preact/hooks'
import type { QueryOf, RecordOf } from '../api/api.ts'
import { followChanges } from '../api/follow-changes.ts'
import type { Connection } from '../api/live.ts'
import { rowsMax } from '../api/load-all.ts'
import { useServices } from '../services/services.ts'
import { SessionEndedError } from '../session/session.ts'
import { type BoardRows, emptyBoard, type StageQuery } from './board-rows.ts'
import { reloadWhenDue, useRetry } from './use-listing.ts'

type Assignment = RecordOf<'assignment'>

export interface StagePages {
  readonly board: BoardRows
  /** Set until the first rows arrive. */
  readonly isLoading: boolean
  readonly isStale: boolean
  readonly problem: Error | undefined
  readonly connection: Connection
  loadMore(stageId: string): void
  /** Shows a row written by this tab before the listing reports it. */
  put(row: Assignment): void
  reload(): void
}

/** Several changes within a second share one request. */
const settleMilliseconds = 400

/** The assignments of a project by stage, each stage as far as it was scrolled, following every change. */
export function useStagePages(query: QueryOf<'assignment'>, stages: readonly StageQuery[]): StagePages {
  const { api, session } = useServices()
  const key = JSON.stringify([query, stages])
  const [known, setKnown] = useState<{ key: string; board: BoardRows }>({ key: '', board: emptyBoard })
  const [problem, setProblem] = useState<Error>()
  const [connection, setConnection] = useState<Connection>('connecting')
  const [turn, setTurn] = useState(0)
  const isSignedIn = session.state.value === 'signed-in'
  const latest = useRef(known.board)
  const run = useRef<Loader>(undefined)
  const reload = useReload(problem, setTurn)
  const show = (board: BoardRows) => {
    latest.current = board
    setProblem(undefined)
    setKnown({ key, board })
  }
  useEffect(() => {
    if (!isSignedIn || stages.length === 0) return
    const left = new AbortController()
    const report = (error: Error) =>
      left.signal.aborted || error instanceof SessionEndedError || setProblem(error)
    const change = (next: (board: BoardRows) => BoardRows) => show(next(latest.current))
    latest.current = latest.current.dropOwn()
    const loader = createLoader({ api, query, stages, signal: left.signal, change, report })
    run.current = loader
    void loader.loadAll()
    const lookUp = createLookUp(loader)
    const stop = followChanges(api, 'assignment', query, {
      onConnection: setConnection,
      onProblem: report,
      onRows(rows, totalCount) {
        // The first snapshot may arrive before the pages, which are newer in that case.
        if (!loader.isLoaded()) return
        const board = latest.current
        const merged = board.merge(rows)
        if (merged !== board) change(() => merged)
        if (merged.totalCount !== totalCount || rows.some((row) => board.isUnexpected(row))) lookUp.soon()
      },
    })
    const stopWatching = reloadWhenDue(api.onChange, [], lookUp.soon)
    return () => {
      left.abort()
      stop()
      stopWatching()
      lookUp.stop()
    }
  }, [api, key, turn, isSignedIn])
  return {
    board: known.board,
    isLoading: known.key === '' && problem === undefined,
    isStale: known.key !== '' && known.key !== key,
    problem,
    connection,
    loadMore: (stageId) => void run.current?.loadMore(stageId),
    put: (row) => show(latest.current.merge([row], { isOwn: true })),
    reload,
  }
}

/** Reloads on request, and by itself after an outage. */
function useReload(
  problem: Error | undefined,
  setTurn: (next: (count: number) => number) => void,
): () => void {
  const reload = () => setTurn((count) => count + 1)
  useRetry(problem, reload)
  return reload
}

function createLookUp({ refresh }: Loader) {
  let timer: ReturnType<typeof setTimeout> | undefined
  const stop = () => clearTimeout(timer)
  const soon = () => {
    stop()
    timer = setTimeout(() => void refresh(), settleMilliseconds)
  }
  return { soon, stop }
}

type Loader = ReturnType<typeof createLoader>

interface LoaderOptions {
  readonly api: ReturnType<typeof useServices>['api']
  readonly query: QueryOf<'assignment'>
  readonly stages: readonly StageQuery[]
  readonly signal: AbortSignal
  change(next: (board: BoardRows) => BoardRows): void
  report(error: Error): unknown
}

/** Browsers have six connections to a host, and a live listing needs one of them. */
const parallelMax = 3

function createLoader({ api, query, stages, signal, change, report }: LoaderOptions) {
  const pages = new Map<string, number>()
  const busy = new Set<string>()
  let isLoaded = false
  const ask = ({ id, sortColumn, sortOrder }: StageQuery, pageNumber: number) =>
    api.list(
      'assignment',
      { ...query, workflowId: id, sortColumn, sortOrder, pageSize: rowsMax, pageNumber },
      signal,
    )
  /** Reloads every known page of the stage. */
  const loadStage = async (stage: StageQuery) => {
    const numbers = Array.from({ length: pages.get(stage.id) ?? 1 }, (_, index) => index + 1)
    const found: Awaited<ReturnType<typeof ask>>[] = []
    for (const number of numbers) found.push(await ask(stage, number))
    const rows = found.flatMap(({ data }) => data)
    if (!signal.aborted) change((board) => board.replace(stage, rows, found.at(-1)?.totalCount ?? 0))
  }
  const loadAll = async () => {
    const waiting = [...stages]
    const work = async () => {
      for (let stage = waiting.shift(); stage !== undefined; stage = waiting.shift()) await loadStage(stage)
    }
    try {
      await Promise.all(Array.from({ length: parallelMax }, work))
      isLoaded = true
    } catch (error) {
      report(error as Error)
    }
  }
  return {
    loadAll,
    refresh: loadAll,
    isLoaded: () => isLoaded,
    async loadMore(stageId: string) {
      const stage = stages.find(({ id }) => id === stageId)
      if (stage === undefined || busy.has(stageId)) return
      busy.add(stageId)
      const next = (pages.get(stageId) ?? 1) + 1
      try {
        const { data, totalCount } = await ask(stage, next)
        pages.set(stageId, next)
        if (!signal.aborted) change((board) => board.append(stage, data, totalCount))
      } catch (error) {
        report(error as Error)
      } finally {
        busy.delete(stageId)
      }
    },
  }
}
