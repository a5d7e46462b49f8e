import { signal } from '@preact/signals'
import { useLayoutEffect } from 'preact/hooks'

interface ShownList {
  readonly countText: string
  /** Saves it as a file, as it is shown. */
  save(): void
}

/** The list that the screen shows, for the bar above it and for commands of the shell. */
export const shownList = signal<ShownList | undefined>(undefined)

/** Shares a list for as long as it is shown. */
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
