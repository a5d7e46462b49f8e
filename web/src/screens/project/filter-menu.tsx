import { useId, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { useServices } from '../../services/services.ts'
import { t } from '../../texts/text.ts'
import { beginsWith, type Option, useActiveInView, useSuggestions } from '../../ui/combobox.tsx'
import { DayInput } from '../../ui/day-input.tsx'
import { Icon, IconButton } from '../../ui/icon.tsx'
import { type ElementRef, layerOf, SheetTitle } from '../../ui/menu.tsx'
import {
  EmptyNote,
  focusField,
  matchesWords,
  OptionContent,
  OptionLine,
  whenLeft,
} from '../../ui/option-search.tsx'
import { PersonAvatar } from '../../ui/people.tsx'
import { isTouched, phone, placeBelow, useMedia } from '../../ui/viewport.ts'
import type { Criterion, CriterionName } from './filter-criteria.tsx'
import { type Filters, toggleValue } from './filters.ts'

interface FilterMenuProps {
  readonly criteria: readonly Criterion[]
  readonly filters: Filters
  /** The criterion whose values are shown first. If undefined, the criteria are shown. */
  readonly start?: CriterionName
  /** The element that opened the menu, which is placed below it. */
  readonly anchor: HTMLElement
  /** Takes the focus if the chip that opened the menu was removed in it. */
  readonly button: ElementRef
  onChange(changed: Partial<Filters>): void
  onClose(): void
}

/** A line of the menu. A criterion leads to its values, and a value is added or removed. */
interface Item extends Option {
  readonly key: string
  /** Undefined for a criterion. */
  readonly isChosen?: boolean
  run(): void
}

/** The menu keeps the same distance from the window's edges as the content of a page. */
const pagePixels = 24

/**
 * Lets the user find any value of any criterion by typing. Without a text, it shows the criteria. It stays
 * open, so that several values can be chosen.
 */
export function FilterMenu({ criteria, filters, start, onChange, onClose, ...props }: FilterMenuProps) {
  const button = {
    get current() {
      return props.anchor.isConnected ? props.anchor : props.button.current
    },
  }
  const layer = useRef<HTMLDivElement>(null)
  const [stepName, setStepName] = useState(start)
  const step = criteria.find(({ name }) => name === stepName)
  const isDays = step?.name === 'days'
  useLayoutEffect(() => {
    const element = layer.current
    if (element === null || button.current === null) return
    if (!element.matches(':popover-open')) element.showPopover()
    placeBelow(element, button.current, { matchesWidth: true, edgePixels: pagePixels })
    focusField(element)
  }, [stepName])
  const back = () => setStepName(undefined)
  return (
    <div
      ref={layer}
      class="filter-menu"
      role="dialog"
      aria-label={step?.label ?? t('Filter')}
      {...layerOf(button, onClose)}
      onFocusOut={whenLeft(onClose)}
    >
      <SheetTitle
        title={step?.label ?? t('Filter')}
        onClose={() => {
          onClose()
          button.current?.focus()
        }}
      />
      {isDays ? (
        <>
          <div class="filter-menu-field">
            <IconButton icon="left" label={t('Back')} run={back} />
            <strong>{step.label}</strong>
          </div>
          <DayFields filters={filters} onChange={onChange} />
        </>
      ) : (
        <Values
          key={stepName ?? ''}
          criteria={criteria}
          filters={filters}
          step={step}
          onStep={setStepName}
          onBack={back}
          onChange={onChange}
        />
      )}
    </div>
  )
}

interface ValuesProps extends Pick<FilterMenuProps, 'criteria' | 'filters' | 'onChange'> {
  readonly step: Criterion | undefined
  onStep(name: CriterionName): void
  onBack(): void
}

/**
 * Shows a text field and the lines that match its text. Arrows move, Enter chooses, and Backspace without a
 * text goes back to the criteria.
 */
function Values(props: ValuesProps) {
  const { step, onBack, onChange } = props
  const listId = useId()
  const [text, setText] = useState('')
  const input = useRef<HTMLInputElement>(null)
  const [active, setActive] = useState(firstActive)
  const items = useItems(props, text.trim())
  useActiveInView(listId, active)
  /** Runs the item, and clears the text for the next one. */
  const choose = (item: Item | undefined) => {
    if (item === undefined) return
    item.run()
    setText('')
    setActive(text === '' ? items.indexOf(item) : firstActive())
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const lines = linesOfKeys[event.key]
    if (lines !== undefined) setActive(Math.max(0, Math.min(items.length - 1, active + lines)))
    else if (event.key === 'Enter') choose(items[active])
    else if (event.key === 'Backspace' && text === '' && step) onBack()
    else return
    event.preventDefault()
  }
  const label = step?.label ?? t('Find a filter')
  return (
    <>
      <div class="filter-menu-field">
        {step ? <IconButton icon="left" label={t('Back')} run={onBack} /> : <Icon name="search" />}
        <input
          ref={input}
          type="text"
          role="combobox"
          aria-label={label}
          aria-expanded="true"
          aria-controls={listId}
          aria-autocomplete="list"
          aria-activedescendant={items[active] ? `${listId}-${active}` : undefined}
          autocomplete="off"
          dir="auto"
          placeholder={useMedia(phone) ? t('Search') : (step?.label ?? t('Filter by…'))}
          value={text}
          onInput={(event) => {
            setText(event.currentTarget.value)
            setActive(0)
          }}
          onKeyDown={onKeyDown}
        />
        {step && <NegationButton criterion={step} onChange={onChange} />}
      </div>
      <div
        class="filter-menu-list"
        id={listId}
        role="listbox"
        aria-label={label}
        tabIndex={-1}
        onKeyDown={(event) => {
          input.current?.focus()
          onKeyDown(event)
        }}
      >
        {items.map((item, index) => (
          <OptionLine
            key={item.key}
            id={`${listId}-${index}`}
            isActive={index === active}
            isChosen={item.isChosen}
            startsSection={item.startsSection && index > 0}
            onPoint={() => setActive(index)}
            onChoose={() => choose(item)}
          >
            <OptionContent option={item} />
            {item.isChosen === undefined ? <Icon name="right" /> : item.isChosen && <Icon name="check" />}
          </OptionLine>
        ))}
        {items.length === 0 && <EmptyNote isUpToDate text={t('Nothing found.')} />}
      </div>
    </>
  )
}

interface NegationButtonProps {
  readonly criterion: Criterion
  onChange(changed: Partial<Filters>): void
}

/** Converts between "is" and "is not". */
const NegationButton = ({ criterion: { inverted, isNegated }, onChange }: NegationButtonProps) =>
  inverted ? (
    <button type="button" class="button quiet" aria-pressed={isNegated} onClick={() => onChange(inverted)}>
      {t('Is not')}
    </button>
  ) : null

const pageLines = 8
const linesOfKeys: Readonly<Record<string, number>> = {
  ArrowDown: 1,
  ArrowUp: -1,
  PageDown: pageLines,
  PageUp: -pageLines,
}

/** A finger needs no highlight. */
const firstActive = (): number => (isTouched() ? -1 : 0)

/** Returns all criteria if nothing is typed and no criterion is open, otherwise what matches the text. */
function useItems({ criteria, filters, step, onStep, onChange }: ValuesProps, text: string): readonly Item[] {
  const nonMembers = useNonMembers(criteria, step, text)
  const toStep = ({ name, label, icon, chosen }: Criterion): Item => ({
    id: name,
    key: name,
    name: label,
    note: chosen.join(', '),
    mark: <Icon name={icon} />,
    run: () => onStep(name),
  })
  const toValues = ({ name, label, isSwitch, values }: Criterion): readonly Item[] =>
    values.map((value) => ({
      ...value,
      key: `${name}-${value.id}`,
      note: step || isSwitch ? '' : label,
      run: () => onChange(value.toggled),
    }))
  const toLines = (criterion: Criterion) => (criterion.isSwitch ? toValues(criterion) : [toStep(criterion)])
  const all = step ? [step] : criteria
  if (step === undefined && text === '') {
    const lines = all.flatMap(toLines)
    const firstSwitch = lines.findIndex(({ isChosen }) => isChosen !== undefined)
    return lines.map((line, index) => ({ ...line, startsSection: index === firstSwitch }))
  }
  // A user who types the name of a criterion wants to see its values, not to choose the first of them.
  const named = step ? [] : all.filter(({ label }) => beginsWith(label, text))
  const isComplete = (criterion: Criterion) =>
    named.includes(criterion) && (criterion.isSwitch || criterion.values.length === 0)
  const found = [
    ...named.flatMap(toLines),
    ...all
      .filter((criterion) => !isComplete(criterion))
      .flatMap((criterion) => [
        ...toValues(criterion).filter(({ name }) => matchesWords(`${criterion.label} ${name}`, text)),
        ...(criterion.values.length === 0 && matchesWords(criterion.label, text) ? [toStep(criterion)] : []),
      ]),
    ...nonMembers.map(({ id, name }) => ({
      id,
      key: `userId-${id}`,
      name,
      mark: <PersonAvatar id={id} isDecorative />,
      isChosen: false,
      run: () => onChange({ userId: toggleValue(filters.userId, id) }),
    })),
  ]
  // "Me" comes before "Medium" for a user who types "me".
  const isWhole = ({ name }: Item) => name.length === text.length && beginsWith(name, text)
  return [...found.filter(isWhole), ...found.filter((item) => !isWhole(item))]
}

/** Finds people who are not members of the project, but may be responsible for assignments. */
function useNonMembers(criteria: readonly Criterion[], step: Criterion | undefined, text: string) {
  const { people } = useServices()
  const isSearched = text !== '' && (step === undefined || step.name === 'userId')
  const found = useSuggestions(isSearched ? text : undefined, people.search)
  const offered = criteria.find(({ name }) => name === 'userId')?.values ?? []
  return isSearched && found.isUpToDate
    ? found.options.filter(({ id }) => offered.every((value) => value.id !== id))
    : []
}

const DayFields = ({ filters, onChange }: Pick<FilterMenuProps, 'filters' | 'onChange'>) => (
  <div class="filter-menu-days">
    {(
      [
        { name: 'dateFrom', label: t('From') },
        { name: 'dateTo', label: t('To') },
      ] as const
    ).map(({ name, label }) => (
      <div key={name} class="filter-menu-day">
        <span aria-hidden="true">{label}</span>
        <DayInput
          label={label}
          hasVisibleLabel={false}
          value={filters[name]}
          placeholder={t('any day')}
          onChange={(day) => onChange({ [name]: day })}
        />
      </div>
    ))}
  </div>
)
