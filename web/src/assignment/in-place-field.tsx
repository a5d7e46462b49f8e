import type { ComponentChildren } from 'preact'
import { useId } from 'preact/hooks'
import { t } from '../texts/text.ts'
import type { InPlace } from './use-in-place.ts'

export interface InPlaceFieldProps {
  readonly label: string
  readonly edit: InPlace
  /** How a value of it is shown to people. */
  readonly show?: (text: string) => string
  readonly isLabelHidden?: boolean
  readonly children: (attributes: {
    readonly id: string
    readonly 'aria-invalid'?: 'true'
    readonly 'aria-describedby'?: string
  }) => ComponentChildren
}

/** A field that saves itself, with its messages and with what somebody else has changed it to. */
export function InPlaceField({
  label,
  edit,
  show = (text) => text,
  isLabelHidden = false,
  children,
}: InPlaceFieldProps) {
  const id = useId()
  const { problem, theirs } = edit
  return (
    <div class="field in-place">
      <label for={id} class={isLabelHidden ? 'visually-hidden' : ''}>
        {label}
      </label>
      {children({ id, ...(problem && { 'aria-invalid': 'true', 'aria-describedby': `${id}-problem` }) })}
      {problem && (
        <p class="field-errors" id={`${id}-problem`} role="alert">
          {problem}
        </p>
      )}
      {theirs !== undefined && <Conflict label={label} edit={edit} show={show} />}
    </div>
  )
}

type ConflictProps = Pick<InPlaceFieldProps, 'label' | 'edit'> & { readonly show: (text: string) => string }

const Conflict = ({ label, edit, show }: ConflictProps) => (
  <div class="conflict" role="alert">
    <p>{t('Somebody else has changed this meanwhile.')}</p>
    <dl class="facts">
      <dt>{t('Theirs')}</dt>
      <dd dir="auto">{show(edit.theirs ?? '')}</dd>
      <dt>{t('Yours')}</dt>
      <dd dir="auto">{show(edit.text)}</dd>
    </dl>
    <span class="conflict-buttons">
      <button
        type="button"
        class="button"
        aria-label={t('Keep theirs: {label}', { label })}
        onClick={edit.takeBack}
      >
        {t('Keep theirs')}
      </button>
      <button
        type="button"
        class="button"
        aria-label={t('Save mine: {label}', { label })}
        onClick={() => void edit.saveMine()}
      >
        {t('Save mine')}
      </button>
    </span>
  </div>
)
