import type { TargetedKeyboardEvent } from 'preact'
import { useState } from 'preact/hooks'
import { limits } from '#tracker-client'
import type { RecordOf } from '../api/api.ts'
import { changeRecord } from '../api/change-record.ts'
import { sentenceOf } from '../api/problems.ts'
import { changedAt } from '../data/changed-at.ts'
import { Form } from '../forms/form.tsx'
import { useForm } from '../forms/use-form.ts'
import { useServices } from '../services/services.ts'
import { t } from '../texts/text.ts'
import { Ago } from '../ui/ago.tsx'
import { PersonAvatar } from '../ui/avatar.tsx'
import { Icon } from '../ui/icon.tsx'
import { Markdown } from '../ui/markdown.tsx'
import { MarkdownField } from '../ui/markdown-field.tsx'
import { Menu } from '../ui/menu.tsx'
import { useRemoval } from '../ui/use-removal.ts'
import { useFileInsertion } from './attach-files.ts'
import { useTicks } from './use-ticks.ts'

type Comment = RecordOf<'comment'>

/** Shows a comment, which its author and administrators can change. */
export function CommentLine({
  comment,
  projectId,
}: {
  readonly comment: Comment
  readonly projectId: string
}) {
  const { api, people, session } = useServices()
  const [isEditing, setEditing] = useState(false)
  const remove = useRemoval()
  const { text, stored, tick } = useCommentTicks(comment)
  const { id, assignmentId, userId, createdAt, updatedAt } = stored
  const self = session.person.value
  const canEdit = userId === self?.id || (self?.isAdministrator ?? false)
  const name = people.nameOf(userId)
  const update = async (next: string) => {
    await api.update('comment', { id, assignmentId, userId, text: next })
    setEditing(false)
  }
  return (
    <li class="comment">
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

interface CommentFormProps {
  readonly assignmentId: string
  readonly projectId: string
  readonly draft: string
  readonly label: string
  readonly submitLabel: string
  readonly initial: string
  onSubmit(text: string): Promise<void>
  onCancel?(): void
}

/** Writes or edits a comment in Markdown. Ctrl+Enter sends it. The draft survives closing the panel. */
export function CommentForm(props: CommentFormProps) {
  const { assignmentId, projectId, draft, label, submitLabel, initial, onSubmit, onCancel } = props
  const insertion = useFileInsertion(assignmentId)
  const form = useForm({ draft, initial: { text: initial }, submit: ({ text }) => onSubmit(text) })
  const { text } = form.values.value
  const problem = form.errors.value.text?.join(' ')
  const onKeyDown = (event: TargetedKeyboardEvent<HTMLTextAreaElement>) => {
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) event.currentTarget.form?.requestSubmit()
    else if (event.key === 'Escape' && onCancel) {
      event.preventDefault()
      onCancel()
    }
  }
  return (
    <Form
      form={form}
      submitLabel={submitLabel}
      isIdle={!form.isChanged.value && onCancel === undefined}
      onCancel={onCancel}
      onDone={form.discard}
    >
      <div class="field">
        <MarkdownField
          {...insertion}
          projectId={projectId}
          class="input"
          dir="auto"
          aria-label={label}
          aria-invalid={problem ? 'true' : undefined}
          placeholder={label}
          rows={Math.min(12, Math.max(2, text.split('\n').length))}
          maxLength={limits.text}
          value={text}
          onText={(next) => form.set('text', next)}
          onKeyDown={onKeyDown}
        />
        {problem && (
          <p class="field-errors" role="alert">
            {problem}
          </p>
        )}
      </div>
    </Form>
  )
}
