import type { ComponentChildren } from 'preact'
import { useEffect, useId, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { sentenceOf } from '../api/problems.ts'
import { foldText, t } from '../texts/text.ts'
import { Icon } from './icon.tsx'
import { placeBelow } from './viewport.ts'

export interface Option {
  readonly id: string
  readonly name: string
  /** Distinguishes it from others with the same name. */
  readonly note?: string
  /** Shown before the name, such as an avatar. */
  readonly mark?: ComponentChildren
  /** Marks the current value, which is active when the list opens. */
  readonly isCurrent?: boolean
  /** True if it creates a record, so that Enter chooses it only after an arrow has moved to it. */
  readonly isCreation?: boolean
  /** Draws a line above it. */
  readonly startsSection?: boolean
}

interface ComboboxProps {
  readonly id?: string
  /** The accessible name, where there is no visible label. */
  readonly label?: string
  readonly valueText: string
  readonly placeholder?: string
  /** Focuses the field and opens the list when it becomes true, for a field that appears on request. */
  readonly opensImmediately?: boolean
  /** The message when there are no results. */
  readonly emptyMessage?: string
  /** Attributes of the surrounding form field. */
  readonly attributes?: Readonly<Record<string, string>>
  find(text: string, signal: AbortSignal): Promise<readonly Option[]>
  onChoose(option: Option): void
  /** Called when the user leaves the field, with the search for the option that was typed in full. */
  onLeave?(search: Promise<void>): void
}

/**
 * A text field with suggestions below it: arrows move, Enter chooses, Escape restores the value. A value that
 * was typed in full is chosen when the user leaves the field.
 */
export function Combobox(props: ComboboxProps) {
  const {
    id,
    label,
    valueText,
    placeholder,
    emptyMessage,
    attributes,
    opensImmediately,
    find,
    onChoose,
    onLeave,
  } = props
  const input = useRef<HTMLInputElement>(null)
  const listId = useId()
  const state = useComboboxState(find, onChoose)
  useEffect(() => {
    if (!opensImmediately) return
    input.current?.focus()
    state.open()
  }, [opensImmediately])
  const { text, options, active, isOpen } = state
  // A value may arrive after the field has the focus. Typing must replace it, too.
  useLayoutEffect(() => {
    if (text === undefined && document.activeElement === input.current) input.current?.select()
  }, [valueText])
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
        onBlur={(event) => {
          // A field without a label of its own only adds something, which takes a choice.
          if (id !== undefined) onLeave?.(state.chooseNamed())
          closeLater(event.currentTarget, state.close)
        }}
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
 * Closes the list of a field that has lost the focus, after the click that took the focus. Otherwise the
 * click could hit an element that the list has covered.
 */
export const closeLater = (field: HTMLElement | null, close: () => void) =>
  setTimeout(() => document.activeElement === field || close(), clickMilliseconds)

type ComboboxState = ReturnType<typeof useComboboxState>

function useComboboxState(find: ComboboxProps['find'], onChoose: ComboboxProps['onChoose']) {
  const [text, setText] = useState<string | undefined>(undefined)
  const [requestedActive, setActive] = useState<number>()
  const { options, problem, isUpToDate } = useSuggestions(text, find)
  const active = activeIn(options, requestedActive)
  /** True if Enter was pressed before the search had finished. */
  const [isEnterPending, setEnterPending] = useState(false)
  const isOpen = text !== undefined
  const setInput = (next: string | undefined) => {
    setText(next)
    setActive(next ? 0 : undefined)
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
  const chooseNamed = async () => {
    const typed = text?.trim() ?? ''
    const name = foldText(typed)
    if (name === '') return
    const found = isUpToDate ? options : await find(typed, new AbortController().signal).catch(() => [])
    const [match, other] = found.filter((option) => foldText(option.name) === name)
    // If several have the same name, the user has to choose one.
    if (match && !other) onChoose(match)
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
  return {
    text,
    options,
    problem,
    isUpToDate,
    active,
    isOpen,
    open,
    type: setInput,
    close,
    choose,
    chooseNamed,
    setActive,
    onKeyDown,
  }
}

interface SuggestionsProps {
  readonly id: string
  readonly label: string
  readonly emptyMessage?: string
  readonly input: { readonly current: HTMLElement | null }
  readonly state: Pick<ComboboxState, 'options' | 'active' | 'isOpen'> & {
    readonly isUpToDate?: boolean
    setActive(index: number): void
    readonly problem?: string | undefined
    choose(option: Option): void
  }
}

/**
 * The list is a popover, so that no dialog clips it. The text field keeps the focus and handles the keys, as
 * the ARIA pattern requires.
 */
export function Suggestions({ id, label, emptyMessage, input, state }: SuggestionsProps) {
  const { options, problem, isUpToDate, active, isOpen, choose, setActive } = state
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
          {option.isCurrent && <Icon name="check" />}
        </div>
      ))}
      {isOpen && options.length === 0 && (
        <div class="combobox-note" role="option" aria-selected={false} aria-disabled tabIndex={-1}>
          {isUpToDate === false ? t('Loading…') : (problem ?? emptyMessage)}
        </div>
      )}
    </div>
  )
}

/**
 * Returns the index of the active option: the current value, until the pointer or a key makes another option
 * active. The list may have become shorter since then.
 */
export const activeIn = (
  options: readonly Option[],
  requested = options.findIndex((one) => one.isCurrent),
): number => Math.max(0, Math.min(requested, options.length - 1))

/**
 * Scrolls the active option of a list into view. The id of an option consists of the id of the list and
 * the index of the option.
 */
export function useActiveInView(listId: string, active: number): void {
  useEffect(
    () => document.getElementById(`${listId}-${active}`)?.scrollIntoView({ block: 'nearest' }),
    [active],
  )
}

/** A request is sent after a pause of this length in typing. */
const typingMilliseconds = 150

interface SearchResult<Item> {
  readonly text?: string
  readonly options: readonly Item[]
  readonly problem?: string
}

/**
 * Returns the options that `find` finds for the text. If the text is undefined, nothing is searched for.
 */
export function useSuggestions<Item extends Option>(
  text: string | undefined,
  find: (text: string, signal: AbortSignal) => Promise<readonly Item[]>,
) {
  const [result, setResult] = useState<SearchResult<Item>>({ options: [] })
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

/** Returns whether the name begins with the text, disregarding case and accents. */
export const beginsWith = (name: string, text: string): boolean => foldText(name).startsWith(foldText(text))
