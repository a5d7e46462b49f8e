import type { ComponentChildren } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'

interface PanelFormProps {
  readonly children: ComponentChildren
  onClose(): void
}

/**
 * Scrolls a form that a button of the panel opens into view, and focuses its control with `data-autofocus`. Escape
 * closes only the form, and the focus returns to the button.
 */
export function PanelForm({ children, onClose }: PanelFormProps) {
  const element = useRef<HTMLDivElement>(null)
  // A layout effect runs before the next key press, so that typing goes to the form.
  useLayoutEffect(() => {
    const form = element.current
    const opener = document.activeElement
    form?.scrollIntoView({ block: 'nearest' })
    form?.querySelector<HTMLElement>('[data-autofocus]')?.focus()
    return () => {
      if (form?.contains(document.activeElement) && opener instanceof HTMLElement) opener.focus()
    }
  }, [])
  return (
    <div
      ref={element}
      class="panel-form"
      // The lists of suggestions would close themselves first. A month is a layer, and does.
      onKeyDownCapture={(event) => {
        if (event.key !== 'Escape' || (event.target as Element).closest(':popover-open')) return
        event.preventDefault()
        event.stopPropagation()
        onClose()
      }}
    >
      {children}
    </div>
  )
}
