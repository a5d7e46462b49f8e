import { useEffect, useMemo, useState } from 'preact/hooks'
import type { RecordOf } from '../../api/api.ts'
import { outageError } from '../../api/problems.ts'
import { chooseDoneStage } from '../../assignment/assignment-values.ts'
import type { RecordedHours } from '../../assignment/load-recorded-hours.ts'
import { useShownRows } from '../../assignment/panel-frame.tsx'
import type { Blockers, LabelsByAssignment, PartCounts } from '../../data/project-links.ts'
import type { ProjectStage, StageLook } from '../../data/project-stages.ts'
import { useServices } from '../../services/services.ts'
import { t, tn } from '../../texts/text.ts'
import { addDays, dayOf, today } from '../../time/days.ts'
import { Icon } from '../../ui/icon.tsx'
import { StageMark } from '../../ui/marks.tsx'
import { Menu } from '../../ui/menu.tsx'
import { useStableCallback } from '../../ui/use-stable-callback.ts'
import { phone, useMedia } from '../../ui/viewport.ts'
import { BoardCard } from './board-card.tsx'
import { byRank, compareTexts, type Place, placeAfterStep, useCardDrop } from './card-moves.ts'
import { type Filters, isFiltered } from './filters.ts'
import { QuickAdd } from './quick-add.tsx'
import { assignmentElementId } from './use-card-focus.ts'
import { useVirtualRows } from './use-virtual-rows.ts'

type Assignment = RecordOf<'assignment'>
type Stage = ProjectStage

export interface BoardProps {
  readonly projectId: string
  readonly projectKey: string | undefined
  readonly stages: readonly Stage[]
  readonly doneStageIds: ReadonlySet<string>
  readonly filters: Filters
  readonly assignments: readonly Assignment[]
  readonly types: readonly RecordOf<'assignmentType'>[]
  readonly impediments: readonly RecordOf<'assignmentImpediment'>[]
  readonly labels: LabelsByAssignment
  readonly blockers: Blockers
  readonly parts: PartCounts
  readonly recorded: RecordedHours
  readonly isStale: boolean
  /** False until the last stage is loaded. */
  readonly areCountsKnown: boolean
  readonly openId: string | undefined
  /** The query string of the page. Links keep it, so that the filters stay. */
  readonly query: string
  /** The card that was just created or moved. It is scrolled into view. */
  readonly revealedId: string | undefined
  countOf(stageId: string): number
  hasMore(stageId: string): boolean
  /**
   * True if the cards are in the manual order. Otherwise they are sorted by end date. Finished work is always
   * sorted by its last change.
   */
  readonly isManuallyOrdered: boolean
  onMore(stageId: string): void
  onMove(assignment: Assignment, stage: Stage, place?: Place): void
  onNew(assignment: Assignment): void
}

interface BoardColumnProps extends BoardProps {
  readonly stage: Stage
  readonly looks: ReadonlyMap<string, StageLook>
  readonly typeNames: ReadonlyMap<string, string>
  /** Maps each blocked assignment to the start of its oldest impediment. */
  readonly blockedSince: ReadonlyMap<string, string>
  readonly dragged: Assignment | undefined
  onDrag(assignment: Assignment | undefined): void
  onDrop(place: Place | undefined): void
}

/** The assumed height of a card until it is measured. It fits a card with a name of one line. */
const estimatedCardPixels = 84
/** Done assignments that have not changed for this many days are hidden behind a button. */
const recentDays = 14

/**
 * Shows one stage. The header stays in place while the cards scroll. A card can be dropped anywhere in the
 * column.
 */
