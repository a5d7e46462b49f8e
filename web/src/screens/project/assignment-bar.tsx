import type {
  ComponentChildren,
  TargetedDragEvent,
  TargetedKeyboardEvent,
  TargetedPointerEvent,
} from 'preact'
import { responsibleOf } from '../../data/assignments.ts'
import type { ColorName } from '../../data/project-stages.ts'
import { assignmentPath } from '../../router/router.ts'
import { t } from '../../texts/text.ts'
import { dayOf, formatDay, today } from '../../time/days.ts'
import { formatHours } from '../../time/hours.ts'
import { Icon } from '../../ui/icon.tsx'
import { TypeShape } from '../../ui/marks.tsx'
import { PersonAvatar } from '../../ui/people.tsx'
import { directionSign, logicalArrowKey } from '../../ui/viewport.ts'
import { type Bar, nextBar } from './bars.ts'
import type { BlockReason } from './name-lookup.ts'
import { BlockReasonIcon } from './row-facts.tsx'
import { assignmentElementId } from './use-card-focus.ts'

interface AssignmentBarProps {
  readonly bar: Bar
  readonly color: ColorName
  readonly isDone: boolean
  /** True if the details are open. */
  readonly isOpen: boolean
  /** A further line of the tooltip, instead of the reason why it is blocked. */
  readonly note?: string | undefined
  readonly blockReason?: BlockReason | undefined
  /** The query of the current address, kept in the link. */
  readonly addressQuery: string
  /**
   * An assignment that spans weeks has several bars. Only the first is focusable and visible to assistive
   * technology.
   */
  readonly isFirst?: boolean
  readonly gridStyle: Readonly<Record<string, string>>
  /** The width of the bar. Icons that do not fit into it are shown with a name that is next to the bar. */
  readonly widthPixels?: number
  /** True if the bar shows the avatar of the person. */
  readonly isDetailed?: boolean
  /** The name of the type. It is shown as a shape. */
  readonly typeName?: string | undefined
  /** A second line. It replaces the icons and the text for screen readers. */
  readonly facts?: ComponentChildren
  readonly draggable?: boolean
  onDragStart?(event: TargetedDragEvent<HTMLAnchorElement>): void
  onDragEnd?(): void
  onPointerDown?(event: TargetedPointerEvent<HTMLAnchorElement>): void
  /** Handles a key that is pressed with Shift. */
  onShiftKey(event: TargetedKeyboardEvent<HTMLAnchorElement>): void
}

/** A link to an assignment, drawn as a bar over its days. */
export function AssignmentBar(props: AssignmentBarProps) {
  const { bar, isDone, isOpen, addressQuery, isFirst = true, gridStyle, draggable = false } = props
  const { row, beginsBefore, endsAfter, namePlace } = bar
  const isLate = !isDone && dayOf(row.endDate) < today()
  const label = [labelOf(bar), isLate ? t('Overdue') : undefined, props.note ?? props.blockReason?.text]
    .filter((text) => text !== undefined)
    .join('\n')
  const states = {
    done: isDone,
    late: isLate,
    open: isOpen,
    continued: !isFirst,
    'begins-before': beginsBefore,
    'ends-after': endsAfter,
    [`name-${namePlace}`]: namePlace !== 'within',
    'two-lines': props.facts !== undefined,
  }
  return (
    <a
      {...(isFirst ? { id: assignmentElementId(row.id) } : { tabIndex: -1, 'aria-hidden': 'true' })}
      class={['bar', ...Object.entries(states).flatMap(([name, isSet]) => (isSet ? [name] : []))].join(' ')}
      data-color={props.color}
      style={gridStyle}
      href={assignmentPath(row.projectId, row.id, addressQuery)}
      title={`${row.name}\n${label}`}
      aria-current={isOpen ? 'true' : undefined}
      aria-keyshortcuts="Shift+ArrowLeft Shift+ArrowRight"
      draggable={draggable}
      onDragStart={props.onDragStart}
      onDragEnd={props.onDragEnd}
      onPointerDown={props.onPointerDown}
      onKeyDown={(event) => (event.shiftKey ? props.onShiftKey(event) : moveFocus(event))}
    >
      {contentOf({ ...props, isLate, label })}
    </a>
  )
}

