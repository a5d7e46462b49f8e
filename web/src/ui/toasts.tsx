import { useEffect, useRef } from 'preact/hooks'
import { useServices } from '../services/services.ts'
import { type Toast, type Toasts, undoLabel } from '../services/toasts.ts'
import { t } from '../texts/text.ts'
import { Icon } from './icon.tsx'

/** Messages in the corner, over the topmost dialog or the page. Screen readers read them out; they disappear by themselves. */
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

/** Long enough to read and act on. The timer pauses while the pointer or the focus is on the toast. */
const shownMilliseconds = 10_000

function ToastView({ toast }: { readonly toast: Toast }) {
  const { toasts } = useServices()
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  const dismiss = () => toasts.dismiss(toast.id)
  const pauseTimer = () => clearTimeout(timer.current)
  const startTimer = () => {
    pauseTimer()
    timer.current = setTimeout(dismiss, shownMilliseconds)
  }
  useEffect(() => {
    startTimer()
    return pauseTimer
  }, [])
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: only holds the timer, nothing to operate
    <div
      class={`toast ${toast.kind}`}
      onMouseEnter={pauseTimer}
      onMouseLeave={startTimer}
      onFocusIn={pauseTimer}
      onFocusOut={startTimer}
    >
      <span class="toast-text">{toast.text}</span>
      {toast.action && (
        <button type="button" class="button quiet" onClick={() => runAction(toasts, toast)}>
          {toast.action.label}
        </button>
      )}
      <button type="button" class="button quiet icon-only" aria-label={t('Dismiss')} onClick={dismiss}>
        <Icon name="close" />
      </button>
    </div>
  )
}

function runAction(toasts: Toasts, toast: Toast): void {
  toasts.dismiss(toast.id)
  void toast.action?.run()
}

/** Ctrl+Z or Cmd+Z runs the action of the newest toast, unless a text is being edited. */
function undoWithKeys(toasts: Toasts): () => void {
  const onKey = (event: KeyboardEvent) => {
    const isUndo = event.key === 'z' && (event.ctrlKey || event.metaKey) && !event.shiftKey
    const isTyping = event.target instanceof Element && event.target.matches('input, textarea, select')
    const toast = toasts.all.peek().findLast(({ action }) => action?.label === undoLabel())
    if (!isUndo || isTyping || toast === undefined) return
    event.preventDefault()
    runAction(toasts, toast)
  }
  addEventListener('keydown', onKey)
  return () => removeEventListener('keydown', onKey)
}
