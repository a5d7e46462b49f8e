import { useEffect, useMemo, useRef } from 'preact/hooks'
import type { RecordOf } from '../../../api/api.ts'
import { dailyTarget } from '../../../assignment/daily-target.ts'
import { responsibleOf } from '../../../data/assignments.ts'
import { useMembers, useNamesLoaded } from '../../../data/use-members.ts'
import { useServices } from '../../../services/services.ts'
import { locale, t } from '../../../texts/text.ts'
import { addDays, dateFormat, dateOf, dayOf, today } from '../../../time/days.ts'
import { EmptyState, LoadProblem } from '../../../ui/page-states.tsx'
import { useStableCallback } from '../../../ui/use-stable-callback.ts'
import { phone, useMedia } from '../../../ui/viewport.ts'
import { type Bar, barsOf, stackedBarsOf } from '../bars.ts'
import { passesPerson } from '../filters.ts'
import { useBlocked } from '../name-lookup.ts'
import {
  PeriodSteps,
  type Shift,
  UnscheduledLink,
  usePeriodRows,
  useUnscheduledCount,
} from '../period-view.tsx'
import { type ProjectViewProps, ViewSkeleton } from '../project-view.tsx'
import { useCardFocus } from '../use-card-focus.ts'
import { useRowWindow } from '../use-virtual-rows.ts'
import {
  type Arrow,
  arrowsOf,
  type BarPlace,
  connectedIdsOf,
  DependencyArrows,
  type OpenDependency,
  useOpenDependencies,
  waitingTextsOf,
} from './dependency-arrows.tsx'
import {
  barMarginPixels,
  DayGrid,
  type LaneContext,
  lanePropertiesOf,
  type Measures,
  PersonLane,
  startPixelsOf,
  trackRemOf,
  useMeasures,
} from './person-lane.tsx'
import { Legend, TimeScale, usePeriod, ZoomButtons, ZoomSelect } from './timeline-head.tsx'

type Assignment = RecordOf<'assignment'>
type Listing = ReturnType<typeof usePeriodRows>

/** Shows the assignments of each person over time. Dragging a bar changes its days or its person. */
export function TimelineView(props: ProjectViewProps) {
  const { scope, filters, openId, query } = props
  const isPhone = useMedia(phone)
  const period = usePeriod(query, isPhone ? 'week' : 'month')
  const { from, dayCount, goTo } = period
  const listing = usePeriodRows(props, from, addDays(from, dayCount))
  const unscheduledCount = useUnscheduledCount(scope.projectId)
  const isLoading = listing.isLoading || unscheduledCount === undefined
  const people = usePeople(scope.projectId, filters.userId, {
    rows: listing.rows,
    memberIds: listing.memberIds,
    isLoading,
  })
  const keepFocusOn = useCardFocus()
  // Block reasons are loaded only when the bars can be shown, so that they do not delay the bars.
  const { blockReasons, blockers } = useBlocked(people && scope.projectId, scope.doneStageIds)
  const dependencies = useOpenDependencies(scope, listing.rows, blockers)
  const waitingTexts = useMemo(() => waitingTextsOf(dependencies), [dependencies])
  const shownStageIds = useStageIds(listing.rows)
  const onShift = useStableCallback((row: Assignment, change: Shift) => {
    keepFocusOn(row.id)
    void listing.reschedule(row, change)
  })
  const { doneStageIds, stages } = scope
  const context = useLaneContext({
    from,
    dayCount,
    target: dailyTarget(),
    openId,
    query,
    doneStageIds,
    stages,
    waitingTexts,
    blockReasons,
    onShift,
  })
  // The key keeps Preact from reusing this skeleton for the one below the tools, which would make it move.
  if (props.isNameLoading) return <ViewSkeleton key="name" view="timeline" />
  return (
    <>
      <div class="timeline-tools">
        <PeriodSteps
          label={rangeText(from, addDays(from, dayCount - 1), isPhone)}
          isNow={from === period.now}
          labels={{ before: t('Earlier'), after: t('Later'), now: t('Today') }}
          onStep={(count) => goTo(addDays(from, count * period.stepDays))}
          onNow={() => goTo(period.now)}
        />
        {people && <UnscheduledLink projectId={scope.projectId} count={unscheduledCount} />}
        {people && listing.rows.length === 0 && (
          <span class="quiet-text">{t('No assignments with dates in this period')}</span>
        )}
        {isPhone ? <ZoomSelect {...period} /> : <ZoomButtons {...period} />}
        <Legend
          stages={stages}
          doneStageIds={doneStageIds}
          shownStageIds={shownStageIds}
          hasArrows={!isPhone}
        />
      </div>
      {listing.problem && <LoadProblem problem={listing.problem} onRetry={listing.reload} />}
      {people === undefined && !listing.problem && <ViewSkeleton view="timeline" />}
      {people?.length === 0 && (
        <EmptyState icon="people" title={t('No one works on this project yet')}>
          <p>{t('Its members and their assignments appear here. Add members in the list of projects.')}</p>
          <a class="button" href="/projects">
            {t('Go to the projects')}
          </a>
        </EmptyState>
      )}
      {people !== undefined && people.length > 0 && (
        <Lanes
          people={people}
          rows={listing.rows}
          dependencies={dependencies}
          isStale={listing.isStale}
          context={context}
        />
      )}
    </>
  )
}

