import type { TargetedKeyboardEvent } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { limits } from '#tracker-client'
import { t } from '../texts/text.ts'
import { Markdown } from '../ui/markdown.tsx'
import { InPlaceField, type InPlaceProps } from './in-place-fields.tsx'
import { useEdit } from './use-in-place.ts'

/** Shows the rendered text, and edits its source: Ctrl and Enter saves, Escape sets it aside. */
export function DescriptionField({ assignment, onSaved }: InPlaceProps) {
  const edit = useEdit(assignment, 'description', onSaved)
  const [isWriting, setWriting] = useState(edit.isChanged)
  const area = useRef<HTMLTextAreaElement>(null)
  const button = useRef<HTMLButtonElement>(null)
  const [isLeft, setLeft] = useState(false)
  useEffect(() => {
    if (isWriting && !edit.isChanged) area.current?.focus()
  }, [isWriting])
  useEffect(() => {
    if (isLeft) button.current?.focus()
    setLeft(false)
  }, [isLeft])
  const leave = () => {
    setWriting(false)
    setLeft(true)
  }
  const save = async () => {
    await edit.commit()
    leave()
  }
  const discard = () => {
    edit.revert()
    leave()
  }
  const onKeyDown = (event: TargetedKeyboardEvent<HTMLTextAreaElement>) => {
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) void save()
    else if (event.key === 'Escape') {
      event.preventDefault()
      if (!edit.isChanged) leave()
    }
  }
  if (!isWriting && !edit.isChanged)
    return (
      <section class="description" aria-label={t('Description')}>
        {edit.text !== '' && <Markdown text={edit.text} />}
        <button ref={button} type="button" class="link-button" onClick={() => setWriting(true)}>
          {edit.text === '' ? t('Add a description') : t('Edit the description')}
        </button>
      </section>
    )
  return (
    <InPlaceField label={t('Description')} edit={edit}>
      {(attributes) => (
        <>
          <textarea
            {...attributes}
            ref={area}
            class="input"
            dir="auto"
            rows={Math.min(16, Math.max(4, edit.text.split('\n').length + 1))}
            maxLength={limits.description}
            name="description"
            value={edit.text}
            onInput={(event) => edit.type(event.currentTarget.value)}
            onKeyDown={onKeyDown}
          />
          <p class="field-hint">
            {t('**bold**, *italic*, `code`, lists with -, tasks with - [ ], links. Ctrl+Enter saves.')}
          </p>
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
