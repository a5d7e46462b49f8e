import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import type { RecordOf } from '../../api/api.ts'
import { byId } from '../../api/load-all.ts'
import { sentenceOf } from '../../api/problems.ts'
import { updateBodyOf } from '../../assignment/assignment-values.ts'
import type { StageQuery } from '../../data/board-rows.ts'
import { useFollowedRows } from '../../data/use-followed-rows.ts'
import { catalogQuery, useListing } from '../../data/use-listing.ts'
import { useAllRows } from '../../data/use-live.ts'
import { useProjectDependencies } from '../../data/use-project-dependencies.ts'
import { useProjectLabels } from '../../data/use-project-labels.ts'
import { type StagePages, useStagePages } from '../../data/use-stage-pages.ts'
import { useServices } from '../../services/services.ts'
import { t } from '../../texts/text.ts'
import { EmptyState, LoadProblem } from '../../ui/notes.tsx'
import { useStableCallback } from '../../ui/use-stable-callback.ts'
import { BoardColumn, type BoardProps } from './board-column.tsx'
import { filtersRows, matcherOf, queryOfFilters } from './filters.ts'
import { useCardFocus } from './use-card-focus.ts'
import { blockedIdsOf } from './use-row-filter.ts'
import type { ProjectViewProps } from './view-props.ts'
import { ViewSkeleton } from './view-skeleton.tsx'

export interface BoardViewProps extends ProjectViewProps {
  readonly isNameLoading: boolean
  readonly areStagesLoading: boolean
  readonly problem: Error | undefined
  readonly revealedId: string | undefined
  onReveal(id: string): void
}

/** The live assignments by stage. */
export function BoardView(props: BoardViewProps) {
  const { projectId, doneIds } = props.scope
  const facts = useCardFacts(projectId, doneIds)
  return filtersRows(props.filters) ? (
    <FilteredBoard {...props} facts={facts} />
  ) : (
    <PagedBoard {...props} facts={facts} />
  )
}

interface FactsProps extends BoardViewProps {
  readonly facts: ReturnType<typeof useCardFacts>
}

/** Loads each stage as far as the user has scrolled. */
function PagedBoard(props: FactsProps) {
  const { projectId, stages, doneIds } = props.scope
  const queries = useMemo(() => stages.map(({ id }) => stageQuery(id, doneIds.has(id))), [stages, doneIds])
  const pages = useStagePages({ projectId, ...queryOfFilters(props.filters) }, queries)
  return <BoardPages {...props} pages={pages} />
}

/** Loads all assignments, because the API cannot apply these filters. */
function FilteredBoard(props: FactsProps) {
  const { scope, filters, facts } = props
  const { projectId, doneIds } = scope
  const listing = useFollowedRows({ projectId, ...queryOfFilters(filters) }, { firstPageAtOnce: false })
  const [ownIds, setOwnIds] = useState<ReadonlySet<string>>(new Set())
  const { labels, impediments, blockers } = facts
  const board = useMemo(() => {
    const matches = matcherOf(filters, { labels, blockedIds: blockedIdsOf(impediments, blockers), doneIds })
    // Assignments that the user has just created stay visible, whatever the filters say.
    const rows = listing.rows.filter((row) => matches(row) || ownIds.has(row.id))
    const byStage = Map.groupBy(rows, ({ workflowId }) => workflowId)
    const counts = new Map([...byStage].map(([id, some]) => [id, some.length]))
    return { rows: byId(rows), counts, hasMore: () => false }
  }, [listing.rows, JSON.stringify(filters), labels, impediments, blockers, doneIds, ownIds])
  const put = (row: Assignment) => {
    setOwnIds((ids) => new Set([...ids, row.id]))
    listing.put([row])
  }
  return (
    <>
      <BoardPages {...props} pages={{ ...listing, board, put, loadMore: () => undefined }} />
      {listing.isCut && <p class="quiet-text">{t('Only the first 5,000 assignments are shown.')}</p>}
    </>
  )
}

