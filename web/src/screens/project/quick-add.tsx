import { type Signal, signal } from '@preact/signals'
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { TrackerError } from '#tracker-client'
import { createOnce, type RecordOf } from '../../api/api.ts'
import { sentenceOf } from '../../api/problems.ts'
import { lastTypeOf, newAssignmentDefaults, rememberType } from '../../assignment/assignment-values.ts'
import { addLabels } from '../../assignment/labels-section.tsx'
import { QuickField, TokenChips, useTokens } from '../../assignment/quick-field.tsx'
import { fieldsOf, type QuickText, type QuickToken, valuesOfTokens } from '../../assignment/quick-tokens.ts'
import { catalogQuery, useListing } from '../../data/use-listing.ts'
import { deleteDraft, readDraft, writeDraft } from '../../services/browser-storage.ts'
import { useServices } from '../../services/services.ts'
import { inOneLine, t, tn } from '../../texts/text.ts'
import { formatDay } from '../../time/days.ts'
import { closeLater } from '../../ui/combobox.tsx'
import { IconButton } from '../../ui/icon.tsx'
import { useStableCallback } from '../../ui/use-stable-callback.ts'
import { type Filters, isExcluding, nonMember, resolveViewer, unassigned, valuesOf } from './filters.ts'

interface QueuedName {
  /** The id of the assignment, so that it is created once, however often it is sent. */
  readonly id: string
  readonly name: string
  /** The person, labels, priority and end that the text sets. */
  readonly tokens?: readonly QuickToken[]
  /** The reason why the server rejected the name, which is then sent again only if the user asks for it. */
  readonly problem?: string | undefined
}

interface Queue {
  readonly draft: string
  readonly names: Signal<readonly QueuedName[]>
  /** The reason why waiting names are not sent. */
  readonly problem: Signal<string | undefined>
  /** The number of assignments created since the user added a name while none was waiting. */
  readonly addedCount: Signal<number>
  isSending: boolean
}

/** The queues outlive the form and its screen, so that names are also sent after these are closed. */
const queues = new Map<string, Queue>()

function queueOf(projectId: string, stageId: string): Queue {
  const draft = `quick-names-${projectId}-${stageId}`
  const existing = queues.get(draft)
  if (existing) return existing
  const { names = [] } = readDraft<{ names: readonly QueuedName[] }>(draft)
  const problem = names.length > 0 ? t('These names were not added yet.') : undefined
  const queue = {
    draft,
    names: signal(names),
    problem: signal(problem),
    addedCount: signal(0),
    isSending: false,
  }
  queues.set(draft, queue)
  return queue
}

const waitingIn = (names: readonly QueuedName[]) => names.filter(({ problem }) => problem === undefined)

function changeNames({ draft, names }: Queue, next: readonly QueuedName[]): void {
  names.value = next
  if (next.length === 0) deleteDraft(draft)
  else writeDraft(draft, { names: next })
}

const changeName = (queue: Queue, id: string, changes: Partial<QueuedName>): void =>
  changeNames(
    queue,
    queue.names.peek().map((queued) => (queued.id === id ? { ...queued, ...changes } : queued)),
  )

const removeName = (queue: Queue, id: string): void =>
  changeNames(
    queue,
    queue.names.peek().filter((queued) => queued.id !== id),
  )

/**
 * Sends names one after the other, to keep the order of the cards. Stops after an error other than a
 * rejection.
 */
async function sendNames(queue: Queue, create: (queued: QueuedName) => Promise<void>): Promise<void> {
  if (queue.isSending) return
  queue.isSending = true
  queue.problem.value = undefined
  while (queue.problem.peek() === undefined) {
    const [next] = waitingIn(queue.names.peek())
    if (next === undefined) break
    try {
      await create(next)
      queue.addedCount.value += 1
      removeName(queue, next.id)
    } catch (error) {
      const sentence = sentenceOf(error, 'assignment')
      if (isRejection(error)) changeName(queue, next.id, { problem: sentence })
      else queue.problem.value = sentence
    }
  }
  queue.isSending = false
}

/**
 * Returns whether the server has rejected the name itself, and not only this attempt because of an ended
 * session, a time limit or a busy server.
 */
const isRejection = (error: unknown): boolean =>
  error instanceof TrackerError &&
  error.status >= 400 &&
  error.status < 500 &&
  ![401, 408, 429].includes(error.status)

/** More lines are probably not a list of names. */
const linesMax = 50

interface QuickAddProps {
  readonly projectId: string
  readonly stage: RecordOf<'workflow'>
  /** True if the user has opened the form. Otherwise it is shown only while names are waiting. */
  readonly isOpen: boolean
  readonly filters: Filters
  onNew(assignment: RecordOf<'assignment'>): void
  onClose(): void
}

