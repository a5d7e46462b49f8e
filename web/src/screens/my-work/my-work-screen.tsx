import { useState } from 'preact/hooks'
import type { RecordOf } from '../../api/api.ts'
import { type ById, byId, loadAll, loadByIds, rowsMax } from '../../api/load-all.ts'
import { sentenceOf } from '../../api/problems.ts'
import { doneStagesOf, updateBodyOf } from '../../assignment/assignment-values.ts'
import { dailyTarget } from '../../assignment/daily-target.ts'
import { priorityNames } from '../../assignment/priority.ts'
import {
  changesOf,
  recordHours,
  type StageChange,
  sendOrQueue,
  withQueuedStage,
} from '../../assignment/queue.ts'
import { QueueMark } from '../../assignment/queue-mark.tsx'
import { TimerButton } from '../../assignment/timer-button.tsx'
import { assignmentKey, dueColorOf, dueText, endDayOf, isLate } from '../../data/assignments.ts'
import { stageLooksOf, stagesOf } from '../../data/project-stages.ts'
import { useLoaded } from '../../data/use-loaded.ts'
import { useHoursOfDay } from '../../forms/fields.tsx'
import { assignmentPath } from '../../router/router.ts'
import { type Services, useServices } from '../../services/services.ts'
import { type MessageKey, t } from '../../texts/text.ts'
import { addDays, dayOf, daysInWeek, formatAge, formatDay, mondayOf, today } from '../../time/days.ts'
import { formatHours, formatNumber, sumHours } from '../../time/hours.ts'
import { Icon } from '../../ui/icon.tsx'
import { HoursBar, HoursMark, PriorityMark, StageMark } from '../../ui/marks.tsx'
import { Page, ProjectMark } from '../../ui/page.tsx'
import { EmptyState, LoadProblem, Skeleton } from '../../ui/page-states.tsx'
import { useMedia } from '../../ui/viewport.ts'

const titles: Readonly<Record<Group, MessageKey>> = {
  blocked: 'Blocked',
  overdue: 'Overdue',
  today: 'Ends today',
  week: 'Ends this week',
  next: 'Ends next week',
  later: 'Ends later',
  unscheduled: 'No dates',
}

/** Lists the user's open assignments in all projects. */
export function MyWorkScreen() {
  const services = useServices()
  const { session } = services
  const id = session.person.value?.id ?? ''
  // From this width on, the style sheet shows each row on one line.
  const isWide = useMedia('(min-width: 1024px)')
  const { value, problem, reload } = useLoaded(
    id,
    ['appointment', 'assignment', 'userAssignment', 'assignmentImpediment'],
    (signal) => loadMyWork(services, id, signal),
    { cacheName: 'my work' },
  )
  return (
    <Page
      title={t('My work')}
      actions={
        <>
          {value?.todayHours !== undefined && (
            <a class="button quiet" href="/week">
              {t('{hours} of {target} today', {
                hours: formatNumber(value.todayHours),
                target: formatHours(dailyTarget()),
              })}
              <HoursBar planned={dailyTarget()} recorded={value.todayHours} />
            </a>
          )}
          <button type="button" class="button primary brief" data-new-assignment aria-keyshortcuts="N">
            <Icon name="plus" />
            <span>{t('New assignment')}</span>
          </button>
        </>
      }
    >
      {problem && <LoadProblem problem={problem} onRetry={reload} />}
      {value === undefined && !problem && (
        <Skeleton
          as="rows"
          blocks={2}
          rows={4}
          cells={isWide ? 'icon text icon icon' : 'icon lines icon icon'}
        />
      )}
      {value?.groups.size === 0 && (
        <EmptyState title={t('Nothing to do')}>
          <p>{t('Your assignments that end soon appear here. Find more to do in a project.')}</p>
          <a class="button" href="/projects">
            {t('Go to the projects')}
          </a>
        </EmptyState>
      )}
      {value &&
        groups.map((group) => (
          <WorkGroup key={group} title={t(titles[group])} rows={value.groups.get(group) ?? []} work={value} />
        ))}
      {value?.isCut && <p class="quiet-text">{t('Only the first 100 of each stage are shown.')}</p>}
    </Page>
  )
}

