import { useMemo, useRef, useState } from 'preact/hooks'

export interface Selection {
  has(id: string): boolean
  /** A range reaches from the row that was toggled last to this one. */
  toggle(id: string, isRange: boolean): void
  /** Selects all of them, or none if all are selected. */
  toggleAll(ids: readonly string[]): void
  clear(): void
}

/**
 * Tracks the selected rows; `order` has the ids in the order of the screen. The functions never change, so
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
      toggleAll: (some: readonly string[]) =>
        setIds((all) => (some.every((id) => all.has(id)) ? without(all, some) : new Set([...all, ...some]))),
      clear: () => setIds(new Set()),
    }),
    [],
  )
  return { has: (id) => ids.has(id), ...actions }
}

const without = (all: ReadonlySet<string>, some: readonly string[]): ReadonlySet<string> =>
  new Set([...all].filter((id) => !some.includes(id)))

/** Returns the ids between both, in either direction; only the second if the first no longer exists. */
function rangeOf(order: readonly string[], one: string, other: string): readonly string[] {
  const [from = -1, to = -1] = [order.indexOf(one), order.indexOf(other)].sort((a, b) => a - b)
  return from === -1 ? [other] : order.slice(from, to + 1)
}
