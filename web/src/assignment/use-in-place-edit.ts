import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import { changeRecord, type RecordOf } from '../api/api.ts'
import { isOutage, sentenceOf } from '../api/problems.ts'
import { assignedTo, datesBetween, startOn } from '../data/assignments.ts'
import { parseHours } from '../forms/field.tsx'
import { deleteDraft, readDraft, writeDraft } from '../services/browser-storage.ts'
import { useServices } from '../services/services.ts'
import { type MessageKey, t } from '../texts/text.ts'
import { endTimestampOf } from '../time/days.ts'
import { type AssignmentValues, updateBodyOf, valuesOf } from './assignment-values.ts'
import { offerUndo } from './change-assignment.ts'
import { parsePriority } from './priority.ts'
import { type StageChange, sendOrQueue } from './queue.ts'

interface InPlaceOptions {
  /** The typed text is stored under this name until it is saved or discarded. */
  readonly draft: string
  /** The current value of the record. */
  readonly stored: string
  /**
   * Saves the text if the record still has `base`. Otherwise returns the value that another user has saved.
   */
  save(text: string, base: string): Promise<string | undefined>
}

export interface InPlaceEdit {
  readonly text: string
  readonly isChanged: boolean
  readonly isSaving: boolean
  readonly problem: string | undefined
  /** The value that another user has saved during the edit. */
  readonly theirs: string | undefined
  type(text: string): void
  /** Saves `text`, or the typed text if it is undefined. */
  commit(text?: string): Promise<void>
  /** Overwrites the value of the other user. */
  saveMine(): Promise<void>
  revert(): void
}

interface TypedText {
  readonly text: string
  /** The value of the record when the edit began. */
  readonly base: string
  /** Why the text is not saved. */
  readonly problem?: string
}

/** Restores the text that was typed before the page was reloaded or the panel closed. */
function readTypedText(draft: string, stored: string): TypedText | undefined {
  const { text, base = stored, problem = t('Not saved') } = readDraft<TypedText>(draft)
  return text === undefined ? undefined : { text, base, problem }
}

/**
 * Edits one value and saves it automatically. If another user changes the value during the edit, both values
 * are shown.
 */
function useInPlaceEdit({ draft, stored, save }: InPlaceOptions): InPlaceEdit {
  const [typed, setTyped] = useState(() => readTypedText(draft, stored))
  const [isSaving, setSaving] = useState(false)
  const [problem, setProblem] = useState<unknown>(typed?.problem)
  const [theirs, setTheirs] = useState<string>()
  const latest = useRef<TypedText>(undefined)
  latest.current = typed
  const revert = () => {
    latest.current = undefined
    setTyped(undefined)
    setTheirs(undefined)
    setProblem(undefined)
    deleteDraft(draft)
  }
  const store = (next: TypedText) => {
    latest.current = next
    setTyped(next)
    writeDraft(draft, next)
  }
  useEffect(() => {
    if (typed === undefined || isSaving) return
    if (stored === typed.text) revert()
    else if (stored !== typed.base) setTheirs(stored)
  }, [stored])
  const send = async (next: TypedText) => {
    setSaving(true)
    try {
      const theirValue = await save(next.text, next.base)
      setProblem(undefined)
      setTheirs(theirValue)
      // This is skipped if the user has typed more in the meantime.
      if (theirValue === undefined && latest.current?.text === next.text) revert()
    } catch (error) {
      // The user may have discarded the text, or typed more.
      if (latest.current?.text === next.text) {
        setProblem(error)
        // After a reload, the server may be back.
        if (!isOutage(error)) writeDraft(draft, { ...next, problem: sentenceOf(error, 'assignment') })
      }
    }
    setSaving(false)
  }
  useRetryWhenOnline(!isSaving && isOutage(problem), () => latest.current && void send(latest.current))
  return {
    text: typed?.text ?? stored,
    isChanged: typed !== undefined,
    isSaving,
    problem: problem === undefined ? undefined : sentenceOf(problem, 'assignment'),
    theirs,
    type: (text) => store({ text, base: latest.current?.base ?? stored }),
    async commit(text) {
      if (text !== undefined) store({ text, base: latest.current?.base ?? stored })
      const next = latest.current
      if (next === undefined || theirs !== undefined) return
      await (next.text === stored ? revert() : send(next))
    },
    async saveMine() {
      if (latest.current === undefined || theirs === undefined) return
      const next = { text: latest.current.text, base: theirs }
      store(next)
      setTheirs(undefined)
      await send(next)
    },
    revert,
  }
}

/**
 * Retries are also timed: browsers report a network before it works, and never report that a server is back.
 */
const retryMilliseconds = 5000

