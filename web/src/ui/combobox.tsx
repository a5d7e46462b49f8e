import type { ComponentChildren, TargetedKeyboardEvent } from 'preact'
import { useEffect, useId, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { sentenceOf } from '../api/problems.ts'
import { t } from '../texts/text.ts'
import { placeBelow } from './place.ts'

export interface Option {
  readonly id: string
  readonly name: string
  /** Distinguishes it from others with the same name. */
  readonly note?: string
  /** Shown before the name, such as an avatar. */
  readonly mark?: ComponentChildren
}

export interface ComboboxProps {
  readonly id?: string
  /** The accessible name, where there is no visible label. */
  readonly label?: string
  /** The chosen value as text. */
  readonly valueText: string
  readonly placeholder?: string
  /** Takes the focus and opens the list when it is set, for a field that the user has just asked for. */
  readonly opensImmediately?: boolean
  /** The message when there are no results. */
  readonly emptyMessage?: string
  /** Attributes of the surrounding form field. */
  readonly attributes?: Readonly<Record<string, string>>
  find(text: string, signal: AbortSignal): Promise<readonly Option[]>
  onChoose(option: Option): void
}

/** A text field with suggestions below it: arrows move, Enter chooses, Escape restores the value. */
export function Combobox(props: ComboboxProps) {
  const { id, label, valueText, placeholder, emptyMessage, attributes, opensImmediately, find, onChoose } =
    props
  const input = useRef<HTMLInputElement>(null)
  const listId = useId()
  const state = useComboboxState(find, onChoose)
  useEffect(() => {
    if (!opensImmediately) return
    input.current?.focus()
    state.open()
  }, [opensImmediately])
  const { text, options, active, isOpen } = state
  return (
    <div class="combobox">
      <input
        ref={input}
        {...attributes}
        {...(id === undefined ? { 'aria-label': label } : { id })}
        class="input"
        type="text"
        role="combobox"
        aria-expanded={isOpen}
        aria-controls={listId}
        aria-autocomplete="list"
        aria-activedescendant={isOpen && options[active] ? `${listId}-${active}` : undefined}
        autocomplete="off"
        dir="auto"
        placeholder={placeholder}
        value={text ?? valueText}
        onFocus={(event) => event.currentTarget.select()}
        onClick={state.open}
        onInput={(event) => state.type(event.currentTarget.value)}
        onKeyDown={state.onKeyDown}
        onBlur={(event) => closeLater(event.currentTarget, state.close)}
      />
      <Suggestions
        id={listId}
        input={input}
        label={label ?? t('Suggestions')}
        emptyMessage={emptyMessage ?? t('Nothing found.')}
        state={state}
      />
    </div>
  )
}

const clickMilliseconds = 200

/**
 * Closes what belongs to a field that has lost the focus, but only after the click that took it, which would
 * otherwise reach what was covered, or miss what has moved.
 */
export const closeLater = (field: HTMLElement | null, close: () => void) =>
  setTimeout(() => document.activeElement === field || close(), clickMilliseconds)

type ComboboxState = ReturnType<typeof useComboboxState>

function useComboboxState(find: ComboboxProps['find'], onChoose: ComboboxProps['onChoose']) {
  const [text, setText] = useState<string | undefined>(undefined)
  const [chosenActive, setActive] = useState(0)
  const { options, problem, isUpToDate } = useSuggestions(text, find)
  const active = within(chosenActive, options)
  /** True if Enter was pressed before the search had finished. */
  const [isEnterPending, setEnterPending] = useState(false)
  const isOpen = text !== undefined
  const setInput = (next: string | undefined) => {
    setText(next)
    setActive(0)
    setEnterPending(false)
  }
  // Keeps text that the user has already typed.
  const open = () => setText((typed) => typed ?? '')
  const close = () => setInput(undefined)
  const choose = (option: Option | undefined) => {
    if (option === undefined) return
    onChoose(option)
    close()
  }
  const whenOpen: Readonly<Record<string, () => void>> = {
    ArrowDown: () => setActive(Math.min(active + 1, options.length - 1)),
    ArrowUp: () => setActive(Math.max(active - 1, 0)),
    Enter: () => (isUpToDate ? choose(options[active]) : setEnterPending(true)),
    Escape: close,
  }
  useEffect(() => {
    if (isEnterPending && isUpToDate) choose(options[active])
  }, [isEnterPending, isUpToDate])
  const whenClosed: Readonly<Record<string, () => void>> = { ArrowDown: open }
  const onKeyDown = (event: KeyboardEvent) => {
    const run = (isOpen ? whenOpen : whenClosed)[event.key]
    if (run === undefined) return
    event.preventDefault()
    event.stopPropagation()
    run()
  }
  return { text, options, problem, active, isOpen, open, type: setInput, close, choose, setActive, onKeyDown }
}

interface SuggestionsProps {
  readonly id: string
  readonly label: string
  readonly emptyMessage?: string
  readonly input: { readonly current: HTMLElement | null }
  readonly state: Pick<ComboboxState, 'options' | 'active' | 'isOpen' | 'setActive'> & {
    readonly problem?: string | undefined
    choose(option: Option): void
  }
}

/**
 * A popover, so that no dialog clips it. The focus and the keys stay in the text field, as the ARIA pattern
 * requires.
 */
export function Suggestions({ id, label, emptyMessage, input, state }: SuggestionsProps) {
  const { options, problem, active, isOpen, choose, setActive } = state
  const list = useRef<HTMLDivElement>(null)
  useLayoutEffect(() => {
    if (isOpen) {
      if (!list.current?.matches(':popover-open')) list.current?.showPopover()
      if (list.current && input.current) placeBelow(list.current, input.current, { matchesWidth: true })
    } else if (list.current?.matches(':popover-open')) list.current.hidePopover()
  }, [isOpen, options])
  useActiveInView(id, active)
  return (
    <div
      ref={list}
      class="combobox-list"
      id={id}
      role="listbox"
      aria-label={label}
      tabIndex={-1}
      popover="manual"
    >
      {options.map((option, index) => (
        // biome-ignore lint/a11y/useKeyWithClickEvents: the text field takes the keys
        <div
          key={option.id}
          id={`${id}-${index}`}
          role="option"
          tabIndex={-1}
          aria-selected={index === active}
          class="combobox-option"
          onMouseMove={() => setActive(index)}
          onMouseDown={(event) => event.preventDefault()}
          onClick={() => choose(option)}
        >
          {option.mark}
          <span dir="auto">{option.name}</span>
          {option.note && <span class="quiet-text">{option.note}</span>}
        </div>
      ))}
      {isOpen && options.length === 0 && (
        <div class="combobox-note" role="option" aria-selected={false} aria-disabled tabIndex={-1}>
          {problem ?? emptyMessage}
        </div>
      )}
    </div>
  )
}

/** A list may have become shorter since the pointer or a key made an option active: Enter must choose one that is there. */
const within = (active: number, options: readonly unknown[]): number =>
  Math.max(0, Math.min(active, options.length - 1))

/** Scrolls the active option of a list into view. Options have the id of the list and their position. */
export function useActiveInView(listId: string, active: number): void {
  useEffect(
    () => document.getElementById(`${listId}-${active}`)?.scrollIntoView({ block: 'nearest' }),
    [active],
  )
}

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

/** Without a pause in typing, no request is sent. */
const typingMilliseconds = 150

interface SearchResult<One> {
  readonly text?: string
  readonly options: readonly One[]
  readonly problem?: string
}

/** Returns the options that `find` finds for the text. Undefined means that there is nothing to search for. */
export function useSuggestions<One extends Option>(
  text: string | undefined,
  find: (text: string, signal: AbortSignal) => Promise<readonly One[]>,
) {
  const [result, setResult] = useState<SearchResult<One>>({ options: [] })
  const latestFind = useRef(find)
  latestFind.current = find
  useEffect(() => {
    if (text === undefined) return
    const controller = new AbortController()
    const search = () =>
      latestFind.current(text, controller.signal).then(
        (options) => controller.signal.aborted || setResult({ text, options }),
        (error: Error) =>
          controller.signal.aborted || setResult({ text, options: [], problem: sentenceOf(error) }),
      )
    const timer = setTimeout(search, text === '' ? 0 : typingMilliseconds)
    return () => {
      clearTimeout(timer)
      controller.abort()
    }
  }, [text])
  return { ...result, isUpToDate: result.text === text }
}

/** The state of a text field with a list of options that is always open: arrows move, Enter chooses. */
export function useOptionSearch<One extends Option>(
  find: (text: string, signal: AbortSignal) => Promise<readonly One[]>,
  onChoose: (option: One) => void,
) {
  const [text, setText] = useState('')
  const [chosenActive, setActive] = useState(0)
  /** True if Enter was pressed before the search had finished. */
  const [isEnterPending, setEnterPending] = useState(false)
  const { options: items, problem, isUpToDate } = useSuggestions(text, find)
  const active = within(chosenActive, items)
  const choose = () => {
    const item = items[active]
    if (item) onChoose(item)
  }
  useEffect(() => {
    if (isEnterPending && isUpToDate) choose()
  }, [isEnterPending, isUpToDate])
  const actions: Readonly<Record<string, (field: HTMLInputElement) => void>> = {
    ArrowDown: () => setActive(items.length === 0 ? 0 : (active + 1) % items.length),
    ArrowUp: () => setActive(items.length === 0 ? 0 : (active - 1 + items.length) % items.length),
    // The state may be older than the last key.
    Enter: ({ value }) => (isUpToDate && value === text ? choose() : setEnterPending(true)),
  }
  return {
    text,
    items,
    active,
    problem,
    isUpToDate,
    setActive,
    type(next: string) {
      setText(next)
      setActive(0)
      setEnterPending(false)
    },
    onKeyDown(event: TargetedKeyboardEvent<HTMLInputElement>) {
      const action = actions[event.key]
      if (action === undefined) return
      event.preventDefault()
      action(event.currentTarget)
    },
  }
}

/** Compares without accents, so that Portuguese can be typed without them. */
const plain = (text: string): string => text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase()

/** Returns whether a name has every word of a text. */
export const matchesWords = (name: string, text: string): boolean =>
  plain(text)
    .split(/\s+/)
    .every((word) => plain(name).includes(word))

/** Sorts what matches best first: names that begin with the text, then those in which a word does. Others keep their order. */
export function sortByMatch<Named extends { readonly name: string }>(
  found: readonly Named[],
  text: string,
): readonly Named[] {
  const wanted = plain(text.trim())
  const rankOf = ({ name }: Named) => {
    const at = ` ${plain(name)}`.indexOf(` ${wanted}`)
    if (at >= 0) return Math.min(at, 1)
    return plain(name).includes(wanted) ? 2 : 3
  }
  return found.toSorted((a, b) => rankOf(a) - rankOf(b))
}

/** Returns whether the name begins with the text, disregarding case and accents. */
export const beginsWith = (name: string, text: string): boolean => plain(name).startsWith(plain(text))