function BoardPages(props: FactsProps & { readonly pages: StagePages }) {
  const { scope, filters, isNameLoading, areStagesLoading, openId, query, revealedId, onReveal } = props
  const { facts, pages } = props
  const { api } = useServices()
  const { projectId, stages, doneIds } = scope
  const { board } = pages
  useEffect(() => props.onConnection(pages.connection), [pages.connection])
  const stored = useMemo(() => [...board.rows.values()], [board])
  const stageNameOf = (id: string) => stages.find((stage) => stage.id === id)?.name ?? '…'
  const moves = useMoves(stored, stageNameOf)
  useEffect(() => {
    // A dialog of this tab may have created the assignment, and the loaded pages may not contain it.
    if (revealedId !== undefined && !board.rows.has(revealedId))
      api.get('assignment', revealedId).then(pages.put, () => undefined)
  }, [revealedId])
  const problem = props.problem ?? pages.problem
  const isLoading =
    isNameLoading || areStagesLoading || (stages.length > 0 && (pages.isLoading || facts.isLoading))
  return (
    <>
      {problem && <LoadProblem problem={problem} onRetry={pages.reload} />}
      {isLoading && !problem ? (
        // Mounted again with the name, because its length may change the layout.
        <ViewSkeleton key={String(isNameLoading)} view="board" />
      ) : (
        <Board
          projectId={projectId}
          projectKey={props.scope.projectKey}
          stages={stages}
          doneIds={doneIds}
          filters={filters}
          assignments={moves.rows}
          types={facts.types}
          impediments={facts.impediments}
          labels={facts.labels}
          blockers={facts.blockers}
          isStale={pages.isStale}
          openId={openId}
          query={query}
          revealedId={revealedId}
          countOf={(id) => (board.counts.get(id) ?? 0) + countPendingMoves(id, stored, moves.rows)}
          hasMore={board.hasMore}
          onMore={pages.loadMore}
          onMove={(assignment, stage) => {
            moves.move(assignment, stage)
            onReveal(assignment.id)
          }}
          onNew={(assignment) => {
            pages.put(assignment)
            onReveal(assignment.id)
          }}
        />
      )}
      <p class="visually-hidden" role="status">
        {moves.announcement}
      </p>
    </>
  )
}

/** Loads the related data of cards. It determines their height, so cards are only rendered when it is known. */
function useCardFacts(projectId: string, doneIds: ReadonlySet<string>) {
  const types = useListing('assignmentType', catalogQuery)
  const impediments = useAllRows('assignmentImpediment', {}, { live: true })
  const labels = useProjectLabels(projectId)
  const dependencies = useProjectDependencies(projectId, doneIds)
  return {
    types: types.rows,
    impediments: impediments.rows,
    labels: labels.byAssignment,
    blockers: dependencies.blockers,
    isLoading: [types, impediments, labels, dependencies].some(({ isLoading }) => isLoading),
  }
}

const stageQuery = (id: string, isDone: boolean): StageQuery =>
  isDone
    ? { id, sortColumn: 'updatedAt', sortOrder: 'DESC' }
    : { id, sortColumn: 'endDate', sortOrder: 'ASC' }

type Rows = readonly RecordOf<'assignment'>[]

/** Returns by how many cards a stage differs from the API's state, because moves are not confirmed yet. */
function countPendingMoves(stageId: string, stored: Rows, moved: Rows): number {
  const count = (rows: Rows) => rows.reduce((sum, row) => sum + Number(row.workflowId === stageId), 0)
  return count(moved) - count(stored)
}

type Assignment = RecordOf<'assignment'>
type Stage = RecordOf<'workflow'>

/** One column per stage. Cards are moved by dragging, by their menu, or with Shift and an arrow. */
function Board(props: BoardProps) {
  const { stages, assignments, types, impediments, isStale, onMove } = props
  const typeNames = useMemo(() => new Map(types.map(({ id, name }) => [id, name])), [types])
  const blockedSince = useMemo(() => impedimentStarts(impediments), [impediments])
  const [dragged, setDragged] = useState<Assignment>()
  const keepFocusOn = useCardFocus()
  const move = useStableCallback((assignment: Assignment, stage: Stage) => {
    keepFocusOn(assignment.id)
    onMove(assignment, stage)
  })
  const drag = useStableCallback(setDragged)
  const byStage = useMemo(() => Map.groupBy(assignments, ({ workflowId }) => workflowId), [assignments])
  if (stages.length === 0)
    return (
      <EmptyState title={t('There are no stages yet')}>
        <p>{t('An administrator sets up the workflow; then its stages are the columns of this board.')}</p>
      </EmptyState>
    )
  return (
    <div class="board" aria-busy={isStale}>
      {stages.map((stage) => (
        <BoardColumn
          key={stage.id}
          {...props}
          stage={stage}
          assignments={byStage.get(stage.id) ?? noAssignments}
          typeNames={typeNames}
          blockedSince={blockedSince}
          dragged={dragged}
          onDrag={drag}
          onDrop={() => {
            if (dragged) onMove(dragged, stage)
            setDragged(undefined)
          }}
          onMove={move}
        />
      ))}
    </div>
  )
}

