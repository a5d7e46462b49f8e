import { useMemo, useRef, useState } from 'preact/hooks'
import type { AllLoaded } from '../../api/load-all.ts'
import { findAssignments } from '../../assignment/assignment-values.ts'
import { chooseDailyTarget, dailyTarget } from '../../assignment/daily-target.ts'
import { runningTimer } from '../../assignment/timer.ts'
import { useLoaded } from '../../data/use-loaded.ts'
import { useServices } from '../../services/services.ts'
import { t, tx } from '../../texts/text.ts'
import { addDays, daysInWeek, formatWeek, mondayOf, parseWeek, today } from '../../time/days.ts'
import { parseDuration, sumHours } from '../../time/hours.ts'
import { Combobox } from '../../ui/combobox.tsx'
import { Icon } from '../../ui/icon.tsx'
import { Page } from '../../ui/page.tsx'
import { EmptyState, LoadProblem, Skeleton } from '../../ui/page-states.tsx'
import { PersonPicker } from '../../ui/people.tsx'
import {
  type Appointment,
  type Cell,
  cellKeyOf,
  entriesByCell,
  loadEntries,
  loadRecordedHours,
  loadWeekRows,
  useEntries,
  type WeekRow,
  type WeekRows,
} from './week.ts'
import { CopyWeekDialog, EntriesDialog } from './week-dialogs.tsx'
import { WeekGrid } from './week-grid.tsx'

/** Shows the hours of a person in a week; both are in the address. Administrators may choose any person. */
export function WeekScreen() {
  const { router, session } = useServices()
  const query = router.address.value.searchParams
  const self = session.person.value
  const userId = (self?.isAdministrator && query.get('person')) || (self?.id ?? '')
  const monday = parseWeek(query.get('week'))
  const isOwn = userId === self?.id
  const goTo = (week: string) => {
    const next = new URLSearchParams({
      ...(!isOwn && { person: userId }),
      ...(week !== mondayOf(today()) && { week }),
    })
    router.go(next.size === 0 ? '/week' : `/week?${next}`)
  }
  return (
    <div class="week-page">
      <Page
        title={isOwn ? t('My week') : t('Week')}
        actions={
          <>
            {self?.isAdministrator && (
              <div class="filter-person week-person">
                <PersonPicker
                  label={t('Person')}
                  value={userId}
                  onChoose={(id) => router.setQuery({ person: id === self.id ? '' : id, add: '' })}
                />
              </div>
            )}
            <WeekSteps monday={monday} onGo={goTo} />
          </>
        }
      >
        <PersonWeek key={userId} userId={userId} monday={monday} />
      </Page>
    </div>
  )
}

const WeekSteps = ({ monday, onGo }: { readonly monday: string; onGo(monday: string): void }) => (
  <nav class="week-steps" aria-label={t('Week')}>
    <button
      type="button"
      class="button icon-only"
      aria-label={t('Previous week')}
      onClick={() => onGo(addDays(monday, -daysInWeek))}
    >
      <Icon name="left" />
    </button>
    <span class="week-range" role="status">
      {formatWeek(monday)}
    </span>
    <button
      type="button"
      class="button icon-only"
      aria-label={t('Next week')}
      onClick={() => onGo(addDays(monday, daysInWeek))}
    >
      <Icon name="right" />
    </button>
    <button
      type="button"
      class="button"
      aria-disabled={monday === mondayOf(today())}
      onClick={() => onGo(mondayOf(today()))}
    >
      {t('This week')}
    </button>
  </nav>
)

function PersonWeek({ userId, monday }: { readonly userId: string; readonly monday: string }) {
  const { router } = useServices()
  const added = router.address.value.searchParams.get('add') ?? ''
  const addedIds = added.split(',').filter((id) => id !== '')
  const { week, problem, reload } = useWeek(userId, monday, addedIds)
  if (problem && week === undefined) return <LoadProblem problem={problem} onRetry={reload} />
  if (week === undefined)
    return <Skeleton as="grid" rows={7} cells="lines cell cell cell cell cell cell cell cell" />
  return (
    <>
      {problem && <LoadProblem problem={problem} onRetry={reload} />}
      <LoadedWeek
        userId={userId}
        week={week}
        isStale={week.monday !== monday}
        onAdd={(id) => router.setQuery({ add: [...new Set([...addedIds, id])].join(',') })}
      />
    </>
  )
}

