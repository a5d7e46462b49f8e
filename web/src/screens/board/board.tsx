import { useEffect, useRef, useState } from 'preact/hooks'
import type { RecordOf } from '../../api/api.ts'
import { useAllRows } from '../../data/use-all-rows.ts'
import { catalogQuery, useListing } from '../../data/use-listing.ts'
import { Icon } from '../../ui/icon.tsx'
import { EmptyState } from '../../ui/notes.tsx'
import { BoardCard } from './board-card.tsx'

type Assignment = RecordOf<'assignment'>
type Stage = RecordOf<'workflow'>

export interface BoardProps {
  readonly stages: readonly Stage[]
  readonly assignments: readonly Assignment[]
  readonly isStale: boolean
  readonly openId: string | undefined
  onMove(assignment: Assignment, stage: Stage): void
  onNew(stageId: string): void
}

/** One column a stage. Cards are moved by dragging, by their menu, or with Shift and an arrow. */
export function Board({ stages, assignments, isStale, openId, onMove, onNew }: BoardProps) {
  const types = useListing('assignmentType', catalogQuery)
  const blocks = useAllRows('assignmentImpediment', {})
  const blocked = new Set(blocks.rows.map(({ assignmentId }) => assignmentId))
  const [dragged, setDragged] = useState<Assignment>()
  const focusAfter = useFocusAfterMove(assignments)
  if (stages.length === 0)
    return (
      <EmptyState title="There are no stages yet">
        <p>An administrator sets up the workflow; then its stages are the columns of this board.</p>
      </EmptyState>
    )
  const move = (assignment: Assignment, stage: Stage, keepsFocus: boolean) => {
    if (keepsFocus) focusAfter(assignment.id)
    onMove(assignment, stage)
  }
  return (
    <div class="board" aria-busy={isStale}>
      {stages.map((stage, index) => (
        <BoardColumn
          key={stage.id}
          stage={stage}
          assignments={inOrder(assignments.filter(({ workflowId }) => workflowId === stage.id))}
          dragged={dragged}
          onDrop={() => {
            if (dragged) move(dragged, stage, false)
            setDragged(undefined)
          }}
          onNew={() => onNew(stage.id)}
        >
          {(assignment) => (
            <BoardCard
              key={assignment.id}
              assignment={assignment}
              typeName={types.rows.find(({ id }) => id === assignment.assignmentTypeId)?.name ?? ''}
              isBlocked={blocked.has(assignment.id)}
              isLast={index === stages.length - 1}
              isOpen={assignment.id === openId}
              stages={stages}
              onMove={(to) => move(assignment, to, true)}
              onDrag={setDragged}
            />
          )}
        </BoardColumn>
      ))}
    </div>
  )
}

interface BoardColumnProps {
  readonly stage: Stage
  readonly assignments: readonly Assignment[]
  readonly dragged: Assignment | undefined
  readonly children: (assignment: Assignment) => preact.ComponentChild
  onDrop(): void
  onNew(): void
}

function BoardColumn({ stage, assignments, dragged, children, onDrop, onNew }: BoardColumnProps) {
  const [isOver, setOver] = useState(false)
  const accepts = dragged !== undefined && dragged.workflowId !== stage.id
  return (
    <section
      class={`column ${isOver && accepts ? 'drop' : ''}`}
      aria-labelledby={`stage-${stage.id}`}
      onDragOver={(event) => {
        if (accepts) event.preventDefault()
        setOver(true)
      }}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => {
        event.preventDefault()
        setOver(false)
        onDrop()
      }}
    >
      <header class="column-header">
        <h2 id={`stage-${stage.id}`}>{stage.name}</h2>
        <span class="count">{assignments.length}</span>
        <button
          type="button"
          class="button quiet icon-only"
          aria-label={`New assignment in ${stage.name}`}
          onClick={onNew}
        >
          <Icon name="plus" />
        </button>
      </header>
      <ul class="cards">{assignments.map(children)}</ul>
      {assignments.length === 0 && <p class="column-empty">Nothing here</p>}
    </section>
  )
}

/** What ends first stands first. */
const inOrder = (assignments: readonly Assignment[]): Assignment[] =>
  assignments.toSorted((a, b) => a.endDate.localeCompare(b.endDate) || a.name.localeCompare(b.name))

/** A moved card is drawn anew in its column; the focus goes along. */
function useFocusAfterMove(assignments: readonly Assignment[]): (id: string) => void {
  const wanted = useRef<string>(undefined)
  useEffect(() => {
    if (wanted.current === undefined) return
    document.getElementById(`card-${wanted.current}`)?.focus()
    wanted.current = undefined
  }, [assignments])
  return (id) => {
    wanted.current = id
  }
}
