import { useEffect, useMemo } from 'preact/hooks'
import type { RecordOf } from '../../api/api.ts'
import type { StageQuery } from '../../data/board-rows.ts'
import { useAllRows } from '../../data/use-all-rows.ts'
import { catalogQuery, useListing } from '../../data/use-listing.ts'
import { useStagePages } from '../../data/use-stage-pages.ts'
import { useServices } from '../../services/services.ts'
import { LoadProblem } from '../../ui/notes.tsx'
import { Board } from './board.tsx'
import { queryOfFilters } from './filters.ts'
import { useMoves } from './use-moves.ts'
import type { ProjectViewProps } from './view-props.ts'
import { ViewSkeleton } from './view-skeleton.tsx'

export interface BoardViewProps extends ProjectViewProps {
  readonly isNameLoading: boolean
  readonly areStagesLoading: boolean
  readonly problem: Error | undefined
  readonly revealed: string | undefined
  onReveal(id: string): void
}

/** The assignments by stage, as they are this second. */
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
    // Made elsewhere in this tab, such as in a dialog: fetched, because the pages may not reach it.
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
        // Another one with the name, below which it may stand elsewhere.
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

/** What stands on cards beside what is theirs: loaded before they are drawn, because it decides how high they are. */
function useCardFacts() {
  const types = useListing('assignmentType', catalogQuery)
  const blocks = useAllRows('assignmentImpediment', {}, { live: true })
  return { types: types.rows, blocks: blocks.rows, isLoading: types.isLoading || blocks.isLoading }
}

const stageQuery = (id: string, isDone: boolean): StageQuery =>
  isDone
    ? { id, sortColumn: 'updatedAt', sortOrder: 'desc' }
    : { id, sortColumn: 'endDate', sortOrder: 'asc' }

type Rows = readonly RecordOf<'assignment'>[]

/** Moves that the interface has not confirmed yet count already. */
function movedTo(stageId: string, stored: Rows, shown: Rows): number {
  const count = (rows: Rows) => rows.reduce((sum, row) => sum + Number(row.workflowId === stageId), 0)
  return count(shown) - count(stored)
}
