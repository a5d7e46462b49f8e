import type { RefObject, TargetedKeyboardEvent } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { limits } from '#tracker-client'
import { sentenceOf } from '../api/problems.ts'
import { useServices } from '../services/services.ts'
import { t } from '../texts/text.ts'
import { Icon } from '../ui/icon.tsx'
import { Markdown } from '../ui/markdown.tsx'
import { MarkdownField } from '../ui/markdown-field.tsx'
import { InPlaceField, type InPlaceProps } from './in-place-fields.tsx'
import { useFileInsertion, useTicks } from './markdown-changes.ts'
import { type InPlaceEdit, useFieldEdit, useFieldSave } from './use-in-place-edit.ts'

/**
 * Shows the rendered description, or edits its source. Ctrl+Enter saves. Escape closes the editor if nothing
 * has changed.
 */
export function DescriptionField({ assignment, onSaved }: InPlaceProps) {
  const edit = useFieldEdit(assignment, 'description', onSaved)
  const [isEditing, setEditing] = useState(edit.isChanged)
  const textarea = useRef<HTMLTextAreaElement>(null)
  const button = useRef<HTMLButtonElement>(null)
  const insertion = useFileInsertion(assignment.id)
  const [returnsFocus, setReturnsFocus] = useState(false)
  useEffect(() => {
    if (isEditing && !edit.isChanged) textarea.current?.focus()
  }, [isEditing])
  useEffect(() => {
    if (returnsFocus) button.current?.focus()
    setReturnsFocus(false)
  }, [returnsFocus])
  const leave = () => {
    setEditing(false)
    setReturnsFocus(true)
  }
  const save = async () => {
    await edit.commit()
    leave()
  }
  const discard = () => {
    edit.revert()
    leave()
  }
  const onKeyDown = (event: TargetedKeyboardEvent<HTMLElement>) => {
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) void save()
    else if (event.key === 'Escape') {
      event.preventDefault()
      if (!edit.isChanged) leave()
    }
  }
  const open = () => setEditing(true)
  if (!isEditing && !edit.isChanged)
    return (
      <RenderedDescription
        assignment={assignment}
        edit={edit}
        button={button}
        onSaved={onSaved}
        onEdit={open}
      />
    )
  return (
    <InPlaceField label={t('Description')} edit={edit} hasButtons>
      {(attributes) => (
        <>
          <MarkdownField
            {...attributes}
            {...insertion}
            field={textarea}
            projectId={assignment.projectId}
            class="input"
            dir="auto"
            rows={Math.min(16, Math.max(4, edit.text.split('\n').length + 1))}
            maxLength={limits.description}
            name="description"
            value={edit.text}
            onText={edit.type}
            onKeyDown={onKeyDown}
          />
          <div class="form-buttons">
            <button type="button" class="button" onClick={discard}>
              {edit.isChanged ? t('Discard changes') : t('Cancel')}
            </button>
            <button
              type="button"
              class="button primary"
              aria-disabled={edit.isSaving}
              onClick={() => void save()}
            >
              {t('Save')}
            </button>
          </div>
        </>
      )}
    </InPlaceField>
  )
}

interface RenderedDescriptionProps extends InPlaceProps {
  readonly edit: InPlaceEdit
  readonly button: RefObject<HTMLButtonElement | null>
  onEdit(): void
}

/** Shows the rendered description. A click on its text opens the editor. */
const RenderedDescription = ({ assignment, edit, button, onSaved, onEdit }: RenderedDescriptionProps) => (
  <section class="description" aria-label={t('Description')}>
    {edit.text === '' ? (
      <button ref={button} type="button" class="input description-empty" onClick={onEdit}>
        {t('Add a description…')}
      </button>
    ) : (
      // biome-ignore lint/a11y/noStaticElementInteractions: the button within does the same
      // biome-ignore lint/a11y/useKeyWithClickEvents: the button within does the same
      <div class="description-text" onClick={(event) => isPlainClick(event) && onEdit()}>
        <Description assignment={assignment} edit={edit} onSaved={onSaved} />
        <button
          ref={button}
          type="button"
          class="button quiet icon-only"
          aria-label={t('Edit the description')}
          title={t('Edit the description')}
          onClick={onEdit}
        >
          <Icon name="edit" />
        </button>
      </div>
    )}
  </section>
)

/** Returns false for a click on a link, an image or a control, and for a click that ends a selection. */
const isPlainClick = ({ target }: MouseEvent): boolean =>
  target instanceof Element &&
  target.closest('a, button, input, label, img, summary') === null &&
  String(getSelection()) === ''

/**
 * Shows the description, in which tasks can be ticked. If another user has removed the task, a conflict is
 * shown.
 */
function Description({ assignment, edit, onSaved }: InPlaceProps & { readonly edit: InPlaceEdit }) {
  const { toasts } = useServices()
  const save = useFieldSave(assignment.id, 'description', onSaved)
  const { text, tick } = useTicks(edit.text, async (change, ticked) => {
    try {
      const theirs = await save(change)
      // If the task is gone, nothing was saved. This edit then shows the conflict.
      if (theirs !== undefined) await edit.commit(ticked)
    } catch (error) {
      toasts.show({ kind: 'problem', text: sentenceOf(error, 'assignment') })
    }
  })
  return <Markdown text={text} onTick={tick} hasProgress />
}
