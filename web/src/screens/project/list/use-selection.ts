import { useMemo, useRef, useState } from 'preact/hooks'

export interface Selection {
  has(id: string): boolean
  /** With the Shift key everything from the last one on. */
  toggle(id: string, isRange: boolean): void
  /** All of them, or none where all are selected already. */
  toggleAll(ids: readonly string[]): void
  clear(): void
}

/** Which of the rows are selected; `order` is what the person sees. Its functions stay good for rows that are not drawn again. */
export function useSelection(order: readonly string[]): Selection {
  const [ids, setIds] = useState<ReadonlySet<string>>(new Set())
  const last = useRef<string>(undefined)
  const latest = useRef(order)
  latest.current = order
  const actions = useMemo(
    () => ({
      toggle(id: string, isRange: boolean) {
        const before = isRange ? (last.current ?? id) : id
        const range = rangeOf(latest.current, before, id)
        last.current = id
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

/** From one to the other, whichever comes first; the second alone where the first is gone. */
function rangeOf(order: readonly string[], one: string, other: string): readonly string[] {
  const [from = -1, to = -1] = [order.indexOf(one), order.indexOf(other)].sort((a, b) => a - b)
  return from === -1 ? [other] : order.slice(from, to + 1)
}
