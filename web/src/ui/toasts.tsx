import type { TargetedEvent } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { useServices } from '../services/services.ts'
import type { Toast, Toasts } from '../services/toasts.ts'
import { t, tn } from '../texts/text.ts'
import { Icon } from './icon.tsx'

/**
 * Shows messages in the corner of the topmost dialog or of the page. Screen readers announce them. They
 * disappear after a while.
 */
export function ToastCorner({ layer }: { readonly layer?: symbol }) {
  const { toasts } = useServices()
  useEffect(() => (layer === undefined ? undoWithKeys(toasts) : undefined), [toasts, layer])
  const isTopmost = toasts.layers.value.at(-1) === layer
  const messages = toasts.all.value
  useEffect(() => {
    if (messages.length > 0)
      import('./uncover-card.ts').then(
        (script) => script.uncoverCard(),
        () => undefined,
      )
  }, [messages])
  return (
    <div class="toasts" role="status" aria-live="polite">
      {isTopmost && messages.map((toast) => <ToastView key={toast.id} toast={toast} />)}
    </div>
  )
}

/** A message stays while the pointer or the focus is on it, and for its whole time afterwards. */
function ToastView({ toast }: { readonly toast: Toast }) {
  const { toasts } = useServices()
  const [isHeld, setHeld] = useState(false)
  const dismiss = () => toasts.dismiss(toast.id)
  const hold = () => setHeld(true)
  const release = ({ currentTarget, relatedTarget }: TargetedEvent<HTMLElement, MouseEvent | FocusEvent>) => {
    const isWithin = relatedTarget instanceof Node && currentTarget.contains(relatedTarget)
    if (isWithin || currentTarget.matches(':hover, :focus-within')) return
    setHeld(false)
    toasts.extend(toast.id)
  }
  useEffect(() => {
    if (isHeld) return
    const timer = setTimeout(dismiss, toast.until - Date.now())
    return () => clearTimeout(timer)
  }, [toast.until, isHeld])
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: only holds the timer, nothing to operate
    <div
      class={`toast ${toast.kind}`}
      onMouseEnter={hold}
      onMouseLeave={release}
      onFocusIn={hold}
      onFocusOut={release}
    >
      <span class="toast-text">
        {toast.text}
        {/* The text is only a number of changes. Screen readers also hear the newest one. */}
        {toast.changes.length > 1 && !toast.isUndone && (
          <span class="visually-hidden">. {toast.changes.at(-1)?.text}</span>
        )}
      </span>
      {toast.action && (
        <button
          type="button"
          class="button quiet"
          onClick={() => {
            dismiss()
            toast.action?.run()
          }}
        >
          {toast.action.label}
        </button>
      )}
      {toast.changes.length > 0 && (
        <button
          type="button"
          class="button quiet"
          title={tn(toast.changes.length, 'Undo this change', 'Undo these {count} changes')}
          onClick={() => void toasts.undoAll(toast)}
        >
          {undoLabelOf(toast)}
        </button>
      )}
      <button type="button" class="button quiet icon-only" aria-label={t('Dismiss')} onClick={dismiss}>
        <Icon name="close" />
      </button>
    </div>
  )
}

function undoLabelOf({ changes, isUndone }: Toast): string {
  if (isUndone) return tn(changes.length, 'Undo 1 more', 'Undo {count} more')
  return changes.length > 1 ? t('Undo all') : t('Undo')
}

/**
 * Ctrl+Z or Cmd+Z undoes the newest change, and Ctrl+Shift+Z or Ctrl+Y repeats it, unless a text is being
 * edited.
 */
function undoWithKeys(toasts: Toasts): () => void {
  const onKey = (event: KeyboardEvent) => {
    if (!event.ctrlKey && !event.metaKey) return
    const key = event.key.toLowerCase()
    const change =
      key === 'y' || (key === 'z' && event.shiftKey) ? toasts.redoLast : key === 'z' && toasts.undoLast
    const isTyping =
      event.target instanceof Element && event.target.matches('input:not([type=checkbox]), textarea, select')
    if (change && !isTyping && change()) event.preventDefault()
  }
  addEventListener('keydown', onKey)
  return () => removeEventListener('keydown', onKey)
}
