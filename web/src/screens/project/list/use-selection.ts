import { useMemo, useRef, useState } from 'preact/hooks'

export interface Selection {
  has(id: string): boolean
  /** Toggles a row, or the range from the row that was toggled last to this one. */
  toggle(id: string, isRange: boolean): void
  /** Selects all of these rows, or clears them if all are selected. */
  toggleAll(ids: readonly string[]): void
  clear(): void
}

/**
 * Tracks the selected rows. `order` contains the ids in the order of the list. All functions except `has`
 * stay the same, so that memoized rows are not rendered again.
 */
export function useSelection(order: readonly string[]): Selection {
  const [ids, setIds] = useState<ReadonlySet<string>>(new Set())
  const anchor = useRef<string>(undefined)
  const latestOrder = useRef(order)
  latestOrder.current = order
  const actions = useMemo(
    () => ({
      toggle(id: string, isRange: boolean) {
        const anchorId = isRange ? (anchor.current ?? id) : id
        const range = rangeOf(latestOrder.current, anchorId, id)
        anchor.current = id
        setIds((selected) => (selected.has(id) ? without(selected, range) : new Set([...selected, ...range])))
      },
      toggleAll: (rowIds: readonly string[]) =>
        setIds((selected) =>
          rowIds.every((id) => selected.has(id))
            ? without(selected, rowIds)
            : new Set([...selected, ...rowIds]),
        ),
      clear: () => setIds(new Set()),
    }),
    [],
  )
  return { has: (id) => ids.has(id), ...actions }
}

const without = (ids: ReadonlySet<string>, excluded: readonly string[]): ReadonlySet<string> =>
  new Set([...ids].filter((id) => !excluded.includes(id)))

/** Returns the ids from the anchor to `id`, both included, or only `id` if the anchor is not in the list. */
function rangeOf(order: readonly string[], anchorId: string, id: string): readonly string[] {
  const [from = -1, to = -1] = [order.indexOf(anchorId), order.indexOf(id)].sort((a, b) => a - b)
  return from === -1 ? [id] : order.slice(from, to + 1)
}
