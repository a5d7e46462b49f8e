import { effect, type ReadonlySignal, signal, untracked } from '@preact/signals'
import { TrackerError } from '#tracker-client'
import type { RecordOf } from '../api/api.ts'
import { createOnce } from '../api/create-once.ts'
import { isOutage, sentenceOf } from '../api/problems.ts'
import type { Services } from '../services/services.ts'
import { readStoredJson } from '../services/stored-json.ts'
import { SessionEndedError } from '../session/session.ts'
import { t } from '../texts/text.ts'
import { updateBodyOf } from './assignment-values.ts'

type Assignment = RecordOf<'assignment'>
type Appointment = RecordOf<'appointment'>

/** Hours with an id that this client has chosen, so that they are recorded once, however often they are sent. */
export interface HoursChange {
  readonly kind: 'hours'
  readonly entry: Pick<Appointment, 'assignmentId' | 'userId' | 'keepDate' | 'amountHours'> & {
    readonly id: string
    readonly description?: string | null | undefined
  }
  readonly isNew: boolean
}

export interface StageChange {
  readonly kind: 'stage'
  readonly assignmentId: string
  /** The stage that the user has moved it from; undefined to move it from whichever it is in. */
  readonly from: string | undefined
  readonly to: { readonly id: string; readonly name: string }
  /** The card next to which it is in the manual order. */
  readonly neighbour?: object | undefined
}

export type NewChange = HoursChange | StageChange

/** A change that waits for the network, or that the server has rejected. */
export type QueuedChange = NewChange & {
  readonly assignment: Pick<Assignment, 'id' | 'name' | 'projectId'>
  /** When it was made, in milliseconds. */
  readonly at: number
  readonly problem?: string
  /** It was sent just now. It is shown until lists have it. */
  readonly isSent?: boolean
}

/** More would have been made without looking at them. */
const changesMax = 100
const shownMilliseconds = 3000

const prefix = 'tracker.queue.'
const keyOf = (userId: string, change: NewChange): string =>
  `${prefix}${userId}.${change.kind === 'hours' ? change.entry.id : change.assignmentId}`

const changes = signal<readonly QueuedChange[]>([])
/** The changes of the account that uses this page, the oldest first. */
export const queuedChanges: ReadonlySignal<readonly QueuedChange[]> = changes
let sentChanges: readonly QueuedChange[] = []

const keysOf = (userId: string): string[] =>
  Object.keys(localStorage).filter((key) => key.startsWith(`${prefix}${userId}.`))

const readAll = (userId: string): QueuedChange[] =>
  keysOf(userId)
    .flatMap((key) => readStoredJson<QueuedChange>(key) ?? [])
    .sort((a, b) => a.at - b.at)

type Actors = Pick<Services, 'api' | 'session' | 'toasts' | 'tracker'>

const userIdOf = ({ session }: Pick<Actors, 'session'>): string => session.person.peek()?.id ?? ''

function refresh(actors: Pick<Actors, 'session'>): void {
  const stored = readAll(userIdOf(actors))
  changes.value = [...stored, ...sentChanges]
}

export const waitingChanges = (all: readonly QueuedChange[]) => all.filter(({ isSent }) => !isSent)

/** The changes of an assignment that wait. */
export const changesOf = (assignmentId: string): readonly QueuedChange[] =>
  changes.value.filter(({ assignment }) => assignment.id === assignmentId)

/** Returns the assignment in the stage to which it was moved, unless the server has rejected that. */
export function withQueuedStage<Row extends Pick<Assignment, 'id' | 'workflowId'>>(row: Row): Row {
  const moved = changesOf(row.id).find(({ kind, problem }) => kind === 'stage' && problem === undefined)
  return moved?.kind === 'stage' && moved.to.id !== row.workflowId ? { ...row, workflowId: moved.to.id } : row
}

