import { effect, type ReadonlySignal, signal, untracked } from '@preact/signals'
import { TrackerError } from '#tracker-client'
import { createOnce, type RecordOf } from '../api/api.ts'
import { isOutage, sentenceOf } from '../api/problems.ts'
import { readStoredJson } from '../services/browser-storage.ts'
import type { Services } from '../services/services.ts'
import { SessionEndedError } from '../session/session.ts'
import { t } from '../texts/text.ts'
import { updateBodyOf } from './assignment-values.ts'
import { changedText, throwUnchanged } from './change-assignment.ts'

type Assignment = RecordOf<'assignment'>
type Appointment = RecordOf<'appointment'>

/**
 * Hours with an id that this client has chosen, so that they are recorded once, however often they are sent.
 */
export interface HoursChange {
  readonly kind: 'hours'
  readonly entry: Pick<Appointment, 'assignmentId' | 'userId' | 'keepDate' | 'amountHours'> & {
    readonly id: string
    readonly description?: string | null | undefined
  }
  /** The recorded hours of an entry that is changed. Missing for a new entry. */
  readonly formerHours?: number | undefined
}

export interface StageChange {
  readonly kind: 'stage'
  readonly assignmentId: string
  /** The stage from which the user has moved the assignment. Undefined if it may have any stage. */
  readonly from: string | undefined
  readonly to: { readonly id: string; readonly name: string }
  /** The place in the manual order, as properties of a request that moves an assignment. */
  readonly neighbour?: object | undefined
}

type NewChange = HoursChange | StageChange

/** A change that waits for the network, or that the server has rejected. */
export type QueuedChange = NewChange & {
  readonly assignment: Pick<Assignment, 'id' | 'name' | 'projectId'>
  /** The time of the change, in milliseconds since 1970. */
  readonly at: number
  readonly problem?: string
  /** True if it was sent just now. It is shown for `shownMilliseconds` more, until lists contain it. */
  readonly isSent?: boolean
}

/** Users would lose track of more changes. */
const changesMax = 100
const shownMilliseconds = 3000

const lockName = 'tracker.queue'
const prefix = `${lockName}.`
const keyOf = (userId: string, change: NewChange): string =>
  `${prefix}${userId}.${change.kind === 'hours' ? change.entry.id : change.assignmentId}`

const changes = signal<readonly QueuedChange[]>([])
/** The changes of the account that uses this page, the oldest first. */
export const queuedChanges: ReadonlySignal<readonly QueuedChange[]> = changes
let sentChanges: readonly QueuedChange[] = []
/** Functions that withdraw the message about a waiting change, by its key. */
const messages = new Map<string, () => void>()

const keysOf = (userId: string): string[] =>
  Object.keys(localStorage).filter((key) => key.startsWith(`${prefix}${userId}.`))

const readAll = (userId: string): QueuedChange[] =>
  keysOf(userId)
    .flatMap((key) => readStoredJson<QueuedChange>(key) ?? [])
    .sort((a, b) => a.at - b.at)

export type QueueServices = Pick<Services, 'api' | 'session' | 'toasts' | 'tracker'>

const userIdOf = ({ session }: Pick<QueueServices, 'session'>): string => session.person.peek()?.id ?? ''

function refresh(services: Pick<QueueServices, 'session'>): void {
  changes.value = [...readAll(userIdOf(services)), ...sentChanges]
  // Undo discards a change. Once it is sent or discarded, there is nothing to discard.
  for (const [key, withdraw] of messages)
    if (localStorage.getItem(key) === null) {
      messages.delete(key)
      withdraw()
    }
}

/** Returns the changes that were not sent yet or were rejected. */
export const waitingChanges = (all: readonly QueuedChange[]) => all.filter(({ isSent }) => !isSent)

export const changesOf = (assignmentId: string): readonly QueuedChange[] =>
  changes.value.filter(({ assignment }) => assignment.id === assignmentId)

/**
 * Returns the assignment in the stage to which a queued change moves it, unless the server has rejected the
 * change.
 */
export function withQueuedStage<Row extends Pick<Assignment, 'id' | 'workflowId'>>(row: Row): Row {
  const moved = changesOf(row.id).find(({ kind, problem }) => kind === 'stage' && problem === undefined)
  return moved?.kind === 'stage' && moved.to.id !== row.workflowId ? { ...row, workflowId: moved.to.id } : row
}

function mergeChanges(last: QueuedChange | undefined, change: NewChange): NewChange {
  if (change.kind === 'stage' && last?.kind === 'stage') return { ...change, from: last.from }
  if (change.kind === 'hours' && last?.kind === 'hours')
    return { ...change, entry: { ...last.entry, ...change.entry }, formerHours: last.formerHours }
  return change
}

/**
 * Keeps a change until there is a network. A later change of the same record is merged into it. Returns
 * false if the queue is full.
 */
function queueChange(
  services: QueueServices,
  change: NewChange,
  { id, name, projectId }: QueuedChange['assignment'],
): boolean {
  const userId = userIdOf(services)
  const key = keyOf(userId, change)
  const last = readStoredJson<QueuedChange>(key)
  if (last === undefined && keysOf(userId).length >= changesMax) return false
  const queued: QueuedChange = {
    ...mergeChanges(last, change),
    assignment: { id, name, projectId },
    at: last?.at ?? Date.now(),
  }
  localStorage.setItem(key, JSON.stringify(queued))
  refresh(services)
  messages.get(key)?.()
  const text = t('{name}: saved here, and sent once there is a network.', { name })
  const undoneText = t('{name}: the change was withdrawn.', { name })
  const undo = () => undoQueued(services, queued)
  messages.set(key, services.toasts.show({ kind: 'done', text, undoneText, undo }))
  return true
}

