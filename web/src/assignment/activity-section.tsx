import type { ComponentChild } from 'preact'
import { useState } from 'preact/hooks'
import type { RecordOf } from '../api/api.ts'
import { changedAt } from '../data/changed-at.ts'
import { useInterval } from '../data/use-loaded.ts'
import { useServices } from '../services/services.ts'
import { t } from '../texts/text.ts'
import { ErrorBoundary } from '../ui/error-boundary.tsx'
import { LoadProblem } from '../ui/notes.tsx'
import { Skeleton } from '../ui/skeleton.tsx'
import { ChangeRow, useChangeContext } from './change-list.tsx'
import { CommentForm, CommentLine } from './comment.tsx'
import { type ChangeGroup, groupChanges } from './group-changes.ts'
import { type PanelData, PanelSection } from './panel-section.tsx'
import { useHistory } from './use-history.ts'

type Comment = RecordOf<'comment'>

/** Comments are polled: a live listing would hold another one of the browser’s six connections. */
const pollMilliseconds = 5000
/** The number of changes that are shown until the user asks for older ones. */
const pageSize = 20
const hidesChangesKey = 'tracker.hides-changes'

export interface ActivitySectionProps extends Pick<PanelData, 'comments'> {
  readonly assignment: RecordOf<'assignment'>
}

/**
 * Shows comments and changes as one stream, the oldest first, and a form for the next comment. The user can
 * leave out the changes, which this browser remembers. Part of the extensions.
 */
export function ActivitySection({ assignment, comments }: ActivitySectionProps) {
  const { id: assignmentId, projectId } = assignment
  const { api } = useServices()
  const [hidesChanges, setHidesChanges] = useState(localStorage.getItem(hidesChangesKey) === 'true')
  useInterval(pollMilliseconds, comments.reload)
  const create = async (text: string) => {
    await api.create('comment', { assignmentId, text })
  }
  const change = () => {
    localStorage.setItem(hidesChangesKey, String(!hidesChanges))
    setHidesChanges(!hidesChanges)
  }
  const stream = { comments: comments.rows, projectId }
  return (
    <PanelSection
      name="activity"
      title={t('Activity')}
      isEmpty={false}
      action={
        <button type="button" class="link-button" onClick={change}>
          {hidesChanges ? t('Show changes') : t('Comments only')}
        </button>
      }
    >
      {comments.problem && comments.rows.length === 0 && (
        <LoadProblem problem={comments.problem} onRetry={comments.reload} />
      )}
      {comments.totalCount > comments.rows.length && (
        <p class="quiet-text">
          {t('The newest {count} of {total}.', { count: comments.rows.length, total: comments.totalCount })}
        </p>
      )}
      {hidesChanges ? <Stream {...stream} /> : <StreamWithChanges {...stream} assignment={assignment} />}
      <CommentForm
        assignmentId={assignmentId}
        projectId={projectId}
        draft={`comment-on-${assignmentId}`}
        label={t('Write a comment')}
        submitLabel={t('Comment')}
        initial=""
        onSubmit={create}
      />
    </PanelSection>
  )
}

interface StreamWithChangesProps extends Pick<StreamProps, 'comments' | 'projectId'> {
  readonly assignment: RecordOf<'assignment'>
}

function StreamWithChanges({ assignment, ...stream }: StreamWithChangesProps) {
  const { changes, hasOlder, problem, reload, loadOlder } = useHistory(
    { assignmentId: assignment.id, pageSize },
    changedAt(assignment),
  )
  const context = useChangeContext(changes ?? [], assignment.id)
  if (changes === undefined && problem)
    return (
      <>
        <LoadProblem problem={problem} onRetry={reload} />
        <Stream {...stream} />
      </>
    )
  if (changes === undefined || context === undefined)
    return <Skeleton as="rows" rows={2} cells="face lines" />
  const rows = groupChanges(changes)
    .filter(([newest]) => !isShownAsComment(newest))
    .map((group) => ({
      at: group[0].at,
      key: group[0].id,
      item: <ChangeRow group={group} context={context} />,
    }))
  return (
    <>
      {hasOlder && (
        <button type="button" class="link-button" onClick={() => void loadOlder()}>
          {t('Show older changes')}
        </button>
      )}
      <Stream {...stream} changes={rows} />
    </>
  )
}

interface StreamItem {
  readonly at: string
  readonly key: string
  readonly item: ComponentChild
}

interface StreamProps {
  readonly comments: readonly Comment[]
  readonly changes?: readonly StreamItem[]
  readonly projectId: string
}

/**
 * Shows the oldest first. An item that fails leaves the others usable. Screen readers announce only comments,
 * because users see their own changes elsewhere.
 */
function Stream({ comments, changes = [], projectId }: StreamProps) {
  const shownComments = comments.map((comment) => ({
    at: comment.createdAt,
    key: comment.id,
    item: <CommentLine comment={comment} projectId={projectId} />,
  }))
  const items = [...shownComments, ...changes].sort((one, other) => Date.parse(one.at) - Date.parse(other.at))
  return (
    <ul class="stream" aria-live="polite">
      {items.map(({ key, item }) => (
        <ErrorBoundary
          key={key}
          fallback={() => <li class="quiet-text">{t('This part cannot be shown.')}</li>}
        >
          {item}
        </ErrorBoundary>
      ))}
    </ul>
  )
}

/** Returns whether the stream shows the comment itself, with a note if it was changed. */
const isShownAsComment = ({ resource, action }: ChangeGroup[0]): boolean =>
  resource === 'comment' && action !== 'remove'
