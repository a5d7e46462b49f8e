import type { ComponentChildren, TargetedKeyboardEvent } from 'preact'
import { useId, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { t, tn } from '../texts/text.ts'
import { type Option, useActiveInView } from '../ui/combobox.tsx'
import { MonthGrid } from '../ui/day-input.tsx'
import { Dialog } from '../ui/dialog.tsx'
import type { Span, WordsByLanguage } from '../ui/fuzzy.ts'
import { Icon, IconButton } from '../ui/icon.tsx'
import { EmptyNote, FoundStatus, OptionLine, useOptionSearch } from '../ui/option-search.tsx'
import { PersonAvatar } from '../ui/people.tsx'
import { Ago } from '../ui/relative-time.tsx'
import { type Anchor, phone, placeBelow, useMedia } from '../ui/viewport.ts'

/** A line of the palette. It runs a command or leads to another step. */
export type PaletteItem = PaletteLine & (PaletteCommand | PaletteBranch)

export interface PaletteLine extends Option {
  /** The heading of the group to which it belongs. */
  readonly group: string
  /** Stands in front of the heading. */
  readonly groupMark?: ComponentChildren
  /** Until a text is typed, a line separates the sections of a group. */
  readonly section?: number
  readonly keys?: readonly string[]
  /** Other words that users type for it. */
  readonly words?: WordsByLanguage | undefined
  /** The letters of the name that match the typed text. */
  readonly spans?: readonly Span[] | undefined
  /** Another word that matches the typed text. */
  readonly alias?: string | undefined
  /** The key of an assignment, in front of its name. */
  readonly assignmentKey?: string | undefined
  /** True for a done assignment. */
  readonly isDone?: boolean
  /** The responsible person of an assignment. Empty if there is none. */
  readonly personId?: string
  /** The timestamp at which the user opened it last. */
  readonly openedAt?: string | undefined
  /** The day that the option chooses. The month below the list shows the day of the current option. */
  readonly day?: string | undefined
  /** Set for a value of a field with several values, such as a label. */
  readonly isChecked?: boolean | undefined
  /** True if it removes something. */
  readonly isDanger?: boolean
}

interface PaletteCommand {
  run(): void
  readonly next?: undefined
}

interface PaletteBranch {
  next(): PaletteStep
}

export interface PaletteStep {
  readonly title: string
  /** Stands in the empty field. Sheets on phones show the title above it instead. */
  readonly placeholder?: string
  /** Says what can be typed, and takes the place of the placeholder. */
  readonly hint?: string
  /** Shows a month below the list. A clicked day is passed to `find` as text. */
  readonly hasMonth?: boolean
  find(text: string, signal: AbortSignal): Promise<readonly PaletteItem[]>
  /**
   * Returns items to show until `find` has finished, if any. Those that `find` also returns stay at the
   * beginning.
   */
  findAtOnce?(text: string): readonly PaletteItem[] | undefined
}

interface CommandPaletteProps {
  readonly first: PaletteStep
  /** Shows a small list next to this anchor, or a sheet at the bottom, instead of a dialog in the middle. */
  readonly at?: Anchor | 'bottom' | undefined
  onClose(): void
}

/**
 * Opens records by name or key, and runs commands. A command that needs a value leads to another step, from
 * which Backspace leads back. Escape closes the palette at any step.
 */
export function CommandPalette({ first, at, onClose }: CommandPaletteProps) {
  const [steps, setSteps] = useState<readonly PaletteStep[]>([first])
  const step = steps.at(-1) ?? first
  const choose = (item: PaletteItem) => {
    if (item.next) return setSteps([...steps, item.next()])
    onClose()
    item.run()
  }
  const goBack = () => setSteps(steps.length > 1 ? steps.slice(0, -1) : steps)
  return (
    <Dialog title={at ? step.title : first.title} kind={kindOf(at)} onClose={onClose}>
      <Step
        key={steps.length}
        step={step}
        isFirst={steps.length === 1}
        at={at}
        onBack={goBack}
        onChoose={choose}
        onClose={onClose}
      />
    </Dialog>
  )
}

function kindOf(at: CommandPaletteProps['at']) {
  if (at === undefined) return 'palette'
  return at === 'bottom' ? 'palette sheet' : 'palette picker'
}

interface StepProps {
  readonly step: PaletteStep
  readonly isFirst: boolean
  readonly at: CommandPaletteProps['at']
  onBack(): void
  onChoose(item: PaletteItem): void
  onClose(): void
}

function Step({ step, isFirst, at, onBack, onChoose, onClose }: StepProps) {
  const listId = useId()
  const input = useRef<HTMLInputElement>(null)
  const state = useOptionSearch(step, onChoose)
  const { text, items, active, problem } = state
  const list = useRef<HTMLDivElement>(null)
  // A sheet focuses the list, which the on-screen keyboard would cover. The dialog focuses only the first step.
  const isSheet = at === 'bottom'
  const isPhone = useMedia(phone)
  const onKeyDown = (event: TargetedKeyboardEvent<HTMLElement>) => {
    if (event.key === 'Backspace' && text === '') onBack()
    else state.onKeyDown(event)
  }
  useLayoutEffect(() => (isSheet ? list : input).current?.focus(), [])
  usePlace(input, at, items)
  useActiveInView(listId, active)
  return (
    <>
      <div class="palette-field">
        {isFirst ? (
          <Icon name="search" />
        ) : (
          <button type="button" class="button quiet icon-only" aria-label={t('Back')} onClick={onBack}>
            <Icon name="left" />
          </button>
        )}
        <input
          ref={input}
          data-autofocus={!isSheet || undefined}
          class="palette-input"
          type="text"
          role="combobox"
          aria-label={step.title}
          aria-expanded="true"
          aria-controls={listId}
          aria-autocomplete="list"
          aria-activedescendant={items[active] ? `${listId}-${active}` : undefined}
          autocomplete="off"
          dir="auto"
          placeholder={step.hint ?? (isPhone && at ? t('Search') : step.placeholder)}
          value={text}
          onInput={(event) => state.type(event.currentTarget.value)}
          onKeyDown={onKeyDown}
        />
        <span class="palette-close">
          <IconButton icon="close" label={t('Close')} run={onClose} />
        </span>
      </div>
      <div
        ref={list}
        class="palette-list"
        id={listId}
        role="listbox"
        aria-label={step.title}
        tabIndex={-1}
        data-autofocus={isSheet || undefined}
        onKeyDown={(event) => {
          input.current?.focus()
          onKeyDown(event)
        }}
      >
        <ItemGroups title={step.title} listId={listId} state={state} onChoose={onChoose} />
      </div>
      <FoundStatus search={text} text={state.isUpToDate ? foundText(items.length) : ''} />
      {step.hasMonth && !problem && <Month step={step} items={items} onChoose={onChoose} />}
      <KeyHints isFirst={isFirst} onClose={onClose} />
    </>
  )
}

const foundText = (count: number): string =>
  count === 0 ? t('No results') : tn(count, '1 result', '{count} results')

interface ItemGroupsProps extends Pick<StepProps, 'onChoose'> {
  readonly title: string
  readonly listId: string
  readonly state: ReturnType<typeof useOptionSearch<PaletteItem>>
}

const ItemGroups = ({ title, listId, state, onChoose }: ItemGroupsProps) => (
  <>
    {groupsOf(state.items, state.text === '').map(({ name, mark, from, members, isContinued }) => (
      // biome-ignore lint/a11y/useSemanticElements: a list of options has no field sets
      <div key={from} role="group" aria-label={name} class={isContinued ? 'palette-section' : ''}>
        {name !== title && !isContinued && (
          <div class="palette-group" aria-hidden="true" dir="auto">
            {mark}
            {name}
          </div>
        )}
        {members.map((item, index) => (
          <OptionLine
            key={item.id}
            id={`${listId}-${from + index}`}
            isActive={from + index === state.active}
            onPoint={() => state.setActive(from + index)}
            onChoose={() => onChoose(item)}
          >
            <ItemContent item={item} isActive={from + index === state.active} />
          </OptionLine>
        ))}
      </div>
    ))}
    {state.items.length === 0 && (
      <EmptyNote isUpToDate={state.isUpToDate} text={state.problem ?? noneText(state.text)} />
    )}
  </>
)

const noneText = (text: string): string =>
  text === '' ? t('Nothing found.') : t('No results for “{text}”', { text: text.trim() })

function usePlace(
  content: { readonly current: HTMLElement | null },
  at: StepProps['at'],
  items: readonly PaletteItem[],
): void {
  useLayoutEffect(() => {
    const dialog = content.current?.closest('dialog')
    if (at && at !== 'bottom' && dialog) placeBelow(dialog, at, { matchesWidth: true })
  }, [at, items])
}

const ItemContent = ({ item, isActive }: { readonly item: PaletteItem; readonly isActive: boolean }) => (
  <>
    {item.isChecked !== undefined && (
      <span class="palette-box">{item.isChecked && <Icon name="check" />}</span>
    )}
    <span class="palette-mark">{item.mark}</span>
    {item.assignmentKey && <span class="palette-key">{item.assignmentKey}</span>}
    <span class={nameClassOf(item)} dir="auto">
      <Marked text={item.name} spans={item.spans} />
      {item.alias && item.alias !== item.note && <span class="palette-alias"> · {item.alias}</span>}
    </span>
    {item.note && (
      <span class="quiet-text" dir="auto">
        {item.note}
      </span>
    )}
    {item.isCurrent && <Icon name="check" />}
    {item.openedAt && <Ago timestamp={item.openedAt} class="palette-ago" />}
    {item.personId !== undefined && <PersonAvatar id={item.personId} />}
    {item.keys && <Keys keys={item.keys} />}
    {item.isCreation && <CreationHint isActive={isActive} />}
    {item.next && <Icon name="right" />}
  </>
)

const nameClassOf = ({ isDanger, isDone }: PaletteItem): string =>
  `palette-name ${isDanger ? 'palette-danger' : ''} ${isDone ? 'palette-done' : ''}`

/** Shows the keys that create the record. Enter alone does so only once the line is active. */
const CreationHint = ({ isActive }: { readonly isActive: boolean }) => (
  <span class="palette-hint">
    <Keys keys={isActive ? ['Enter'] : ['Ctrl', 'Enter']} />
  </span>
)

interface MarkedProps {
  readonly text: string
  readonly spans?: readonly Span[] | undefined
}

/** Marks the letters of a name that match the typed text. */
function Marked({ text, spans = [] }: MarkedProps) {
  const rest = text.slice(spans.at(-1)?.[1] ?? 0)
  return (
    <>
      {spans.map(([from, to], index) => [
        text.slice(spans[index - 1]?.[1] ?? 0, from),
        <mark key={from}>{text.slice(from, to)}</mark>,
      ])}
      {rest}
    </>
  )
}

/** Lists the keys. Escape is also a button. */
const KeyHints = ({ isFirst, onClose }: Pick<StepProps, 'isFirst' | 'onClose'>) => (
  <footer class="palette-footer">
    {keyHints.map(({ keys, label }) => (
      <span key={label}>
        <Keys keys={keys} /> {t(label)}
      </span>
    ))}
    {!isFirst && (
      <span>
        <Keys keys={['⌫']} /> {t('Back')}
      </span>
    )}
    <button type="button" class="palette-escape" tabIndex={-1} onClick={onClose}>
      <Keys keys={['Esc']} /> {t('Close')}
    </button>
  </footer>
)

/** Offers every day of a month. The month of the current value is shown first. */
function Month({ step, items, onChoose }: Pick<StepProps, 'step' | 'onChoose'> & MonthItems) {
  const current = items.find(({ isCurrent, day }) => isCurrent && day)?.day
  const choose = async (day: string) => {
    const [item] = await step.find(day, new AbortController().signal)
    if (item) onChoose(item)
  }
  return (
    <MonthGrid key={current} day={current ?? ''} takesFocus={false} onChoose={(day) => void choose(day)} />
  )
}

interface MonthItems {
  readonly items: readonly PaletteItem[]
}

const keyHints = [
  { keys: ['↑', '↓'], label: 'Move' },
  { keys: ['Enter'], label: 'Choose' },
] as const

interface Group {
  readonly name: string
  readonly mark: ComponentChildren
  readonly section: number | undefined
  /** The position of the first item. */
  readonly from: number
  /** True for a further section of the group before it. */
  readonly isContinued: boolean
  readonly members: PaletteItem[]
}

/** Groups the items by their headings and, if requested, their sections. */
function groupsOf(items: readonly PaletteItem[], hasSections: boolean): readonly Group[] {
  const groups: Group[] = []
  for (const [from, item] of items.entries()) {
    const last = groups.at(-1)
    const section = hasSections ? item.section : undefined
    const isContinued = last?.name === item.group
    if (last && isContinued && last.section === section) last.members.push(item)
    else
      groups.push({
        name: item.group,
        mark: item.groupMark,
        section,
        from,
        isContinued,
        members: [item],
      })
  }
  return groups
}

/** The keys of a shortcut, such as Ctrl and K. Macs have ⌘ instead of Ctrl. */
export const Keys = ({ keys }: { readonly keys: readonly string[] }) => (
  <span class="keys">
    {keys.map((key) => (
      <kbd key={key}>{arrowsOf(key) ?? (key === 'Ctrl' && isMac() ? '⌘' : key)}</kbd>
    ))}
  </span>
)

/** The font has only two of the arrows, so all are drawn. */
const arrowPaths: Readonly<Record<string, string>> = {
  '←': 'M13 8H3M7 4L3 8l4 4',
  '↑': 'M8 13V3M4 7l4-4 4 4',
  '→': 'M3 8h10M9 4l4 4-4 4',
  '↓': 'M8 3v10M4 9l4 4 4-4',
}

/** Returns the arrows of a key such as `← →`, or undefined for another key. */
function arrowsOf(key: string) {
  const names = key.split(' ')
  if (names.some((name) => arrowPaths[name] === undefined)) return undefined
  return (
    <>
      <span class="visually-hidden">{key}</span>
      {names.map((name) => (
        <svg key={name} class="icon key-arrow" viewBox="0 0 16 16" aria-hidden="true">
          <path d={arrowPaths[name]} />
        </svg>
      ))}
    </>
  )
}

const isMac = (): boolean => navigator.platform.startsWith('Mac')
