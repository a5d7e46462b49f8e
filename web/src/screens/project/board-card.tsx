import type { TargetedKeyboardEvent } from 'preact'
import { useMemo, useRef } from 'preact/hooks'
import type { RecordOf } from '../../api/api.ts'
import { LabelChip } from '../../assignment/labels.tsx'
import { focusInPanel } from '../../assignment/panel-frame.tsx'
import { priorityName } from '../../assignment/priority.ts'
import { changesOf } from '../../assignment/queue.ts'
import { BlockedChip, QueueMark, WaitsChip } from '../../assignment/state-chips.tsx'
import { TimerButton } from '../../assignment/timer-button.tsx'
import { assignmentKey, dueColorOf, dueText, isLate, responsibleOf } from '../../data/assignments.ts'
import type { Label, PartCount } from '../../data/project-links.ts'
import { choosableStages, type ProjectStage, type StageLook } from '../../data/project-stages.ts'
import { assignmentPath } from '../../router/router.ts'
import { hasDraftOf } from '../../services/browser-storage.ts'
import { useServices } from '../../services/services.ts'
import { t } from '../../texts/text.ts'
import { dayOf, formatDay } from '../../time/days.ts'
import { Icon } from '../../ui/icon.tsx'
import { HoursMark, PartsMark, PriorityMark, StageMark, TypeMark } from '../../ui/marks.tsx'
import { Menu } from '../../ui/menu.tsx'
import { PersonAvatar } from '../../ui/people.tsx'
import { logicalArrowKey } from '../../ui/viewport.ts'
import { assignmentElementId } from './use-card-focus.ts'

type Stage = ProjectStage
type Assignment = RecordOf<'assignment'>

interface BoardCardProps {
  readonly assignment: Assignment
  readonly typeName: string
  readonly projectKey: string | undefined
  readonly blockedSince: string | undefined
  readonly labels: readonly Label[] | undefined
  /** The unfinished assignments that this assignment waits for. */
  readonly blockers: readonly Assignment[] | undefined
  readonly parts: PartCount | undefined
  /** The recorded hours; undefined if there are none. */
  readonly recorded: number | undefined
  /** Finished work is never overdue. */
  readonly isDone: boolean
  readonly isOpen: boolean
  /** True if the card was just created or moved. */
  readonly isNew: boolean
  /** True if a dragged card would be placed before this card. */
  readonly isDropTarget: boolean
  readonly isDragged: boolean
  readonly query: string
  readonly stages: readonly Stage[]
  readonly looks: ReadonlyMap<string, StageLook>
  onMove(assignment: Assignment, stage: Stage): void
  onDrag(assignment: Assignment | undefined): void
  /** Moves the card up or down. Undefined if the cards are not in the manual order. */
  readonly onStep: ((assignment: Assignment, step: number) => void) | undefined
}

/** Memoized, because a board has many cards. */
export function BoardCard(props: BoardCardProps) {
  const {
    assignment,
    typeName,
    projectKey,
    blockedSince,
    recorded,
    isDone,
    isOpen,
    isNew,
    isDropTarget,
    isDragged,
    query,
    stages,
    looks,
    onMove,
    onDrag,
    onStep,
  } = props
  const hasDraft = hasDraftOf(assignment.id)
  const queueKey = changesOf(assignment.id)
    .map(({ problem, isSent }) => `${problem} ${isSent}`)
    .join()
  // Every page of labels creates new lists, but the card is only rendered again if its own labels differ.
  const labelKey = JSON.stringify(props.labels?.map(({ id, name, color }) => [id, name, color]))
  const partsKey = `${props.parts?.done}/${props.parts?.count}`
  const blockerKey = props.blockers?.map(({ name }) => name).join('\n')
  return useMemo(
    () => <Card {...props} hasDraft={hasDraft} />,
    [
      assignment,
      typeName,
      projectKey,
      blockedSince,
      labelKey,
      blockerKey,
      partsKey,
      recorded,
      isDone,
      isOpen,
      isNew,
      isDropTarget,
      isDragged,
      query,
      stages,
      looks,
      onMove,
      onDrag,
      onStep,
      hasDraft,
      queueKey,
    ],
  )
}

type CardProps = BoardCardProps & { readonly hasDraft: boolean }

function Card(props: CardProps) {
  const { assignment, isOpen, isNew, isDropTarget, isDragged, query, stages, onMove, onDrag, onStep } = props
  const { router } = useServices()
  const element = useRef<HTMLLIElement>(null)
  const onKeyDown = (event: TargetedKeyboardEvent<HTMLElement>) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return
    if (event.key === 'F2') {
      event.preventDefault()
      router.go(assignmentPath(assignment.projectId, assignment.id, query))
      focusInPanel(assignment.id)
    }
    const button = buttonSelectors[event.key]
    if (button) element.current?.querySelector<HTMLElement>(button)?.click()
    if (!event.shiftKey) return moveFocus(event, event.currentTarget)
    moveByShift(event)
  }
  const moveByShift = (event: TargetedKeyboardEvent<HTMLElement>) => {
    const stageStep = stageSteps[logicalArrowKey(event)]
    const cardStep = onStep && cardSteps[event.key]
    if (stageStep === undefined && cardStep === undefined) return
    event.preventDefault()
    if (cardStep !== undefined) return onStep?.(assignment, cardStep)
    const nextStage = stages[stages.findIndex(({ id }) => id === assignment.workflowId) + (stageStep ?? 0)]
    if (nextStage) onMove(assignment, nextStage)
  }
  return (
    <li
      ref={element}
      data-row={assignment.id}
      class={classOf({ open: isOpen, new: isNew, 'drop-before': isDropTarget, dragged: isDragged })}
      draggable
      onDragStart={(event) => {
        event.dataTransfer?.setData('text/plain', assignment.name)
        onDrag(assignment)
      }}
      onDragEnd={() => onDrag(undefined)}
    >
      <a
        id={assignmentElementId(assignment.id)}
        class="card-link"
        dir="auto"
        href={assignmentPath(assignment.projectId, assignment.id, query)}
        aria-current={isOpen ? 'true' : undefined}
        aria-keyshortcuts={`Shift+ArrowLeft Shift+ArrowRight${onStep ? ' Shift+ArrowUp Shift+ArrowDown' : ''} S M A L P D T`}
        draggable={false}
        onKeyDown={onKeyDown}
      >
        {assignment.name}
      </a>
      <CardMarks {...props} />
      <div class="card-footer">
        <span class="card-facts">
          <CardFacts {...props} />
        </span>
        <CardTools {...props} />
        <span class="card-person" data-field="person">
          <PersonAvatar id={responsibleOf(assignment)} />
        </span>
      </div>
    </li>
  )
}