/** Discards a change, unless it is just being sent, as the queue does in one tab at a time. */
const undoQueued = (services: QueueServices, change: QueuedChange): Promise<void> =>
  navigator.locks
    .request(lockName, () => {
      if (localStorage.getItem(keyOf(userIdOf(services), change)) === null) throw new Error(changedText())
      discardChange(services, change)
    })
    .catch(throwUnchanged(change.assignment.name))

export function discardChange(services: Pick<QueueServices, 'session'>, change: QueuedChange): void {
  localStorage.removeItem(keyOf(userIdOf(services), change))
  refresh(services)
}

/**
 * Sends a rejected change again. The stage then changes even if another user has chosen a different stage in
 * the meantime.
 */
export function retryChange(services: QueueServices, { problem: _, ...change }: QueuedChange): void {
  const next = change.kind === 'stage' ? { ...change, from: undefined } : change
  localStorage.setItem(keyOf(userIdOf(services), change), JSON.stringify(next))
  refresh(services)
  void sendQueued(services)
}

/**
 * Sends a change with `send`. While the server cannot be reached, or an earlier change of the same record
 * waits, the change is queued instead. Returns whether it was sent.
 */
export async function sendOrQueue(
  services: QueueServices,
  change: NewChange,
  assignment: QueuedChange['assignment'],
  send: () => Promise<unknown>,
): Promise<boolean> {
  if (localStorage.getItem(keyOf(userIdOf(services), change)) !== null) {
    queueChange(services, change, assignment)
    void sendQueued(services)
    return false
  }
  try {
    await send()
    return true
  } catch (error) {
    if (!isOutage(error) || !queueChange(services, change, assignment)) throw error
    retryLater(services)
    return false
  }
}

export async function sendHours({ api }: QueueServices, { entry, formerHours }: HoursChange): Promise<void> {
  const { description: _, ...body } = entry
  if (formerHours !== undefined) {
    await api.update('appointment', body)
    return
  }
  const { record, isEarlier } = await createOnce(api, 'appointment', entry)
  if (!isEarlier) return
  if (record.amountHours !== entry.amountHours) await api.update('appointment', body)
  api.announce('appointment')
}

async function sendStage({ api, tracker }: QueueServices, change: StageChange): Promise<void> {
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

/** The waiting time grows with each failure. */
const retryMilliseconds = [5000, 10_000, 30_000, 60_000]
let failures = 0
let retryTimer: ReturnType<typeof setTimeout> | undefined

function retryLater(services: QueueServices): void {
  clearTimeout(retryTimer)
  const milliseconds = retryMilliseconds[Math.min(failures, retryMilliseconds.length - 1)]
  failures += 1
  retryTimer = setTimeout(() => void sendQueued(services), milliseconds)
}

/**
 * Sends the queued changes in order, from one tab at a time. A rejected change stays in the queue, with the
 * reason.
 */
function sendQueued(services: QueueServices): Promise<void> {
  return navigator.locks.request(lockName, { ifAvailable: true }, async (lock) => {
    if (lock === null) return
    for (let next = firstWaiting(services); next !== undefined; next = firstWaiting(services)) {
      const isDone = await sendOne(services, next)
      if (!isDone) return
    }
  })
}

const firstWaiting = (services: QueueServices) =>
  readAll(userIdOf(services)).find(({ problem }) => problem === undefined)

/** Sends a change. Returns false if later changes have to wait. */
async function sendOne(services: QueueServices, change: QueuedChange): Promise<boolean> {
  try {
    await (change.kind === 'hours' ? sendHours(services, change) : sendStage(services, change))
    failures = 0
    finish(services, change)
    return true
  } catch (error) {
    // The queue continues after the next sign-in.
    if (error instanceof SessionEndedError) return false
    if (isTemporary(error)) {
      retryLater(services)
      return false
    }
    replaceIfSame(services, change, { ...change, problem: sentenceOf(error) })
    return true
  }
}

/**
 * Returns whether the server cannot be reached, is busy or has failed, so it may accept the request later.
 */
const isTemporary = (error: unknown): boolean =>
  isOutage(error) || (error instanceof TrackerError && (error.status === 429 || error.status >= 500))

function finish(services: QueueServices, change: QueuedChange): void {
  const sent = { ...change, isSent: true }
  sentChanges = [...sentChanges, sent]
  setTimeout(() => {
    sentChanges = sentChanges.filter((change) => change !== sent)
    refresh(services)
  }, shownMilliseconds)
  replaceIfSame(services, change, undefined)
}

/** Replaces or removes a queued change, unless the user has changed or discarded it since. */
function replaceIfSame(services: QueueServices, change: QueuedChange, next: QueuedChange | undefined): void {
  const key = keyOf(userIdOf(services), change)
  const isSame = localStorage.getItem(key) === JSON.stringify(change)
  if (isSame && next === undefined) localStorage.removeItem(key)
  if (isSame && next !== undefined) localStorage.setItem(key, JSON.stringify(next))
  refresh(services)
}

/**
 * Sends the queued changes at the start, after a new sign-in, and whenever the server can be reached again.
 */
export function startQueue(services: QueueServices & Pick<Services, 'isReachable'>): void {
  const { session, isReachable } = services
  addEventListener('storage', () => refresh(services))
  effect(() => {
    const isSignedIn = session.state.value === 'signed-in' && session.person.value !== undefined
    const isReady = isReachable.value && isSignedIn
    untracked(() => {
      refresh(services)
      if (isReady) void sendQueued(services)
    })
  })
  session.onSignOut(async () => {
    for (const key of keysOf(userIdOf(services))) localStorage.removeItem(key)
  })
}
