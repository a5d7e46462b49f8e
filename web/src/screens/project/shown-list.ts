import { signal } from '@preact/signals'
import { useLayoutEffect } from 'preact/hooks'

interface ShownList {
  readonly countText: string
  /** Saves the list as a file, as it is shown. */
  save(): void
}

/** The list that the screen shows, for the bar above it and for commands of the shell. */
export const shownList = signal<ShownList | undefined>(undefined)

/** Shares the list for as long as it is shown, and again when one of the inputs has changed. */
export function useSharedList(list: ShownList | undefined, inputs: readonly unknown[]): void {
  useLayoutEffect(() => {
    shownList.value = list
  }, [...inputs])
  useLayoutEffect(
    () => () => {
      shownList.value = undefined
    },
    [],
  )
}

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
