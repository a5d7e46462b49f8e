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
 * Tracks the selected rows. `order` contains the ids in the order of the list. The functions never change, so
 * that memoized rows can keep them.
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
        setIds((all) => (all.has(id) ? without(all, range) : new Set([...all, ...range])))
      },
      toggleAll: (rowIds: readonly string[]) =>
        setIds((all) =>
          rowIds.every((id) => all.has(id)) ? without(all, rowIds) : new Set([...all, ...rowIds]),
        ),
      clear: () => setIds(new Set()),
    }),
    [],
  )
  return { has: (id) => ids.has(id), ...actions }
}

const without = (all: ReadonlySet<string>, excluded: readonly string[]): ReadonlySet<string> =>
  new Set([...all].filter((id) => !excluded.includes(id)))

/** Returns the ids between both, in either direction, or only `id` if the anchor no longer exists. */
function rangeOf(order: readonly string[], anchorId: string, id: string): readonly string[] {
  const [from = -1, to = -1] = [order.indexOf(anchorId), order.indexOf(id)].sort((a, b) => a - b)
  return from === -1 ? [id] : order.slice(from, to + 1)
}
