import { useEffect, useRef } from 'preact/hooks'
import type { RecordOf } from '../api/api.ts'
import { useListing } from '../data/use-listing.ts'
import { boardPath } from '../router/addresses.ts'
import { useServices } from '../services/services.ts'
import { Icon } from '../ui/icon.tsx'
import { LoadProblem, Skeleton } from '../ui/notes.tsx'
import { useRemoval } from '../ui/use-removal.ts'
import { AssignmentForm } from './assignment-form.tsx'
import { ImpedimentsSection } from './impediments-section.tsx'
import { PeopleSection } from './people-section.tsx'
import { TimeSection } from './time-section.tsx'

export interface AssignmentPanelProps {
  readonly id: string
  readonly projectId: string
  /** The record as the board has it; fetched when the board's filters leave it out. */
  readonly known: RecordOf<'assignment'> | undefined
  readonly stages: readonly RecordOf<'workflow'>[]
}

/** One assignment beside its board, with an address of its own. Escape leads back to the board. */
export function AssignmentPanel({ id, projectId, known, stages }: AssignmentPanelProps) {
  const { router } = useServices()
  const heading = useRef<HTMLHeadingElement>(null)
  const fetched = useListing('assignment', { ids: id })
  const assignment = known ?? fetched.rows[0]
  const remove = useRemoval()
  const close = () => router.go(boardPath(projectId, router.address.peek().search))
  const removeThis = async () => {
    if (assignment && (await remove('assignment', assignment.id, assignment.name))) close()
  }
  useEffect(() => heading.current?.focus({ preventScroll: true }), [])
  return (
    <aside
      class="panel"
      aria-labelledby="panel-title"
      onKeyDown={(event) => event.key === 'Escape' && !event.defaultPrevented && close()}
    >
      <header class="panel-header">
        <h2 id="panel-title" ref={heading} tabIndex={-1}>
          {assignment?.name ?? 'Assignment'}
        </h2>
        {assignment && (
          <button
            type="button"
            class="button quiet icon-only"
            aria-label="Remove this assignment"
            onClick={() => void removeThis()}
          >
            <Icon name="trash" />
          </button>
        )}
        <button type="button" class="button quiet icon-only" aria-label="Close" onClick={close}>
          <Icon name="close" />
        </button>
      </header>
      {assignment === undefined ? (
        <Missing listing={fetched} />
      ) : (
        <div class="panel-body">
          <AssignmentForm assignment={assignment} stages={stages} />
          <TimeSection assignment={assignment} />
          <PeopleSection assignmentId={assignment.id} />
          <ImpedimentsSection assignmentId={assignment.id} />
        </div>
      )}
    </aside>
  )
}

interface MissingProps {
  readonly listing: { readonly isLoading: boolean; readonly problem: Error | undefined; reload(): void }
}

function Missing({ listing: { isLoading, problem, reload } }: MissingProps) {
  if (isLoading) return <Skeleton rows={4} />
  if (problem) return <LoadProblem problem={problem} onRetry={reload} />
  return <p class="panel-body">There is no such assignment any more, or you may not see it.</p>
}
