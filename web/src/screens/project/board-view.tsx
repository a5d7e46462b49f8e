import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import type { RecordOf } from '../../api/api.ts'
import { byId } from '../../api/load-all.ts'
import type { RecordedHours } from '../../assignment/load-recorded-hours.ts'
import { isCovered } from '../../assignment/panel-frame.tsx'
import { useRecordedHours } from '../../assignment/use-recorded-hours.ts'
import {
  impedimentStarts,
  useProjectDependencies,
  useProjectLabels,
  useProjectParts,
} from '../../data/project-links.ts'
import { type ProjectStage, type StageLook, stageLooksOf } from '../../data/project-stages.ts'
import { useFollowedRows } from '../../data/use-followed-rows.ts'
import { catalogQuery, useAllRows, useListing } from '../../data/use-listing.ts'
import { type StagePages, type StageQuery, useStagePages } from '../../data/use-stage-pages.ts'
import { useServices } from '../../services/services.ts'
import { t } from '../../texts/text.ts'
import { useLater } from '../../ui/lazy.tsx'
import { StageMark } from '../../ui/marks.tsx'
import type { FoundAssignmentsProps } from '../../ui/option-search.tsx'
import { centreCurrent } from '../../ui/page.tsx'
import { EmptyState, LoadProblem } from '../../ui/page-states.tsx'
import { useStableCallback } from '../../ui/use-stable-callback.ts'
import { phone, useMedia } from '../../ui/viewport.ts'
import { BoardColumn, type BoardProps } from './board-column.tsx'
import { type Place, useMoves } from './card-moves.ts'
import { hasRowFilters, isFiltered, matcherOf, queryOfFilters } from './filters.ts'
import {
  blockedIdsOf,
  NoMatches,
  type ProjectViewProps,
  useMemberIds,
  ViewSkeleton,
} from './project-view.tsx'
import { assignmentElementId, useCardFocus } from './use-card-focus.ts'

export interface BoardViewProps extends ProjectViewProps {
  readonly problem: Error | undefined
  readonly revealedId: string | undefined
  onReveal(id: string): void
}

/** Shows the live assignments by stage. */
export function BoardView(props: BoardViewProps) {
  const { projectId, doneStageIds } = props.scope
  const [areCardsShown, setCardsShown] = useState(false)
  const needsAllRows = hasRowFilters(props.filters)
  const facts = useCardFacts(projectId, doneStageIds, !areCardsShown && !needsAllRows)
  const recorded = useRecordedHours(props.scope, areCardsShown)
  const factsProps = { ...props, facts, recorded, onShown: () => setCardsShown(true) }
  return needsAllRows ? <FilteredBoard {...factsProps} /> : <PagedBoard {...factsProps} />
}

interface FactsProps extends BoardViewProps {
  readonly facts: ReturnType<typeof useCardFacts>
  readonly recorded: RecordedHours
  onShown(): void
}

/** Loads each stage as far as the user has scrolled. */
function PagedBoard(props: FactsProps) {
  const { projectId, stages, doneStageIds } = props.scope
  const isManuallyOrdered = useIsManuallyOrdered()
  const queries = useMemo(
    () => stages.map(({ id }) => stageQuery(id, doneStageIds.has(id), isManuallyOrdered)),
    [stages, doneStageIds, isManuallyOrdered],
  )
  const pages = useStagePages({ projectId, ...queryOfFilters(props.filters) }, queries)
  return <BoardPages {...props} pages={pages} />
}

/** Loads all assignments, because the API cannot apply these filters. */
function FilteredBoard(props: FactsProps) {
  const { scope, filters, facts } = props
  const { projectId, doneStageIds } = scope
  const listing = useFollowedRows({ projectId, ...queryOfFilters(filters) }, { firstPageAtOnce: false })
  const [createdIds, setCreatedIds] = useState<ReadonlySet<string>>(new Set())
  const { labels, impediments, blockers } = facts
  const members = useMemberIds(projectId, filters)
  const board = useMemo(() => {
    const blockedIds = blockedIdsOf(impediments, blockers)
    const matches = matcherOf(filters, { labels, blockedIds, doneStageIds, memberIds: members.ids })
    // Assignments that the user has just created stay visible, whatever the filters say.
    const rows = listing.rows.filter((row) => matches(row) || createdIds.has(row.id))
    const byStage = Map.groupBy(rows, ({ workflowId }) => workflowId)
    const counts = new Map([...byStage].map(([id, stageRows]) => [id, stageRows.length]))
    return { rows: byId(rows), counts, hasMore: () => false }
  }, [
    listing.rows,
    JSON.stringify(filters),
    labels,
    impediments,
    blockers,
    doneStageIds,
    members.ids,
    createdIds,
  ])
  const put = (row: Assignment) => {
    setCreatedIds((ids) => new Set([...ids, row.id]))
    listing.put([row])
  }
  return (
    <>
      <BoardPages
        {...props}
        pages={{
          ...listing,
          board,
          put,
          loadMore: () => undefined,
          isLoading: listing.isLoading || members.isLoading,
        }}
      />
      {listing.isCut && <p class="quiet-text">{t('Only the first 5,000 assignments are shown.')}</p>}
    </>
  )
}

