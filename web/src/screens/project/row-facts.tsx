import { type ComponentChildren, Fragment, type VNode } from 'preact'
import type { RecordOf } from '../../api/api.ts'
import { priorityName } from '../../assignment/priority.ts'
import { dueColorOf, dueText, isLate } from '../../data/assignments.ts'
import { dayOf, formatDay } from '../../time/days.ts'
import { Icon } from '../../ui/icon.tsx'
import { HoursMark, PriorityMark, StageMark } from '../../ui/marks.tsx'
import type { BlockReason, NameLookup } from './name-lookup.ts'

type FactName = 'blocked' | 'key' | 'stage' | 'end' | 'priority' | 'hours'

interface RowFactsProps {
  readonly row: RecordOf<'assignment'>
  readonly names: NameLookup
  readonly isDone: boolean
  readonly recorded?: number | undefined
  /** Further facts. They are shown before facts that may be hidden. */
  readonly children?: ComponentChildren
  shows(name: FactName): boolean
}

type Fact = (props: RowFactsProps) => VNode | false | undefined

const facts: Readonly<Record<FactName, Fact>> = {
  blocked: ({ row, names }) => <BlockReasonMark blockReason={names.blockReasonOf(row)} />,
  key: ({ row, names }) => <span class="card-key">{names.keyOf(row)}</span>,
  stage({ row: { workflowId }, names }) {
    const look = names.stageLookOf(workflowId)
    return (
      <span class="stage-fact">
        {look && <StageMark {...look} />}
        <bdi>{names.stageOf(workflowId)}</bdi>
      </span>
    )
  },
  end: ({ row, isDone }) => !isDone && !row.isUnscheduled && <DueChip row={row} />,
  priority: ({ row: { priority } }) =>
    priority ? <PriorityMark priority={priority} name={priorityName(priority)} /> : undefined,
  hours: ({ row: { amountHours }, recorded, isDone }) => (
    <HoursMark planned={amountHours} recorded={recorded} isDone={isDone} />
  ),
}

/** `firstFacts` precede the facts of the caller. `otherFacts` follow them, and may be hidden. */
const firstFacts: readonly FactName[] = ['key', 'blocked']
const otherFacts: readonly FactName[] = ['stage', 'end', 'priority', 'hours']

/** Shows the due day as on a card. */
function DueChip({ row }: Pick<RowFactsProps, 'row'>) {
  const text = dueText(row, false)
  return (
    <span class="due" data-field="end" data-color={dueColorOf(row, false)} title={text}>
      <Icon name={isLate(row, false) ? 'clock' : 'calendar'} />
      <span aria-hidden="true">{formatDay(dayOf(row.endDate))}</span>
      <span class="visually-hidden">{text}</span>
    </span>
  )
}

/** Shows facts below the name of an assignment in a narrow row. The last facts are hidden if necessary. */
export function RowFacts(props: RowFactsProps) {
  const render = (names: readonly FactName[]) =>
    names.map((name) => props.shows(name) && <Fragment key={name}>{facts[name](props)}</Fragment>)
  return (
    <span class="card-facts row-facts">
      {render(firstFacts)}
      {props.children}
      {render(otherFacts)}
    </span>
  )
}

export const BlockReasonMark = ({ blockReason }: { readonly blockReason: BlockReason | undefined }) =>
  blockReason && (
    <span title={blockReason.text}>
      <BlockReasonIcon {...blockReason} />
      <span class="visually-hidden">{blockReason.text}</span>
    </span>
  )

/** The icon for an assignment that is blocked or waits. It is decorative, next to a text. */
export const BlockReasonIcon = ({ isWaiting }: Pick<BlockReason, 'isWaiting'>) => (
  <span class={isWaiting ? 'waits' : 'blocked'}>
    <Icon name={isWaiting ? 'link' : 'warning'} />
  </span>
)