/**
 * Adds assignments by name without waiting for the server. Each gets the type that was used last. The text
 * can also set a person, labels, a priority and an end. Without a person in the text, `usePersonId` applies.
 * Every pasted line is a name.
 */
export const QuickAdd = (props: QuickAddProps) =>
  (props.isOpen || queueOf(props.projectId, props.stage.id).names.value.length > 0) && (
    <QuickForm {...props} />
  )

function QuickForm(props: QuickAddProps) {
  const { projectId, stage, isOpen, onClose } = props
  const [name, setName] = useDraftName(`quick-${projectId}-${stage.id}`)
  const [problem, setProblem] = useState<string>()
  const input = useRef<HTMLInputElement>(null)
  const types = useListing('assignmentType', catalogQuery)
  const typeId = lastTypeOf(types.rows, projectId)
  const restoreFocus = useTemporaryFocus(input, isOpen)
  const personId = usePersonId(props)
  const { queue, send } = useQueue(props, typeId, personId)
  const tokens = useTokens(projectId)
  const parsed = tokens.parse(name)
  const changeText = (text: string) => {
    setName(text)
    setProblem(undefined)
    if (text === '') tokens.reset()
  }
  /** Queues the names. Returns false if no assignment can be created. */
  const add = (texts: readonly QuickText[]): boolean => {
    if (typeId === undefined) {
      setProblem(t('There are no types of assignments yet.'))
      return false
    }
    if (waitingIn(queue.names.peek()).length === 0) queue.addedCount.value = 0
    const queued = texts.map((text) => ({ id: crypto.randomUUID(), ...text }))
    changeNames(queue, [...queue.names.peek(), ...queued])
    send()
    return true
  }
  const paste = (event: ClipboardEvent) => {
    const lines = linesOf(event.clipboardData?.getData('text/plain') ?? '')
    if (lines.length < 2) return
    event.preventDefault()
    const names = lines.slice(0, linesMax).map((line) => ({ name: line, tokens: [] }))
    if (add(names) && lines.length > linesMax)
      setProblem(t('Only the first {count} lines were taken.', { count: linesMax }))
  }
  return (
    <div class="quick-add">
      <form
        onKeyDown={(event) => {
          if (event.key !== 'Escape') return
          onClose()
          restoreFocus()
        }}
        onSubmit={(event) => {
          event.preventDefault()
          // The state may not contain the last key yet.
          const text = input.current?.value ?? ''
          if (text.trim() !== '' && add([tokens.parse(text)])) changeText('')
        }}
      >
        <QuickField
          field={input}
          label={t('Name of the new assignment in {stage}', { stage: stage.name })}
          placeholder={t('Name, then Enter')}
          text={name}
          vocabulary={tokens.vocabulary}
          onText={changeText}
          onPaste={paste}
          onBlur={() => name === '' && closeLater(input.current, onClose)}
        />
      </form>
      <TokenChips tokens={parsed.tokens} labels={tokens.vocabulary.labels} onKeep={tokens.keep} />
      <QueueStatus
        queue={queue}
        personId={valuesOfTokens(parsed.tokens).personId ?? personId}
        endDay={valuesOfTokens(parsed.tokens).endDay}
        type={types.rows.find(({ id }) => id === typeId)?.name}
        onRetry={send}
      />
      <p class="field-errors" role="alert">
        {problem}
      </p>
      <RejectedNames queue={queue} onRetry={send} onRemove={() => input.current?.focus()} />
    </div>
  )
}

/** Stores the typed name in a draft, so that it survives a reload. */
function useDraftName(draft: string) {
  const [name, setName] = useState(() => readDraft<{ name: string }>(draft).name ?? '')
  const change = (text: string) => {
    setName(text)
    if (text === '') deleteDraft(draft)
    else writeDraft(draft, { name: text })
  }
  return [name, change] as const
}

const linesOf = (text: string): readonly string[] =>
  text
    .split(/\r\n|\r|\n/)
    .map((line) => line.trim())
    .filter((line) => line !== '')

/** Returns the queue of a stage, and sends its names when the network is available again. */
function useQueue({ projectId, stage, onNew }: QuickAddProps, typeId: string | undefined, personId: string) {
  const services = useServices()
  const { api, configuration, session } = services
  const queue = queueOf(projectId, stage.id)
  const show = useStableCallback(onNew)
  const create = async ({ id, name, tokens = [] }: QueuedName) => {
    const assignmentTypeId = typeId ?? ''
    const defaults = newAssignmentDefaults(projectId, stage.id, session.person.value?.id ?? '')
    const plan = configuration.extensions && fieldsOf(tokens, personId)
    const { record } = await createOnce(api, 'assignment', {
      ...defaults,
      ...plan,
      id,
      name,
      assignmentTypeId,
    })
    await addLabels(services, record.id, valuesOfTokens(tokens).labelIds)
    show(record)
    rememberType(assignmentTypeId, projectId)
  }
  const send = useStableCallback(() => void sendNames(queue, create))
  useEffect(() => {
    addEventListener('online', send)
    return () => removeEventListener('online', send)
  }, [])
  return { queue, send }
}