/** Moves the focus to another bar. At the ends, the browser may scroll. */
function moveFocus(event: TargetedKeyboardEvent<HTMLAnchorElement>): void {
  if (event.ctrlKey || event.metaKey || event.altKey) return
  const bar = event.currentTarget
  const bars = bar.closest('.timeline, .calendar')?.querySelectorAll<HTMLElement>('.bar[id]') ?? []
  const boxes = [...bars].map(boxOf)
  const from = boxes.find(({ element }) => element === bar)
  const next = from && nextBar(boxes, from, logicalArrowKey(event))
  if (next === undefined) return
  event.preventDefault()
  next.element.focus()
}

function boxOf(element: HTMLElement) {
  const lane = element.parentElement
  const { top, bottom } = element.getBoundingClientRect()
  // A bar below its name has a line of its own.
  const wide = element.matches('[class*=name-above]') ? (lane ?? element) : element
  const { left, right } = wide.getBoundingClientRect()
  const [start, end] = directionSign() > 0 ? [left, right] : [-right, -left]
  return { element, lane, start, end, top, bottom }
}

interface BarContent extends AssignmentBarProps {
  readonly isLate: boolean
  /** The text that a screen reader reads in addition to the name. */
  readonly label: string
}

function contentOf(props: BarContent) {
  const { bar, isFirst = true, isDetailed = true, widthPixels = Number.POSITIVE_INFINITY, facts } = props
  const { row } = bar
  // A bar of a quarter may be shorter than an arrow.
  const hasSides = widthPixels >= iconPixels
  const [beginsBefore, endsAfter] = [hasSides && bar.beginsBefore, hasSides && bar.endsAfter]
  const icons = facts === undefined ? iconsOf(props) : []
  const iconGroup = icons.length > 0 && <span class="bar-icons">{icons}</span>
  const areIconsWithin = hasRoomForIcons(props, icons.length + Number(beginsBefore) + Number(endsAfter))
  const name = (
    <>
      {props.typeName && <TypeShape name={props.typeName} />}
      {areIconsWithin && iconGroup}
      <span class="bar-name" dir="auto">
        {areIconsWithin || iconGroup}
        {row.name}
        {facts === undefined && <span class="visually-hidden"> {props.label}</span>}
      </span>
    </>
  )
  return (
    <>
      {beginsBefore && <Icon name="left" />}
      {facts === undefined ? (
        name
      ) : (
        <span class="bar-lines">
          <span class="bar-line">{name}</span>
          {facts}
        </span>
      )}
      {isDetailed && isFirst && <PersonAvatar id={responsibleOf(row)} isDecorative />}
      {endsAfter && <Icon name="right" />}
    </>
  )
}

const iconsOf = ({ isLate, isDone, blockReason }: BarContent) => [
  ...(blockReason ? [<BlockReasonIcon key="blockReason" {...blockReason} />] : []),
  ...(isLate ? [<Icon key="late" name="clock" />] : []),
  ...(isDone ? [<Icon key="done" name="check" />] : []),
]

/** The width of an icon with the gap after it, and of the edges of a bar. */
const iconPixels = 20
const edgePixels = 4

/** A bar below its name is too slim for icons. A bar next to its name has room if it is wide enough. */
function hasRoomForIcons({ bar: { namePlace }, widthPixels = 0 }: BarContent, count: number): boolean {
  if (namePlace === 'within') return true
  return !namePlace.startsWith('above') && widthPixels >= count * iconPixels + edgePixels
}

function labelOf({ row }: Bar): string {
  const values = {
    from: formatDay(dayOf(row.startDate)),
    to: formatDay(dayOf(row.endDate)),
    hours: formatHours(row.amountHours),
  }
  return row.amountHours > 0 ? t('{from} to {to}, {hours}', values) : t('{from} to {to}', values)
}
