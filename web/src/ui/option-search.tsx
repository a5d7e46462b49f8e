import type { ComponentChildren, TargetedFocusEvent } from 'preact'
import { useEffect, useId, useLayoutEffect, useRef, useState } from 'preact/hooks'
import type { ControlAttributes } from '../forms/field.tsx'
import { foldText, t, tn } from '../texts/text.ts'
import { activeIn, type Option, useActiveInView, useSuggestions } from './combobox.tsx'
import { MonthGrid } from './day-input.tsx'
import { Icon } from './icon.tsx'
import { type ElementRef, layerOf, SheetTitle } from './menu.tsx'
import { isTouched, phone, placeBelow, useMedia } from './viewport.ts'

interface OptionLineProps {
  readonly id: string
  readonly isActive: boolean
  /** For lists in which several options can be chosen. */
  readonly isChosen?: boolean | undefined
  readonly startsSection?: boolean | undefined
  readonly children: ComponentChildren
  onPoint(): void
  onChoose(): void
}

/** An option of a list that is always open. The text field above it keeps the focus and takes the keys. */
export const OptionLine = ({
  id,
  isActive,
  isChosen,
  startsSection,
  children,
  onPoint,
  onChoose,
}: OptionLineProps) => (
  // biome-ignore lint/a11y/useKeyWithClickEvents: the text field takes the keys
  <div
    id={id}
    role="option"
    tabIndex={-1}
    aria-selected={isActive}
    aria-checked={isChosen}
    class={`combobox-option ${startsSection ? 'section-start' : ''}`}
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
 * The state of a text field with a list of options that is always open. Arrow keys move, and Enter chooses.
 * An option that creates a record needs Ctrl+Enter, or an arrow key before Enter, because a typing error
 * could create a record. In a form, Ctrl+Enter submits it, with the active option only if the user has typed or moved.
 */
export function useOptionSearch<Item extends Option>(
  { find, findAtOnce }: OptionSource<Item>,
  onChoose: (option: Item) => void,
  submit?: () => void,
) {
  const [text, setText] = useState('')
  const [requestedActive, setActive] = useState<number>()
  const [hasMoved, setMoved] = useState(false)
  /** Set if Enter was pressed before the search had finished. */
  const [pendingEnter, setPendingEnter] = useState<EnterKey>()
  const { items, problem, isUpToDate } = useOptionsInPlace(text, find, findAtOnce)
  const first = activeIn(items, requestedActive)
  const isIdle = text === '' && isTouched()
  const active = (isIdle || items[first]?.isCreation) && !hasMoved ? -1 : first
  const typed = useRef(text)
  const choose = (key: EnterKey) => {
    const creation = key === 'Ctrl+Enter' ? items.find(({ isCreation }) => isCreation) : undefined
    const item = creation ?? items[active]
    if (item === undefined) return
    onChoose(item)
    if (key === 'Ctrl+Enter' && !item.isCreation) submit?.()
  }
  useEffect(() => {
    if (pendingEnter && isUpToDate) choose(pendingEnter)
  }, [pendingEnter, isUpToDate])
  const moveTo = (index: number) => {
    setActive(items.length === 0 ? 0 : (index + items.length) % items.length)
    setMoved(true)
  }
  const actions: Readonly<Record<string, (event: KeyboardEvent) => void>> = {
    ArrowDown: () => moveTo(active === -1 ? first : active + 1),
    ArrowUp: () => moveTo(Math.max(active, 0) - 1),
    Enter: (event) => {
      const key = isCtrlEnter(event) ? 'Ctrl+Enter' : 'Enter'
      // The field may contain typed text that the state does not have yet.
      if (isUpToDate && typed.current === text) choose(key)
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
      typed.current = next
      setText(next)
      setActive(next ? 0 : undefined)
      setMoved(false)
      setPendingEnter(undefined)
    },
    onKeyDown(event: KeyboardEvent) {
      const action = actions[event.key]
      const isIdleSubmit = submit && isCtrlEnter(event) && typed.current === '' && !hasMoved
      if (action === undefined || isIdleSubmit) return
      event.preventDefault()
      action(event)
    },
  }
}

const isCtrlEnter = ({ key, ctrlKey, metaKey }: KeyboardEvent): boolean =>
  key === 'Enter' && (ctrlKey || metaKey)

interface EmptyNoteProps {
  readonly isUpToDate: boolean
  /** Says why there are no options. */
  readonly text: string
}

/** Stands in a list without options, also while they are loading. */
export const EmptyNote = ({ isUpToDate, text }: EmptyNoteProps) => (
  <div
    class={`combobox-note ${isUpToDate ? '' : 'loading'}`}
    role="option"
    aria-selected={false}
    aria-disabled
    tabIndex={-1}
  >
    {isUpToDate ? text : t('Loading…')}
  </div>
)

/** Typing that pauses for this long has ended. A number for each letter would be read aloud over the next one. */
const pauseMilliseconds = 600

interface FoundStatusProps {
  readonly search: string
  /** Says how much was found. Empty until that is known. */
  readonly text: string
}

/** Announces what a search has found, once the typing pauses. */
export function FoundStatus({ search, text }: FoundStatusProps) {
  const [announced, setAnnounced] = useState('')
  useEffect(() => {
    setAnnounced('')
    const timer = setTimeout(() => setAnnounced(search && text), pauseMilliseconds)
    return () => clearTimeout(timer)
  }, [search, text])
  return (
    <p class="visually-hidden" role="status">
      {announced}
    </p>
  )
}

export interface FoundAssignmentsProps {
  readonly search: string
  /** True while the number belongs to an earlier search. */
  readonly isStale: boolean
  readonly count: number
}

/** Announces how many assignments a search has found. */
export function FoundAssignments({ search, isStale, count }: FoundAssignmentsProps) {
  const text = count === 0 ? t('No assignments') : tn(count, '1 assignment', '{count} assignments')
  return <FoundStatus search={search} text={isStale ? '' : text} />
}

/** Returns whether a name contains every word of a text. */
export const matchesWords = (name: string, text: string): boolean =>
  foldText(text)
    .split(/\s+/)
    .every((word) => foldText(name).includes(word))

export interface ChoiceChipProps {
  readonly attributes: ControlAttributes
  readonly label: string
  /** The chosen value, or the label if there is none. */
  readonly text: ComponentChildren
  readonly mark: ComponentChildren
  readonly isEmpty: boolean
  readonly chosenIds: readonly string[]
  /** The list stays open for further choices. */
  readonly isMultiple?: boolean
  readonly emptyMessage?: string
  /** Shows a month below the list, with this day chosen, if any. The ids of the options are then days. */
  readonly monthOf?: string
  find(text: string, signal: AbortSignal): Promise<readonly Option[]>
  onChoose(option: Option): void
}

/** Shows a value as a small button, which opens a list that is searched by typing. */
export function ChoiceChip(props: ChoiceChipProps) {
  const { attributes, label, text, mark, isEmpty, isMultiple = false, onChoose } = props
  const layerId = useId()
  const button = useRef<HTMLButtonElement>(null)
  const [isOpen, setOpen] = useState(false)
  const close = () => {
    setOpen(false)
    button.current?.focus()
  }
  const choose = (option: Option) => {
    if (!isMultiple) close()
    onChoose(option)
  }
  return (
    <>
      <button
        ref={button}
        {...attributes}
        type="button"
        role="combobox"
        class={`button choice-chip ${isEmpty ? 'unset' : ''}`}
        aria-label={label}
        aria-haspopup="dialog"
        aria-expanded={isOpen}
        aria-controls={layerId}
        onClick={() => (isOpen ? close() : setOpen(true))}
      >
        {mark}
        <span class="choice-chip-text" dir="auto">
          {text}
        </span>
      </button>
      {isOpen && (
        <ChoiceLayer
          {...props}
          id={layerId}
          button={button}
          onChoose={choose}
          onClosed={() => setOpen(false)}
        />
      )}
    </>
  )
}

interface ChoiceListProps
  extends Pick<
    ChoiceChipProps,
    'label' | 'chosenIds' | 'isMultiple' | 'emptyMessage' | 'monthOf' | 'find' | 'onChoose'
  > {
  /** The button that opens the layer. */
  readonly button: ElementRef
  onClosed(): void
}

/** The list of a button, above the page. Escape closes it and returns the focus to the button. */
export function ChoiceLayer({ id, ...props }: ChoiceListProps & { readonly id: string }) {
  const { label, button, monthOf, onChoose, onClosed } = props
  const layer = useRef<HTMLDivElement>(null)
  const attributes = layerOf(button, onClosed)
  const close = () => {
    onClosed()
    button.current?.focus()
  }
  // A layout effect, because the next key press is already meant for the field.
  useLayoutEffect(() => {
    if (layer.current === null || button.current === null) return
    layer.current.showPopover()
    placeBelow(layer.current, button.current, { matchesWidth: true })
    focusField(layer.current)
  }, [])
  return (
    <div
      ref={layer}
      id={id}
      class="filter-menu"
      role="dialog"
      aria-label={label}
      {...attributes}
      onFocusOut={whenLeft(onClosed)}
      onKeyDown={(event) => {
        attributes.onKeyDown(event)
        // The form around it takes Ctrl+Enter, unless an option is chosen.
        if (isCtrlEnter(event) && !event.defaultPrevented) close()
      }}
    >
      <SheetTitle title={label} onClose={close} />
      <OptionSearch {...props} layer={layer} />
      {monthOf !== undefined && (
        <MonthGrid day={monthOf} takesFocus={false} onChoose={(day) => onChoose({ id: day, name: day })} />
      )}
    </div>
  )
}

/** Closes a layer when the focus leaves it. A pressed button takes the focus, too, and may close its layer itself. */
export const whenLeft =
  (onClosed: () => void) =>
  ({ currentTarget, relatedTarget }: TargetedFocusEvent<HTMLElement>): void => {
    if (!(relatedTarget instanceof Element) || currentTarget.contains(relatedTarget)) return
    if (relatedTarget.matches(':active')) return
    onClosed()
  }

/** The text field and the options that match it. */
function OptionSearch(props: ChoiceListProps & Pick<OptionsProps, 'layer'>) {
  const { label, layer, button, chosenIds, isMultiple, onChoose, onClosed } = props
  /** Marks the chosen option, so that the list begins at it. */
  const find = async (text: string, signal: AbortSignal) =>
    (await props.find(text, signal)).map((option) => ({
      isCurrent: !isMultiple && chosenIds.includes(option.id),
      ...option,
    }))
  const listId = useId()
  const choose = (option: Option) => {
    onChoose(option)
    // The field is empty for the next search.
    if (state.text !== '') state.type('')
  }
  const submit = () => {
    onClosed()
    button.current?.closest('form')?.requestSubmit()
  }
  const state = useOptionSearch({ find }, choose, submit)
  const { text, items, active } = state
  useActiveInView(listId, active)
  useLayoutEffect(() => {
    if (layer.current && button.current) placeBelow(layer.current, button.current, { matchesWidth: true })
  }, [items])
  return (
    <>
      <div class="filter-menu-field">
        <Icon name="search" />
        <input
          type="text"
          role="combobox"
          aria-label={label}
          aria-expanded="true"
          aria-controls={listId}
          aria-autocomplete="list"
          aria-activedescendant={items[active] ? `${listId}-${active}` : undefined}
          autocomplete="off"
          dir="auto"
          placeholder={useMedia(phone) ? t('Search') : label}
          value={text}
          onInput={(event) => state.type(event.currentTarget.value)}
          onKeyDown={state.onKeyDown}
        />
      </div>
      <Options {...props} id={listId} state={state} onChoose={choose} />
    </>
  )
}

interface OptionsProps extends Omit<ChoiceListProps, 'button' | 'find' | 'onClosed'> {
  readonly id: string
  readonly layer: ElementRef
  readonly state: ReturnType<typeof useOptionSearch<Option>>
}

function Options({ id, state, layer, label, chosenIds, isMultiple, emptyMessage, onChoose }: OptionsProps) {
  const { items, active, problem } = state
  return (
    <div
      class="filter-menu-list"
      id={id}
      role="listbox"
      aria-label={label}
      aria-multiselectable={isMultiple}
      tabIndex={-1}
      onKeyDown={(event) => {
        layer.current?.querySelector('input')?.focus()
        state.onKeyDown(event)
      }}
    >
      {items.map((option, index) => (
        <OptionLine
          key={option.id}
          id={`${id}-${index}`}
          isActive={index === active}
          isChosen={chosenIds.includes(option.id)}
          startsSection={option.startsSection && index > 0}
          onPoint={() => state.setActive(index)}
          onChoose={() => onChoose(option)}
        >
          <OptionContent option={option} />
          {chosenIds.includes(option.id) && <Icon name="check" />}
        </OptionLine>
      ))}
      {items.length === 0 && (
        <EmptyNote isUpToDate={state.isUpToDate} text={problem ?? emptyMessage ?? t('Nothing found.')} />
      )}
    </div>
  )
}

export const OptionContent = ({ option: { mark, name, note } }: { readonly option: Option }) => (
  <>
    <span class="filter-menu-mark">{mark}</span>
    <span class="filter-menu-name" dir="auto">
      {name}
    </span>
    {note && (
      <span class="quiet-text" dir="auto">
        {note}
      </span>
    )}
  </>
)

/**
 * Focuses the text field of a layer, so that the user can type at once. On a phone, focuses its list, because
 * the keyboard of the screen would cover half of the layer.
 */
export function focusField(layer: HTMLElement | null): void {
  const isPhone = matchMedia(`${phone} and (pointer: coarse)`).matches
  layer
    ?.querySelector<HTMLElement>(isPhone ? '[role="listbox"], .filter-menu-field > .button' : 'input')
    ?.focus()
}