/**
 * Returns the id of the person who is responsible for a new assignment. If the board shows the work of only
 * one person, it is this person, because the card would not appear otherwise. If not, the id is empty.
 * Without the extensions, it is always the user.
 */
function usePersonId({ filters }: Pick<QuickAddProps, 'filters'>): string {
  const { configuration, session } = useServices()
  const ownId = session.person.value?.id ?? ''
  const { userId } = resolveViewer(filters, ownId)
  const ids = valuesOf(userId)
  const [id = ''] = ids
  if (!configuration.extensions) return ownId
  return isExcluding(userId) || ids.length > 1 || id === unassigned || id === nonMember ? '' : id
}

interface QueueStatusProps {
  readonly personId: string
  /** The day that the name sets. Empty for none. */
  readonly endDay: string
  readonly queue: Queue
  readonly type: string | undefined
  onRetry(): void
}

/**
 * Shows the progress of several names. If there is none, or if names cannot be sent, it shows the values of
 * the new assignment instead. Names that cannot be sent are listed.
 */
function QueueStatus({ queue, personId, endDay, type, onRetry }: QueueStatusProps) {
  const { configuration, people } = useServices()
  const waiting = waitingIn(queue.names.value)
  const problem = queue.problem.value
  const day = configuration.extensions ? endDay : newAssignmentDefaults('', '', '').endDate
  const end = day === '' ? t('No dates') : t('Ends {day}', { day: formatDay(day) })
  const person = personId === '' ? t('Unassigned') : people.nameOf(personId)
  const status = statusOf(waiting.length, queue.addedCount.value)
  return (
    <>
      <p class="quiet-text" role="status">
        {problem === undefined && status}
      </p>
      {(status === '' || problem !== undefined) && <p class="quiet-text">{inOneLine(type, end, person)}</p>}
      {problem !== undefined && waiting.length > 0 && (
        <>
          <p class="field-errors" role="alert">
            {problem}
          </p>
          <ul>
            {waiting.map(({ id, name }) => (
              <li key={id} dir="auto">
                {name}
              </li>
            ))}
          </ul>
          <button type="button" class="button" onClick={onRetry}>
            {t('Try again')}
          </button>
        </>
      )}
    </>
  )
}

/** A single name needs no status, because its card appears soon. */
function statusOf(waiting: number, added: number): string {
  if (waiting > 1) return tn(waiting, 'Adding 1 assignment…', 'Adding {count} assignments…')
  return added > 1 ? tn(added, '1 assignment was added.', '{count} assignments were added.') : ''
}

interface RejectedNamesProps {
  readonly queue: Queue
  onRetry(): void
  onRemove(): void
}

const RejectedNames = ({ queue, onRetry, onRemove }: RejectedNamesProps) =>
  queue.names.value
    .filter(({ problem }) => problem !== undefined)
    .map((queued) => (
      <RejectedName
        key={queued.id}
        queued={queued}
        onChange={(changes) => changeName(queue, queued.id, changes)}
        onRetry={onRetry}
        onRemove={() => {
          removeName(queue, queued.id)
          onRemove()
        }}
      />
    ))

interface RejectedNameProps {
  readonly queued: QueuedName
  onChange(changes: Partial<QueuedName>): void
  onRetry(): void
  onRemove(): void
}

/** Shows a rejected name in a separate field, because the user may be typing the next name. */
function RejectedName({ queued, onChange, onRetry, onRemove }: RejectedNameProps) {
  const { id, name, problem } = queued
  return (
    <form
      class="quick-rejected"
      onSubmit={(event) => {
        event.preventDefault()
        if (name.trim() === '') return onRemove()
        onChange({ problem: undefined })
        onRetry()
      }}
    >
      <input
        class="input"
        dir="auto"
        aria-label={t('Rejected name')}
        aria-invalid="true"
        aria-describedby={`rejected-${id}`}
        value={name}
        onInput={(event) => onChange({ name: event.currentTarget.value })}
      />
      <IconButton icon="close" label={t('Discard: {name}', { name })} run={onRemove} />
      <p class="field-errors" id={`rejected-${id}`} role="alert">
        {problem}
      </p>
      <button type="submit" class="button">
        {t('Try again')}
      </button>
    </form>
  )
}

/** Focuses the input when the form opens, and returns a function that restores the previous focus. */
function useTemporaryFocus(input: { readonly current: HTMLElement | null }, isOpen: boolean): () => void {
  const previous = useRef<Element>(null)
  // A layout effect runs before the next key arrives.
  useLayoutEffect(() => {
    if (!isOpen) return
    previous.current = document.activeElement
    input.current?.focus()
  }, [isOpen])
  return () => previous.current instanceof HTMLElement && previous.current.focus()
}
