import { useEffect, useRef, useState } from 'preact/hooks'
import { filter, limits, type Tracker } from '#tracker-client'
import type { Api, RecordOf } from '../../api/api.ts'
import { type ById, byId, loadAll, loadByIds, rowsMax } from '../../api/load-all.ts'
import { sentenceOf } from '../../api/problems.ts'
import { discardChange, queuedChanges } from '../../assignment/queue.ts'
import { recordHours, withQueuedHours } from '../../assignment/recorded-hours.tsx'
import { parseHours } from '../../forms/field.tsx'
import { useHoursQuestion } from '../../forms/fields.tsx'
import { readDraft, writeDraft } from '../../services/browser-storage.ts'
import { useServices } from '../../services/services.ts'
import { t } from '../../texts/text.ts'
import { addDays, dayOf, daysInWeek } from '../../time/days.ts'
import { sumHours } from '../../time/hours.ts'

export type Appointment = RecordOf<'appointment'>
type Assignment = RecordOf<'assignment'>

/** At most 500 entries are loaded. If there are more, the screen says so. */
const pagesMax = 5

export interface WeekRow {
  readonly assignment: Assignment
  readonly projectName: string
  /** Missing in a value that an earlier version of the client cached. */
  readonly projectColor?: RecordOf<'project'>['color']
}

export interface WeekRows {
  /** Sorted by project, then by name. */
  readonly rows: readonly WeekRow[]
  readonly isCut: boolean
}

export const loadEntries = (api: Api, userId: string, monday: string, signal: AbortSignal) =>
  loadAll(
    api,
    'appointment',
    { userId, dateFrom: monday, dateTo: addDays(monday, daysInWeek), sortColumn: 'createdAt' },
    { pagesMax, signal },
  )

/**
 * Loads the assignments that the person may have worked on: assignments of this week, assignments with
 * recorded hours, and assignments that were added by hand.
 */
export async function loadWeekRows(
  api: Api,
  userId: string,
  monday: string,
  requiredIds: readonly string[],
  signal: AbortSignal,
): Promise<WeekRows> {
  const dateTo = addDays(monday, daysInWeek)
  const [responsible, links] = await Promise.all([
    loadAll(api, 'assignment', { userId, dateFrom: monday, dateTo }, { pagesMax: 1, signal }),
    // Only the newest links are loaded, because old assignments are finished.
    loadAll(
      api,
      'userAssignment',
      { userId, sortColumn: 'createdAt', sortOrder: 'DESC' },
      { pagesMax: 1, signal },
    ),
  ])
  const linkedIds = links.rows.map(({ assignmentId }) => assignmentId)
  const candidates = await loadByIds(api, 'assignment', [...requiredIds, ...linkedIds], signal)
  const isInWeek = ({ startDate, endDate, isUnscheduled }: Assignment) =>
    !isUnscheduled && dayOf(startDate) < dateTo && dayOf(endDate) >= monday
  const required = [...candidates.values()].filter((row) => requiredIds.includes(row.id) || isInWeek(row))
  const assignments = [...byId([...responsible.rows, ...required]).values()]
  return {
    rows: toSortedRows(assignments, await loadProjects(api, assignments, signal)),
    isCut: responsible.isCut || linkedIds.length === rowsMax,
  }
}

const loadProjects = (api: Api, assignments: readonly Assignment[], signal: AbortSignal) =>
  loadByIds(
    api,
    'project',
    assignments.map(({ projectId }) => projectId),
    signal,
  )

const toSortedRows = (assignments: readonly Assignment[], projects: ById<RecordOf<'project'>>): WeekRow[] =>
  assignments
    .map((assignment) => {
      const project = projects.get(assignment.projectId)
      return { assignment, projectName: project?.name ?? '', projectColor: project?.color }
    })
    .sort(
      (a, b) =>
        a.projectName.localeCompare(b.projectName) || a.assignment.name.localeCompare(b.assignment.name),
    )

/** Sums of more entries would take too many requests, so they are not shown. */
const entriesMax = 1000

