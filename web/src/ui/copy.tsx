import { useEffect, useId, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { useServices } from '../services/services.ts'
import { t } from '../texts/text.ts'
import { Icon } from './icon.tsx'

interface SecretProps {
  readonly label: string
  readonly text: string
  onDone(): void
}

/** A secret that is shown once, with a button that copies it. */
export function Secret({ label, text, onDone }: SecretProps) {
  const id = useId()
  const input = useRef<HTMLInputElement>(null)
  // The focus also scrolls a secret into view that replaces a form. It returns to the button that the secret hides,
  // which a layout effect still finds.
  useLayoutEffect(() => {
    const opener = document.activeElement
    input.current?.focus()
    return () => queueMicrotask(() => opener instanceof HTMLElement && opener.focus())
  }, [])
  return (
    <div class="form">
      <div class="field">
        <label for={id}>{label}</label>
        <input
          ref={input}
          id={id}
          class="input"
          readOnly
          value={text}
          data-autofocus
          onFocus={(event) => event.currentTarget.select()}
        />
      </div>
      <div class="form-buttons">
        <CopyButton text={text} isPrimary onFailed={() => input.current?.focus()} />
        <button type="button" class="button" onClick={onDone}>
          {t('Done')}
        </button>
      </div>
    </div>
  )
}

interface CopyButtonProps {
  readonly text: string
  readonly isPrimary?: boolean
  /** Called when the user has to copy the text by hand. */
  onFailed?(): void
}

/** Copies a text and confirms it. If the browser does not allow that, asks the user to copy it by hand. */
export function CopyButton({ text, isPrimary = false, onFailed }: CopyButtonProps) {
  const [state, setState] = useState<'ready' | 'copied' | 'failed'>('ready')
  useEffect(() => setState('ready'), [text])
  const copy = () =>
    void copyText(text).then(
      () => setState('copied'),
      () => {
        setState('failed')
        onFailed?.()
      },
    )
  return (
    <button type="button" class={`button ${isPrimary ? 'primary' : ''}`} onClick={copy}>
      <Icon name="copy" />
      <span aria-live="polite">
        {state === 'ready' && t('Copy')}
        {state === 'copied' && t('Copied')}
        {state === 'failed' && t('Select the text and copy it')}
      </span>
    </button>
  )
}

/** Rejects without the user's permission, and on plain HTTP, where browsers have no clipboard. */
export const copyText = async (text: string): Promise<void> => navigator.clipboard.writeText(text)

/** Returns a function that copies a text, and shows whether that has succeeded. */
export function useCopy(): (text: string, copiedMessage: string) => void {
  const { toasts } = useServices()
  return (text, copiedMessage) =>
    void copyText(text).then(
      () => toasts.show({ kind: 'done', text: copiedMessage }),
      () => toasts.show({ kind: 'problem', text: t('The browser does not allow copying: {text}', { text }) }),
    )
}
