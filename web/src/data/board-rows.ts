import type { RecordOf } from '../api/api.ts'
import { byId } from '../api/load-all.ts'
import { changedAt } from './changed-at.ts'

type Assignment = RecordOf<'assignment'>

/** A stage, and how its assignments are sorted. */
export interface StageQuery {
  readonly id: string
  readonly sortColumn: 'endDate' | 'updatedAt' | 'rank'
  readonly sortOrder: 'ASC' | 'DESC'
}

/** The loaded rows of a board, and their number in each stage. Immutable. */
export interface BoardRows {
  readonly rows: ReadonlyMap<string, Assignment>
  readonly counts: ReadonlyMap<string, number>
  readonly totalCount: number
  /** Returns whether the stage has rows that were not loaded. */
  hasMore(stageId: string): boolean
  /** Replaces the rows of a stage. Rows that are missing among the new ones have left the stage. */
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

export const emptyBoard: BoardRows = createBoard({
  rows: new Map(),
  counts: new Map(),
  newest: 0,
  ownIds: new Set(),
})
