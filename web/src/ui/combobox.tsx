import type { ComponentChildren } from 'preact'
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
  readonly chosen: string
  readonly placeholder?: string
  /** It opens at once, for a field that exists for a single choice. */
  readonly opensAtOnce?: boolean
  /** The message when there are no results. */
  readonly emptyMessage?: string
  /** Attributes of the surrounding form field. */
  readonly attributes?: Readonly<Record<string, string>>
  find(text: string, signal: AbortSignal): Promise<readonly Option[]>
  onChoose(option: Option): void
}

/** A text field with suggestions below it: arrows move, Enter chooses, Escape restores the value. */
export function Combobox(props: ComboboxProps) {
  const { id, label, chosen, placeholder, emptyMessage, attributes, opensAtOnce, find, onChoose } = props
  const input = useRef<HTMLInputElement>(null)
  const listId = useId()
  const choice = useChoice(find, onChoose)
  useEffect(() => {
    if (opensAtOnce) choice.open()
  }, [opensAtOnce])
  const { text, options, active, isOpen } = choice
  return (
    <div class="combobox">
      <input
        ref={input}
        data-autofocus={opensAtOnce ? '' : undefined}
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
        value={text ?? chosen}
        onFocus={(event) => event.currentTarget.select()}
        onClick={choice.open}
        onInput={(event) => choice.type(event.currentTarget.value)}
        onKeyDown={choice.onKeyDown}
        onBlur={(event) => leaveLater(event.currentTarget, choice.leave)}
      />
      <Suggestions
        id={listId}
        input={input}
        label={label ?? t('Suggestions')}
        emptyMessage={emptyMessage ?? t('Nothing found.')}
        choice={choice}
      />
    </div>
  )
}

/** The list closes late, because the content below moves up: the click that took the focus has to arrive first. */
const clickMilliseconds = 200

const leaveLater = (input: HTMLInputElement, leave: () => void) =>
  setTimeout(() => document.activeElement === input || leave(), clickMilliseconds)

type Choice = ReturnType<typeof useChoice>

function useChoice(find: ComboboxProps['find'], onChoose: ComboboxProps['onChoose']) {
  const [text, setText] = useState<string | undefined>(undefined)
  const [active, setActive] = useState(0)
  const { options, problem, isOfText } = useSuggestions(text, find)
  /** Set when Enter was pressed before the search had finished. */
  const [isHurried, setIsHurried] = useState(false)
  const isOpen = text !== undefined
  const change = (next: string | undefined) => {
    setText(next)
    setActive(0)
    setIsHurried(false)
  }
  // Keeps text that was already typed.
  const open = () => setText((typed) => typed ?? '')
  const leave = () => change(undefined)
  const choose = (option: Option | undefined) => {
    if (option === undefined) return
    onChoose(option)
    leave()
  }
  const whenOpen: Readonly<Record<string, () => void>> = {
    ArrowDown: () => setActive(Math.min(active + 1, options.length - 1)),
    ArrowUp: () => setActive(Math.max(active - 1, 0)),
    Enter: () => (isOfText ? choose(options[active]) : setIsHurried(true)),
    Escape: leave,
  }
  useEffect(() => {
    if (isHurried && isOfText) choose(options[active])
  }, [isHurried, isOfText])
  const whenClosed: Readonly<Record<string, () => void>> = { ArrowDown: open }
  const onKeyDown = (event: KeyboardEvent) => {
    const run = (isOpen ? whenOpen : whenClosed)[event.key]
    if (run === undefined) return
    event.preventDefault()
    event.stopPropagation()
    run()
  }
  return { text, options, problem, active, isOpen, open, type: change, leave, choose, setActive, onKeyDown }
}

interface SuggestionsProps {
  readonly id: string
  readonly label: string
  readonly emptyMessage: string
  readonly input: { readonly current: HTMLInputElement | null }
  readonly choice: Choice
}

/**
 * Above everything else, so that no dialog clips it. The focus and the keys stay in the text field, as the ARIA pattern requires.
 */
function Suggestions({ id, label, emptyMessage, input, choice }: SuggestionsProps) {
  const { options, problem, active, isOpen, choose, setActive } = choice
  const list = useRef<HTMLDivElement>(null)
  useLayoutEffect(() => {
    if (isOpen) {
      if (!list.current?.matches(':popover-open')) list.current?.showPopover()
      if (list.current && input.current) placeBelow(list.current, input.current, { isAsWide: true })
    } else if (list.current?.matches(':popover-open')) list.current.hidePopover()
  }, [isOpen, options])
  useEffect(() => document.getElementById(`${id}-${active}`)?.scrollIntoView({ block: 'nearest' }), [active])
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
          onMouseEnter={() => setActive(index)}
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

/** Fast typing sends one request instead of many. */
const typingMilliseconds = 150

interface Found {
  readonly text?: string
  readonly options: readonly Option[]
  readonly problem?: string
}

function useSuggestions(text: string | undefined, find: ComboboxProps['find']) {
  const [found, setFound] = useState<Found>({ options: [] })
  const latest = useRef(find)
  latest.current = find
  useEffect(() => {
    if (text === undefined) return
    const left = new AbortController()
    const ask = () =>
      latest.current(text, left.signal).then(
        (options) => left.signal.aborted || setFound({ text, options }),
        (error: Error) => left.signal.aborted || setFound({ text, options: [], problem: sentenceOf(error) }),
      )
    const timer = setTimeout(ask, text === '' ? 0 : typingMilliseconds)
    return () => {
      clearTimeout(timer)
      left.abort()
    }
  }, [text])
  return { ...found, isOfText: found.text === text }
}