/** Retries a save that did not reach the server. */
function useRetryWhenOnline(isWaiting: boolean, send: () => void): void {
  useEffect(() => {
    if (!isWaiting) return
    addEventListener('online', send)
    const timer = setInterval(send, retryMilliseconds)
    return () => {
      removeEventListener('online', send)
      clearInterval(timer)
    }
  }, [isWaiting])
}

type Assignment = RecordOf<'assignment'>
export type EditableName = keyof AssignmentValues

/** The names of the fields, as the panel and the form of a new assignment show them. */
const fieldLabels: Readonly<Record<EditableName, MessageKey>> = {
  name: 'Name',
  description: 'Description',
  workflowId: 'Stage',
  assignmentTypeId: 'Type',
  userId: 'Responsible',
  startDate: 'Start',
  endDate: 'End',
  amountHours: 'Planned hours',
  priority: 'Priority',
}

/**
 * The name under which the text of a field is stored from the first keystroke until it is saved or discarded.
 */
const fieldDraft = (assignmentId: string, name: string): string => `${name}-of-${assignmentId}`

/** Edits one field of an assignment. All other fields keep their current values. */
export function useFieldEdit(
  assignment: Assignment,
  name: EditableName,
  onSaved: (row: Assignment) => void,
  /** Returns the name of a choice for messages. */
  nameOf: (text: string) => string = () => '',
): InPlaceEdit {
  const services = useServices()
  const saveField = useFieldSave(assignment.id, name, onSaved, nameOf)
  const save = (text: string, base: string) =>
    saveField((stored) => (stored === base || stored === text ? text : undefined))
  return useInPlaceEdit({
    draft: fieldDraft(assignment.id, name),
    stored: useMemo(() => valuesOf(assignment)[name], [assignment, name]),
    async save(text, base) {
      if (name !== 'workflowId') return save(text, base)
      let theirs: string | undefined
      const to = { id: text, name: nameOf(text) }
      const change: StageChange = { kind: 'stage', assignmentId: assignment.id, from: base, to }
      await sendOrQueue(services, change, assignment, async () => {
        theirs = await save(text, base)
      })
      return theirs
    },
  })
}

/**
 * Returns a function that saves one field of an assignment. `textOf` converts the stored text to the new
 * text. If it returns undefined, nothing is saved, and the function returns the stored text.
 */
export function useFieldSave(
  id: string,
  name: EditableName,
  onSaved: (row: Assignment) => void,
  nameOf: (text: string) => string = () => '',
) {
  const services = useServices()
  const { api } = services
  return async (textOf: (stored: string) => string | undefined): Promise<string | undefined> => {
    let names: (keyof Assignment)[] = []
    let theirs: string | undefined
    const changed = await changeRecord(api, 'assignment', id, (current) => {
      const stored = valuesOf(current)[name]
      const text = textOf(stored)
      theirs = text === undefined ? stored : undefined
      if (text === stored) onSaved(current)
      if (text === undefined || text === stored) return undefined
      const change = bodyOfField(name, text, current)
      names = Object.keys(change) as (keyof Assignment)[]
      return { ...updateBodyOf(current), ...change }
    })
    if (changed === undefined) return theirs
    onSaved(changed.after)
    const { after } = changed
    const message =
      name === 'workflowId'
        ? t('{name} is now in {stage}.', { name: after.name, stage: nameOf(after.workflowId) })
        : t('{label} of {name} was changed.', { label: t(fieldLabels[name]), name: after.name })
    offerUndo(services, { ...changed, names, text: message, onSaved })
    return undefined
  }
}

function bodyOfField(name: EditableName, text: string, stored: Assignment): Partial<Assignment> {
  if (name === 'amountHours') return { amountHours: parseHours(text, name) }
  if (name === 'priority') return { priority: parsePriority(text) }
  if (name === 'startDate' || name === 'endDate') return dateFields(name, text, stored)
  // Without the extensions, every assignment has a responsible person.
  if (name === 'userId' && stored.isUnassigned !== undefined) return assignedTo(text)
  if (name === 'description') return { description: text.trim() === '' ? null : text }
  return { [name]: text }
}

/** An empty text removes both dates. Only the extensions support this. */
function dateFields(name: 'startDate' | 'endDate', text: string, stored: Assignment): Partial<Assignment> {
  if (text === '' && stored.isUnscheduled !== undefined) return { isUnscheduled: true }
  if (stored.isUnscheduled) return name === 'startDate' ? datesBetween(text, '') : datesBetween('', text)
  return name === 'startDate'
    ? startOn(text, stored)
    : { endDate: endTimestampOf(text, stored.endDate, stored.startDate) }
}
