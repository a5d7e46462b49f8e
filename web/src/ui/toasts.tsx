import { useEffect, useRef } from 'preact/hooks'
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
  return (
    <div class="toasts" role="status" aria-live="polite">
      {isTopmost && toasts.all.value.map((toast) => <ToastView key={toast.id} toast={toast} />)}
    </div>
  )
}

/** The timer pauses while the pointer or the focus is on the toast. */
function ToastView({ toast }: { readonly toast: Toast }) {
  const { toasts } = useServices()
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  const dismiss = () => toasts.dismiss(toast.id)
  const pauseTimer = () => clearTimeout(timer.current)
  const restartTimer = () => toasts.extend(toast.id)
  useEffect(() => {
    timer.current = setTimeout(dismiss, toast.until - Date.now())
    return pauseTimer
  }, [toast.until])
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: only holds the timer, nothing to operate
    <div
      class={`toast ${toast.kind}`}
      onMouseEnter={pauseTimer}
      onMouseLeave={restartTimer}
      onFocusIn={pauseTimer}
      onFocusOut={restartTimer}
    >
      <span class="toast-text" title={toast.text}>
        {toast.text}
        {toast.changes.length > 1 && <span class="visually-hidden">. {toast.changes.at(-1)?.text}</span>}
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
          {toast.changes.length > 1 ? t('Undo all') : t('Undo')}
        </button>
      )}
      <button type="button" class="button quiet icon-only" aria-label={t('Dismiss')} onClick={dismiss}>
        <Icon name="close" />
      </button>
    </div>
  )
}

/** Ctrl+Z or Cmd+Z undoes the newest change, unless a text is being edited. */
function undoWithKeys(toasts: Toasts): () => void {
  const onKey = (event: KeyboardEvent) => {
    const isUndo = event.key.toLowerCase() === 'z' && (event.ctrlKey || event.metaKey) && !event.shiftKey
    const isTyping =
      event.target instanceof Element && event.target.matches('input:not([type=checkbox]), textarea, select')
    if (isUndo && !isTyping && toasts.undoLast()) event.preventDefault()
  }
  addEventListener('keydown', onKey)
  return () => removeEventListener('keydown', onKey)
}