const classOf = (states: Readonly<Record<string, boolean>>): string =>
  ['card', ...Object.keys(states).filter((name) => states[name])].join(' ')

const stageSteps: Readonly<Record<string, number>> = { ArrowLeft: -1, ArrowRight: 1 }
const cardSteps: Readonly<Record<string, number>> = { ArrowUp: -1, ArrowDown: 1 }
/** Each of these keys clicks a button of the card. */
const buttonSelectors: Readonly<Record<string, string>> = { t: '.timer-button' }

/** Labels and warnings, on at most two lines between the name and the footer. Three dots stand for the others. */
function CardMarks({ assignment, labels = [], blockedSince, blockers = [], isDone, hasDraft }: CardProps) {
  const isWaiting = !isDone && blockers.length > 0
  const isQueued = changesOf(assignment.id).length > 0
  if (labels.length === 0 && !blockedSince && !isWaiting && !hasDraft && !isQueued) return null
  return (
    <div class="card-marks" title={labels.map(({ name }) => name).join('\n')}>
      {blockedSince && <BlockedChip since={blockedSince} />}
      {isWaiting && <WaitsChip blockers={blockers} />}
      {hasDraft && (
        <span class="note-chip" data-color="orange">
          <Icon name="edit" />
          {t('Not saved')}
        </span>
      )}
      <QueueMark changes={changesOf(assignment.id)} />
      {labels.map((label) => (
        <span key={label.id} class="card-label" data-field="labels">
          <LabelChip label={label} />
        </span>
      ))}
    </div>
  )
}

/** Shows the facts of a card in a fixed order. The hours are last, because they may be loaded later. */
function CardFacts({ assignment, typeName, projectKey, parts, recorded, isDone }: CardProps) {
  const key = assignmentKey(projectKey, assignment)
  return (
    <>
      {typeName && (
        <span data-field="type">
          <TypeMark name={typeName} />
        </span>
      )}
      {key !== '' && <span class="card-key">{key}</span>}
      {!isDone && !assignment.isUnscheduled && <DueChip assignment={assignment} />}
      {assignment.priority ? (
        <span data-field="priority">
          <PriorityMark priority={assignment.priority} name={priorityName(assignment.priority)} />
        </span>
      ) : null}
      {parts && <PartsMark {...parts} />}
      {(assignment.amountHours > 0 || recorded !== undefined) && (
        <span class={`card-hours ${recorded ? 'is-recorded' : ''}`} data-field="hours">
          <HoursMark planned={assignment.amountHours} recorded={recorded} isDone={isDone} />
        </span>
      )}
    </>
  )
}

function DueChip({ assignment }: Pick<CardProps, 'assignment'>) {
  const text = dueText(assignment, false)
  return (
    <span class="due" data-field="end" data-color={dueColorOf(assignment, false)} title={text}>
      <Icon name={isLate(assignment, false) ? 'clock' : 'calendar'} />
      <span aria-hidden="true">{formatDay(dayOf(assignment.endDate))}</span>
      <span class="visually-hidden">{text}</span>
    </span>
  )
}

const unknownLook: StageLook = { color: 'gray', progress: 0, isDone: false }

/** Buttons that appear where the facts leave room. */
function CardTools({ assignment, stages, looks, onMove }: CardProps) {
  return (
    <span class="card-tools">
      <Menu
        label={t('Move {name} to…', { name: assignment.name })}
        items={choosableStages(stages, assignment.workflowId).map((stage) => ({
          label: stage.name,
          mark: <StageMark {...(looks.get(stage.id) ?? unknownLook)} />,
          isCurrent: stage.id === assignment.workflowId,
          run: () => onMove(assignment, stage),
        }))}
      >
        <Icon name="move" />
      </Menu>
      <TimerButton assignment={assignment} />
    </span>
  )
}

/** Moves the focus between cards with the arrow keys. Empty columns are skipped. */
function moveFocus(event: KeyboardEvent, card: HTMLElement): void {
  const direction = directions[logicalArrowKey(event)]
  const columns = [...(card.closest('.board')?.querySelectorAll('.column') ?? [])].map((column) => [
    ...column.querySelectorAll<HTMLElement>('.card-link'),
  ])
  if (direction === undefined) return
  event.preventDefault()
  const nonEmptyColumns = columns.filter((cards) => cards.length > 0)
  const column = nonEmptyColumns.findIndex((cards) => cards.includes(card))
  const index = nonEmptyColumns[column]?.indexOf(card) ?? 0
  const target = nonEmptyColumns[column + direction[0]]
  target?.[Math.min(index + direction[1], target.length - 1)]?.focus()
}

const directions: Readonly<Record<string, readonly [columns: number, cards: number]>> = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
}
