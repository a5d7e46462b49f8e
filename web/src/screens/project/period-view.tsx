import { useEffect, useMemo, useState } from 'preact/hooks'
import type { RecordOf } from '../../api/api.ts'
import { type Change, useChangeMany } from '../../assignment/change-many.ts'
import { useShownRows } from '../../assignment/panel-frame.tsx'
import { assignedTo, responsibleOf } from '../../data/assignments.ts'
import { useFollowedRows } from '../../data/use-followed-rows.ts'
import { useLoaded } from '../../data/use-loaded.ts'
import { projectPath } from '../../router/router.ts'
import { useServices } from '../../services/services.ts'
import { t, tn } from '../../texts/text.ts'
import { addDays, dayOf, endTimestampOf, formatDay, today } from '../../time/days.ts'
import { Icon } from '../../ui/icon.tsx'
import { compareTexts } from './card-moves.ts'
import { queryOfFilters } from './filters.ts'
import type { ProjectViewProps } from './project-view.tsx'
import { useRowFilter } from './row-filter.ts'

type Assignment = RecordOf<'assignment'>

export interface Shift {
  readonly days?: number
  /** The number of days by which only the end moves. */
  readonly endDays?: number
  /** The id of the new responsible person. Empty for none. */
  readonly userId?: string
}

/** Loads the shown assignments that touch a period, with pending changes of their days and people. */
export function usePeriodRows(
  { scope, filters, onConnection }: ProjectViewProps,
  dateFrom: string,
  dateTo: string,
  isShown: (row: Assignment) => boolean = () => true,
) {
  const { search, userId } = queryOfFilters(filters)
  const listing = useFollowedRows(
    { projectId: scope.projectId, search, userId, dateFrom, dateTo },
    { firstPageAtOnce: false },
  )
  const filter = useRowFilter(scope, filters)
  useEffect(() => onConnection(listing.connection), [listing.connection])
  const rescheduled = useReschedule(listing.rows, listing.put)
  const rows = useMemo(
    () => rescheduled.rows.filter((row) => !row.isUnscheduled && isShown(row) && filter.matches(row)),
    [rescheduled.rows, isShown, filter.matches],
  )
  useShownRows(useMemo(() => rows.toSorted(byDate), [rows]))
  return {
    ...listing,
    ...rescheduled,
    rows,
    memberIds: filter.memberIds,
    isLoading: listing.isLoading || filter.isLoading,
  }
}

const byDate = (a: Assignment, b: Assignment): number =>
  compareTexts(a.startDate, b.startDate) || compareTexts(a.endDate, b.endDate) || a.name.localeCompare(b.name)

/**
 * Changes the days or the person of one assignment. A change is shown at once, and reverted with a message
 * after an error.
 */
function useReschedule(stored: readonly Assignment[], onChanged: (rows: readonly Assignment[]) => void) {
  const { people, toasts } = useServices()
  const [pending, setPending] = useState<ReadonlyMap<string, Change>>(new Map())
  const changeMany = useChangeMany(onChanged)
  const rows = useMemo(
    () => (pending.size === 0 ? stored : stored.map((row) => withChange(row, pending.get(row.id)))),
    [stored, pending],
  )
  const reschedule = async (row: Assignment, shift: Shift) => {
    const { requested, isClamped } = changeOf(row, shift)
    if (isClamped)
      toasts.show({
        kind: 'problem',
        text: t('{name} starts on {from} and cannot end before that.', {
          name: row.name,
          from: formatDay(row.startDate),
        }),
      })
    if (Object.keys(requested).length === 0) return
    setPending((all) => new Map(all).set(row.id, { ...all.get(row.id), ...requested }))
    const after = { ...row, ...requested }
    const values = {
      name: row.name,
      from: formatDay(dayOf(after.startDate)),
      to: formatDay(dayOf(after.endDate)),
      person: after.isUnassigned ? t('Unassigned') : people.nameOf(after.userId),
    }
    const message =
      requested.isUnassigned === undefined
        ? t('{name} is now from {from} to {to}.', values)
        : t('{name} is now for {person}, from {from} to {to}.', values)
    await changeMany(
      [row],
      () => requested,
      () => message,
    )
    setPending(
      (all) =>
        new Map([...all].filter(([id, change]) => id !== row.id || !includesChange(change, requested))),
    )
  }
  return { rows, reschedule }
}

