import type { ComponentType } from 'preact'
import { useLayoutEffect, useState } from 'preact/hooks'
import { outageError } from '../api/problems.ts'
import { useServices } from '../services/services.ts'

/** A dialog that few need, in the second script, which is fetched soon after the first screen (`vite.config.ts`). */
export function lazyDialog<Props extends { onClose(): void }>(load: () => Promise<ComponentType<Props>>) {
  let known: ComponentType<Props> | undefined
  return function LazyDialog(props: Props) {
    const { toasts } = useServices()
    const [Loaded, setLoaded] = useState(() => known)
    // A layout effect, because the next key may already be meant for the dialog.
    useLayoutEffect(() => {
      if (known !== undefined) return
      load().then(
        (Component) => {
          known = Component
          setLoaded(() => Component)
        },
        () => {
          props.onClose()
          toasts.show({ kind: 'problem', text: outageError().message })
        },
      )
    }, [])
    useLayoutEffect(() => (Loaded ? undefined : holdKeys(props.onClose)), [Loaded])
    return Loaded ? <Loaded {...props} /> : null
  }
}

/** Until the dialog is there, keys are meant for it, and must not reach the page behind it. */
function holdKeys(onEscape: () => void): () => void {
  const hold = (event: KeyboardEvent) => {
    event.preventDefault()
    event.stopImmediatePropagation()
    if (event.key === 'Escape') onEscape()
  }
  addEventListener('keydown', hold, { capture: true })
  return () => removeEventListener('keydown', hold, { capture: true })
}

export const MembersDialog = lazyDialog(async () => (await import('./members-dialog.tsx')).MembersDialog)

export const SubscribeDialog = lazyDialog(
  async () => (await import('./subscribe-dialog.tsx')).SubscribeDialog,
)
