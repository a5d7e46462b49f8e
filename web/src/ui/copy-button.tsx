import { useState } from 'preact/hooks'
import { t } from '../texts/text.ts'
import { Icon } from './icon.tsx'

/** Copies a text, and says that it did. Where the browser does not allow it, the text stands beside it. */
export function CopyButton({ text, isMain = false }: { readonly text: string; readonly isMain?: boolean }) {
  const [isCopied, setCopied] = useState(false)
  const copy = () => {
    void navigator.clipboard?.writeText(text).then(
      () => setCopied(true),
      () => undefined,
    )
  }
  return (
    <button type="button" class={`button ${isMain ? 'primary' : ''}`} onClick={copy}>
      <Icon name="copy" />
      <span aria-live="polite">{isCopied ? t('Copied') : t('Copy')}</span>
    </button>
  )
}
