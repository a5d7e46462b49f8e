import type { VNode } from 'preact'
import { useState } from 'preact/hooks'
import { sentenceOf } from '../../api/problems.ts'
import { doneStagesOf, updateBodyOf } from '../../assignment/assignment-values.ts'
import { LabelChip } from '../../assignment/labels.tsx'
import { priorityName } from '../../assignment/priority.ts'
import { changesOf, type StageChange, sendOrQueue, withQueuedStage } from '../../assignment/queue.ts'
import { recordHours } from '../../assignment/recorded-hours.tsx'
import { BlockedChip, QueueMark, WaitsChip } from '../../assignment/state-chips.tsx'
import { TimerButton } from '../../assignment/timer-button.tsx'
import { assignmentKey, dueColorOf, dueText, endDayOf, isLate } from '../../data/assignments.ts'
import { stageLooksOf, stagesOf } from '../../data/project-stages.ts'
import { useHoursOfDay } from '../../forms/fields.tsx'
import { assignmentPath } from '../../router/router.ts'
import { useServices } from '../../services/services.ts'
import { t } from '../../texts/text.ts'
import { formatDay, today } from '../../time/days.ts'
import { formatHours } from '../../time/hours.ts'
import { Icon } from '../../ui/icon.tsx'
import { HoursMark, PriorityMark, StageMark } from '../../ui/marks.tsx'
import { ProjectMark } from '../../ui/page.tsx'
import type { Assignment, MyWork } from './load-my-work.ts'

interface WorkRowProps {
  readonly assignment: Assignment
  readonly work: MyWork
  readonly recorded: number | undefined
  readonly showsProject: boolean
}

/** Shows an assignment with the most common actions: changing its stage, and recording hours. */
export function WorkRow({ assignment, work, recorded, showsProject }: WorkRowProps) {
  const { id, projectId, name, priority } = assignment
  const [isRecording, setRecording] = useState(false)
  const project = work.projects.get(projectId)
  const marks = marksOf(assignment, work)
  return (
    <li class="row work-row" data-row={id}>
      <StageSelect assignment={assignment} stages={work.stages} />
      <span class="row-text">
        <span class="work-name">
          <a href={assignmentPath(projectId, id)} dir="auto">
            {name}
          </a>
          {marks.length > 0 && <span class="work-marks">{marks}</span>}
        </span>
        <span class="quiet-text work-facts">
          {priority ? <PriorityMark priority={priority} name={priorityName(priority)} /> : null}
          <span class="work-key">{assignmentKey(project?.key, assignment)}</span>
          <DueDay assignment={assignment} />
          {showsProject && (
            <span class="work-project" title={project?.name}>
              <ProjectMark project={project ?? { id: projectId }} />
              <span dir="auto">{project?.name}</span>
            </span>
          )}
          <HoursMark planned={assignment.amountHours} recorded={recorded} />
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

/** Returns the warnings and labels of a card. Without room for all, the last ones are hidden. */
function marksOf({ id }: Assignment, work: MyWork): readonly VNode[] {
  const changes = changesOf(id)
  const blockedSince = work.blockedSince.get(id)
  const blockers = work.blockers.get(id)
  const labels = work.labels.get(id) ?? []
  return [
    ...(changes.length > 0 ? [<QueueMark key="queue" changes={changes} />] : []),
    ...(blockedSince ? [<BlockedChip key="blocked" since={blockedSince} />] : []),
    ...(blockers ? [<WaitsChip key="waits" blockers={blockers} />] : []),
    ...labels.map((label) => <LabelChip key={label.id} label={label} />),
  ]
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
      const userId = session.person.value?.id ?? ''
      const amountHours = await parseHours(text, 'amountHours', { userId, day: today() })
      const entry = { id, assignmentId: assignment.id, userId, keepDate: today(), amountHours }
      const isRecorded = await recordHours(services, { kind: 'hours', entry }, assignment)
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
