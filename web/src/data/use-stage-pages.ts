import { useEffect, useRef, useState } from 'preact/hooks'
import type { QueryOf, RecordOf } from '../api/api.ts'
import { followChanges } from '../api/follow-changes.ts'
import { readList } from '../api/last-seen.ts'
import type { Connection } from '../api/live.ts'
import { rowsMax } from '../api/load-all.ts'
import { type Services, useServices } from '../services/services.ts'
import { SessionEndedError } from '../session/session.ts'
import { type BoardRows, emptyBoard, type StageQuery } from './board-rows.ts'
import { subscribeToReloads, useProblemOf, useRetry } from './use-listing.ts'

type Assignment = RecordOf<'assignment'>

export interface StagePages {
  readonly board: Pick<BoardRows, 'rows' | 'counts' | 'hasMore'>
  /** True until the first rows arrive. */
  readonly isLoading: boolean
  readonly isStale: boolean
  readonly problem: Error | undefined
  readonly connection: Connection
  loadMore(stageId: string): void
  /** Shows a row written by this tab before the listing reports it. */
  put(row: Assignment): void
  reload(): void
}

/** Changes that follow each other within this time share one request. */
const debounceMilliseconds = 400

/**
 * Loads the assignments of a project by stage, each stage as far as the user has scrolled, and follows every
 * change.
 */
export function useStagePages(query: QueryOf<'assignment'>, stages: readonly StageQuery[]): StagePages {
  const services = useServices()
  const { api, session } = services
  const key = JSON.stringify([query, stages])
  const [loaded, setLoaded] = useState<{ key: string; board: BoardRows }>({ key: '', board: emptyBoard })
  const [problem, setProblem] = useProblemOf(key)
  const [connection, setConnection] = useState<Connection>('connecting')
  const [reloads, setReloads] = useState(0)
  const isSignedIn = session.state.value === 'signed-in'
  const latestBoard = useRef(loaded.board)
  const loaderRef = useRef<Loader>(undefined)
  const reload = useReload(problem, setReloads)
  const show = (board: BoardRows) => {
    latestBoard.current = board
    setProblem(undefined)
    setLoaded({ key, board })
  }
  useEffect(() => {
    if (!isSignedIn || stages.length === 0) return
    const controller = new AbortController()
    const report = (error: Error) =>
      controller.signal.aborted || error instanceof SessionEndedError || setProblem(error)
    const change = (next: (board: BoardRows) => BoardRows) => show(next(latestBoard.current))
    latestBoard.current = latestBoard.current.dropOwn()
    const loader = createLoader({ services, query, stages, signal: controller.signal, change, report })
    loaderRef.current = loader
    void loader.loadAll()
    const refresh = createDebouncedRefresh(loader)
    const stop = followChanges(api, 'assignment', query, {
      onConnection: setConnection,
      onProblem: report,
      onRows(rows, totalCount) {
        // The first snapshot may arrive before the pages, which are then newer.
        if (!loader.isLoaded()) return
        const board = latestBoard.current
        const merged = board.merge(rows)
        if (merged !== board) change(() => merged)
        if (merged.totalCount !== totalCount || rows.some((row) => board.isUnexpected(row))) refresh.soon()
      },
    })
    const stopWatching = subscribeToReloads(api.onChange, [], refresh.soon)
    return () => {
      controller.abort()
      stop()
      stopWatching()
      refresh.stop()
    }
  }, [api, key, reloads, isSignedIn])
  return {
    board: loaded.board,
    isLoading: loaded.key === '' && problem === undefined,
    isStale: loaded.key !== '' && loaded.key !== key,
    problem,
    connection,
    loadMore: (stageId) => void loaderRef.current?.loadMore(stageId),
    put: (row) => show(latestBoard.current.merge([row], { isOwn: true })),
    reload,
  }
}

/** Returns a function that reloads. An outage is retried automatically. */
function useReload(
  problem: Error | undefined,
  setReloads: (next: (count: number) => number) => void,
): () => void {
  const reload = () => setReloads((count) => count + 1)
  useRetry(problem, reload)
  return reload
}

function createDebouncedRefresh({ loadAll }: Loader) {
  let timer: ReturnType<typeof setTimeout> | undefined
  const stop = () => clearTimeout(timer)
  const soon = () => {
    stop()
    timer = setTimeout(() => void loadAll(), debounceMilliseconds)
  }
  return { soon, stop }
}

type Loader = ReturnType<typeof createLoader>

interface LoaderOptions {
  readonly services: Pick<Services, 'api' | 'lastSeen'>
  readonly query: QueryOf<'assignment'>
  readonly stages: readonly StageQuery[]
  readonly signal: AbortSignal
  change(next: (board: BoardRows) => BoardRows): void
  report(error: Error): unknown
}

/** Browsers have six connections to a host, and a live listing needs one of them. */
const parallelMax = 3

function createLoader({ services, query, stages, signal, change, report }: LoaderOptions) {
  const pageCounts = new Map<string, number>()
  const loadingStages = new Set<string>()
  let isLoaded = false
  const loadPage = ({ id, sortColumn, sortOrder }: StageQuery, pageNumber: number) =>
    readList(
      services,
      'assignment',
      { ...query, workflowId: id, sortColumn, sortOrder, pageSize: rowsMax, pageNumber },
      signal,
    )
  /** Reloads every known page of the stage. */
  const loadStage = async (stage: StageQuery) => {
    const numbers = Array.from({ length: pageCounts.get(stage.id) ?? 1 }, (_, index) => index + 1)
    const results: Awaited<ReturnType<typeof loadPage>>[] = []
    for (const number of numbers) results.push(await loadPage(stage, number))
    const rows = results.flatMap(({ data }) => data)
    if (!signal.aborted) change((board) => board.replace(stage, rows, results.at(-1)?.totalCount ?? 0))
  }
  const loadAll = async () => {
    const waiting = [...stages]
    const loadNext = async () => {
      for (let stage = waiting.shift(); stage !== undefined; stage = waiting.shift()) await loadStage(stage)
    }
    try {
      await Promise.all(Array.from({ length: parallelMax }, loadNext))
      isLoaded = true
    } catch (error) {
      report(error as Error)
    }
  }
  return {
    loadAll,
    isLoaded: () => isLoaded,
    async loadMore(stageId: string) {
      const stage = stages.find(({ id }) => id === stageId)
      if (stage === undefined || loadingStages.has(stageId)) return
      loadingStages.add(stageId)
      const next = (pageCounts.get(stageId) ?? 1) + 1
      try {
        const { data, totalCount } = await loadPage(stage, next)
        pageCounts.set(stageId, next)
        if (!signal.aborted) change((board) => board.append(stage, data, totalCount))
      } catch (error) {
        report(error as Error)
      } finally {
        loadingStages.delete(stageId)
      }
    },
  }
}