function BoardPages(props: FactsProps & { readonly pages: StagePages }) {
  const { scope, filters, isNameLoading, areStagesLoading, openId, query, revealedId, onReveal } = props
  const { facts, pages } = props
  const { api } = useServices()
  const { projectId, stages, doneStageIds } = scope
  const { board } = pages
  useEffect(() => props.onConnection(pages.connection), [pages.connection])
  const stored = useMemo(() => [...board.rows.values()], [board])
  const stageNameOf = (id: string) => stages.find((stage) => stage.id === id)?.name ?? '…'
  const moves = useMoves(stored, stageNameOf, pages.put)
  // The first stage may be loaded before the other stages.
  const areAllLoaded = !pages.isLoading && (hasRowFilters(filters) || board.counts.size === stages.length)
  const totalCount = [...board.counts.values()].reduce((sum, count) => sum + count, 0)
  const parts = useProjectParts(projectId, stored, areAllLoaded ? totalCount : undefined, doneStageIds)
  const isManuallyOrdered = useIsManuallyOrdered()
  useEffect(() => {
    // A dialog of this tab may have created the assignment, and the loaded pages may not contain it.
    if (revealedId !== undefined && !board.rows.has(revealedId))
      api.get('assignment', revealedId).then(pages.put, () => undefined)
  }, [revealedId])
  const problem = props.problem ?? pages.problem
  const isLoading =
    isNameLoading || areStagesLoading || (stages.length > 0 && (pages.isLoading || facts.isLoading))
  useEffect(() => {
    if (!isLoading) props.onShown()
  }, [isLoading])
  return (
    <>
      <SearchStatus search={filters.search} isStale={isLoading || pages.isStale} count={totalCount} />
      {problem && <LoadProblem problem={problem} onRetry={pages.reload} />}
      {isLoading && !problem && (
        // The skeleton is mounted again when the name is loaded, because a long name may change the layout.
        <ViewSkeleton key={String(isNameLoading)} view="board" />
      )}
      {/* If a request has failed, it is unknown whether there is any assignment. */}
      {(problem ? stored.length > 0 : !isLoading) && (
        <Board
          projectId={projectId}
          projectKey={props.scope.projectKey}
          stages={stages}
          doneStageIds={doneStageIds}
          filters={filters}
          assignments={moves.rows}
          types={facts.types}
          impediments={facts.impediments}
          labels={facts.labels}
          blockers={facts.blockers}
          parts={parts}
          recorded={props.recorded}
          isStale={pages.isStale}
          areCountsKnown={areAllLoaded}
          openId={openId}
          query={query}
          revealedId={revealedId}
          countOf={(id) => (board.counts.get(id) ?? 0) + countPendingMoves(id, stored, moves.rows)}
          hasMore={board.hasMore}
          onMore={pages.loadMore}
          isManuallyOrdered={isManuallyOrdered}
          onMove={(assignment, stage, place) => {
            moves.move(assignment, stage, place)
            onReveal(assignment.id)
          }}
          onNew={(assignment) => {
            pages.put(assignment)
            onReveal(assignment.id)
          }}
        />
      )}
    </>
  )
}

/** The first search loads the script of the announcement. */
function SearchStatus(props: FoundAssignmentsProps) {
  const script = useLater(props.search !== '', () => import('../../ui/option-search.tsx'))
  return script && <script.FoundAssignments {...props} />
}

/**
 * Loads the data related to cards. Cards are rendered only with it, because it determines their height. Until
 * they are shown, `onlyNewest` limits labels and dependencies to a page.
 */