interface LoadedWeekProps {
  readonly userId: string
  readonly week: Week
  readonly isStale: boolean
  onAdd(assignmentId: string): void
}

function LoadedWeek({ userId, week: { monday, entries, assignments }, isStale, onAdd }: LoadedWeekProps) {
  const { api, session } = useServices()
  const isOwn = userId === session.person.value?.id
  const recorded = useRecordedHours(assignments.rows.map(({ assignment }) => assignment.id))
  const state = useEntries(
    userId,
    entries.rows,
    assignments.rows.map(({ assignment }) => assignment),
  )
  const [openCell, setOpenCell] = useState<{ readonly cell: Cell; readonly name: string }>()
  const [isCopying, setCopying] = useState(false)
  return (
    <>
      <div class={isStale ? 'stale' : ''} inert={isStale}>
        {assignments.rows.length === 0 ? (
          <EmptyState icon="calendar" title={t('Nothing is planned for this week')}>
            <p>{t('Add an assignment below, or copy last week, and enter the hours.')}</p>
          </EmptyState>
        ) : (
          <WeekGrid
            monday={monday}
            rows={assignments.rows}
            state={state}
            recorded={recorded && withUnsent(recorded, entries.rows, state.entries)}
            isOwn={isOwn}
            onOpen={(cell, name) => setOpenCell({ cell, name })}
          />
        )}
      </div>
      <div class="week-tools">
        <Combobox
          label={t('Add an assignment')}
          placeholder={t('Add an assignment…')}
          valueText=""
          find={(text, signal) => findAssignments(api, text, signal)}
          onChoose={({ id }) => onAdd(id)}
        />
        <button type="button" class="button" onClick={() => setCopying(true)}>
          <Icon name="copy" />
          <span>{t('Copy last week…')}</span>
        </button>
        {isOwn && <DailyTargetField />}
        <p class="quiet-text week-keys">
          {tx(
            'Arrows and {enter} move and save, {escape} discards, {f2} opens entries and notes. 1.5, 1,5, 1:30, 1h30 and 90m are the same.',
            { enter: <kbd>Enter</kbd>, escape: <kbd>Esc</kbd>, f2: <kbd>F2</kbd> },
          )}
        </p>
      </div>
      {(assignments.isCut || entries.isCut) && (
        <p class="quiet-text">
          {t('Not everything fits here: only the newest assignments and entries are shown.')}
        </p>
      )}
      {openCell && (
        <EntriesDialog
          userId={userId}
          assignmentName={openCell.name}
          cell={{
            ...openCell.cell,
            // The entries may have changed since the cell was opened.
            entries: entriesByCell(state.entries).get(cellKeyOf(openCell.cell)) ?? [],
          }}
          onClose={() => setOpenCell(undefined)}
        />
      )}
      {isCopying && (
        <CopyWeekDialog
          userId={userId}
          monday={monday}
          existing={state.entries}
          onClose={() => setCopying(false)}
        />
      )}
    </>
  )
}

/** Adds the hours that are shown but not stored yet, such as those that wait for the network. */
function withUnsent(
  recorded: ReadonlyMap<string, number>,
  stored: readonly Appointment[],
  shown: readonly Appointment[],
): ReadonlyMap<string, number> {
  const sumOf = (rows: readonly Appointment[], id: string) =>
    sumHours(rows.filter(({ assignmentId }) => assignmentId === id))
  return new Map([...recorded].map(([id, hours]) => [id, hours + sumOf(shown, id) - sumOf(stored, id)]))
}

