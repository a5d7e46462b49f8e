import { useMemo, useState } from 'preact/hooks'
import type { RecordOf } from '../../api/api.ts'
import { t } from '../../texts/text.ts'
import { EmptyState } from '../../ui/notes.tsx'
import { BoardColumn } from './board-column.tsx'
import type { BoardProps } from './board-props.ts'
import { useCardFocus } from './use-card-focus.ts'
import { useLatest } from './use-latest.ts'

type Assignment = RecordOf<'assignment'>
type Stage = RecordOf<'workflow'>

/** One column a stage. Cards are moved by dragging, by their menu, or with Shift and an arrow. */
export function Board(props: BoardProps) {
  const { stages, assignments, types, blocks, isStale, onMove } = props
  const typeNames = useMemo(() => new Map(types.map(({ id, name }) => [id, name])), [types])
  const blocked = useMemo(() => blockedSince(blocks), [blocks])
  const [dragged, setDragged] = useState<Assignment>()
  const keepFocusOn = useCardFocus()
  const move = useLatest((assignment: Assignment, stage: Stage) => {
    keepFocusOn(assignment.id)
    onMove(assignment, stage)
  })
  const drag = useLatest(setDragged)
  const byStage = useMemo(() => Map.groupBy(assignments, ({ workflowId }) => workflowId), [assignments])
  if (stages.length === 0)
    return (
      <EmptyState title={t('There are no stages yet')}>
        <p>{t('An administrator sets up the workflow; then its stages are the columns of this board.')}</p>
      </EmptyState>
    )
  return (
    <div class="board" aria-busy={isStale}>
      {stages.map((stage) => (
        <BoardColumn
          key={stage.id}
          {...props}
          stage={stage}
          assignments={byStage.get(stage.id) ?? none}
          typeNames={typeNames}
          blocked={blocked}
          dragged={dragged}
          onDrag={drag}
          onDrop={() => {
            if (dragged) onMove(dragged, stage)
            setDragged(undefined)
          }}
          onMove={move}
        />
      ))}
    </div>
  )
}

const none: readonly Assignment[] = []

/** By assignment, since when something is in its way. */
const blockedSince = (links: readonly RecordOf<'assignmentImpediment'>[]): ReadonlyMap<string, string> =>
  new Map(
    links
      .toSorted((a, b) => (a.createdAt < b.createdAt ? 1 : -1))
      .map(({ assignmentId, createdAt }) => [assignmentId, createdAt]),
  )
