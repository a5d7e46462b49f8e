import { useEffect, useState } from 'preact/hooks'
import { AssignmentPanel } from '../../assignment/assignment-panel.tsx'
import { NewAssignmentDialog } from '../../assignment/new-assignment-dialog.tsx'
import { useAllRows } from '../../data/use-all-rows.ts'
import { useListing } from '../../data/use-listing.ts'
import type { ScreenProps } from '../../router/screen-props.ts'
import { useServices } from '../../services/services.ts'
import { ConnectionMark } from '../../ui/connection-mark.tsx'
import { Icon } from '../../ui/icon.tsx'
import { EmptyState, LoadProblem, Skeleton } from '../../ui/notes.tsx'
import { Page } from '../../ui/page.tsx'
import { useMedia } from '../../ui/use-media.ts'
import { Board } from './board.tsx'
import { BoardFilters } from './board-filters.tsx'
import { queryOfFilters, readFilters } from './filters.ts'
import { useMoves } from './use-moves.ts'

/** A project's assignments by stage, as they are this second; one of them may stand open beside them. */
export function BoardScreen({ parameters: { projectId = '', assignmentId } }: ScreenProps) {
  const { router } = useServices()
  const filters = readFilters(router.address.value.searchParams)
  const project = useListing('project', { ids: projectId })
  const stages = useListing('workflow', { sortColumn: 'order', pageSize: 100 })
  const assignments = useAllRows('assignment', { projectId, ...queryOfFilters(filters) }, { live: true })
  const [newIn, setNewIn] = useState<string>()
  const stageNameOf = (id: string) => stages.rows.find((stage) => stage.id === id)?.name ?? 'its stage'
  const moves = useMoves(assignments.rows, stageNameOf)
  const isNarrow = useMedia('(max-width: 900px)')
  useFocusAfterClosing(assignmentId)
  const problem = stages.problem ?? assignments.problem ?? project.problem
  const isUnknown = !project.isLoading && !project.problem && project.rows.length === 0
  if (isUnknown) return <UnknownProject />
  return (
    <div class={assignmentId ? 'with-panel' : ''}>
      <div class="board-page" inert={isNarrow && assignmentId !== undefined}>
        <Page
          title={project.rows[0]?.name ?? 'Board'}
          actions={
            <>
              <ConnectionMark connection={assignments.connection} />
              <a class="button" href={`/projects/${projectId}/report`}>
                <Icon name="chart" />
                <span>Hours</span>
              </a>
              <button type="button" class="button primary" onClick={() => setNewIn(stages.rows[0]?.id ?? '')}>
                <Icon name="plus" />
                <span>New assignment</span>
              </button>
            </>
          }
        >
          <BoardFilters filters={filters} onChange={(changed) => router.setQuery({ ...changed })} />
          {problem && <LoadProblem problem={problem} onRetry={assignments.reload} />}
          {assignments.isLoading || stages.isLoading ? (
            <Skeleton rows={4} />
          ) : (
            <Board
              stages={stages.rows}
              assignments={moves.rows}
              isStale={assignments.isStale}
              openId={assignmentId}
              onMove={moves.move}
              onNew={setNewIn}
            />
          )}
          {assignments.isCut && (
            <p class="quiet-text">
              The first {assignments.rows.length} of {assignments.totalCount} assignments. Filter to find the
              others.
            </p>
          )}
          <p class="visually-hidden" role="status">
            {moves.news}
          </p>
        </Page>
      </div>
      {assignmentId !== undefined && (
        <AssignmentPanel
          key={assignmentId}
          id={assignmentId}
          projectId={projectId}
          known={moves.rows.find((row) => row.id === assignmentId)}
          stages={stages.rows}
        />
      )}
      {newIn !== undefined && (
        <NewAssignmentDialog
          projectId={projectId}
          workflowId={newIn}
          stages={stages.rows}
          onClose={() => setNewIn(undefined)}
        />
      )}
    </div>
  )
}

const UnknownProject = () => (
  <Page title="Project not found">
    <EmptyState title="There is no such project, or you are not a member of it">
      <a href="/projects">Go to the projects</a>
    </EmptyState>
  </Page>
)

/** Back on the card whose panel was closed. */
function useFocusAfterClosing(assignmentId: string | undefined): void {
  const [last, setLast] = useState(assignmentId)
  useEffect(() => {
    if (assignmentId === undefined && last !== undefined) document.getElementById(`card-${last}`)?.focus()
    setLast(assignmentId)
  }, [assignmentId, last])
}
