import { computed, signal } from '@preact/signals'
import { useLayoutEffect } from 'preact/hooks'

type Ids = readonly string[]

/** The assignments that a view shows, by the positions of its parts, such as the columns of a board. */
const parts = signal<ReadonlyMap<number, Ids>>(new Map())

/** The ids in the order of the view behind the panel. An assignment in two groups is included once. */
export const shownIds = computed((): Ids => {
  const inOrder = [...parts.value].sort(([a], [b]) => a - b)
  return [...new Set(inOrder.flatMap(([, ids]) => ids))]
})

/** Shares the order of rows for as long as they are shown. */
export function useShownRows(rows: readonly { readonly id: string }[], position = 0): void {
  useLayoutEffect(() => {
    const ids = rows.map(({ id }) => id)
    parts.value = new Map(parts.peek()).set(position, ids)
    return () => {
      parts.value = new Map([...parts.peek()].filter(([, part]) => part !== ids))
    }
  }, [rows, position])
}