/** Returns the same object until a value changes, because lanes are memoized by it. */
const useLaneContext = (context: LanesProps['context']): LanesProps['context'] =>
  useMemo(() => context, Object.values(context))

const useStageIds = (rows: readonly Assignment[]): ReadonlySet<string> =>
  useMemo(() => new Set(rows.map(({ workflowId }) => workflowId)), [rows])

/** Phones have no room for years, which are in the head of the timeline. */
function rangeText(from: string, to: string, isPhone: boolean): string {
  const [start, end] = [dateOf(from), dateOf(to)]
  const short = dateFormat('short')
  if (!isPhone) return dateFormat('long').formatRange(start, end)
  const isWithinYear = from.slice(0, 4) === to.slice(0, 4)
  const range = isWithinYear ? short.formatRange(start, end) : `${short.format(start)} – ${short.format(end)}`
  // A narrow label has a second line after the dash only.
  return range.replaceAll(/\s(?=.*–)|(?<!–)\s/g, '\u00a0')
}

interface LanesProps {
  readonly people: readonly { readonly id: string; readonly name: string }[]
  readonly rows: readonly Assignment[]
  readonly dependencies: readonly OpenDependency[]
  readonly isStale: boolean
  readonly context: Omit<LaneContext, 'dayPixels' | 'connectedIds' | 'isPhone'>
}

/** Calculates the bars and heights of all lanes, but renders only the lanes near the visible part. */
function Lanes({ people, rows, dependencies, isStale, context: shared }: LanesProps) {
  const { from, dayCount, openId } = shared
  const head = useRef<HTMLDivElement>(null)
  const measures = useMeasures(head, dayCount)
  const { dayPixels, font, laneRem, isPhone } = measures
  const byPerson = useRowsByPerson(rows)
  const barsByPerson = useBars(byPerson, { from, dayCount, dayPixels, font, isStacked: isPhone }, shared)
  const laneBottoms = useLaneBottoms(people, barsByPerson, measures)
  const rowWindow = useRowWindow(people, laneBottoms)
  const { places, arrows } = useArrows(dependencies, people, { barsByPerson, laneBottoms, measures })
  const connectedIds = useConnectedIds(arrows)
  const context = useMemo(
    (): LaneContext => ({ ...shared, dayPixels, connectedIds, isPhone }),
    [shared, dayPixels, connectedIds, isPhone],
  )
  useEffect(() => {
    const open = rows.find(({ id }) => id === openId)
    if (open !== undefined) rowWindow.reveal(people.findIndex(({ id }) => id === responsibleOf(open)))
  }, [openId])
  return (
    <section
      class="timeline"
      aria-label={t('Timeline')}
      aria-busy={isStale}
      style={lanePropertiesOf(laneRem)}
      ref={rowWindow.scroller}
      onScroll={rowWindow.onScroll}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
      tabIndex={0}
    >
      <TimeScale scaleRef={head} from={from} dayCount={dayCount} dayPixels={dayPixels} isPhone={isPhone} />
      <div class="timeline-lanes" style={{ height: `${laneBottoms.at(-1) ?? 0}px` }}>
        <DayGrid from={from} dayCount={dayCount} />
        {people.slice(rowWindow.from, rowWindow.end).map(({ id, name }, offset) => {
          const index = rowWindow.from + offset
          const top = laneBottoms[index - 1] ?? 0
          return (
            <PersonLane
              key={id}
              id={id}
              name={name}
              rows={byPerson.get(id) ?? noAssignments}
              bars={barsByPerson.get(id) ?? noBars}
              top={top}
              height={(laneBottoms[index] ?? top) - top}
              previousId={people[index - 1]?.id}
              nextId={people[index + 1]?.id}
              context={context}
            />
          )
        })}
        {!isPhone && (
          <DependencyArrows
            arrows={arrows}
            places={places}
            openId={openId}
            renderedTop={laneBottoms[rowWindow.from - 1] ?? 0}
            renderedBottom={laneBottoms[rowWindow.end - 1] ?? 0}
            rowPixels={laneRem.bar * measures.remPixels}
            dayPixels={dayPixels}
            start={startPixelsOf(measures)}
            width={startPixelsOf(measures) + dayCount * dayPixels}
          />
        )}
      </div>
    </section>
  )
}