export function BoardColumn(props: BoardColumnProps) {
  const { stage, assignments, doneStageIds, dragged, revealedId, countOf, hasMore, onDrop, onMore } = props
  const isDone = doneStageIds.has(stage.id)
  const [showsOlder, setShowsOlder] = useState(false)
  const [isAdding, setAdding] = useState(false)
  const isManuallyOrdered = props.isManuallyOrdered && !isDone
  const order = orderOf(isDone, isManuallyOrdered)
  const sorted = useMemo(() => assignments.toSorted(order), [assignments, order])
  const shown = useMemo(
    () => (isDone && !showsOlder ? recentOf(sorted) : sorted),
    [sorted, isDone, showsOlder],
  )
  const hidesOlder = shown.length < sorted.length || (isDone && !showsOlder && hasMore(stage.id))
  const virtual = useVirtualRows(shown, estimatedCardPixels)
  useShownRows(shown, props.stages.indexOf(stage))
  useCardsInView(props, shown, virtual.reveal)
  const drop = useCardDrop({
    cards: shown,
    stageId: stage.id,
    dragged,
    isManuallyOrdered,
    isDone,
    // Finished work is sorted by its last change. The move is a change, so the card will be the first.
    findNext: (moved) => (isDone ? shown[0] : shown.find((card) => order(moved, card) < 0))?.id,
    onDrop,
  })
  const moveByStep = useStableCallback((assignment: Assignment, step: number) => {
    const place = placeAfterStep(shown, assignment, step)
    if (place) props.onMove(assignment, stage, place)
  })
  const wantsMore = !hidesOlder && hasMore(stage.id) && virtual.rendered.at(-1)?.id === shown.at(-1)?.id
  useEffect(() => {
    if (wantsMore) onMore(stage.id)
  }, [wantsMore, shown.length])
  return (
    <section
      class={`column ${drop.isOver ? 'drop' : ''}`}
      data-color={stage.color}
      aria-labelledby={`stage-${stage.id}`}
      {...drop.handlers}
    >
      <ColumnHeader {...props} isDone={isDone} onAdd={() => setAdding(true)} />
      <div class="column-cards" ref={virtual.scroller} onScroll={virtual.onScroll}>
        <QuickAdd {...props} isOpen={isAdding} onClose={() => setAdding(false)} />
        <ul
          class={`cards ${drop.isLast ? 'drop-last' : ''}`}
          style={{ paddingTop: `${virtual.pixelsBefore}px`, paddingBottom: `${virtual.pixelsAfter}px` }}
        >
          {virtual.rendered.map((assignment) => (
            <BoardCard
              key={assignment.id}
              assignment={assignment}
              projectKey={props.projectKey}
              {...factsOf(props, assignment)}
              isDone={isDone}
              isOpen={assignment.id === props.openId}
              isNew={assignment.id === revealedId}
              isDropTarget={assignment.id === drop.beforeId}
              isDragged={assignment.id === dragged?.id}
              onStep={isManuallyOrdered ? moveByStep : undefined}
              query={props.query}
              stages={props.stages}
              looks={props.looks}
              onMove={props.onMove}
              onDrag={props.onDrag}
            />
          ))}
        </ul>
        {!isAdding && <ColumnHint {...props} onAdd={() => setAdding(true)} />}
        {hidesOlder && (
          <button type="button" class="button quiet wide" onClick={() => setShowsOlder(true)}>
            {tn(countOf(stage.id) - shown.length, 'Show 1 older', 'Show {count} older')}
          </button>
        )}
      </div>
    </section>
  )
}

function orderOf(isDone: boolean, isManuallyOrdered: boolean) {
  if (isDone) return byLastChange
  return isManuallyOrdered ? byRank : byEnd
}

/** Scrolls to a card that was created or moved, and to the open card if it is not rendered. */
function useCardsInView(
  { openId, revealedId }: BoardColumnProps,
  shown: readonly Assignment[],
  reveal: (id: string) => void,
): void {
  useEffect(() => (revealedId === undefined ? undefined : reveal(revealedId)), [revealedId, shown])
  useEffect(() => {
    // A card that was clicked is rendered, and must not move.
    if (openId !== undefined && document.getElementById(assignmentElementId(openId)) === null) reveal(openId)
  }, [openId])
}