/**
 * Loads the hours that all users have recorded for each assignment. Returns undefined if there are too many
 * assignments or entries. This requires the extensions.
 */
export async function loadRecordedHours(
  tracker: Tracker,
  ids: readonly string[],
  signal: AbortSignal,
): Promise<ReadonlyMap<string, number> | undefined> {
  // Sums of fractions are inexact, so hundredths are added.
  const hundredths = new Map(ids.map((id) => [id, 0]))
  if (ids.length === 0 || ids.length > limits.ids) return undefined
  const query = {
    filter: filter`assignmentId in ${ids}`,
    fields: ['assignmentId', 'amountHours'],
  } as const
  // A filter has room for about 40 ids.
  if (query.filter.length > limits.filter) return undefined
  let entries = 0
  for await (const { assignmentId, amountHours } of tracker.appointments.rows(query, { signal })) {
    entries += 1
    if (entries > entriesMax) return undefined
    hundredths.set(assignmentId, (hundredths.get(assignmentId) ?? 0) + Math.round(amountHours * 100))
  }
  return new Map([...hundredths].map(([id, sum]) => [id, sum / 100]))
}

/** The entries of an assignment on a day. */
export interface Cell {
  readonly assignmentId: string
  readonly day: string
  readonly entries: readonly Appointment[]
}

export const cellKeyOf = ({ assignmentId, day }: { assignmentId: string; day: string }): string =>
  `${assignmentId} ${day}`

export const entriesByCell = (entries: readonly Appointment[]): ReadonlyMap<string, readonly Appointment[]> =>
  Map.groupBy(entries, ({ assignmentId, keepDate }) => cellKeyOf({ assignmentId, day: dayOf(keepDate) }))

/** The unsaved text of a cell, and the reason why it was not saved. */
export interface UnsavedText {
  readonly text: string
  readonly problem?: string
  /** True if the text is saved when the user confirms it. */
  readonly isQuestion?: boolean
}

type PendingChanges = ReadonlyMap<
  string,
  { readonly entry: Appointment | undefined; readonly isSaved: boolean }
>

export type EntriesState = ReturnType<typeof useEntries>

/**
 * Returns the entries of the user, including entries that are being saved. Rejected text stays in its cell
 * with the reason until it is saved or discarded.
 */
export function useEntries(
  userId: string,
  loaded: readonly Appointment[],
  assignments: readonly Assignment[],
) {
  const entriesWithQueue = withQueuedHours(loaded, (entry) => entry.userId === userId)
  const { entries, startChange, finishChange } = useChanges(loaded, entriesWithQueue)
  const { unsaved, setText, revert } = useUnsavedTexts(userId)
  const send = useSend(assignments)
  const questionOf = useHoursQuestion()
  const queue = useRef<Promise<void>>(Promise.resolve())
  /** Returns the typed hours. Hours that are rejected or questioned stay in their cell with the reason. */
  const findHours = (cell: Cell, text: string, isConfirmed: boolean): number | undefined => {
    const { id, amountHours: previous = 0 } = cell.entries[0] ?? {}
    const others = entries.filter((entry) => entry.id !== id && dayOf(entry.keepDate) === cell.day)
    try {
      const hours = text.trim() === '' ? 0 : parseHours(text, cellKeyOf(cell))
      const problem = questionOf(hours, cellKeyOf(cell), { others: sumHours(others), previous }, isConfirmed)
      if (problem === undefined) return hours
      setText(cell, { text, problem, isQuestion: true })
    } catch (error) {
      setText(cell, { text, problem: sentenceOf(error) })
    }
    return undefined
  }
  /** Returns whether the text was accepted. Questioned hours are saved only if the user confirms them. */
  const save = (cell: Cell, text: string, isConfirmed: boolean): boolean => {
    const previous = cell.entries[0]
    const hours = findHours(cell, text, isConfirmed)
    if (hours === undefined) return false
    revert(cell)
    if (hours === (previous?.amountHours ?? 0)) return true
    const next = hours === 0 ? undefined : { ...(previous ?? newEntry(cell, userId)), amountHours: hours }
    const id = (next ?? previous)?.id ?? ''
    startChange(id, next)
    // Changes are sent one after the other, because a change may depend on an earlier change of the same
    // cell.
    queue.current = queue.current
      .then(() => send(previous, next))
      .then(
        () => finishChange(id, next, true),
        (error) => {
          finishChange(id, next, false)
          setText(cell, { text, problem: sentenceOf(error) })
        },
      )
    return true
  }
  return { entries, unsaved, setText, revert, save }
}

