import { useMemo, useRef } from 'preact/hooks'
import type { RecordOf } from '../../../api/api.ts'
import { dailyTarget } from '../../../assignment/recorded-hours.ts'
import { useMembers, useNamesLoaded } from '../../../data/use-members.ts'
import { useServices } from '../../../services/services.ts'
import { locale, t } from '../../../texts/text.ts'
import {
  addDays,
  dateFormat,
  dateOf,
  daysInWeek,
  formatDay,
  mondayOf,
  parseWeek,
  today,
} from '../../../time/days.ts'
import { formatHours } from '../../../time/hours.ts'
import { EmptyState, LoadProblem } from '../../../ui/notes.tsx'
import { useMedia } from '../../../ui/place.ts'
import { useStableCallback } from '../../../ui/use-stable-callback.ts'
import { PeriodSteps } from '../period-steps.tsx'
import { useCardFocus } from '../use-card-focus.ts'
import type { Shift } from '../use-period-rows.ts'
import { usePeriodRows } from '../use-period-rows.ts'
import type { ProjectViewProps } from '../view-props.ts'
import { ViewSkeleton } from '../view-skeleton.tsx'
import { DependencyArrows, notesOf, useWaiting } from './dependency-arrows.tsx'
import { PersonLane } from './person-lane.tsx'

type Assignment = RecordOf<'assignment'>
type Listing = ReturnType<typeof usePeriodRows>

/** The assignments of each person over time. Dragging a bar changes its days or its person; overloaded days are tinted. */
export function TimelineView(props: ProjectViewProps) {
  const { scope, filters, openId, query } = props
  const { router } = useServices()
  const weekCount = useWeekCount()
  const defaultFrom = addDays(mondayOf(today()), -daysInWeek)
  const requestedFrom = new URLSearchParams(query).get('from')
  const from = requestedFrom === null ? defaultFrom : parseWeek(requestedFrom)
  const dayCount = weekCount * daysInWeek
  const listing = usePeriodRows(props, from, addDays(from, dayCount))
  const people = usePeople(scope.projectId, filters.userId, listing)
  const keepFocusOn = useCardFocus()
  const byPerson = useRowsByPerson(listing.rows)
  const waiting = useWaiting(scope, listing.rows)
  const notes = useMemo(() => notesOf(waiting), [waiting])
  const goTo = (monday: string) => router.setQuery({ from: monday === defaultFrom ? '' : monday })
  const shift = useStableCallback((row: Assignment, change: Shift) => {
    keepFocusOn(row.id)
    void listing.reschedule(row, change)
  })
  return (
    <>
      <div class="timeline-tools">
        <PeriodSteps
          label={dateFormat('long').formatRange(dateOf(from), dateOf(addDays(from, dayCount - 1)))}
          isNow={from === defaultFrom}
          labels={{ before: t('Two weeks earlier'), after: t('Two weeks later'), now: t('Today') }}
          onStep={(count) => goTo(addDays(from, count * 2 * daysInWeek))}
          onNow={() => goTo(defaultFrom)}
        />
        <Legend hasTooEarly={waiting.some(({ isTooEarly }) => isTooEarly)} />
      </div>
      {listing.problem && <LoadProblem problem={listing.problem} onRetry={listing.reload} />}
      {people === undefined && !listing.problem && <ViewSkeleton view="timeline" />}
      {people?.length === 0 && (
        <EmptyState title={t('No one works on this project yet')}>
          <p>{t('Its members and their assignments appear here. Add members in the list of projects.')}</p>
          <a class="button" href="/projects">
            {t('Go to the projects')}
          </a>
        </EmptyState>
      )}
      {people !== undefined && people.length > 0 && (
        <section
          class="timeline"
          aria-label={t('Timeline')}
          aria-busy={listing.isStale}
          // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keys
          tabIndex={0}
        >
          <Weeks from={from} weekCount={weekCount} />
          <div class="timeline-lanes">
            {people.map(({ id, name }, index) => (
              <PersonLane
                key={id}
                id={id}
                name={name}
                rows={byPerson.get(id) ?? noAssignments}
                from={from}
                dayCount={dayCount}
                target={dailyTarget()}
                openId={openId}
                query={query}
                previousId={people[index - 1]?.id}
                nextId={people[index + 1]?.id}
                doneIds={scope.doneIds}
                notes={notes}
                onShift={shift}
              />
            ))}
            <DependencyArrows waiting={waiting} />
          </div>
        </section>
      )}
    </>
  )
}

const noAssignments: readonly Assignment[] = []

/** Groups rows by person. A list whose rows have not changed stays the same object, so that its lane is not rendered again. */
function useRowsByPerson(rows: readonly Assignment[]) {
  const last = useRef<ReadonlyMap<string, readonly Assignment[]>>(new Map())
  return useMemo(() => {
    const groups = [...Map.groupBy(rows, ({ userId }) => userId)].map(([id, some]) => {
      const before = last.current.get(id) ?? noAssignments
      const isUnchanged = before.length === some.length && some.every((row, index) => row === before[index])
      return [id, isUnchanged ? before : some] as const
    })
    last.current = new Map(groups)
    return last.current
  }, [rows])
}

/** Returns how many weeks are readable in the available width. */
function useWeekCount(): number {
  const isHuge = useMedia('(min-width: 2000px)')
  const isWide = useMedia('(min-width: 1200px)')
  const isMiddle = useMedia('(min-width: 761px)')
  if (isHuge) return 10
  if (isWide) return 6
  return isMiddle ? 4 : 2
}

/** Returns the members and all other responsible people by name; undefined until the names are known. */
function usePeople(projectId: string, onlyId: string, { rows, isLoading }: Listing) {
  const { people } = useServices()
  const members = useMembers(projectId)
  const all = [...new Set([...members.ids, ...rows.map(({ userId }) => userId)])]
  const areKnown = useNamesLoaded(all, !isLoading && !members.isLoading)
  if (!areKnown) return undefined
  return all
    .filter((id) => onlyId === '' || id === onlyId)
    .map((id) => ({ id, name: people.nameOf(id) }))
    .sort((a, b) => a.name.localeCompare(b.name, locale()))
}

const Legend = ({ hasTooEarly }: { readonly hasTooEarly: boolean }) => (
  <p class="timeline-legend quiet-text">
    <span class="swatch fits" aria-hidden="true" />
    {t('up to {hours} a day', { hours: formatHours(dailyTarget()) })}
    <span class="swatch over" aria-hidden="true" />
    {t('more')}
    <span class="swatch far-over" aria-hidden="true" />
    {t('far more')}
    {hasTooEarly && (
      <>
        <span class="swatch too-early" aria-hidden="true" />
        {t('starts before what it waits for ends')}
      </>
    )}
    <span class="touch-hint">{t('Hold a bar to move it.')}</span>
  </p>
)

const Weeks = ({ from, weekCount }: { readonly from: string; readonly weekCount: number }) => (
  <div class="timeline-head" aria-hidden="true">
    <span />
    <div class="timeline-weeks" style={{ gridTemplateColumns: `repeat(${weekCount}, minmax(0, 1fr))` }}>
      {Array.from({ length: weekCount }, (_, index) => addDays(from, index * daysInWeek)).map((monday) => (
        <span key={monday} class={monday === mondayOf(today()) ? 'current' : ''}>
          {monday === mondayOf(today()) ? t('This week') : formatDay(monday)}
        </span>
      ))}
    </div>
  </div>
)
