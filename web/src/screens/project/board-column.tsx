import { useEffect, useMemo, useState } from 'preact/hooks'
import type { RecordOf } from '../../api/api.ts'
import { chooseDoneStage } from '../../assignment/done-stage.ts'
import { useServices } from '../../services/services.ts'
import { t, tn } from '../../texts/text.ts'
import { addDays, dayOf, today } from '../../time/days.ts'
import { Icon } from '../../ui/icon.tsx'
import { Menu } from '../../ui/menu.tsx'
import { BoardCard } from './board-card.tsx'
import type { BoardProps } from './board-props.ts'
import { isFiltered, readFilters } from './filters.ts'
import { QuickAdd } from './quick-add.tsx'
import { useWindowed } from './use-windowed.ts'

type Assignment = RecordOf<'assignment'>
type Stage = RecordOf<'workflow'>

export interface BoardColumnProps extends Omit<BoardProps, 'onMove'> {
  readonly stage: Stage
  readonly typeNames: ReadonlyMap<string, string>
  /** Since when. */
  readonly blocked: ReadonlyMap<string, string>
  readonly dragged: Assignment | undefined
  onDrag(assignment: Assignment | undefined): void
  onDrop(): void
  onMove(assignment: Assignment, stage: Stage): void
}

/** What a card with one line of name needs, until it was drawn. */
const estimatePixels = 92
/** Assignments that were done longer ago than this are hidden behind a button. */
const shownDaysOfDone = 14
/** A stage: its header stays, its cards scroll below it, and a card can be dropped all the way down. */
export function BoardColumn(props: BoardColumnProps) {
  const { stage, assignments, doneId, dragged, revealed, countOf, hasMore, onDrop, onMore } = props
  const isDone = stage.id === doneId
  const [isUnfolded, setUnfolded] = useState(false)
  const [isAdding, setAdding] = useState(false)
  const [isOver, setOver] = useState(false)
  const sorted = useMemo(() => inOrder(assignments, isDone), [assignments, isDone])
  const shown = useMemo(
    () => (isDone && !isUnfolded ? sorted.filter(isRecent) : sorted),
    [sorted, isDone, isUnfolded],
  )
  const isFolded = shown.length < sorted.length || (isDone && !isUnfolded && hasMore(stage.id))
  const windowed = useWindowed(shown, estimatePixels)
  const accepts = dragged !== undefined && dragged.workflowId !== stage.id
  const wantsMore = !isFolded && hasMore(stage.id) && windowed.drawn.at(-1)?.id === shown.at(-1)?.id
  useEffect(() => {
    if (wantsMore) onMore(stage.id)
  }, [wantsMore, shown.length])
  useEffect(() => (revealed === undefined ? undefined : windowed.reveal(revealed)), [revealed, shown])
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
      <ColumnHeader {...props} isDone={isDone} onAdd={() => setAdding(true)} />
      <div class="column-cards" ref={windowed.scroller} onScroll={windowed.onScroll}>
        {isAdding && <QuickAdd {...props} onClose={() => setAdding(false)} />}
        <ul
          class="cards"
          style={{ paddingTop: `${windowed.before}px`, paddingBottom: `${windowed.behind}px` }}
        >
          {windowed.drawn.map((assignment) => (
            <BoardCard
              key={assignment.id}
              assignment={assignment}
              typeName={props.typeNames.get(assignment.assignmentTypeId) ?? ''}
              blockedSince={props.blocked.get(assignment.id)}
              isDone={isDone}
              isOpen={assignment.id === props.openId}
              isNew={assignment.id === revealed}
              query={props.query}
              stages={props.stages}
              onMove={props.onMove}
              onDrag={props.onDrag}
            />
          ))}
        </ul>
        {countOf(stage.id) === 0 && !isAdding && <p class="column-empty">{emptyTextOf(props)}</p>}
        {isFolded && (
          <button type="button" class="button quiet wide" onClick={() => setUnfolded(true)}>
            {tn(countOf(stage.id) - shown.length, 'Show 1 older', 'Show {count} older')}
          </button>
        )}
      </div>
    </section>
  )
}

/** Of a board without any card, the first column says what to do next. */
function emptyTextOf({ stage, stages, query, countOf }: BoardColumnProps): string {
  const isFirstOfNothing = stage.id === stages[0]?.id && stages.every(({ id }) => countOf(id) === 0)
  if (!isFirstOfNothing) return t('Nothing here')
  return isFiltered(readFilters(new URLSearchParams(query)))
    ? t('No assignment fits these filters')
    : t('Add the first assignment with the plus above, or press C.')
}

function ColumnHeader(props: BoardColumnProps & { readonly isDone: boolean; onAdd(): void }) {
  const { stage, projectId, isDone, countOf, onAdd } = props
  const { router, session } = useServices()
  const changeStages = { label: t('Change the stages…'), run: () => router.go('/administration/workflows') }
  return (
    <header class="column-header">
      <h2 id={`stage-${stage.id}`} dir="auto">
        {stage.name}
      </h2>
      {isDone && (
        <span class="column-done" title={t('What is in this stage counts as done')}>
          <Icon name="check" />
        </span>
      )}
      <span class="count">{countOf(stage.id)}</span>
      <Menu
        label={t('Stage {name}', { name: stage.name })}
        items={[
          {
            label: t('This stage means done'),
            isCurrent: isDone,
            run: () => chooseDoneStage(projectId, stage.id),
          },
          ...(session.person.value?.isAdministrator ? [changeStages] : []),
        ]}
      >
        <Icon name="more" />
      </Menu>
      <button
        type="button"
        class="button quiet icon-only"
        aria-label={t('New assignment in {stage}', { stage: stage.name })}
        onClick={onAdd}
      >
        <Icon name="plus" />
      </button>
    </header>
  )
}

const isRecent = ({ createdAt, updatedAt }: Assignment): boolean =>
  dayOf(updatedAt ?? createdAt) > addDays(today(), -shownDaysOfDone)

/** What ends first stands first; what is done, last changed first. */
const inOrder = (assignments: readonly Assignment[], isDone: boolean): Assignment[] =>
  assignments.toSorted((a, b) =>
    isDone
      ? (b.updatedAt ?? b.createdAt).localeCompare(a.updatedAt ?? a.createdAt)
      : compare(a.endDate, b.endDate) || a.name.localeCompare(b.name),
  )

const compare = (a: string, b: string): number => (a < b ? -1 : Number(a > b))
