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
    return Loaded ? <Loaded {...props} /> : null
  }
}

export const MembersDialog = lazyDialog(async () => (await import('./members-dialog.tsx')).MembersDialog)

export const SubscribeDialog = lazyDialog(
  async () => (await import('./subscribe-dialog.tsx')).SubscribeDialog,
)