/** Returns the same row if nothing changes, so that its bar is not rendered again. */
const withChange = (row: Assignment, change: Change | undefined): Assignment =>
  change === undefined ? row : { ...row, ...change }

/** Returns whether a pending change is still the requested one, and not a later one. */
const includesChange = (pending: Change, requested: Change): boolean =>
  Object.entries(requested).every(([name, value]) => pending[name as keyof Change] === value)

/** Converts a shift into the changed fields. An end before the start is moved to the start. */
function changeOf(row: Assignment, { days = 0, endDays = 0, userId = responsibleOf(row) }: Shift) {
  const [start, end] = [dayOf(row.startDate), dayOf(row.endDate)]
  const startDate = days === 0 ? row.startDate : addDays(start, days)
  const movedEnd = addDays(end, days + endDays)
  const isClamped = movedEnd < dayOf(startDate)
  const nextEnd = isClamped ? dayOf(startDate) : movedEnd
  const requested: Change = {
    ...(days !== 0 && { startDate }),
    ...(nextEnd !== end && { endDate: endTimestampOf(nextEnd, undefined, startDate) }),
    ...(userId !== responsibleOf(row) && assignedTo(userId)),
  }
  return { requested, isClamped }
}

interface PeriodStepsProps {
  /** The displayed period, such as November 2026. */
  readonly label: string
  readonly isNow: boolean
  readonly labels: { readonly before: string; readonly after: string; readonly now: string }
  onStep(count: -1 | 1): void
  onNow(): void
}

/** Shows buttons for the previous, the next and the current period. */
export const PeriodSteps = ({ label, isNow, labels, onStep, onNow }: PeriodStepsProps) => (
  <nav class="week-steps" aria-label={t('Period')}>
    <button type="button" class="button icon-only" aria-label={labels.before} onClick={() => onStep(-1)}>
      <Icon name="left" />
    </button>
    <strong class="week-range" role="status">
      {label}
    </strong>
    <button type="button" class="button icon-only" aria-label={labels.after} onClick={() => onStep(1)}>
      <Icon name="right" />
    </button>
    <button type="button" class="button step-now" aria-disabled={isNow} onClick={onNow}>
      <span>{labels.now}</span>
      <b aria-hidden="true">{Number(today().slice(8))}</b>
    </button>
  </nav>
)

/**
 * Counts the assignments without dates. Views of a period do not contain them. Returns undefined while
 * loading.
 */
export function useUnscheduledCount(projectId: string): number | undefined {
  const { configuration, tracker } = useServices()
  const { value, problem } = useLoaded(`unscheduled ${projectId}`, ['assignment'], async (signal) => {
    if (!configuration.extensions) return 0
    const filter = `projectId eq '${projectId}' and isUnscheduled eq true`
    const query = { filter, fields: 'id', pageSize: 1, count: true }
    return (await tracker.call('GET /ext/query/assignments', { query }, { signal })).result.totalCount ?? 0
  })
  return problem ? 0 : value
}

/**
 * Links to the assignments without dates. Views render the link together with their rows, because it may add
 * a line above them.
 */
export const UnscheduledLink = ({
  projectId,
  count = 0,
}: {
  readonly projectId: string
  readonly count?: number | undefined
}) =>
  count > 0 && (
    <a class="button undated-link" href={projectPath(projectId, '?view=list&dates=none')}>
      <Icon name="undated" />
      <span>{tn(count, '1 without dates', '{count} without dates')}</span>
      <b aria-hidden="true">{count}</b>
    </a>
  )