/** Returns the entries with those that wait. */
export function withQueuedHours(
  entries: readonly Appointment[],
  matches: (entry: HoursChange['entry']) => boolean,
): readonly Appointment[] {
  if (changes.value.length === 0) return entries
  const byId = new Map(entries.map((entry) => [entry.id, entry]))
  // The newest state of an entry comes first in the queue, and last here.
  for (const change of changes.value.toReversed())
    if (change.kind === 'hours' && matches(change.entry))
      byId.set(change.entry.id, { ...newEntry(change.at), ...byId.get(change.entry.id), ...change.entry })
  return [...byId.values()]
}

const newEntry = (at: number) => ({
  description: null,
  createdAt: new Date(at).toISOString(),
  updatedAt: null,
  deletedAt: null,
  active: true,
})

/**
 * Keeps a change until there is a network. A later change of the same record replaces it. Returns false if
 * the queue is full.
 */
function queueChange(
  actors: Actors,
  change: NewChange,
  { id, name, projectId }: QueuedChange['assignment'],
): boolean {
  const userId = userIdOf(actors)
  const key = keyOf(userId, change)
  const last = readStoredJson<QueuedChange>(key)
  if (last === undefined && keysOf(userId).length >= changesMax) return false
  const merged: NewChange =
    change.kind === 'stage' && last?.kind === 'stage'
      ? { ...change, from: last.from }
      : change.kind === 'hours' && last?.kind === 'hours'
        ? { ...change, entry: { ...last.entry, ...change.entry }, isNew: last.isNew }
        : change
  const queued: QueuedChange = { ...merged, assignment: { id, name, projectId }, at: last?.at ?? Date.now() }
  localStorage.setItem(key, JSON.stringify(queued))
  refresh(actors)
  const undo = () => discardChange(actors, queued)
  actors.toasts.show({
    kind: 'done',
    text: t('{name}: saved here, and sent once there is a network.', { name }),
    undo,
  })
  return true
}

export function discardChange(actors: Pick<Actors, 'session'>, change: QueuedChange): void {
  localStorage.removeItem(keyOf(userIdOf(actors), change))
  refresh(actors)
}

/** Sends a rejected change again. A stage is then changed whatever others have chosen meanwhile. */
export function retryChange(actors: Actors, { problem: _, ...change }: QueuedChange): void {
  const next = change.kind === 'stage' ? { ...change, from: undefined } : change
  localStorage.setItem(keyOf(userIdOf(actors), change), JSON.stringify(next))
  refresh(actors)
  void sendQueued(actors)
}

/**
 * Sends a change with `send`. While the server cannot be reached, or an earlier change of the same record
 * waits, it is kept instead. Returns whether it was sent.
 */
export async function sendOrQueue(
  actors: Actors,
  change: NewChange,
  assignment: QueuedChange['assignment'],
  send: () => Promise<unknown>,
): Promise<boolean> {
  if (localStorage.getItem(keyOf(userIdOf(actors), change)) !== null) {
    queueChange(actors, change, assignment)
    void sendQueued(actors)
    return false
  }
  try {
    await send()
    return true
  } catch (error) {
    if (!isOutage(error) || !queueChange(actors, change, assignment)) throw error
    retryLater(actors)
    return false
  }
}

/** Records hours, or keeps them until there is a network. Returns whether they were recorded. */
export const recordHours = (
  actors: Actors,
  change: HoursChange,
  assignment: QueuedChange['assignment'],
): Promise<boolean> => sendOrQueue(actors, change, assignment, () => sendHours(actors, change))

async function sendHours({ api }: Actors, { entry, isNew }: HoursChange): Promise<void> {
  const { description: _, ...body } = entry
  if (!isNew) {
    await api.update('appointment', body)
    return
  }
  const { record, isEarlier } = await createOnce(api, 'appointment', entry)
  if (!isEarlier) return
  if (record.amountHours !== entry.amountHours) await api.update('appointment', body)
  api.announce('appointment')
}