/**
 * Loads the hours that all users have recorded, to compare them with the estimates. Returns undefined without
 * the extensions, or if there are too many assignments or entries.
 */
function useRecordedHours(ids: readonly string[]) {
  const { configuration, tracker } = useServices()
  const { value } = useLoaded(
    `recorded ${ids}`,
    ['appointment'],
    async (signal) => (configuration.extensions ? loadRecordedHours(tracker, ids, signal) : undefined),
    { cacheName: 'week' },
  )
  return value
}

/** Edits the number of hours in a working day. */
function DailyTargetField() {
  const [text, setText] = useState<string>()
  const save = () => {
    chooseDailyTarget(parseDuration(text ?? ''))
    setText(undefined)
  }
  return (
    <label class="filter-day">
      {t('Hours per day')}
      <input
        class="input target-input"
        inputMode="decimal"
        autocomplete="off"
        value={text ?? String(dailyTarget())}
        onInput={(event) => setText(event.currentTarget.value)}
        onBlur={() => text !== undefined && save()}
        onKeyDown={(event) => event.key === 'Enter' && text !== undefined && save()}
      />
    </label>
  )
}

interface Week {
  readonly monday: string
  readonly entries: AllLoaded<Appointment>
  readonly assignments: WeekRows
}

/**
 * Loads the entries of a week, and then their assignments. The last complete week stays until both lists of
 * the next week are loaded, so that nothing moves.
 */
function useWeek(userId: string, monday: string, addedIds: readonly string[]) {
  const { api } = useServices()
  const entries = useLoaded(
    `${userId} ${monday}`,
    ['appointment'],
    async (signal) => ({ monday, loaded: await loadEntries(api, userId, monday, signal) }),
    { cacheName: 'week entries' },
  )
  const loadedEntries = entries.value
  const recordedIds = loadedEntries?.loaded.rows.map(({ assignmentId }) => assignmentId) ?? []
  const requiredIds = [...new Set([...recordedIds, ...addedIds])].sort()
  const assignments = useLoaded(
    `${userId} ${loadedEntries?.monday} ${requiredIds}`,
    ['assignment', 'userAssignment', 'project'],
    async (signal) =>
      loadedEntries && {
        monday: loadedEntries.monday,
        loaded: await loadWeekRows(api, userId, loadedEntries.monday, requiredIds, signal),
      },
    { cacheName: 'week' },
  )
  // The rows that had entries when the week was opened come first. A row that gets its first entry later does
  // not move, because the user may still be typing in it.
  const firstRows = useRef<{ readonly monday: string; readonly ids: readonly string[] }>(undefined)
  if (loadedEntries !== undefined && firstRows.current?.monday !== loadedEntries.monday) {
    const timer = runningTimer.peek()
    const timedId = timer?.userId === userId ? timer.assignmentId : ''
    firstRows.current = { monday: loadedEntries.monday, ids: [timedId, ...recordedIds] }
  }
  const loadedRows = assignments.value?.loaded
  const rows = useMemo(
    () => loadedRows && { ...loadedRows, rows: withFirst(loadedRows.rows, firstRows.current?.ids ?? []) },
    [loadedRows],
  )
  const lastWeek = useRef<Week>(undefined)
  if (rows !== undefined && loadedEntries !== undefined && assignments.value?.monday === loadedEntries.monday)
    lastWeek.current = { monday: loadedEntries.monday, entries: loadedEntries.loaded, assignments: rows }
  const reload = () => {
    entries.reload()
    assignments.reload()
  }
  return { week: lastWeek.current, problem: entries.problem ?? assignments.problem, reload }
}

/** Puts the row of the first id first, then the rows of the other ids, then all other rows. */
function withFirst(rows: WeekRows['rows'], ids: readonly string[]): WeekRows['rows'] {
  const rankOf = ({ assignment }: WeekRow) => {
    const index = ids.indexOf(assignment.id)
    return index === -1 ? 2 : Math.min(index, 1)
  }
  return rows.toSorted((a, b) => rankOf(a) - rankOf(b))
}
