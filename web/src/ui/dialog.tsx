import type { ComponentChildren } from 'preact'
import { useId, useLayoutEffect, useMemo, useRef } from 'preact/hooks'
import { useServices } from '../services/services.ts'
import { t } from '../texts/text.ts'
import { Icon } from './icon.tsx'
import { ToastCorner } from './toasts.tsx'

export interface DialogProps {
  readonly title: string
  readonly children: ComponentChildren
  /** Called on Escape, the close button, and a click outside. */
  onClose(): void
}

/** A question or a form in front of the page. The browser traps the focus and restores it afterwards. */
export function Dialog({ title, children, onClose }: DialogProps) {
  const element = useRef<HTMLDialogElement>(null)
  const { toasts } = useServices()
  const layer = useMemo(() => Symbol('dialog'), [])
  useLayoutEffect(() => toasts.addLayer(layer), [toasts, layer])
  const titleId = useId()
  // Runs before the next key: typing belongs to the dialog at once.
  useLayoutEffect(() => {
    const dialog = element.current
    const before = document.activeElement
    if (!dialog?.open) dialog?.showModal()
    dialog?.querySelector<HTMLElement>('[data-autofocus]')?.focus()
    return () => {
      dialog?.close()
      if (before instanceof HTMLElement && before.isConnected) before.focus()
    }
  }, [])
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the keyboard's way to close is Escape
    <dialog
      ref={element}
      class="dialog"
      aria-labelledby={titleId}
      onCancel={(event) => {
        event.preventDefault()
        onClose()
      }}
      onClick={(event) => event.target === element.current && onClose()}
    >
      <div class="dialog-body">
        <header class="dialog-header">
          <h2 id={titleId} dir="auto">
            {title}
          </h2>
          <button type="button" class="button quiet icon-only" aria-label={t('Close')} onClick={onClose}>
            <Icon name="close" />
          </button>
        </header>
        {children}
      </div>
      <ToastCorner layer={layer} />
    </dialog>
  )
}

export interface ConfirmDialogProps {
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
