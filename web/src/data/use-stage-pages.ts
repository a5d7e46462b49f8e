import { useEffect, useRef, useState } from 'preact/hooks'
import type { QueryOf, RecordOf } from '../api/api.ts'
import { readList } from '../api/last-seen.ts'
import { type Connection, followChanges } from '../api/live.ts'
import { byId, rowsMax } from '../api/load-all.ts'
import { type Services, useServices } from '../services/services.ts'
import { SessionEndedError } from '../session/session.ts'
import { changedAt } from './assignments.ts'
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
        // The first snapshot may arrive before the pages. The pages are then newer.
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

/** Browsers have six connections to a host. A live listing needs one of them. */
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

/** A stage, and how its assignments are sorted. */
export interface StageQuery {
  readonly id: string
  readonly sortColumn: 'endDate' | 'updatedAt' | 'rank'
  readonly sortOrder: 'ASC' | 'DESC'
}

/** The loaded rows of a board, and their number in each stage. Immutable. */
interface BoardRows {
  readonly rows: ReadonlyMap<string, Assignment>
  readonly counts: ReadonlyMap<string, number>
  readonly totalCount: number
  /** Returns whether the stage has rows that were not loaded. */
  hasMore(stageId: string): boolean
  /** Replaces the rows of a stage. Rows that are missing now have left the stage. */
  replace(stage: StageQuery, rows: readonly Assignment[], totalCount: number): BoardRows
  append(stage: StageQuery, rows: readonly Assignment[], totalCount: number): BoardRows
  /**
   * Merges changed rows. Rows that this tab has written (`isOwn`) are also added and counted if they are new.
   */
  merge(rows: readonly Assignment[], options?: { readonly isOwn?: boolean }): BoardRows
  /**
   * Treats rows written by this tab like all others. Called when the query changes, because its result may
   * not contain them.
   */
  dropOwn(): BoardRows
  /**
   * Returns whether a row that is not loaded was changed since the board was loaded, so that counts may be
   * wrong.
   */
  isUnexpected(row: Assignment): boolean
}

interface State {
  readonly rows: ReadonlyMap<string, Assignment>
  readonly counts: ReadonlyMap<string, number>
  /** The time of the newest change so far. */
  readonly newest: number
  /** Rows written by this tab, shown even beyond the loaded pages. */
  readonly ownIds: ReadonlySet<string>
}

function createBoard(state: State): BoardRows {
  const { rows, counts, newest, ownIds } = state
  const count = (stageId: string) => [...rows.values()].filter((row) => row.workflowId === stageId).length
  const newestOf = (rows: readonly Assignment[]) => Math.max(newest, ...rows.map(changedAt))
  const withRows = (
    others: Iterable<Assignment>,
    added: readonly Assignment[],
    stageId: string,
    total: number,
  ) =>
    createBoard({
      rows: byId([...others, ...added]),
      counts: new Map(counts).set(stageId, total),
      newest: newestOf(added),
      ownIds,
    })
  const board: BoardRows = {
    rows,
    counts,
    totalCount: [...counts.values()].reduce((sum, number) => sum + number, 0),
    hasMore: (stageId) => count(stageId) < (counts.get(stageId) ?? 0),
    replace(stage, added, total) {
      const others = [...rows.values()].filter(
        ({ id, workflowId }) => workflowId !== stage.id || ownIds.has(id),
      )
      return withRows(others, added, stage.id, total)
    },
    append: (stage, added, total) => withRows(rows.values(), added, stage.id, total),
    merge: (changed, { isOwn = false } = {}) =>
      merge(board, state, changed, { newest: newestOf(changed), isOwn }),
    dropOwn: () => (ownIds.size === 0 ? board : createBoard({ ...state, ownIds: new Set() })),
    isUnexpected: (row) => !rows.has(row.id) && changedAt(row) > newest,
  }
  return board
}

interface MergeOptions {
  readonly newest: number
  readonly isOwn: boolean
}

function merge(
  board: BoardRows,
  state: State,
  changed: readonly Assignment[],
  { newest, isOwn }: MergeOptions,
): BoardRows {
  const next = new Map(state.rows)
  const counts = new Map(state.counts)
  const add = (stageId: string, number: number) => counts.set(stageId, (counts.get(stageId) ?? 0) + number)
  const newer = changed.filter((row) => {
    const previous = state.rows.get(row.id)
    return previous === undefined ? isOwn : changedAt(row) > changedAt(previous)
  })
  for (const row of newer) {
    const previous = next.get(row.id)
    next.set(row.id, row)
    if (previous !== undefined) add(previous.workflowId, -1)
    add(row.workflowId, 1)
  }
  // Returns the same board if nothing is new, to avoid a render.
  if (newer.length === 0 && newest === state.newest) return board
  const ownIds = isOwn ? new Set([...state.ownIds, ...newer.map(({ id }) => id)]) : state.ownIds
  return createBoard({ rows: next, counts, newest, ownIds })
}

const emptyBoard: BoardRows = createBoard({
  rows: new Map(),
  counts: new Map(),
  newest: 0,
  ownIds: new Set(),
})
