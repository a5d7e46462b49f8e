import type { ComponentType } from 'preact'
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { outageError } from '../api/problems.ts'
import { useServices } from '../services/services.ts'

/**
 * Returns a dialog whose script is loaded on first use. `vite.config.ts` puts the scripts of such dialogs
 * together.
 */
export function lazyDialog<Props extends { onClose(): void }>(load: () => Promise<ComponentType<Props>>) {
  let cached: ComponentType<Props> | undefined
  return function LazyDialog(props: Props) {
    const { toasts } = useServices()
    const [Loaded, setLoaded] = useState(() => cached)
    // A layout effect, because the next key press may already be meant for the dialog.
    useLayoutEffect(() => {
      if (cached !== undefined) return
      load().then(
        (Component) => {
          cached = Component
          setLoaded(() => Component)
        },
        () => {
          props.onClose()
          toasts.show({ kind: 'problem', text: outageError().message })
        },
      )
    }, [])
    const held = useRef<readonly string[]>([])
    useLayoutEffect(() => {
      if (Loaded === undefined) return holdKeys(held, props.onClose)
      // The dialog has focused its field in a layout effect of its own.
      for (const key of held.current) pressIn(document.activeElement, key)
      return undefined
    }, [Loaded])
    return Loaded ? <Loaded {...props} /> : null
  }
}

/** Holds pressed keys for the dialog, so that the page behind it ignores them. Returns a function to stop. */
function holdKeys(held: { current: readonly string[] }, onEscape: () => void): () => void {
  const hold = (event: KeyboardEvent) => {
    event.preventDefault()
    event.stopImmediatePropagation()
    const { key } = event
    if (key === 'Escape') onEscape()
    else if (key === 'Enter' || (key.length === 1 && !event.ctrlKey && !event.metaKey))
      held.current = [...held.current, key]
  }
  addEventListener('keydown', hold, { capture: true })
  return () => removeEventListener('keydown', hold, { capture: true })
}

/** A script cannot press a key as a person does, so this changes the text of the field itself. */
function pressIn(field: Element | null, key: string): void {
  if (!(field instanceof HTMLInputElement)) return
  if (key.length === 1) {
    field.value += key
    field.dispatchEvent(new InputEvent('input', { bubbles: true }))
  } else field.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true }))
}

export const MembersDialog = lazyDialog(async () => (await import('./members-dialog.tsx')).MembersDialog)

export const SubscribeDialog = lazyDialog(
  async () => (await import('./calendar-address.tsx')).SubscribeDialog,
)

/**
 * Returns a part of the client whose script is loaded when it is first needed. Returns undefined until then,
 * and if it cannot be loaded.
 */
export function useLater<Part>(isNeeded: boolean, load: () => Promise<Part>): Part | undefined {
  const [loaded, setLoaded] = useState<{ readonly part: Part }>()
  useEffect(() => {
    if (isNeeded && loaded === undefined)
      load().then(
        (part) => setLoaded({ part }),
        () => undefined,
      )
  }, [isNeeded])
  return loaded?.part
}