/** The client chooses the id, so that the entry can be shown before the response. */
const newEntry = ({ assignmentId, day }: Cell, userId: string): Appointment => ({
  id: crypto.randomUUID(),
  assignmentId,
  userId,
  keepDate: day,
  amountHours: 0,
  description: null,
  createdAt: new Date().toISOString(),
  updatedAt: null,
  deletedAt: null,
  active: true,
})

/** Applies pending changes to the loaded entries and to the entries that wait for the network. */
function useChanges(loaded: readonly Appointment[], entriesWithQueue: readonly Appointment[]) {
  const [changes, setChanges] = useState<PendingChanges>(new Map())
  // The reloaded entries contain all changes that were saved before.
  useEffect(() => {
    setChanges((all) => new Map([...all].filter(([, { isSaved }]) => !isSaved)))
  }, [loaded])
  const startChange = (id: string, entry: Appointment | undefined) =>
    setChanges((all) => new Map(all).set(id, { entry, isSaved: false }))
  /** Does nothing if the entry has been changed again in the meantime. */
  const finishChange = (id: string, entry: Appointment | undefined, isSaved: boolean) =>
    setChanges((all) => {
      if (all.get(id)?.entry !== entry) return all
      const next = new Map(all)
      if (isSaved) next.set(id, { entry, isSaved })
      else next.delete(id)
      return next
    })
  const entries = [
    ...entriesWithQueue.filter(({ id }) => !changes.has(id)),
    ...[...changes.values()].flatMap(({ entry }) => entry ?? []),
  ]
  return { entries, startChange, finishChange }
}

function useUnsavedTexts(userId: string) {
  const draft = `week-${userId}`
  const [unsaved, setUnsaved] = useState<ReadonlyMap<string, UnsavedText>>(() => {
    const drafts = Object.entries(readDraft<Record<string, string>>(draft))
    return new Map(drafts.map(([key, text = '']) => [key, { text, problem: t('This is not saved yet.') }]))
  })
  useEffect(
    () => writeDraft(draft, Object.fromEntries([...unsaved].map(([key, { text }]) => [key, text]))),
    [draft, unsaved],
  )
  const setText = (cell: Cell, text: UnsavedText) =>
    setUnsaved((all) => new Map(all).set(cellKeyOf(cell), text))
  const revert = (cell: Cell) =>
    setUnsaved((all) => new Map([...all].filter(([key]) => key !== cellKeyOf(cell))))
  return { unsaved, setText, revert }
}

/** Creates, updates or removes an entry, depending on its previous and its next state. */
function useSend(assignments: readonly Assignment[]) {
  const services = useServices()
  const { api, toasts } = services
  return async (previous: Appointment | undefined, next: Appointment | undefined): Promise<void> => {
    if (next === undefined) {
      if (previous === undefined) return
      const queued = queuedChanges
        .peek()
        .find(
          (change) =>
            change.kind === 'hours' && change.formerHours === undefined && change.entry.id === previous.id,
        )
      if (queued && !queued.isSent) return discardChange(services, queued)
      const remove = () => api.remove('appointment', [previous.id])
      await remove()
      const undo = () => api.restore('appointment', [previous.id])
      toasts.show({ kind: 'done', text: t('The entry was removed.'), undo, redo: remove })
      return
    }
    const { id, keepDate, amountHours, assignmentId, userId } = next
    const entry = { id, keepDate, amountHours, assignmentId, userId }
    const assignment = assignments.find((candidate) => candidate.id === assignmentId) ?? {
      id: assignmentId,
      name: '',
      projectId: '',
    }
    await recordHours(services, { kind: 'hours', entry, formerHours: previous?.amountHours }, assignment)
  }
}