function useCardFacts(projectId: string, doneStageIds: ReadonlySet<string>, onlyNewest: boolean) {
  const types = useListing('assignmentType', catalogQuery)
  const impediments = useAllRows('assignmentImpediment', {}, { live: true })
  const labels = useProjectLabels(projectId, onlyNewest)
  const dependencies = useProjectDependencies(projectId, doneStageIds, onlyNewest)
  return {
    types: types.rows,
    impediments: impediments.rows,
    labels: labels.byAssignment,
    blockers: dependencies.blockers,
    isLoading: [types, impediments, labels, dependencies].some(({ isLoading }) => isLoading),
  }
}

/** Finished work is sorted by its last change, whatever the order of the board is. */
const stageQuery = (id: string, isDone: boolean, isManuallyOrdered: boolean): StageQuery =>
  isDone
    ? { id, sortColumn: 'updatedAt', sortOrder: 'DESC' }
    : { id, sortColumn: isManuallyOrdered ? 'rank' : 'endDate', sortOrder: 'ASC' }

/** Returns whether the address selects the manual order. This requires the extensions. */
function useIsManuallyOrdered(): boolean {
  const { configuration, router } = useServices()
  return configuration.extensions && router.address.value.searchParams.get('order') === 'hand'
}

type Rows = readonly RecordOf<'assignment'>[]

/** Returns by how much unconfirmed moves change the count of a stage. Negative if the count decreases. */
function countPendingMoves(stageId: string, stored: Rows, moved: Rows): number {
  const count = (rows: Rows) => rows.reduce((sum, row) => sum + Number(row.workflowId === stageId), 0)
  return count(moved) - count(stored)
}

type Assignment = RecordOf<'assignment'>
type Stage = ProjectStage

/** Shows one column per stage. Cards are moved by dragging, by their menu, or with Shift and an arrow key. */
function Board(props: BoardProps) {
  const { assignments, types, impediments, isStale, countOf, onMove } = props
  const stages = useShownStages(props.stages, countOf)
  const typeNames = useMemo(() => new Map(types.map(({ id, name }) => [id, name])), [types])
  const blockedSince = useMemo(() => impedimentStarts(impediments), [impediments])
  const [dragged, setDragged] = useState<Assignment>()
  const keepFocusOn = useCardFocus()
  const isPhone = useMedia(phone)
  const looks = useMemo(() => stageLooksOf(stages, props.doneStageIds), [stages, props.doneStageIds])
  const move = useStableCallback((assignment: Assignment, stage: Stage, place?: Place) => {
    keepFocusOn(assignment.id)
    onMove(assignment, stage, place)
  })
  const drag = useStableCallback(setDragged)
  const element = useRef<HTMLDivElement>(null)
  useScrollToMatches(element, props, stages)
  useUncovered(assignments.find(({ id }) => id === props.openId)?.id)
  const byStage = useMemo(() => Map.groupBy(assignments, ({ workflowId }) => workflowId), [assignments])
  if (stages.length === 0)
    return (
      <EmptyState title={t('There are no stages yet')} icon="columns">
        <p>{t('An administrator sets up the stages, which are the columns of this board.')}</p>
      </EmptyState>
    )
  if (isFiltered(props.filters) && stages.every(({ id }) => countOf(id) === 0)) return <NoMatches />
  return (
    <>
      {isPhone && <StageStrip stages={stages} looks={looks} board={element} countOf={countOf} />}
      <div class="board" ref={element} aria-busy={isStale}>
        {stages.map((stage) => (
          <BoardColumn
            key={stage.id}
            {...props}
            stages={stages}
            stage={stage}
            looks={looks}
            assignments={byStage.get(stage.id) ?? noAssignments}
            typeNames={typeNames}
            blockedSince={blockedSince}
            dragged={dragged}
            onDrag={drag}
            onDrop={(place) => {
              if (dragged) onMove(dragged, stage, place)
              setDragged(undefined)
            }}
            onMove={move}
          />
        ))}
      </div>
    </>
  )
}

/**
 * Scrolls to the first column with matches if a filter has emptied the visible columns. Stages are loaded one
 * after the other, so this is repeated until the user touches the board.
 */
