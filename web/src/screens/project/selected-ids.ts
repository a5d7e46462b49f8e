import { signal } from '@preact/signals'
import { useLayoutEffect } from 'preact/hooks'

/** The ids of the selected assignments of the list, for keys and commands of the shell. */
export const selectedIds = signal<readonly string[]>([])

/** Shares the selection for as long as the list is shown. */
export function useSharedSelection(selected: readonly { readonly id: string }[]): void {
  const ids = selected.map(({ id }) => id)
  // A layout effect runs before the next key.
  useLayoutEffect(() => {
    selectedIds.value = ids
  }, [ids.join()])
  useLayoutEffect(
    () => () => {
      selectedIds.value = []
    },
    [],
  )
}
