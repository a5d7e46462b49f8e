import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import { TrackerError } from '#tracker-client'
import type { RecordOf } from '../api/api.ts'
import { sentenceOf } from '../api/problems.ts'
import { deleteDraft, readDraft, writeDraft } from '../forms/drafts.ts'
import { parseHours } from '../forms/fields.tsx'
import { useServices } from '../services/services.ts'
import { endTimestampOf, timestampOf } from '../time/days.ts'
import { type AssignmentValues, fieldsOf, valuesOf } from './assignment-values.ts'

export interface InPlaceOptions {
  /** The typed text is stored under this name until it is saved or discarded. */
  readonly draft: string
  /** The current value of the record. */
  readonly stored: string
  /** Saves the text if the record still has `base`; otherwise returns the value that another user has saved. */
  save(text: string, base: string): Promise<string | undefined>
}

export interface InPlace {
  readonly text: string
  readonly isChanged: boolean
  readonly isSaving: boolean
  readonly problem: string | undefined
  /** The value that another user has saved during the edit. */
  readonly theirs: string | undefined
  type(text: string): void
  /** Saves the typed text, or this one. */
  commit(text?: string): Promise<void>
  /** Overwrites the value of the other user. */
  saveMine(): Promise<void>
  revert(): void
}

interface Typed {
  readonly text: string
  /** The value of the record when the edit began. */
  readonly base: string
}

/** Restores the text that was typed before the page was reloaded or the panel closed. */
function keptTyping(draft: string, stored: string): Typed | undefined {
  const { text, base } = readDraft<{ text: string; base: string }>(draft)
  return text === undefined ? undefined : { text, base: base ?? stored }
}

/** One field that is saved by itself. A change by another user during the edit is shown, never overwritten. */
function useInPlace({ draft, stored, save }: InPlaceOptions): InPlace {
  const [typed, setTyped] = useState(() => keptTyping(draft, stored))
  const [isSaving, setSaving] = useState(false)
  const [problem, setProblem] = useState<unknown>()
  const [theirs, setTheirs] = useState<string>()
  const latest = useRef<Typed>(undefined)
  latest.current = typed
  const revert = () => {
    latest.current = undefined
    setTyped(undefined)
    setTheirs(undefined)
    setProblem(undefined)
    deleteDraft(draft)
  }
  const keep = (next: Typed) => {
    latest.current = next
    setTyped(next)
    writeDraft(draft, next)
  }
  useEffect(() => {
    if (typed === undefined || isSaving) return
    if (stored === typed.text) revert()
    else if (stored !== typed.base) setTheirs(stored)
  }, [stored])
  const send = async (next: Typed) => {
    setSaving(true)
    try {
      const other = await save(next.text, next.base)
      setProblem(undefined)
      setTheirs(other)
      // Skipped if the user has typed more meanwhile.
      if (other === undefined && latest.current?.text === next.text) revert()
    } catch (error) {
      setProblem(error)
    }
    setSaving(false)
  }
  useRetryWhenOnline(!isSaving && isUnreached(problem), () => latest.current && void send(latest.current))
  return {
    text: typed?.text ?? stored,
    isChanged: typed !== undefined,
    isSaving,
    problem: problem === undefined ? undefined : sentenceOf(problem),
    theirs,
    type: (text) => keep({ text, base: latest.current?.base ?? stored }),
    async commit(text) {
      if (text !== undefined) keep({ text, base: latest.current?.base ?? stored })
      const next = latest.current
      if (next === undefined || theirs !== undefined) return
      await (next.text === stored ? revert() : send(next))
    },
    async saveMine() {
      if (latest.current === undefined || theirs === undefined) return
      const next = { text: latest.current.text, base: theirs }
      keep(next)
      setTheirs(undefined)
      await send(next)
    },
    revert: revert,
  }
}

const isUnreached = (problem: unknown) => problem instanceof TrackerError && problem.status === 0

/** The browser may report a network before it works, and does not report a server that is back. */
const retryMilliseconds = 5000

/** Retries a save that failed without a network once the network is back. */
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

/** One field of an assignment, saved by itself: the others keep their current values, whoever changed them last. */
export function useEdit(
  assignment: Assignment,
  name: EditableName,
  onSaved: (row: Assignment) => void,
): InPlace {
  const { api } = useServices()
  const stored = useMemo(() => valuesOf(assignment)[name], [assignment, name])
  return useInPlace({
    draft: `${name}-of-${assignment.id}`,
    stored,
    async save(text, base) {
      const now = await api.get('assignment', assignment.id)
      const theirs = valuesOf(now)[name]
      if (theirs !== base && theirs !== text) return theirs
      const changed = { ...fieldsOf(now), ...bodyOfField(name, text, now) }
      await api.update('assignment', changed)
      onSaved(await api.get('assignment', assignment.id))
      return undefined
    },
  })
}

function bodyOfField(name: EditableName, text: string, stored: Assignment): Partial<Assignment> {
  if (name === 'amountHours') return { amountHours: parseHours(text, name) }
  if (name === 'startDate') return movedStart(text, stored)
  if (name === 'endDate') return { endDate: endTimestampOf(text, stored.endDate, stored.startDate) }
  if (name === 'description') return { description: text.trim() === '' ? null : text }
  return { [name]: text }
}

/** A start after the end moves the end too. */
function movedStart(day: string, { startDate, endDate }: Assignment): Partial<Assignment> {
  const start = timestampOf(day, startDate)
  return start > endDate ? { startDate: start, endDate: start } : { startDate: start }
}