/** Returns the arrows and the places of all bars, or none on phones. */
function useArrows(dependencies: readonly OpenDependency[], people: readonly Person[], layout: Layout) {
  const { barsByPerson, laneBottoms, measures } = layout
  const hasArrows = !measures.isPhone && dependencies.length > 0
  return useMemo(() => {
    const places = hasArrows ? placesOf(people, layout) : noPlaces
    return { places, arrows: arrowsOf(dependencies, places) }
  }, [hasArrows, dependencies, people, barsByPerson, laneBottoms, measures.dayPixels])
}

/** Returns the same set while its ids are the same, because lanes are memoized by it. */
function useConnectedIds(arrows: readonly Arrow[]): ReadonlySet<string> {
  const ids = useMemo(() => connectedIdsOf(arrows).join(), [arrows])
  return useMemo(() => new Set(ids.split(',')), [ids])
}

const noBars: readonly Bar[] = []
const noPlaces: ReadonlyMap<string, BarPlace> = new Map()

type Person = LanesProps['people'][number]
type BarsByPerson = ReadonlyMap<string, readonly Bar[]>

/** Returns the position of the bottom edge of each lane, in pixels. */
function useLaneBottoms(
  people: readonly Person[],
  bars: BarsByPerson,
  { remPixels, laneRem, isNarrow }: Measures,
) {
  return useMemo(() => {
    let sum = 0
    return people.map(({ id }) => {
      const rem = trackRemOf(bars.get(id) ?? noBars, laneRem) + (isNarrow ? laneRem.head : 0)
      sum += Math.ceil(rem * remPixels)
      return sum
    })
  }, [people.map(({ id }) => id).join(), bars, remPixels, laneRem, isNarrow])
}

interface Layout {
  readonly barsByPerson: BarsByPerson
  readonly laneBottoms: readonly number[]
  readonly measures: Measures
}

/** Calculates the position of each bar. It cannot be measured, because most lanes are not rendered. */
function placesOf(people: readonly Person[], { barsByPerson, laneBottoms, measures }: Layout) {
  const { dayPixels, remPixels, laneRem, isNarrow } = measures
  const start = startPixelsOf(measures)
  const barsOffsetRem = laneRem.hours + (isNarrow ? laneRem.head : 0)
  return new Map(
    people.flatMap(({ id }, index) =>
      (barsByPerson.get(id) ?? noBars).map((bar): [string, BarPlace] => [
        bar.row.id,
        {
          start: start + bar.first * dayPixels + barMarginPixels,
          end: start + (bar.last + 1) * dayPixels - barMarginPixels,
          coveredFrom: start + bar.covered.first * dayPixels,
          coveredTo: start + (bar.covered.last + 1) * dayPixels,
          middle:
            (laneBottoms[index - 1] ?? 0) + (barsOffsetRem + (bar.line + 0.5) * laneRem.bar) * remPixels,
          beginsBefore: bar.beginsBefore,
          endsAfter: bar.endsAfter,
        },
      ]),
    ),
  )
}

/** The space around a name in its bar, and next to it. */
const innerMarginPixels = 28
const outerMarginPixels = 12
/** The width of an icon with the gap after it, such as the arrow at a side where a bar continues. */
const iconPixels = 20

/**
 * Returns a function that measures names. It adds up letters, each of which is measured once, because measuring
 * thousands of names would take too long.
 */
function measureIn(font: string): (name: string) => number {
  const canvas = document.createElement('canvas').getContext('2d')
  if (canvas) Object.assign(canvas, { font, textRendering: 'geometricPrecision' })
  const widths = new Map<string, number>()
  const widthOf = (letter: string) => {
    const width = widths.get(letter) ?? canvas?.measureText(letter).width ?? 0
    widths.set(letter, width)
    return width
  }
  return (name) => {
    let sum = 0
    for (const letter of name) sum += widthOf(letter)
    return sum
  }
}

