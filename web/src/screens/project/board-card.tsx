import type { TargetedKeyboardEvent } from 'preact'
import { useMemo, useRef } from 'preact/hooks'
import type { RecordOf } from '../../api/api.ts'
import { assignmentKey } from '../../assignment/assignment-key.ts'
import { LabelChips } from '../../assignment/labels.tsx'
import { priorityName } from '../../assignment/priority.ts'
import { TimerButton } from '../../assignment/timer-button.tsx'
import type { Label } from '../../data/use-project-labels.ts'
import { hasDraftOf } from '../../forms/drafts.ts'
import { assignmentPath } from '../../router/router.ts'
import { useServices } from '../../services/services.ts'
import { t, tn } from '../../texts/text.ts'
import { dayOf, formatAge, formatDay, today } from '../../time/days.ts'
import { formatHours } from '../../time/hours.ts'
import { PersonAvatar } from '../../ui/avatar.tsx'
import { Icon } from '../../ui/icon.tsx'
import { Menu } from '../../ui/menu.tsx'
import { logicalArrowKey } from '../../ui/text-direction.ts'
import { assignmentElementId } from './use-card-focus.ts'

type Stage = RecordOf<'workflow'>
type Assignment = RecordOf<'assignment'>

export interface BoardCardProps {
  readonly assignment: Assignment
  readonly typeName: string
  readonly projectKey: string | undefined
  readonly blockedSince: string | undefined
  readonly labels: readonly Label[] | undefined
  /** The assignments it waits for that are not done. */
  readonly blockers: readonly Assignment[] | undefined
  /** Finished work is never overdue. */
  readonly isDone: boolean
  readonly isOpen: boolean
  readonly isNew: boolean
  /** Whether a dragged card would come before it. */
  readonly isDropTarget: boolean
  readonly query: string
  readonly stages: readonly Stage[]
  onMove(assignment: Assignment, stage: Stage): void
  onDrag(assignment: Assignment | undefined): void
  /** Moves it up or down in the manual order. */
  readonly onStep: ((assignment: Assignment, step: number) => void) | undefined
}

/** Memoized, because a board has many cards. */
export function BoardCard(props: BoardCardProps) {
  const {
    assignment,
    typeName,
    projectKey,
    blockedSince,
    isDone,
    isOpen,
    isNew,
    isDropTarget,
    query,
    stages,
    onMove,
    onDrag,
    onStep,
  } = props
  const hasDraft = hasDraftOf(assignment.id)
  // Each page of labels makes new lists; a card is drawn again only if its own labels differ.
  const labelKey = JSON.stringify(props.labels?.map(({ id, name, color }) => [id, name, color]))
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
      isDone,
      isOpen,
      isNew,
      isDropTarget,
      query,
      stages,
      onMove,
      onDrag,
      onStep,
      hasDraft,
    ],
  )
}

type CardProps = BoardCardProps & { readonly hasDraft: boolean }

function Card(props: CardProps) {
  const { assignment, isOpen, isNew, isDropTarget, query, stages, onMove, onDrag, onStep } = props
  const { router } = useServices()
  const element = useRef<HTMLLIElement>(null)
  const onKeyDown = (event: TargetedKeyboardEvent<HTMLElement>) => {
    if (event.key === 'F2') {
      event.preventDefault()
      router.go(assignmentPath(assignment.projectId, assignment.id, query))
      focusWhenRendered('.panel-name')
    }
    const button = buttonSelectors[event.key]
    if (button) element.current?.querySelector<HTMLElement>(button)?.click()
    if (!event.shiftKey) return moveFocus(event, event.currentTarget)
    moveByShift(event)
  }
  const moveByShift = (event: TargetedKeyboardEvent<HTMLElement>) => {
    const [columns, rows] = [steps[logicalArrowKey(event)], onStep && rowSteps[event.key]]
    if (columns === undefined && rows === undefined) return
    event.preventDefault()
    if (rows !== undefined) return onStep?.(assignment, rows)
    const nextStage = stages[stages.findIndex(({ id }) => id === assignment.workflowId) + (columns ?? 0)]
    if (nextStage) onMove(assignment, nextStage)
  }
  return (
    <li
      ref={element}
      data-row={assignment.id}
      class={`card ${isOpen ? 'open' : ''} ${isNew ? 'new' : ''} ${isDropTarget ? 'drop-before' : ''}`}
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
        aria-keyshortcuts={`Shift+ArrowLeft Shift+ArrowRight${onStep ? ' Shift+ArrowUp Shift+ArrowDown' : ''} M T`}
        draggable={false}
        onKeyDown={onKeyDown}
      >
        {assignment.name}
      </a>
      <span class="card-tools">
        <TimerButton assignment={assignment} />
        <Menu
          label={t('Move {name} to…', { name: assignment.name })}
          items={stages.map((stage) => ({
            label: stage.name,
            isCurrent: stage.id === assignment.workflowId,
            run: () => onMove(assignment, stage),
          }))}
        >
          <Icon name="move" />
        </Menu>
      </span>
      {props.labels && props.labels.length > 0 && <LabelChips labels={props.labels} />}
      <CardFacts {...props} />
      <PersonAvatar id={assignment.userId} />
    </li>
  )
}