async function sendStage({ api, tracker }: Actors, change: StageChange): Promise<void> {
  const { assignmentId, from, to, neighbour } = change
  const current = await api.get('assignment', assignmentId)
  const isElsewhere = from !== undefined && current.workflowId !== from && current.workflowId !== to.id
  if (isElsewhere)
    throw new TrackerError(409, t('Someone else has moved it to another stage in the meantime.'))
  if (neighbour) {
    const body = { id: assignmentId, workflowId: to.id, ...neighbour }
    await tracker.call('POST /ext/assignment/move', { body })
    api.announce('assignment')
  } else if (current.workflowId !== to.id)
    await api.update('assignment', { ...updateBodyOf(current), workflowId: to.id })
}

/** Grows with each failure. */
const retryMilliseconds = [5000, 10_000, 30_000, 60_000]
let failures = 0
let retryTimer: ReturnType<typeof setTimeout> | undefined

function retryLater(actors: Actors): void {
  clearTimeout(retryTimer)
  const milliseconds = retryMilliseconds[Math.min(failures, retryMilliseconds.length - 1)]
  failures += 1
  retryTimer = setTimeout(() => void sendQueued(actors), milliseconds)
}

/** Sends what waits, in order, from one tab at a time. What the server rejects stays, with the reason. */
function sendQueued(actors: Actors): Promise<void> {
  return navigator.locks.request('tracker.queue', { ifAvailable: true }, async (lock) => {
    if (lock === null) return
    for (let next = firstWaiting(actors); next !== undefined; next = firstWaiting(actors)) {
      const isDone = await sendOne(actors, next)
      if (!isDone) return
    }
  })
}

const firstWaiting = (actors: Actors) =>
  readAll(userIdOf(actors)).find(({ problem }) => problem === undefined)

/** Returns false if the others have to wait, too. */
async function sendOne(actors: Actors, change: QueuedChange): Promise<boolean> {
  try {
    await (change.kind === 'hours' ? sendHours(actors, change) : sendStage(actors, change))
    failures = 0
    finish(actors, change)
    return true
  } catch (error) {
    // It continues after the next sign-in.
    if (error instanceof SessionEndedError) return false
    if (isPassing(error)) {
      retryLater(actors)
      return false
    }
    replaceIfSame(actors, change, { ...change, problem: sentenceOf(error) })
    return true
  }
}

/** The server cannot be reached, is busy or fails, and may accept the same later. */
const isPassing = (error: unknown): boolean =>
  isOutage(error) || (error instanceof TrackerError && (error.status === 429 || error.status >= 500))

function finish(actors: Actors, change: QueuedChange): void {
  const sent = { ...change, isSent: true }
  sentChanges = [...sentChanges, sent]
  setTimeout(() => {
    sentChanges = sentChanges.filter((one) => one !== sent)
    refresh(actors)
  }, shownMilliseconds)
  replaceIfSame(actors, change, undefined)
}

/** The user may have changed or discarded it meanwhile. */
function replaceIfSame(actors: Actors, change: QueuedChange, next: QueuedChange | undefined): void {
  const key = keyOf(userIdOf(actors), change)
  const isSame = localStorage.getItem(key) === JSON.stringify(change)
  if (isSame && next === undefined) localStorage.removeItem(key)
  if (isSame && next !== undefined) localStorage.setItem(key, JSON.stringify(next))
  refresh(actors)
}

/** Sends what waits at the start, after a new sign-in, and whenever the server can be reached again. */
export function startQueue(actors: Actors & Pick<Services, 'isReachable'>): void {
  const { session, isReachable } = actors
  addEventListener('storage', () => refresh(actors))
  effect(() => {
    const isSignedIn = session.state.value === 'signed-in' && session.person.value !== undefined
    const isReady = isReachable.value && isSignedIn
    untracked(() => {
      refresh(actors)
      if (isReady) void sendQueued(actors)
    })
  })
  session.onSignOut(async () => {
    for (const key of keysOf(userIdOf(actors))) localStorage.removeItem(key)
  })
}