interface Days {
  readonly from: string
  readonly dayCount: number
  readonly dayPixels: number
  /** The font of names. */
  readonly font: string
  /** True if each bar has its own line, with its name above it. */
  readonly isStacked: boolean
}

/** Returns the bars of each person. A person's list stays the same object until the rows change. */
function useBars(
  byPerson: ReadonlyMap<string, readonly Assignment[]>,
  days: Days,
  { doneStageIds, blockReasons }: Pick<LaneContext, 'doneStageIds' | 'blockReasons'>,
) {
  const { from, dayCount, dayPixels, font, isStacked } = days
  const widthOf = useMemo(() => measureIn(font), [font])
  const cache = useMemo(
    () => new WeakMap<readonly Assignment[], readonly Bar[]>(),
    [from, dayCount, dayPixels, isStacked, doneStageIds, blockReasons, widthOf],
  )
  return useMemo(() => {
    // An icon that says that an assignment waits is not counted, because most have an arrow instead.
    const iconCountOf = ({ id, workflowId, endDate }: Assignment) => {
      const isBlocked = blockReasons.get(id)?.isWaiting === false
      return doneStageIds.has(workflowId) ? 1 : Number(dayOf(endDate) < today()) + Number(isBlocked)
    }
    const end = addDays(from, dayCount)
    const sideCountOf = ({ startDate, endDate }: Assignment) =>
      Number(dayOf(startDate) < from) + Number(dayOf(endDate) >= end)
    const nameDaysOf = (row: Assignment) => {
      const [name, icons] = [widthOf(row.name), iconCountOf(row) * iconPixels]
      const sides = sideCountOf(row) * iconPixels
      return {
        within: (name + icons + sides + innerMarginPixels) / dayPixels,
        outside: Math.ceil((name + icons + outerMarginPixels) / dayPixels),
      }
    }
    const barsFor = (rows: readonly Assignment[]) => {
      const bars =
        cache.get(rows) ??
        (isStacked
          ? stackedBarsOf(rows, from, dayCount, nameDaysOf)
          : barsOf(rows, from, dayCount, { nameDaysOf }))
      cache.set(rows, bars)
      return bars
    }
    return new Map([...byPerson].map(([id, rows]) => [id, barsFor(rows)]))
  }, [byPerson, cache])
}

const noAssignments: readonly Assignment[] = []

/**
 * Groups rows by person. A list whose rows have not changed stays the same object, so that its lane is not
 * rendered again.
 */
function useRowsByPerson(rows: readonly Assignment[]) {
  const previous = useRef<ReadonlyMap<string, readonly Assignment[]>>(new Map())
  return useMemo(() => {
    const groups = [...Map.groupBy(rows, responsibleOf)].map(([id, personRows]) => {
      const before = previous.current.get(id) ?? noAssignments
      const isUnchanged =
        before.length === personRows.length && personRows.every((row, index) => row === before[index])
      return [id, isUnchanged ? before : personRows] as const
    })
    previous.current = new Map(groups)
    return previous.current
  }, [rows])
}

/**
 * Returns the members and all other responsible people by name, followed by an entry for assignments without
 * a person. Those that the filter `chosen` excludes are left out. Returns undefined until the names are loaded.
 */
function usePeople(
  projectId: string,
  chosen: string,
  { rows, memberIds, isLoading }: Pick<Listing, 'rows' | 'memberIds' | 'isLoading'>,
) {
  const { people } = useServices()
  const members = useMembers(projectId)
  // Names of members are requested while the rows are loaded.
  people.requestNames(members.ids)
  const all = [...new Set([...members.ids, ...rows.map(responsibleOf)])].filter((id) => id !== '')
  const areNamesLoaded = useNamesLoaded(all, !isLoading && !members.isLoading)
  if (!areNamesLoaded) return undefined
  const isChosen = (id: string) => chosen === '' || passesPerson(chosen, id, memberIds)
  const hasUnassigned = isChosen('') && rows.some(({ isUnassigned }) => isUnassigned)
  return [
    ...all
      .filter(isChosen)
      .map((id) => ({ id, name: people.nameOf(id) }))
      .sort((a, b) => a.name.localeCompare(b.name, locale())),
    ...(hasUnassigned ? [{ id: '', name: t('Unassigned') }] : []),
  ]
}
