import type { VNode } from 'preact'
import { useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks'
import type { ResourceName } from '../../api/api.ts'
import { rowsMax } from '../../api/load-all.ts'
import { targetOn, todayText } from '../../assignment/daily-target.ts'
import {
  loadRecordedHours,
  type RecordedHours,
  unsentHours,
  withQueued,
} from '../../assignment/load-recorded-hours.ts'
import { priorityNames } from '../../assignment/priority.ts'
import { queuedChanges } from '../../assignment/queue.ts'
import { endDayOf, responsibleOf } from '../../data/assignments.ts'
import { useLoaded } from '../../data/use-loaded.ts'
import { readStoredJson } from '../../services/browser-storage.ts'
import { useServices } from '../../services/services.ts'
import { type MessageKey, t } from '../../texts/text.ts'
import { addDays, dayOf, daysInWeek, mondayOf, today } from '../../time/days.ts'
import { formatNumber, sumHours } from '../../time/hours.ts'
import { Icon } from '../../ui/icon.tsx'
import { HoursBar, PriorityShape } from '../../ui/marks.tsx'
import { Menu } from '../../ui/menu.tsx'
import { Page, ProjectMark } from '../../ui/page.tsx'
import { EmptyState, LoadProblem, Skeleton } from '../../ui/page-states.tsx'
import { ChoiceButtons } from '../../ui/view-controls.tsx'
import { useMedia } from '../../ui/viewport.ts'
import { type Assignment, loadMyWork, type MyWork, stageRowsMax } from './load-my-work.ts'
import { WorkRow } from './work-row.tsx'

const resources: readonly ResourceName[] = [
  'appointment',
  'assignment',
  'userAssignment',
  'assignmentImpediment',
  'assignmentLabel',
  'assignmentDependency',
]

/** Lists the user's open assignments in all projects. */
export function MyWorkScreen() {
  const services = useServices()
  const { session } = services
  const id = session.person.value?.id ?? ''
  // From this width on, the style sheet shows each row on one line.
  const isWide = useMedia('(min-width: 1024px)')
  const { choice, choose } = useChoice()
  const { value, problem, reload } = useLoaded(id, resources, (signal) => loadMyWork(services, id, signal), {
    cacheName: 'my work rows',
  })
  const recorded = useRecorded(value)
  const rows = value?.rows.filter((row) => roles[choice.role].includes(row, id)) ?? []
  return (
    <Page
      title={t('My work')}
      actions={
        <>
          {value !== undefined && <TodayLink recorded={value.todayHours} />}
          <button type="button" class="button primary brief" data-new-assignment="" aria-keyshortcuts="N">
            <Icon name="plus" />
            <span>{t('New assignment')}</span>
          </button>
        </>
      }
    >
      <WorkTools choice={choice} onChoose={choose} />
      {value?.cutFrom !== undefined && (
        <p class="quiet-text">
          {t('Only the first {count} of each stage to end are shown.', { count: formatNumber(stageRowsMax) })}
        </p>
      )}
      {value?.isUnscheduledCut && (
        <p class="quiet-text">
          {t('Only the newest {count} without dates are shown.', { count: formatNumber(rowsMax) })}
        </p>
      )}
      {problem && <LoadProblem problem={problem} onRetry={reload} />}
      {value === undefined && !problem && (
        <Skeleton as="rows" rows={9} cells={isWide ? 'icon text icon icon' : 'icon lines icon icon'} />
      )}
      {value && rows.length === 0 && (
        <NothingToDo hasOthers={value.rows.length > 0} onShowAll={() => choose({ role: 'any' })} />
      )}
      {value && rows.length > 0 && (
        <div class="work-table">
          {groupWork(rows, value, groupings[choice.grouping]).map((group) => (
            <WorkGroupSection
              key={group.key}
              group={group}
              work={value}
              recorded={recorded}
              showsProject={choice.grouping !== 'project'}
            />
          ))}
        </div>
      )}
    </Page>
  )
}

/** Compares the hours of today with those of a working day, and opens the week, where they are recorded. */
function TodayLink({ recorded }: { readonly recorded: number }) {
  const unsent = unsentHours(queuedChanges.value).filter(({ keepDate }) => dayOf(keepDate) === today())
  const hours = sumHours([{ amountHours: recorded }, ...unsent])
  const text = todayText(hours, today())
  const target = targetOn(today())
  if (text === '') return null
  return (
    <a class="button today-link" href="/week" title={t('Open my week')}>
      <Icon name="calendar" />
      <span>{text}</span>
      {target > 0 && <HoursBar planned={target} recorded={hours} />}
    </a>
  )
}

interface Choice {
  readonly grouping: GroupingName
  readonly role: Role
}

const storageKey = 'tracker.my-work'

/** Remembers the choice in this browser. */
function useChoice() {
  const { extensions } = useServices().configuration
  const [stored, setStored] = useState(() => readStoredJson<Partial<Choice>>(storageKey) ?? {})
  const { grouping = 'end', role = 'any' } = stored
  const isAvailable = availableGroupings(extensions).includes(grouping)
  const choice: Choice = { grouping: isAvailable ? grouping : 'end', role: role in roles ? role : 'any' }
  const choose = (change: Partial<Choice>) => {
    const next = { ...choice, ...change }
    localStorage.setItem(storageKey, JSON.stringify(next))
    setStored(next)
  }
  return { choice, choose }
}

const availableGroupings = (extensions: boolean): readonly GroupingName[] =>
  (Object.keys(groupings) as GroupingName[]).filter(
    (name) => extensions || groupings[name].isExtension !== true,
  )

interface WorkToolsProps {
  readonly choice: Choice
  onChoose(change: Partial<Choice>): void
}

/** Chooses the assignments by the user's role in them, and the groups. */
function WorkTools({ choice, onChoose }: WorkToolsProps) {
  const { extensions } = useServices().configuration
  const text = t('Group by: {field}', { field: t(groupings[choice.grouping].label) })
  return (
    <div class="filters work-tools">
      <ChoiceButtons
        label={t('My role')}
        names={Object.keys(roles) as Role[]}
        current={choice.role}
        labelOf={(name) => t(roles[name].label)}
        onChoose={(role) => onChoose({ role })}
      />
      <Menu
        class="button"
        label={text}
        items={availableGroupings(extensions).map((grouping) => ({
          label: t(groupings[grouping].label),
          isCurrent: grouping === choice.grouping,
          run: () => onChoose({ grouping }),
        }))}
      >
        <Icon name="list" />
        <span>{text}</span>
      </Menu>
    </div>
  )
}

interface NothingToDoProps {
  /** True if assignments are hidden by the chosen role. */
  readonly hasOthers: boolean
  onShowAll(): void
}

const NothingToDo = ({ hasOthers, onShowAll }: NothingToDoProps) =>
  hasOthers ? (
    <EmptyState title={t('No open assignments in this role')}>
      <button type="button" class="button" onClick={onShowAll}>
        {t('Show all')}
      </button>
    </EmptyState>
  ) : (
    <EmptyState title={t('Nothing to do')}>
      <p>{t('Your open assignments appear here. Find more to do in a project.')}</p>
      <a class="button" href="/projects">
        {t('Go to the projects')}
      </a>
    </EmptyState>
  )

interface WorkGroupProps {
  readonly group: WorkGroup
  readonly work: MyWork
  readonly recorded: RecordedHours
  readonly showsProject: boolean
}

/** A group draws so many rows at first, and so many more whenever the user asks for them. */
const rowsStep = 50

function WorkGroupSection({ group, work, recorded, showsProject }: WorkGroupProps) {
  const { title, mark, rows, isCut } = group
  const [shownCount, setShownCount] = useState(rowsStep)
  const list = useRef<HTMLUListElement>(null)
  useLayoutEffect(() => {
    // The button has moved below the new rows, so the focus goes to the first of them.
    if (shownCount > rowsStep)
      list.current?.children[shownCount - rowsStep]?.querySelector('a')?.focus({ preventScroll: true })
  }, [shownCount])
  const hiddenCount = rows.length - shownCount
  return (
    <section class="work-group" aria-label={title}>
      <header class="work-head">
        <h2 class="work-title" dir="auto">
          {mark}
          {title}
        </h2>
        <span class="quiet-text">{isCut ? `${formatNumber(rows.length)}+` : formatNumber(rows.length)}</span>
      </header>
      <ul class="work-rows" ref={list}>
        {rows.slice(0, shownCount).map((row) => (
          <WorkRow
            key={row.id}
            assignment={row}
            work={work}
            recorded={recorded.get(row.id)}
            showsProject={showsProject}
          />
        ))}
        {hiddenCount > 0 && (
          <li class="row work-more">
            <button
              type="button"
              class="button quiet wide"
              onClick={() => setShownCount(shownCount + rowsStep)}
            >
              {t('Show {count} more', { count: Math.min(hiddenCount, rowsStep) })}
            </button>
          </li>
        )}
      </ul>
    </section>
  )
}

/**
 * Returns the recorded hours. They are loaded after the rows, because each project needs a report. Without the
 * extensions there are none.
 */
function useRecorded(work: MyWork | undefined): RecordedHours {
  const { configuration, tracker } = useServices()
  const projectIds = configuration.extensions ? [...(work?.projects.keys() ?? [])].sort() : []
  const { value } = useLoaded(
    projectIds.join(),
    ['appointment'],
    async (signal) => {
      const hours: Awaited<ReturnType<typeof loadRecordedHours>>[number][] = []
      for (const projectId of projectIds)
        hours.push(...(await loadRecordedHours(tracker, { projectId, stages: work?.stages ?? [] }, signal)))
      return hours
    },
    { cacheName: 'recorded hours' },
  )
  const queued = queuedChanges.value
  return useMemo(() => withQueued(value, queued), [value, queued])
}

type GroupingName = 'end' | 'project' | 'priority'

interface Grouping {
  readonly label: MessageKey
  readonly isExtension?: boolean
  keyOf(row: Assignment, work: MyWork): string
  title(key: string, work: MyWork): string
  /** If missing, groups are sorted by title. */
  position?(key: string): number
  /** Whether assignments may be missing in a group. If missing, all groups of a cut list are incomplete. */
  isCut?(key: string, work: MyWork): boolean
  mark?(key: string, work: MyWork): VNode
}

/** The groups by end, in the order of the screen. */
const ends = {
  blocked: 'Blocked',
  overdue: 'Overdue',
  today: 'Ends today',
  week: 'Ends this week',
  next: 'Ends next week',
  later: 'Ends later',
  unscheduled: 'No dates',
} as const satisfies Readonly<Record<string, MessageKey>>
type End = keyof typeof ends

const endNames = Object.keys(ends)

const groupings: Readonly<Record<GroupingName, Grouping>> = {
  end: {
    label: 'End',
    keyOf: (row, { blockedSince }) => (blockedSince.has(row.id) ? 'blocked' : nameOfEnd(endDayOf(row))),
    title: (key) => t(ends[key as End]),
    position: (key) => endNames.indexOf(key),
    isCut: isCutByEnd,
  },
  project: {
    label: 'Project',
    keyOf: ({ projectId }) => projectId,
    title: (key, { projects }) => projects.get(key)?.name ?? '',
    mark: (key, { projects }) => <ProjectMark project={projects.get(key) ?? { id: key }} />,
  },
  priority: {
    label: 'Priority',
    isExtension: true,
    keyOf: ({ priority }) => String(priority ?? 0),
    title: (key) => priorityNames()[Number(key)] ?? '',
    position: (key) => -Number(key),
    mark: (key) => <PriorityShape priority={Number(key)} />,
  },
}

function nameOfEnd(endDay: string, currentDay = today()): End {
  if (endDay === '') return 'unscheduled'
  if (endDay < currentDay) return 'overdue'
  if (endDay === currentDay) return 'today'
  const monday = mondayOf(currentDay)
  if (endDay < addDays(monday, daysInWeek)) return 'week'
  return endDay < addDays(monday, 2 * daysInWeek) ? 'next' : 'later'
}

/** Blocked assignments may end on any day. */
function isCutByEnd(key: string, { cutFrom, isUnscheduledCut }: MyWork): boolean {
  if (key === 'unscheduled') return isUnscheduledCut
  if (cutFrom === undefined) return key === 'blocked' && isUnscheduledCut
  return key === 'blocked' || endNames.indexOf(key) >= endNames.indexOf(nameOfEnd(cutFrom))
}

const isCutAnywhere = (_: string, { cutFrom, isUnscheduledCut }: MyWork): boolean =>
  cutFrom !== undefined || isUnscheduledCut

type Role = 'any' | 'responsible' | 'participant'

interface RoleChoice {
  readonly label: MessageKey
  includes(row: Assignment, userId: string): boolean
}

/** Every row that the user is not responsible for is there because the user takes part in it. */
const roles: Readonly<Record<Role, RoleChoice>> = {
  any: { label: 'Everything', includes: () => true },
  responsible: { label: 'Responsible', includes: (row, userId) => responsibleOf(row) === userId },
  participant: { label: 'Participant', includes: (row, userId) => responsibleOf(row) !== userId },
}

interface WorkGroup {
  readonly key: string
  readonly title: string
  readonly mark: VNode | undefined
  readonly rows: readonly Assignment[]
  /** True if assignments of the group may be missing, so that their count is not known. */
  readonly isCut: boolean
}

/** Groups rows. Within a group, they keep their order. */
function groupWork(
  rows: readonly Assignment[],
  work: MyWork,
  { keyOf, title, position = () => 0, mark, isCut = isCutAnywhere }: Grouping,
): readonly WorkGroup[] {
  return [...Map.groupBy(rows, (row) => keyOf(row, work))]
    .map(([key, rowsOfGroup]) => ({
      key,
      title: title(key, work),
      mark: mark?.(key, work),
      rows: rowsOfGroup,
      isCut: isCut(key, work),
    }))
    .sort((a, b) => position(a.key) - position(b.key) || a.title.localeCompare(b.title))
}