const noAssignments: readonly Assignment[] = []

/** Maps each blocked assignment to the start of its impediment. */
const impedimentStarts = (links: readonly RecordOf<'assignmentImpediment'>[]): ReadonlyMap<string, string> =>
  new Map(
    links
      .toSorted((a, b) => (a.createdAt < b.createdAt ? 1 : -1))
      .map(({ assignmentId, createdAt }) => [assignmentId, createdAt]),
  )

interface Move {
  readonly workflowId: string
  /** The record's last change when the move began. After a later change, the record has the result. */
  readonly baseUpdatedAt: string | null
  readonly isSaved: boolean
}

export interface Moves {
  /** The assignments in the stages that the user moved them to, including unconfirmed moves. */
  readonly rows: readonly Assignment[]
  /** Announces the last move to screen readers. */
  readonly announcement: string
  move(assignment: Assignment, stage: { readonly id: string; readonly name: string }): void
}

/** Shows a move at once, and reverts it with a message after an error. Moves of one card are sent one after the other. */
function useMoves(stored: readonly Assignment[], stageNameOf: (id: string) => string): Moves {
  const { api, toasts } = useServices()
  const [moves, setMoves] = useState<ReadonlyMap<string, Move>>(new Map())
  const [announcement, setAnnouncement] = useState('')
  const latest = useRef(stored)
  latest.current = stored
  const queues = useRef(new Map<string, Promise<void>>())
  const setMove = (id: string, move: Move | undefined) =>
    setMoves((all) => {
      const next = new Map(all)
      if (move === undefined) next.delete(id)
      else next.set(id, move)
      return next
    })
  useEffect(() => {
    for (const { id, workflowId, updatedAt } of stored) {
      const move = moves.get(id)
      if (move?.isSaved && (workflowId === move.workflowId || updatedAt !== move.baseUpdatedAt))
        setMove(id, undefined)
    }
  }, [stored, moves])
  const send = async (assignment: Assignment, workflowId: string, name: string) => {
    const { id } = assignment
    // Based on the current state, so that changes by others meanwhile are kept.
    const current = latest.current.find((row) => row.id === id) ?? assignment
    const baseUpdatedAt = current.updatedAt
    try {
      await api.update('assignment', { ...updateBodyOf(current), workflowId })
      setMove(id, { workflowId, baseUpdatedAt, isSaved: true })
      setAnnouncement(t('{name} is now in {stage}.', { name: current.name, stage: name }))
    } catch (error) {
      setMove(id, undefined)
      const values = { name: current.name, stage: stageNameOf(current.workflowId) }
      const text = `${t('{name} stays in {stage}.', values)} ${sentenceOf(error)}`
      toasts.show({ kind: 'problem', text })
    }
  }
  const rows = useMemo(
    () =>
      stored.map((row) => {
        const workflowId = moves.get(row.id)?.workflowId ?? row.workflowId
        // Returns the same row if it is not moving, so that its card is not rendered again.
        return workflowId === row.workflowId ? row : { ...row, workflowId }
      }),
    [stored, moves],
  )
  return {
    rows,
    announcement,
    move(assignment, stage) {
      if (assignment.workflowId === stage.id) return
      setMove(assignment.id, { workflowId: stage.id, baseUpdatedAt: assignment.updatedAt, isSaved: false })
      const previous = queues.current.get(assignment.id) ?? Promise.resolve()
      queues.current.set(
        assignment.id,
        previous.then(() => send(assignment, stage.id, stage.name)),
      )
    },
  }
}
