import type { ComponentType } from 'preact'
import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import type { RecordOf } from '../../api/api.ts'
import { sentenceOf } from '../../api/problems.ts'
import { fieldsOf } from '../../assignment/assignment-values.ts'
import type { StageQuery } from '../../data/board-rows.ts'
import { catalogQuery, useListing } from '../../data/use-listing.ts'
import { useAllRows } from '../../data/use-live.ts'
import { useStagePages } from '../../data/use-stage-pages.ts'
import { useServices } from '../../services/services.ts'
import { t } from '../../texts/text.ts'
import { EmptyState, LoadProblem } from '../../ui/notes.tsx'
import { BoardColumn, type BoardProps } from './board-column.tsx'
import { queryOfFilters } from './filters.ts'
import { useCardFocus } from './use-card-focus.ts'
import { useLatest } from './use-windowed.ts'
import type { ProjectViewProps } from './view-names.ts'
import { ViewSkeleton } from './view-skeleton.tsx'
import type { ProjectView } from './views.ts'

export interface BoardViewProps extends ProjectViewProps {
  readonly isNameLoading: boolean
  readonly areStagesLoading: boolean
  readonly problem: Error | undefined
  readonly revealed: string | undefined
  onReveal(id: string): void
}

/** The live assignments by stage. */
export function BoardView(props: BoardViewProps) {
  const { scope, filters, isNameLoading, areStagesLoading, openId, query, revealed, onReveal } = props
  const { api } = useServices()
  const { projectId, stages, doneId } = scope
  const queries = useMemo(() => stages.map(({ id }) => stageQuery(id, id === doneId)), [stages, doneId])
  const pages = useStagePages({ projectId, ...queryOfFilters(filters) }, queries)
  const { board } = pages
  const facts = useCardFacts()
  useEffect(() => props.onConnection(pages.connection), [pages.connection])
  const stored = useMemo(() => [...board.rows.values()], [board])
  const stageNameOf = (id: string) => stages.find((stage) => stage.id === id)?.name ?? '…'
  const moves = useMoves(stored, stageNameOf)
  useEffect(() => {
    // Created in another part of this tab, such as a dialog: fetched, because the loaded pages may not contain it.
    if (revealed !== undefined && !board.rows.has(revealed))
      api.get('assignment', revealed).then(pages.put, () => undefined)
  }, [revealed])
  const problem = props.problem ?? pages.problem
  const isLoading =
    isNameLoading || areStagesLoading || (stages.length > 0 && (pages.isLoading || facts.isLoading))
  return (
    <>
      {problem && <LoadProblem problem={problem} onRetry={pages.reload} />}
      {isLoading && !problem ? (
        // Rendered again with the name, because its length may change the layout.
        <ViewSkeleton key={String(isNameLoading)} view="board" />
      ) : (
        <Board
          projectId={projectId}
          stages={stages}
          doneId={doneId}
          assignments={moves.rows}
          types={facts.types}
          blocks={facts.blocks}
          isStale={pages.isStale}
          openId={openId}
          query={query}
          revealed={revealed}
          countOf={(id) => (board.counts.get(id) ?? 0) + movedTo(id, stored, moves.rows)}
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
        {moves.news}
      </p>
    </>
  )
}

/** Related data of cards, loaded before they are rendered because it determines their height. */
function useCardFacts() {
  const types = useListing('assignmentType', catalogQuery)
  const blocks = useAllRows('assignmentImpediment', {}, { live: true })
  return { types: types.rows, blocks: blocks.rows, isLoading: types.isLoading || blocks.isLoading }
}

const stageQuery = (id: string, isDone: boolean): StageQuery =>
  isDone
    ? { id, sortColumn: 'updatedAt', sortOrder: 'DESC' }
    : { id, sortColumn: 'endDate', sortOrder: 'ASC' }

type Rows = readonly RecordOf<'assignment'>[]

/** Counts moves that the API has not confirmed yet. */
function movedTo(stageId: string, stored: Rows, shown: Rows): number {
  const count = (rows: Rows) => rows.reduce((sum, row) => sum + Number(row.workflowId === stageId), 0)
  return count(shown) - count(stored)
}

type Assignment = RecordOf<'assignment'>
type Stage = RecordOf<'workflow'>

/** One column per stage. Cards are moved by dragging, by their menu, or with Shift and an arrow. */
function Board(props: BoardProps) {
  const { stages, assignments, types, blocks, isStale, onMove } = props
  const typeNames = useMemo(() => new Map(types.map(({ id, name }) => [id, name])), [types])
  const blocked = useMemo(() => blockedSince(blocks), [blocks])
  const [dragged, setDragged] = useState<Assignment>()
  const keepFocusOn = useCardFocus()
  const move = useLatest((assignment: Assignment, stage: Stage) => {
    keepFocusOn(assignment.id)
    onMove(assignment, stage)
  })
  const drag = useLatest(setDragged)
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
          assignments={byStage.get(stage.id) ?? none}
          typeNames={typeNames}
          blocked={blocked}
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

const none: readonly Assignment[] = []

/** The start of the impediment of each assignment. */
const blockedSince = (links: readonly RecordOf<'assignmentImpediment'>[]): ReadonlyMap<string, string> =>
  new Map(
    links
      .toSorted((a, b) => (a.createdAt < b.createdAt ? 1 : -1))
      .map(({ assignmentId, createdAt }) => [assignmentId, createdAt]),
  )

interface Move {
  readonly workflowId: string
  /** The record's last change when the move began; a later one shows the result. */
  readonly since: string | null
  readonly isSaved: boolean
}

export interface Moves {
  /** The assignments in the stages that the user moved them to, including unconfirmed moves. */
  readonly rows: readonly Assignment[]
  /** Announces the last move to screen readers. */
  readonly news: string
  move(assignment: Assignment, stage: { readonly id: string; readonly name: string }): void
}

/** Moves at once, and back again with a message after an error. Moves of one card are sent one after the other. */
function useMoves(stored: readonly Assignment[], stageNameOf: (id: string) => string): Moves {
  const { api, toasts } = useServices()
  const [moves, setMoves] = useState<ReadonlyMap<string, Move>>(new Map())
  const [news, setNews] = useState('')
  const latest = useRef(stored)
  latest.current = stored
  const queues = useRef(new Map<string, Promise<void>>())
  const set = (id: string, move: Move | undefined) =>
    setMoves((all) => {
      const next = new Map(all)
      if (move === undefined) next.delete(id)
      else next.set(id, move)
      return next
    })
  useEffect(() => {
    for (const { id, workflowId, updatedAt } of stored) {
      const move = moves.get(id)
      if (move?.isSaved && (workflowId === move.workflowId || updatedAt !== move.since)) set(id, undefined)
    }
  }, [stored, moves])
  const send = async (assignment: Assignment, workflowId: string, name: string) => {
    const { id } = assignment
    // Based on the current state: fields that others changed meanwhile must not be reset.
    const current = latest.current.find((row) => row.id === id) ?? assignment
    const since = current.updatedAt
    try {
      await api.update('assignment', { ...fieldsOf(current), workflowId })
      set(id, { workflowId, since, isSaved: true })
      setNews(t('{name} is now in {stage}.', { name: current.name, stage: name }))
    } catch (error) {
      set(id, undefined)
      const stays = { name: current.name, stage: stageNameOf(current.workflowId) }
      const text = `${t('{name} stays in {stage}.', stays)} ${sentenceOf(error)}`
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
    news,
    move(assignment, stage) {
      if (assignment.workflowId === stage.id) return
      set(assignment.id, { workflowId: stage.id, since: assignment.updatedAt, isSaved: false })
      const before = queues.current.get(assignment.id) ?? Promise.resolve()
      queues.current.set(
        assignment.id,
        before.then(() => send(assignment, stage.id, stage.name)),
      )
    },
  }
}

type Loaded = { readonly view: ProjectView; readonly Component: ComponentType<ProjectViewProps> }

/** A view whose script is loaded at its first use. */
export function LaterView({ view, ...props }: ProjectViewProps & { readonly view: ProjectView }) {
  const [loaded, setLoaded] = useState<Loaded>()
  const [problem, setProblem] = useState<Error>()
  useEffect(() => {
    let isWanted = true
    view.load?.().then(
      (Component) => isWanted && setLoaded({ view, Component }),
      (error: Error) => isWanted && setProblem(error),
    )
    return () => {
      isWanted = false
    }
  }, [view])
  if (problem) return <LoadProblem problem={problem} onRetry={() => location.reload()} />
  if (loaded?.view !== view) return <ViewSkeleton view={view.name} />
  return <loaded.Component {...props} />
}