function useScrollToMatches(
  board: { readonly current: HTMLElement | null },
  { filters, isStale, countOf }: BoardProps,
  stages: readonly Stage[],
): void {
  const filterKey = JSON.stringify(filters)
  const touchedKey = useRef<string>(undefined)
  const matching = stages.map(({ id }) => countOf(id) > 0)
  useEffect(() => {
    if (board.current === null || isStale || !isFiltered(filters) || touchedKey.current === filterKey) return
    const isInView = findColumnsInView(board.current)
    if (!matching.some((matches, index) => matches && isInView[index]))
      goToColumn(board.current, matching.indexOf(true))
  }, [filterKey, isStale, matching.join()])
  useEffect(() => {
    const touch = () => {
      touchedKey.current = filterKey
    }
    const events = ['pointerdown', 'wheel', 'keydown'] as const
    for (const event of events) board.current?.addEventListener(event, touch, { passive: true })
    return () => {
      for (const event of events) board.current?.removeEventListener(event, touch)
    }
  }, [filterKey])
}

/** Returns for each column whether its middle is visible. */
function findColumnsInView(board: HTMLElement): readonly boolean[] {
  const { left, right } = board.getBoundingClientRect()
  return [...board.children].map((column) => {
    const box = column.getBoundingClientRect()
    const middle = (box.left + box.right) / 2
    return middle > left && middle < right
  })
}

const goToColumn = (board: HTMLElement | null, index: number) =>
  board?.children[index]?.scrollIntoView({ block: 'nearest', inline: 'start' })

/**
 * If the panel covers the open card, scrolls to its column as soon as the card is loaded, and back when the panel is
 * closed, unless the user has scrolled. Otherwise nothing on the board moves.
 */
function useUncovered(openId: string | undefined): void {
  useEffect(() => {
    const card = document.getElementById(assignmentElementId(openId ?? ''))?.closest('.card')
    const panel = document.querySelector('.panel')
    const board = card?.closest('.board')
    if (!card || !board || panel === null) return
    if (!isCovered(card, panel) || panel.getBoundingClientRect().width >= innerWidth) return
    const before = board.scrollLeft
    // The column is as high as the board, so that this does not scroll vertically.
    card.closest('.column')?.scrollIntoView({ block: 'nearest', inline: 'nearest' })
    const revealed = board.scrollLeft
    return () => {
      // Without a panel, the board is narrower.
      const last = board.scrollWidth - board.clientWidth
      if (Math.abs(board.scrollLeft - Math.min(revealed, last)) < 2) board.scrollLeft = before
    }
  }, [openId])
}

/** Returns the stages to show. A stage that the project does not use is shown only while cards are in it. */
function useShownStages(stages: readonly Stage[], countOf: (id: string) => number): readonly Stage[] {
  const shown = stages.filter(({ id, isUsed }) => isUsed || countOf(id) > 0)
  // The list stays the same object while it has the same stages, because every card depends on it.
  return useMemo(() => shown, [stages, shown.map(({ id }) => id).join()])
}

const noAssignments: readonly Assignment[] = []

interface StageStripProps {
  readonly stages: readonly ProjectStage[]
  readonly looks: ReadonlyMap<string, StageLook>
  readonly board: { readonly current: HTMLElement | null }
  countOf(stageId: string): number
}

/** Names all stages above a board that shows one column at a time, marks the shown one, and leads to the others. */
function StageStrip({ stages, looks, board, countOf }: StageStripProps) {
  const strip = useRef<HTMLElement>(null)
  const current = useShownColumn(board)
  useEffect(() => {
    if (strip.current) centreCurrent(strip.current)
  }, [current])
  return (
    <nav ref={strip} class="stage-strip" aria-label={t('Stages')}>
      {stages.map(({ id, name }, index) => {
        const look = looks.get(id)
        return (
          <button
            key={id}
            type="button"
            class="button quiet"
            aria-current={index === current ? 'true' : undefined}
            onClick={() => goToColumn(board.current, index)}
          >
            {look && <StageMark {...look} />}
            <span dir="auto">{name}</span>
            <span class="quiet-text">{countOf(id)}</span>
          </button>
        )
      })}
    </nav>
  )
}

/** Returns the index of the first column whose middle is visible. */
function useShownColumn(board: StageStripProps['board']): number {
  const [shown, setShown] = useState(0)
  useEffect(() => {
    const element = board.current
    if (element === null) return
    const update = () => setShown(Math.max(0, findColumnsInView(element).indexOf(true)))
    update()
    element.addEventListener('scroll', update, { passive: true })
    return () => element.removeEventListener('scroll', update)
  }, [])
  return shown
}