const factsOf = (props: BoardColumnProps, { id, assignmentTypeId }: Assignment) => ({
  typeName: props.typeNames.get(assignmentTypeId) ?? '',
  blockedSince: props.blockedSince.get(id),
  labels: props.labels.get(id),
  blockers: props.blockers.get(id),
  parts: props.parts.get(id),
  recorded: props.recorded.get(id),
})

/** Says that a column is empty where it fills a phone, where to drop a dragged card, or how to add the first assignment. */
function ColumnHint({ stage, stages, filters, dragged, areCountsKnown, countOf, onAdd }: ColumnPartProps) {
  const isPhone = useMedia(phone)
  if (countOf(stage.id) > 0 || !areCountsKnown) return null
  if (dragged) return <p class="column-empty">{t('Drop here')}</p>
  if (isPhone)
    return (
      <div class="column-empty">
        <p>{isFiltered(filters) ? t('No assignments match these filters') : t('No assignments')}</p>
        <button
          type="button"
          class="button quiet"
          aria-label={t('New assignment in {stage}', { stage: stage.name })}
          onClick={onAdd}
        >
          <Icon name="plus" />
          {t('New assignment')}
        </button>
      </div>
    )
  const isFirstOfEmptyBoard = stage === stages[0] && stages.every(({ id }) => countOf(id) === 0)
  return isFirstOfEmptyBoard ? (
    <p class="column-empty">{t('Add the first assignment with the plus above, or press N.')}</p>
  ) : null
}

interface ColumnPartProps extends BoardColumnProps {
  onAdd(): void
}

interface ColumnHeaderProps extends ColumnPartProps {
  readonly isDone: boolean
}

function ColumnHeader({ stage, stages, projectId, looks, isDone, countOf, onAdd }: ColumnHeaderProps) {
  const services = useServices()
  const { configuration, router, session } = services
  const isAdministrator = session.person.value?.isAdministrator === true
  const look = looks.get(stage.id)
  const stagesItem = { label: t('Change the stages…'), run: () => router.go('/administration/workflows') }
  const doneItem = {
    label: t('This stage means done'),
    isCurrent: isDone,
    run: () =>
      configuration.extensions
        ? import('../../assignment/done-mark.ts').then(
            (script) => script.toggleDoneStage(services, stage, stages, isDone),
            () => services.toasts.show({ kind: 'problem', text: outageError().message }),
          )
        : chooseDoneStage(projectId, stage.id),
  }
  const items = [
    ...(isAdministrator || !configuration.extensions ? [doneItem] : []),
    ...(isAdministrator ? [stagesItem] : []),
  ]
  return (
    <header class="column-header">
      {look && (
        <span class="column-mark" title={isDone ? t('Assignments in this stage count as done') : undefined}>
          <StageMark {...look} />
        </span>
      )}
      <h2 id={`stage-${stage.id}`} dir="auto">
        {stage.name}
      </h2>
      <span class="count">{countOf(stage.id)}</span>
      {items.length > 0 && (
        <Menu label={t('Stage {name}', { name: stage.name })} items={items}>
          <Icon name="more" />
        </Menu>
      )}
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

function recentOf(rows: readonly Assignment[]): readonly Assignment[] {
  const day = addDays(today(), -recentDays)
  return rows.filter(({ createdAt, updatedAt }) => dayOf(updatedAt ?? createdAt) > day)
}

type Order = (a: Assignment, b: Assignment) => number

/** The latest change comes first. */
const byLastChange: Order = (a, b) => (b.updatedAt ?? b.createdAt).localeCompare(a.updatedAt ?? a.createdAt)
/** Assignments without dates come last. */
const byEnd: Order = (a, b) =>
  Number(a.isUnscheduled ?? false) - Number(b.isUnscheduled ?? false) ||
  (a.isUnscheduled ? 0 : compareTexts(a.endDate, b.endDate)) ||
  a.name.localeCompare(b.name)