/** Focuses an element once it is rendered. The script of the panel may have to be loaded first. */
function focusWhenRendered(selector: string, triesLeft = 200): void {
  const found = document.querySelector<HTMLElement>(selector)
  if (found !== null) found.focus()
  else if (triesLeft > 0) setTimeout(() => focusWhenRendered(selector, triesLeft - 1), 50)
}

const steps: Readonly<Record<string, number>> = { ArrowLeft: -1, ArrowRight: 1 }
const rowSteps: Readonly<Record<string, number>> = { ArrowUp: -1, ArrowDown: 1 }
/** Each of these keys clicks a button of the card. */
const buttonSelectors: Readonly<Record<string, string>> = { m: '[aria-haspopup=menu]', t: '.timer-button' }

function CardFacts({
  assignment,
  typeName,
  projectKey,
  blockedSince,
  blockers = [],
  isDone,
  hasDraft,
}: CardProps) {
  const isLate = !isDone && dayOf(assignment.endDate) < today()
  const day = formatDay(assignment.endDate)
  const key = assignmentKey(projectKey, assignment)
  return (
    <div class="card-facts">
      {key !== '' && <span class="card-key">{key}</span>}
      {assignment.priority != null && (
        <span class={`priority-${assignment.priority}`}>{priorityName(assignment.priority)}</span>
      )}
      {typeName && (
        <span class="chip" dir="auto" title={typeName}>
          {typeName}
        </span>
      )}
      {!isDone && (
        <span class={isLate ? 'late' : ''}>
          {isLate ? t('Was due {day}', { day }) : t('Until {day}', { day })}
        </span>
      )}
      {assignment.amountHours > 0 && <span>{formatHours(assignment.amountHours)}</span>}
      {blockedSince && (
        <span class="blocked">
          <Icon name="warning" />
          {t('Blocked {age}', { age: formatAge(blockedSince) })}
        </span>
      )}
      {!isDone && blockers.length > 0 && (
        <span class="waits" title={blockers.map(({ name }) => name).join('\n')}>
          <Icon name="link" />
          <span class="waits-name">{waitingTextOf(blockers)}</span>
        </span>
      )}
      {hasDraft && <span class="draft">{t('Not saved')}</span>}
    </div>
  )
}

const waitingTextOf = (blockers: readonly Assignment[]): string =>
  tn(blockers.length, 'Waits for {name}', 'Waits for {count} assignments', { name: blockers[0]?.name ?? '' })

/** Arrows move between cards and skip empty columns. */
function moveFocus(event: KeyboardEvent, card: HTMLElement): void {
  const direction = directions[logicalArrowKey(event)]
  const columns = [...(card.closest('.board')?.querySelectorAll('.column') ?? [])].map((column) => [
    ...column.querySelectorAll<HTMLElement>('.card-link'),
  ])
  if (direction === undefined) return
  event.preventDefault()
  const filled = columns.filter((cards) => cards.length > 0)
  const column = filled.findIndex((cards) => cards.includes(card))
  const index = filled[column]?.indexOf(card) ?? 0
  const target = filled[column + direction[0]]
  target?.[Math.min(index + direction[1], target.length - 1)]?.focus()
}

const directions: Readonly<Record<string, readonly [columns: number, cards: number]>> = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
}
