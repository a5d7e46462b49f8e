import type { ComponentChild } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { changeRecord, type RecordOf } from '../api/api.ts'
import { sentenceOf } from '../api/problems.ts'
import { changedAt } from '../data/assignments.ts'
import { useRemoval, useServices } from '../services/services.ts'
import { t } from '../texts/text.ts'
import { Icon } from '../ui/icon.tsx'
import { Markdown } from '../ui/markdown.tsx'
import { Menu } from '../ui/menu.tsx'
import { ErrorBoundary, LoadProblem, Skeleton } from '../ui/page-states.tsx'
import { PersonAvatar } from '../ui/people.tsx'
import { Ago } from '../ui/relative-time.tsx'
import { ChangeRow, useChangeContext } from './change-list.tsx'
import { CommentForm, sentCommentId } from './comment-form.tsx'
import { type ChangeGroup, groupChanges } from './group-changes.ts'
import { useTicks } from './markdown-changes.ts'
import { type PanelData, PanelSection } from './panel-section.tsx'
import { useHistory } from './use-history.ts'

type Comment = RecordOf<'comment'>

/** The number of changes that are shown at first. */
const pageSize = 20
const hidesChangesKey = 'tracker.hides-changes'

interface ActivitySectionProps extends Pick<PanelData, 'comments'> {
  readonly assignment: RecordOf<'assignment'>
}

/**
 * Shows comments and changes as one stream, the oldest first. The browser remembers whether changes are
 * hidden. This requires the extensions.
 */
export function ActivitySection({ assignment, comments }: ActivitySectionProps) {
  const [hidesChanges, setHidesChanges] = useState(localStorage.getItem(hidesChangesKey) === 'true')
  const toggleChanges = () => {
    localStorage.setItem(hidesChangesKey, String(!hidesChanges))
    setHidesChanges(!hidesChanges)
  }
  const stream = { comments: comments.rows, projectId: assignment.projectId }
  return (
    <PanelSection
      name="activity"
      title={t('Activity')}
      isEmpty={false}
      action={
        <button type="button" class="link-button" onClick={toggleChanges}>
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
 * because users know their own changes already.
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

/** Returns whether the comment in the stream already shows this change: a changed one has a note. */
const isShownAsComment = ({ resource, action }: ChangeGroup[0]): boolean =>
  resource === 'comment' && action !== 'remove'

/** Shows a comment, which its author and administrators can change. */
function CommentLine({ comment, projectId }: { readonly comment: Comment; readonly projectId: string }) {
  const { api, people, session } = useServices()
  const [isEditing, setEditing] = useState(false)
  const remove = useRemoval()
  const line = useRef<HTMLLIElement>(null)
  const { text, stored, tick } = useCommentTicks(comment)
  const { id, assignmentId, userId, createdAt, updatedAt } = stored
  const self = session.person.value
  const canEdit = userId === self?.id || (self?.isAdministrator ?? false)
  const name = people.nameOf(userId)
  const update = async (next: string) => {
    await api.update('comment', { id, assignmentId, userId, text: next })
    setEditing(false)
  }
  useEffect(() => {
    if (sentCommentId.peek() !== id) return
    sentCommentId.value = undefined
    line.current?.scrollIntoView({ block: 'nearest' })
  }, [id])
  return (
    <li class="comment" ref={line}>
      <PersonAvatar id={userId} isDecorative />
      <div class="comment-body">
        <header>
          <strong dir="auto">{name}</strong> <Ago class="quiet-text" timestamp={createdAt} />
          {updatedAt && <span class="quiet-text">{t('changed')}</span>}
          {canEdit && !isEditing && (
            <Menu
              label={t('Actions for the comment of {name}', { name })}
              items={[
                { label: t('Edit'), run: () => setEditing(true) },
                {
                  label: t('Remove'),
                  kind: 'danger',
                  run: () => void remove('comment', id, t('The comment')),
                },
              ]}
            >
              <Icon name="more" />
            </Menu>
          )}
        </header>
        {isEditing ? (
          <CommentForm
            assignmentId={assignmentId}
            projectId={projectId}
            draft={`comment-${id}`}
            label={t('Edit the comment')}
            submitLabel={t('Save')}
            initial={text}
            onSubmit={update}
            onCancel={() => setEditing(false)}
          />
        ) : (
          <div dir="auto">
            <Markdown text={text} onTick={userId === self?.id ? tick : undefined} />
          </div>
        )}
      </div>
    </li>
  )
}

/** Returns the newest version of a comment, and its text with ticks that are not saved yet. */
function useCommentTicks(comment: Comment) {
  const { api, toasts } = useServices()
  const [saved, setSaved] = useState(comment)
  const stored = changedAt(saved) > changedAt(comment) ? saved : comment
  const { text, tick } = useTicks(stored.text, async (change) => {
    try {
      let isMissing = false
      const changed = await changeRecord(api, 'comment', comment.id, (current) => {
        const { id, assignmentId, userId } = current
        const next = change(current.text)
        isMissing = next === undefined
        setSaved(current)
        return next === undefined || next === current.text
          ? undefined
          : { id, assignmentId, userId, text: next }
      })
      if (changed) setSaved(changed.after)
      if (isMissing)
        toasts.show({ kind: 'problem', text: t('Someone else has changed this in the meantime.') })
    } catch (error) {
      toasts.show({ kind: 'problem', text: sentenceOf(error, 'comment') })
    }
  })
  return { text, stored, tick }
}