interface WorkGroupProps {
  readonly title: string
  readonly rows: readonly RecordOf<'assignment'>[]
  readonly work: MyWork
}

function WorkGroup({ title, rows, work }: WorkGroupProps) {
  if (rows.length === 0) return null
  return (
    <section class="group" aria-label={title}>
      <header class="group-header">
        <h2>{title}</h2>
        <span class="quiet-text">{rows.length}</span>
      </header>
      <ul class="rows">
        {rows.map((row) => (
          <WorkRow key={row.id} assignment={row} work={work} />
        ))}
      </ul>
    </section>
  )
}

type Assignment = RecordOf<'assignment'>

/** Shows an assignment with the most common actions: changing its stage, and recording hours. */
function WorkRow({ assignment, work }: { readonly assignment: Assignment; readonly work: MyWork }) {
  const { id, projectId, name, priority } = assignment
  const { extensions } = useServices().configuration
  const [isRecording, setRecording] = useState(false)
  const blockedSince = work.blockedSince.get(id)
  const project = work.projects.get(projectId)
  return (
    <li class="row work-row" data-row={id}>
      <StageSelect assignment={assignment} stages={work.stages} />
      <span class="row-text">
        <a href={assignmentPath(projectId, id)} dir="auto">
          {name}
        </a>
        <span class="quiet-text line work-facts">
          {extensions && (
            <PriorityMark priority={priority ?? 0} name={priorityNames()[priority ?? 0] ?? ''} />
          )}
          <span class="work-key">{assignmentKey(project?.key, assignment)}</span>
          <DueDay assignment={assignment} />
          <HoursMark planned={assignment.amountHours} />
          <span class="work-project" title={project?.name}>
            <ProjectMark project={project ?? { id: projectId }} />
            <span dir="auto">{project?.name}</span>
          </span>
          <span class="work-state">
            <QueueMark changes={changesOf(id)} />
            {blockedSince && (
              <span class="blocked">
                <Icon name="warning" /> {t('Blocked {age}', { age: formatAge(blockedSince) })}
              </span>
            )}
          </span>
        </span>
      </span>
      <TimerButton assignment={assignment} />
      {isRecording ? (
        <RecordTimeForm assignment={assignment} onClose={() => setRecording(false)} />
      ) : (
        <button
          type="button"
          class="button quiet icon-only"
          aria-label={t('Record hours for {name}', { name })}
          title={t('Record hours')}
          onClick={() => setRecording(true)}
        >
          <Icon name="record" />
        </button>
      )}
    </li>
  )
}

/** Shows the due day in the colors of a card. */
function DueDay({ assignment }: { readonly assignment: Assignment }) {
  const end = endDayOf(assignment)
  const text = dueText(assignment, false)
  return (
    <span class="due" data-color={dueColorOf(assignment, false)} title={text}>
      {isLate(assignment, false) && <Icon name="clock" />}
      <span aria-hidden="true">{end !== '' && formatDay(end)}</span>
      <span class="visually-hidden">{text}</span>
    </span>
  )
}

interface StageSelectProps {
  readonly assignment: Assignment
  readonly stages: MyWork['stages']
}

