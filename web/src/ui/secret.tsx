import { useId, useState } from 'preact/hooks'
import { t } from '../texts/text.ts'
import { Icon } from './icon.tsx'

export interface SecretProps {
  readonly label: string
  readonly text: string
  onDone(): void
}

/** A text that is shown once, with a button that copies it. */
export function Secret({ label, text, onDone }: SecretProps) {
  const id = useId()
  const [isCopied, setCopied] = useState(false)
  const copy = () => {
    // Where the browser does not allow it, the text stands selected in its field.
    void navigator.clipboard?.writeText(text).then(
      () => setCopied(true),
      () => undefined,
    )
  }
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
        <button type="button" class="button" onClick={copy}>
          <Icon name="copy" />
          <span aria-live="polite">{isCopied ? t('Copied') : t('Copy')}</span>
        </button>
        <button type="button" class="button primary" onClick={onDone}>
          {t('Done')}
        </button>
      </div>
    </div>
  )
}
