import { useState } from 'preact/hooks'
import type { RecordOf } from '../../api/api.ts'
import { sentenceOf } from '../../api/api-problem.ts'
import { fieldsOf } from '../../assignment/assignment-values.ts'
import { TimerButton } from '../../assignment/timer-button.tsx'
import { readHours } from '../../forms/hours.ts'
import { assignmentPath } from '../../router/addresses.ts'
import { useServices } from '../../services/services.ts'
import { undoLabel } from '../../services/toasts.ts'
import { t } from '../../texts/text.ts'
import { dayOf, showAge, showDay, today } from '../../time/days.ts'
import { showHours } from '../../time/hours.ts'
import { Icon } from '../../ui/icon.tsx'
import { ProjectMark } from '../../ui/project-mark.tsx'
import type { MyWork } from './load-my-work.ts'

type Assignment = RecordOf<'assignment'>

/** An assignment with the actions needed most: changing its stage, and recording hours. */
export function WorkRow({ assignment, work }: { readonly assignment: Assignment; readonly work: MyWork }) {
  const { id, projectId, name, endDate } = assignment
  const [isLogging, setLogging] = useState(false)
  const isLate = dayOf(endDate) < today()
  const day = showDay(endDate)
  const since = work.blockedSince.get(id)
  return (
    <li class="row work-row">
      <span class="row-text">
        <a href={assignmentPath(projectId, id)} dir="auto">
          {name}
        </a>
        <span class="quiet-text line work-facts">
          <ProjectMark id={projectId} />
          <span dir="auto">{work.projects.get(projectId)?.name}</span>
          <span class={isLate ? 'late' : ''}>
            {isLate ? t('Was due {day}', { day }) : t('Until {day}', { day })}
          </span>
          {since && <span class="blocked">{t('Blocked {age}', { age: showAge(since) })}</span>}
        </span>
      </span>
      <StageSelect assignment={assignment} stages={work.stages} />
      <TimerButton assignment={assignment} />
      {isLogging ? (
        <LogTime assignment={assignment} onClose={() => setLogging(false)} />
      ) : (
        <button
          type="button"
          class="button quiet"
          aria-label={t('Record time for {name}', { name })}
          onClick={() => setLogging(true)}
        >
          <Icon name="clock" />
        </button>
      )}
    </li>
  )
}

interface StageSelectProps {
  readonly assignment: Assignment
  readonly stages: MyWork['stages']
}

function StageSelect({ assignment, stages }: StageSelectProps) {
  const { api, toasts } = useServices()
  const tell = (error: unknown) => toasts.show({ kind: 'problem', text: sentenceOf(error) })
  /** As it is now: what others have changed meanwhile stays. */
  const moveTo = async (workflowId: string) => {
    const now = await api.get('assignment', assignment.id)
    await api.update('assignment', { ...fieldsOf(now), workflowId })
  }
  const move = async (workflowId: string) => {
    try {
      await moveTo(workflowId)
      const stage = stages.find(({ id }) => id === workflowId)?.name ?? ''
      toasts.show({
        kind: 'done',
        text: t('{name} is in {stage} now.', { name: assignment.name, stage }),
        action: { label: undoLabel(), run: () => moveTo(assignment.workflowId).catch(tell) },
      })
    } catch (error) {
      tell(error)
    }
  }
  return (
    <select
      class="input work-stage"
      aria-label={t('Stage of {name}', { name: assignment.name })}
      value={assignment.workflowId}
      onChange={(event) => void move(event.currentTarget.value)}
    >
      {stages.map(({ id, name }) => (
        <option key={id} value={id}>
          {name}
        </option>
      ))}
    </select>
  )
}

/** Today’s hours: a number and Enter. */
function LogTime({ assignment, onClose }: { readonly assignment: Assignment; onClose(): void }) {
  const { api, session, toasts } = useServices()
  const [text, setText] = useState('')
  const [problem, setProblem] = useState<string>()
  const log = async () => {
    try {
      const amountHours = readHours(text, 'amountHours')
      const userId = session.person.value?.id ?? ''
      const entry = { assignmentId: assignment.id, userId, keepDate: today(), amountHours }
      const { id } = await api.create('appointment', entry)
      toasts.show({
        kind: 'done',
        text: t('{hours} recorded for {name}.', { hours: showHours(amountHours), name: assignment.name }),
        action: { label: undoLabel(), run: () => api.remove('appointment', [id]) },
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
        void log()
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
