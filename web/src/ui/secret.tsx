import { useId } from 'preact/hooks'
import { t } from '../texts/text.ts'
import { CopyButton } from './copy-button.tsx'

export interface SecretProps {
  readonly label: string
  readonly text: string
  onDone(): void
}

/** A text that is shown once, with a button that copies it. */
export function Secret({ label, text, onDone }: SecretProps) {
  const id = useId()
  return (
    <div class="form">
      <div class="field">
        <label for={id}>{label}</label>
        <input
          id={id}
          class="input"
          readOnly
          value={text}
          data-autofocus
          onFocus={(event) => event.currentTarget.select()}
        />
      </div>
      <div class="form-buttons">
        <CopyButton text={text} isMain />
        <button type="button" class="button" onClick={onDone}>
          {t('Done')}
        </button>
      </div>
    </div>
  )
}