/** The list of stages opens over the mark of the current one. */
function StageSelect({ assignment, stages }: StageSelectProps) {
  const services = useServices()
  const { api, toasts } = services
  const shownId = withQueuedStage(assignment).workflowId
  const report = (error: unknown) => toasts.show({ kind: 'problem', text: sentenceOf(error) })
  /** Updates the current record, so that changes by other users are kept. */
  const updateStage = async (workflowId: string) => {
    const current = await api.get('assignment', assignment.id)
    await api.update('assignment', { ...updateBodyOf(current), workflowId })
  }
  const move = async (workflowId: string) => {
    const stage = stages.find(({ id }) => id === workflowId)?.name ?? ''
    const to = { id: workflowId, name: stage }
    const change: StageChange = {
      kind: 'stage',
      assignmentId: assignment.id,
      from: assignment.workflowId,
      to,
    }
    try {
      if (!(await sendOrQueue(services, change, assignment, () => updateStage(workflowId)))) return
      toasts.show({
        kind: 'done',
        text: t('{name} is now in {stage}.', { name: assignment.name, stage }),
        undo: () => updateStage(assignment.workflowId),
        redo: () => updateStage(workflowId),
      })
    } catch (error) {
      report(error)
    }
  }
  const doneStageIds = doneStagesOf(assignment.projectId, stages)
  const look = stageLooksOf(stagesOf(stages, []), doneStageIds).get(shownId)
  return (
    <span class="work-stage" title={stages.find(({ id }) => id === shownId)?.name}>
      {look && <StageMark {...look} />}
      <select
        class="input"
        aria-label={t('Stage of {name}', { name: assignment.name })}
        value={shownId}
        onChange={(event) => void move(event.currentTarget.value)}
      >
        {stages.map(({ id, name }) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
      </select>
    </span>
  )
}

/** Records hours for today. The user types a number and presses Enter. */
function RecordTimeForm({ assignment, onClose }: { readonly assignment: Assignment; onClose(): void }) {
  const services = useServices()
  const { api, session, toasts } = services
  // The id is the same for each attempt, so that a retry creates no duplicate.
  const [id] = useState(() => crypto.randomUUID())
  const parseHours = useHoursOfDay()
  const [text, setText] = useState('')
  const [problem, setProblem] = useState<string>()
  const recordTime = async () => {
    try {
      const amountHours = parseHours(text, 'amountHours')
      const userId = session.person.value?.id ?? ''
      const entry = { id, assignmentId: assignment.id, userId, keepDate: today(), amountHours }
      const isRecorded = await recordHours(services, { kind: 'hours', entry, isNew: true }, assignment)
      if (isRecorded)
        toasts.show({
          kind: 'done',
          text: t('{hours} recorded for {name}.', { hours: formatHours(amountHours), name: assignment.name }),
          undo: () => api.remove('appointment', [id]),
        })
      onClose()
    } catch (error) {
      setProblem(sentenceOf(error))
    }
  }
  return (
    <form
      class="log-time"
      onSubmit={(event) => {
        event.preventDefault()
        void recordTime()
      }}
      onKeyDown={(event) => event.key === 'Escape' && onClose()}
    >
      <input
        ref={(input) => input?.focus()}
        class="input"
        inputMode="decimal"
        autocomplete="off"
        placeholder={t('Hours today')}
        aria-label={t('Hours today for {name}', { name: assignment.name })}
        aria-invalid={problem ? 'true' : undefined}
        value={text}
        onInput={(event) => setText(event.currentTarget.value)}
      />
      {problem && (
        <p class="field-errors" role="alert">
          {problem}
        </p>
      )}
    </form>
  )
}

type Stage = RecordOf<'workflow'>

interface MyWork {
  readonly groups: ReadonlyMap<Group, readonly Assignment[]>
  readonly stages: readonly Stage[]
  readonly projects: ById<RecordOf<'project'>>
  /** Maps each blocked assignment to the start of its oldest impediment. */
  readonly blockedSince: ReadonlyMap<string, string>
  readonly isCut: boolean
  /** The hours recorded today. Missing in a value that an earlier version of the client cached. */
  readonly todayHours?: number
}

/** The groups in the order of the screen. */
const groups = ['blocked', 'overdue', 'today', 'week', 'next', 'later', 'unscheduled'] as const
type Group = (typeof groups)[number]

/** Only 100 rows are loaded of most lists. If a stage has more assignments, the screen says so. */
const firstPage = { pagesMax: 1 }
const impedimentPagesMax = 5

/**
 * Loads the open assignments that the user is responsible for or works on, and that begin before the end of
 * next week or have no dates.
 */
async function loadMyWork(services: Services, userId: string, signal: AbortSignal): Promise<MyWork> {
  const { api } = services
  const dateTo = addDays(mondayOf(today()), 2 * daysInWeek)
  const { rows: stages } = await loadAll(api, 'workflow', { sortColumn: 'order' }, { ...firstPage, signal })
  const links = await loadAll(
    api,
    'userAssignment',
    { userId, sortColumn: 'createdAt', sortOrder: 'DESC' },
    { ...firstPage, signal },
  )
  const defaultDoneIds = doneStagesOf('', stages)
  const pagesOfStages: Awaited<ReturnType<typeof loadAll<'assignment'>>>[] = []
  // Stages are loaded one after the other, because other tabs need connections, too.
  for (const { id: workflowId } of stages.filter(({ id }) => !defaultDoneIds.has(id)))
    pagesOfStages.push(
      await loadAll(
        api,
        'assignment',
        { userId, workflowId, dateTo, sortColumn: 'endDate' },
        { ...firstPage, signal },
      ),
    )
  const linkedIds = links.rows.map(({ assignmentId }) => assignmentId)
  const linked = await loadByIds(api, 'assignment', linkedIds, signal)
  const unscheduled = await loadUnscheduled(services, userId, signal)
  const assignments = [
    ...byId([...pagesOfStages.flatMap(({ rows }) => rows), ...unscheduled, ...linked.values()]).values(),
  ]
  const openAssignments = assignments.filter(
    (row) =>
      !doneStagesOf(row.projectId, stages).has(row.workflowId) &&
      (row.isUnscheduled || dayOf(row.startDate) < dateTo),
  )
  const projectIds = openAssignments.map(({ projectId }) => projectId)
  const projects = await loadByIds(api, 'project', projectIds, signal)
  const impediments = await loadAll(
    api,
    'assignmentImpediment',
    { sortColumn: 'createdAt', sortOrder: 'DESC' },
    { pagesMax: impedimentPagesMax, signal },
  )
  const ofToday = { userId, dateFrom: today(), dateTo: addDays(today(), 1) }
  const entries = await loadAll(api, 'appointment', ofToday, { ...firstPage, signal })
  // The oldest impediment of an assignment is the last one, and replaces the others.
  const blockedSince = new Map(
    impediments.rows.map(({ assignmentId, createdAt }) => [assignmentId, createdAt]),
  )
  return {
    groups: Map.groupBy(
      openAssignments.toSorted((a, b) => a.endDate.localeCompare(b.endDate)),
      (row) => (blockedSince.has(row.id) ? 'blocked' : groupOf(endDayOf(row))),
    ),
    stages,
    projects,
    blockedSince,
    isCut: pagesOfStages.some(({ isCut }) => isCut),
    todayHours: sumHours(entries.rows),
  }
}

/** Loads the assignments without dates. Lists of a period do not contain them. */
async function loadUnscheduled(
  { configuration, tracker }: Services,
  userId: string,
  signal: AbortSignal,
): Promise<readonly Assignment[]> {
  if (!configuration.extensions) return []
  const filter = `userId eq '${userId}' and isUnscheduled eq true and isUnassigned eq false`
  const query = { filter, sort: '-createdAt', pageSize: rowsMax }
  const { result } = await tracker.call('GET /ext/query/assignments', { query }, { signal })
  return result.data as readonly Assignment[]
}

function groupOf(endDay: string, currentDay = today()): Group {
  if (endDay === '') return 'unscheduled'
  if (endDay < currentDay) return 'overdue'
  if (endDay === currentDay) return 'today'
  const monday = mondayOf(currentDay)
  if (endDay < addDays(monday, daysInWeek)) return 'week'
  return endDay < addDays(monday, 2 * daysInWeek) ? 'next' : 'later'
}
