import type { ComponentChildren } from 'preact'
import { useId, useLayoutEffect, useRef, useState } from 'preact/hooks'
import type { ControlAttributes } from '../forms/fields.tsx'
import { t } from '../texts/text.ts'
import { type Option, useActiveInView } from './combobox.tsx'
import { MonthGrid } from './day-input.tsx'
import { focusField } from './focus-field.ts'
import { Icon } from './icon.tsx'
import { OptionLine, useOptionSearch } from './option-search.tsx'
import { placeBelow } from './place.ts'

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
  const layer = useRef<HTMLDivElement>(null)
  const [isOpen, setOpen] = useState(false)
  const close = () => {
    layer.current?.hidePopover()
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
      <ChoiceLayer
        {...props}
        id={layerId}
        layer={layer}
        button={button}
        isOpen={isOpen}
        onChoose={choose}
        onClosed={() => setOpen(false)}
      />
    </>
  )
}

type ElementRef<Kind extends HTMLElement = HTMLElement> = { readonly current: Kind | null }

interface ChoiceListProps
  extends Pick<
    ChoiceChipProps,
    'label' | 'chosenIds' | 'isMultiple' | 'emptyMessage' | 'monthOf' | 'find' | 'onChoose'
  > {
  readonly layer: ElementRef<HTMLDivElement>
  /** The button that opens the layer. */
  readonly button: ElementRef
}

interface ChoiceLayerProps extends ChoiceListProps {
  readonly id: string
  readonly isOpen: boolean
  onClosed(): void
}

/** The list of a button, above the page. Escape closes it and returns the focus to the button. */
export function ChoiceLayer({ id, isOpen, onClosed, ...props }: ChoiceLayerProps) {
  const { label, layer, button, monthOf, onChoose } = props
  return (
    <div
      ref={layer}
      id={id}
      class="filter-menu"
      role="dialog"
      aria-label={label}
      popover="auto"
      onToggle={({ newState }) => newState === 'closed' && onClosed()}
      onFocusOut={({ currentTarget, relatedTarget }) => {
        if (relatedTarget instanceof Node && !currentTarget.contains(relatedTarget))
          currentTarget.hidePopover()
      }}
      onKeyDown={(event) => {
        if (event.key !== 'Escape') return
        event.preventDefault()
        event.stopPropagation()
        event.currentTarget.hidePopover()
        button.current?.focus()
      }}
    >
      {isOpen && <OptionSearch {...props} />}
      {isOpen && monthOf !== undefined && (
        <MonthGrid day={monthOf} takesFocus={false} onChoose={(day) => onChoose({ id: day, name: day })} />
      )}
    </div>
  )
}

/** The text field and the options that match it. */
function OptionSearch(props: ChoiceListProps) {
  const { label, layer, button, find, onChoose } = props
  const listId = useId()
  const choose = (option: Option) => {
    onChoose(option)
    // The field is empty for the next search.
    if (state.text !== '') state.type('')
  }
  const state = useOptionSearch({ find }, choose)
  const { text, items, active } = state
  useActiveInView(listId, active)
  // A layout effect, because the next key press is already meant for the field.
  useLayoutEffect(() => {
    layer.current?.showPopover()
    focusField(layer.current)
  }, [])
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
          placeholder={label}
          value={text}
          onInput={(event) => state.type(event.currentTarget.value)}
          onKeyDown={state.onKeyDown}
        />
      </div>
      <Options {...props} id={listId} state={state} onChoose={choose} />
    </>
  )
}

interface OptionsProps extends Omit<ChoiceListProps, 'layer' | 'button' | 'find'> {
  readonly id: string
  readonly state: ReturnType<typeof useOptionSearch<Option>>
}

function Options({ id, state, label, chosenIds, isMultiple, emptyMessage, onChoose }: OptionsProps) {
  const { items, active, problem } = state
  return (
    <div
      class="filter-menu-list"
      id={id}
      role="listbox"
      aria-label={label}
      aria-multiselectable={isMultiple}
      tabIndex={-1}
    >
      {items.map((option, index) => (
        <OptionLine
          key={option.id}
          id={`${id}-${index}`}
          isActive={index === active}
          isChosen={chosenIds.includes(option.id)}
          onPoint={() => state.setActive(index)}
          onChoose={() => onChoose(option)}
        >
          <span class="filter-menu-mark">{option.mark}</span>
          <span class="filter-menu-name" dir="auto">
            {option.name}
          </span>
          {option.note && (
            <span class="quiet-text" dir="auto">
              {option.note}
            </span>
          )}
          {chosenIds.includes(option.id) && <Icon name="check" />}
        </OptionLine>
      ))}
      {items.length === 0 && state.isUpToDate && (
        <div class="combobox-note" role="option" aria-selected={false} aria-disabled tabIndex={-1}>
          {problem ?? emptyMessage ?? t('Nothing found.')}
        </div>
      )}
    </div>
  )
}
