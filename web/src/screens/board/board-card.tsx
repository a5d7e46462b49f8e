import type { TargetedKeyboardEvent } from 'preact'
import { useRef } from 'preact/hooks'
import type { RecordOf } from '../../api/api.ts'
import { assignmentPath } from '../../router/addresses.ts'
import { useServices } from '../../services/services.ts'
import { dayOf, showDay, today } from '../../time/days.ts'
import { showHours } from '../../time/hours.ts'
import { Icon } from '../../ui/icon.tsx'
import { Menu } from '../../ui/menu.tsx'
import { Avatar } from '../../ui/notes.tsx'
import { walkCards } from './walk-cards.ts'

type Stage = RecordOf<'workflow'>
type Assignment = RecordOf<'assignment'>

export interface BoardCardProps {
  readonly assignment: Assignment
  readonly typeName: string
  readonly isBlocked: boolean
  /** In the last stage nothing is late any more. */
  readonly isLast: boolean
  readonly isOpen: boolean
  readonly stages: readonly Stage[]
  onMove(stage: Stage): void
  onDrag(assignment: Assignment | undefined): void
}

export function BoardCard(props: BoardCardProps) {
  const { assignment, isOpen, stages, onMove, onDrag } = props
  const { people, router } = useServices()
  const element = useRef<HTMLLIElement>(null)
  const query = router.address.value.search
  const onKeyDown = (event: TargetedKeyboardEvent<HTMLElement>) => {
    const step = steps[event.key]
    if (event.key === 'm') element.current?.querySelector('button')?.click()
    if (!event.shiftKey) return walkCards(event, event.currentTarget)
    if (step === undefined) return
    event.preventDefault()
    const to = stages[stages.findIndex(({ id }) => id === assignment.workflowId) + step]
    if (to) onMove(to)
  }
  return (
    <li
      ref={element}
      class={`card ${isOpen ? 'open' : ''}`}
      draggable
      onDragStart={(event) => {
        event.dataTransfer?.setData('text/plain', assignment.name)
        onDrag(assignment)
      }}
      onDragEnd={() => onDrag(undefined)}
    >
      <a
        id={`card-${assignment.id}`}
        class="card-link"
        href={assignmentPath(assignment.projectId, assignment.id, query)}
        aria-current={isOpen ? 'true' : undefined}
        aria-keyshortcuts="Shift+ArrowLeft Shift+ArrowRight M"
        draggable={false}
        onKeyDown={onKeyDown}
      >
        {assignment.name}
      </a>
      <Menu
        label={`Move ${assignment.name} to…`}
        items={stages.map((stage) => ({
          label: stage.name,
          isCurrent: stage.id === assignment.workflowId,
          run: () => onMove(stage),
        }))}
      >
        <Icon name="move" />
      </Menu>
      <CardFacts {...props} personName={people.nameOf(assignment.userId)} />
    </li>
  )
}

const steps: Readonly<Record<string, number>> = { ArrowLeft: -1, ArrowRight: 1 }

function CardFacts(props: BoardCardProps & { readonly personName: string }) {
  const { assignment, typeName, isBlocked, isLast, personName } = props
  const isLate = !isLast && dayOf(assignment.endDate) < today()
  return (
    <div class="card-facts">
      {typeName && <span>{typeName}</span>}
      <span class={isLate ? 'late' : ''}>
        {isLate ? 'Was due ' : 'Until '}
        {showDay(assignment.endDate)}
      </span>
      {assignment.amountHours > 0 && <span>{showHours(assignment.amountHours)}</span>}
      {isBlocked && (
        <span class="blocked">
          <Icon name="warning" />
          Blocked
        </span>
      )}
      <Avatar name={personName} />
    </div>
  )
}
