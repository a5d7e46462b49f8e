import type { RecordOf } from '../api/api.ts'
import { byId } from '../api/load-all.ts'

type Assignment = RecordOf<'assignment'>

/** A stage, and how its assignments are sorted. */
export interface StageQuery {
  readonly id: string
  readonly sortColumn: 'endDate' | 'updatedAt'
  readonly sortOrder: 'ASC' | 'DESC'
}

/** The loaded rows of a board, and their number in each stage. Immutable. */
export interface BoardRows {
  readonly rows: ReadonlyMap<string, Assignment>
  readonly counts: ReadonlyMap<string, number>
  readonly totalCount: number
  /** Returns whether the stage has rows that were not loaded. */
  hasMore(stageId: string): boolean
  /** Replaces a stage by its current state: other rows have left it. */
  replace(stage: StageQuery, rows: readonly Assignment[], totalCount: number): BoardRows
  append(stage: StageQuery, rows: readonly Assignment[], totalCount: number): BoardRows
  /** Merges changed rows; `isOwn`: written by this tab, so that a new one is counted at once. */
  merge(rows: readonly Assignment[], options?: { readonly isOwn?: boolean }): BoardRows
  /** Used for another query, whose result may not contain the rows written here. */
  dropOwn(): BoardRows
  /** Changed since the board was loaded, but not loaded: its previous place is unknown. */
  isUnexpected(row: Assignment): boolean
}

interface State {
  readonly rows: ReadonlyMap<string, Assignment>
  readonly counts: ReadonlyMap<string, number>
  /** The newest change so far. */
  readonly newest: string
  /** Rows written by this tab, shown even beyond the loaded pages. */
  readonly own: ReadonlySet<string>
}

const changedAt = ({ createdAt, updatedAt }: Assignment): string => updatedAt ?? createdAt

function boardOf(state: State): BoardRows {
  const { rows, counts, newest, own } = state
  const count = (stageId: string) => [...rows.values()].filter((row) => row.workflowId === stageId).length
  const newestOf = (some: readonly Assignment[]) => [newest, ...some.map(changedAt)].sort().at(-1) ?? ''
  const withRows = (
    kept: Iterable<Assignment>,
    some: readonly Assignment[],
    stageId: string,
    total: number,
  ) =>
    boardOf({
      rows: byId([...kept, ...some]),
      counts: new Map(counts).set(stageId, total),
      newest: newestOf(some),
      own,
    })
  const board: BoardRows = {
    rows,
    counts,
    totalCount: [...counts.values()].reduce((sum, number) => sum + number, 0),
    hasMore: (stageId) => count(stageId) < (counts.get(stageId) ?? 0),
    replace(stage, some, total) {
      const kept = [...rows.values()].filter(({ id, workflowId }) => workflowId !== stage.id || own.has(id))
      return withRows(kept, some, stage.id, total)
    },
    append: (stage, some, total) => withRows(rows.values(), some, stage.id, total),
    merge: (some, { isOwn = false } = {}) => merge(board, state, some, { seen: newestOf(some), isOwn }),
    dropOwn: () => (own.size === 0 ? board : boardOf({ ...state, own: new Set() })),
    isUnexpected: (row) => !rows.has(row.id) && changedAt(row) > newest,
  }
  return board
}

interface Merging {
  readonly seen: string
  readonly isOwn: boolean
}

function merge(
  board: BoardRows,
  state: State,
  some: readonly Assignment[],
  { seen, isOwn }: Merging,
): BoardRows {
  const [next, sums] = [new Map(state.rows), new Map(state.counts)]
  const add = (stageId: string, number: number) => sums.set(stageId, (sums.get(stageId) ?? 0) + number)
  const newer = some.filter((row) => {
    const known = state.rows.get(row.id)
    return known === undefined ? isOwn : changedAt(row) > changedAt(known)
  })
  for (const row of newer) {
    const known = next.get(row.id)
    next.set(row.id, row)
    if (known !== undefined) add(known.workflowId, -1)
    add(row.workflowId, 1)
  }
  // Returns the same board if nothing is new, to avoid a render.
  if (newer.length === 0 && seen === state.newest) return board
  const own = isOwn ? new Set([...state.own, ...newer.map(({ id }) => id)]) : state.own
  return boardOf({ rows: next, counts: sums, newest: seen, own })
}

export const emptyBoard: BoardRows = boardOf({
  rows: new Map(),
  counts: new Map(),
  newest: '',
  own: new Set(),
})
