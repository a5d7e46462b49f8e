import type { ComponentChildren, RefObject } from 'preact'
import { useId, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks'
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

/**
 * Shows a question or a form in front of the page. The browser traps the focus. An effect restores it.
 *
 * The palette must open at once, so it is not modal: a modal dialog makes the rest of the page inert, and the
 * browser then computes the style of every element again. Its layer holds pointer and focus instead.
 */
export function Dialog({ title, kind, aside, children, onClose }: DialogProps) {
  const element = useRef<HTMLDialogElement>(null)
  const pressed = useRef<EventTarget>(null)
  const { toasts } = useServices()
  // Only the topmost dialog can be used, so toasts are shown inside it.
  const toastLayer = useMemo(() => Symbol('dialog'), [])
  useLayoutEffect(() => toasts.addLayer(toastLayer), [toasts, toastLayer])
  const titleId = useId()
  const [isModal] = useState(() => !opensAtOnce(kind) || document.querySelector(':modal') !== null)
  // A layout effect runs before the next key press, so that typing goes to the dialog.
  useLayoutEffect(() => {
    const dialog = element.current
    const previousFocus = document.activeElement
    if (isModal) dialog?.showModal()
    else dialog?.showPopover()
    dialog?.querySelector<HTMLElement>('[data-autofocus]')?.focus()
    return () => {
      if (isModal) dialog?.close()
      else dialog?.hidePopover()
      if (previousFocus instanceof HTMLElement && previousFocus.isConnected) previousFocus.focus()
    }
  }, [])
  const heading = (
    <h2 id={titleId} class={kind === undefined ? '' : 'visually-hidden'} dir="auto">
      {title}
    </h2>
  )
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the keyboard's way to close is Escape
    <dialog
      ref={element}
      class={`dialog ${kind ?? ''}`}
      aria-labelledby={titleId}
      {...(isModal ? {} : layerOf(element, onClose))}
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
        {kind === undefined ? (
          <header class="dialog-header">
            {heading}
            {aside}
            <button type="button" class="button quiet icon-only" aria-label={t('Close')} onClick={onClose}>
              <Icon name="close" />
            </button>
          </header>
        ) : (
          heading
        )}
        {children}
      </div>
      <ToastCorner layer={toastLayer} />
    </dialog>
  )
}

/** A sheet opens under a resting finger. Lifting the finger would close the layer, but closes no modal dialog. */
const opensAtOnce = (kind: DialogProps['kind']): boolean => kind !== undefined && kind !== 'palette sheet'

/**
 * Escape closes the layer, and Tab goes around in it. The title of a page that arrives behind it cannot take the
 * focus.
 */
const layerOf = (element: RefObject<HTMLDialogElement | null>, onClose: () => void) => ({
  popover: 'auto' as const,
  'aria-modal': true,
  onToggle: ({ newState }: Pick<ToggleEvent, 'newState'>) => {
    // The back gesture closes the layer, too. The event is late: by now, a chosen command may have removed the
    // layer, and opened a dialog.
    if (newState === 'closed' && element.current) onClose()
  },
  onFocusOut: ({ target, relatedTarget }: FocusEvent) => {
    const isLeft = relatedTarget instanceof Node && element.current?.contains(relatedTarget) === false
    if (isLeft && target instanceof HTMLElement) target.focus()
  },
  onKeyDown: (event: KeyboardEvent) => {
    if (event.key !== 'Tab' && event.key !== 'Escape') return
    event.preventDefault()
    if (event.key === 'Escape') return onClose()
    const controls = [...(element.current?.querySelectorAll<HTMLElement>('input, button') ?? [])].filter(
      (control) => control.tabIndex >= 0 && control.checkVisibility(),
    )
    const position = controls.indexOf(document.activeElement as HTMLElement)
    controls.at((position + (event.shiftKey ? -1 : 1)) % controls.length)?.focus()
  },
})
