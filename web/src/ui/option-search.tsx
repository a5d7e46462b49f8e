import type { ComponentChildren, TargetedKeyboardEvent } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { foldText } from '../texts/text.ts'
import { activeIn, type Option, useSuggestions } from './combobox.tsx'

interface OptionLineProps {
  readonly id: string
  readonly isActive: boolean
  /** For lists in which several options can be chosen. */
  readonly isChosen?: boolean | undefined
  readonly children: ComponentChildren
  onPoint(): void
  onChoose(): void
}

/** An option of a list that is always open. The text field above it keeps the focus and takes the keys. */
export const OptionLine = ({ id, isActive, isChosen, children, onPoint, onChoose }: OptionLineProps) => (
  // biome-ignore lint/a11y/useKeyWithClickEvents: the text field takes the keys
  <div
    id={id}
    role="option"
    tabIndex={-1}
    aria-selected={isActive}
    aria-checked={isChosen}
    class="combobox-option"
    onMouseMove={onPoint}
    onMouseDown={(event) => event.preventDefault()}
    onClick={onChoose}
  >
    {children}
  </div>
)

type EnterKey = 'Enter' | 'Ctrl+Enter'

interface OptionSource<Item> {
  find(text: string, signal: AbortSignal): Promise<readonly Item[]>
  /** Returns items to show until `find` has finished, if any. */
  findAtOnce?(text: string): readonly Item[] | undefined
}

/** Returns the options for a text. Those that are shown stay where they are when others arrive. */
function useOptionsInPlace<Item extends Option>(
  text: string,
  find: OptionSource<Item>['find'],
  findAtOnce: OptionSource<Item>['findAtOnce'],
) {
  const { options, problem, isUpToDate } = useSuggestions(text, find)
  const shown = useRef<{ readonly text: string; readonly items: readonly Item[] }>(undefined)
  const found = isUpToDate ? options : findAtOnce?.(text)
  if (found === undefined || (found.length === 0 && !isUpToDate))
    return { items: options, problem, isUpToDate }
  const items = keepPlaces(shown.current?.text === text ? shown.current.items : [], found)
  shown.current = { text, items }
  return { items, problem, isUpToDate: true }
}

/** Returns the found options, beginning with those that are shown, in their order. */
function keepPlaces<Item extends Option>(shown: readonly Item[], found: readonly Item[]): readonly Item[] {
  const foundById = new Map(found.map((item) => [item.id, item]))
  const shownIds = new Set(shown.map(({ id }) => id))
  return [
    ...shown.flatMap(({ id }) => foundById.get(id) ?? []),
    ...found.filter(({ id }) => !shownIds.has(id)),
  ]
}

/**
 * The state of a text field with a list of options that is always open: arrows move, Enter chooses. An option
 * that creates a record is chosen with Ctrl+Enter, or with Enter after an arrow has moved to it. Otherwise a
 * typing error would create something.
 */
export function useOptionSearch<Item extends Option>(
  { find, findAtOnce }: OptionSource<Item>,
  onChoose: (option: Item) => void,
) {
  const [text, setText] = useState('')
  const [requestedActive, setActive] = useState<number>()
  const [hasMoved, setMoved] = useState(false)
  /** Set if Enter was pressed before the search had finished. */
  const [pendingEnter, setPendingEnter] = useState<EnterKey>()
  const { items, problem, isUpToDate } = useOptionsInPlace(text, find, findAtOnce)
  const first = activeIn(items, requestedActive)
  const active = items[first]?.isCreation && !hasMoved ? -1 : first
  const choose = (key: EnterKey) => {
    const creation = key === 'Ctrl+Enter' ? items.find(({ isCreation }) => isCreation) : undefined
    const item = creation ?? items[active]
    if (item) onChoose(item)
  }
  useEffect(() => {
    if (pendingEnter && isUpToDate) choose(pendingEnter)
  }, [pendingEnter, isUpToDate])
  const moveTo = (index: number) => {
    setActive(items.length === 0 ? 0 : (index + items.length) % items.length)
    setMoved(true)
  }
  const actions: Readonly<Record<string, (event: TargetedKeyboardEvent<HTMLInputElement>) => void>> = {
    ArrowDown: () => moveTo(active + 1),
    ArrowUp: () => moveTo(Math.max(active, 0) - 1),
    Enter: ({ currentTarget, ctrlKey, metaKey }) => {
      const key = ctrlKey || metaKey ? 'Ctrl+Enter' : 'Enter'
      // The field may contain typed text that the state does not have yet.
      if (isUpToDate && currentTarget.value === text) choose(key)
      else setPendingEnter(key)
    },
  }
  return {
    text,
    items,
    active,
    problem,
    isUpToDate,
    /** The pointer may rest where an option appears, so it never activates one that creates a record. */
    setActive: (index: number) => items[index]?.isCreation || setActive(index),
    type(next: string) {
      setText(next)
      setActive(next ? 0 : undefined)
      setMoved(false)
      setPendingEnter(undefined)
    },
    onKeyDown(event: TargetedKeyboardEvent<HTMLInputElement>) {
      const action = actions[event.key]
      if (action === undefined) return
      event.preventDefault()
      action(event)
    },
  }
}

/** Returns whether a name contains every word of a text. */
export const matchesWords = (name: string, text: string): boolean =>
  foldText(text)
    .split(/\s+/)
    .every((word) => foldText(name).includes(word))
