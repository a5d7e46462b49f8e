import type { ComponentChildren } from 'preact'
import { useId, useLayoutEffect, useMemo, useRef } from 'preact/hooks'
import { useServices } from '../services/services.ts'
import { t } from '../texts/text.ts'
import { Icon } from './icon.tsx'
import { ToastCorner } from './toasts.tsx'

interface DialogProps {
  readonly title: string
  /** The palette has no visible header. */
  readonly kind?: 'palette' | 'palette picker' | 'palette sheet'
  /** Shown after the title. */
  readonly aside?: ComponentChildren
  readonly children: ComponentChildren
  /** Called on Escape, the close button, and a click outside. */
  onClose(): void
}

/** Shows a question or a form in front of the page. The browser traps the focus. An effect restores it. */
export function Dialog({ title, kind, aside, children, onClose }: DialogProps) {
  const element = useRef<HTMLDialogElement>(null)
  const pressed = useRef<EventTarget>(null)
  const { toasts } = useServices()
  // Everything behind a modal dialog is inert, so toasts are shown inside the topmost dialog.
  const toastLayer = useMemo(() => Symbol('dialog'), [])
  useLayoutEffect(() => toasts.addLayer(toastLayer), [toasts, toastLayer])
  const titleId = useId()
  // A layout effect runs before the next key press, so that typing goes to the dialog.
  useLayoutEffect(() => {
    const dialog = element.current
    const previousFocus = document.activeElement
    if (!dialog?.open) dialog?.showModal()
    dialog?.querySelector<HTMLElement>('[data-autofocus]')?.focus()
    return () => {
      dialog?.close()
      if (previousFocus instanceof HTMLElement && previousFocus.isConnected) previousFocus.focus()
    }
  }, [])
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the keyboard's way to close is Escape
    <dialog
      ref={element}
      class={`dialog ${kind ?? ''}`}
      aria-labelledby={titleId}
      onCancel={(event) => {
        event.preventDefault()
        onClose()
      }}
      onPointerDown={(event) => {
        pressed.current = event.target
      }}
      // Selecting text from inside to outside also causes a click on the dialog, but the press was inside.
      onClick={({ target }) => target === element.current && target === pressed.current && onClose()}
    >
      <div class="dialog-body">
        <header class={kind ? 'visually-hidden' : 'dialog-header'}>
          <h2 id={titleId} dir="auto">
            {title}
          </h2>
          {aside}
          {kind === undefined && (
            <button type="button" class="button quiet icon-only" aria-label={t('Close')} onClick={onClose}>
              <Icon name="close" />
            </button>
          )}
        </header>
        {children}
      </div>
      <ToastCorner layer={toastLayer} />
    </dialog>
  )
}

interface ConfirmDialogProps {
  readonly title: string
  readonly text: string
  readonly confirmLabel: string
  onConfirm(): void
  onClose(): void
}

/** Asks before an action that cannot be undone. */
export const ConfirmDialog = ({ title, text, confirmLabel, onConfirm, onClose }: ConfirmDialogProps) => (
  <Dialog title={title} onClose={onClose}>
    <p>{text}</p>
    <div class="form-buttons">
      <button type="button" class="button" data-autofocus onClick={onClose}>
        {t('Cancel')}
      </button>
      <button
        type="button"
        class="button danger"
        onClick={() => {
          onClose()
          onConfirm()
        }}
      >
        {confirmLabel}
      </button>
    </div>
  </Dialog>
)
