import { type ReadonlySignal, signal } from '@preact/signals'

/** A timer that is running for an assignment. */
export interface RunningTimer {
  readonly assignmentId: string
  readonly projectId: string
  readonly name: string
  readonly userId: string
  /** The timestamp of the start. */
  readonly since: string
}

const storageKey = 'tracker.timer'

function readStored(): RunningTimer | undefined {
  try {
    const stored = JSON.parse(localStorage.getItem(storageKey) ?? 'null')
    return typeof stored?.since === 'string' && !Number.isNaN(Date.parse(stored.since)) ? stored : undefined
  } catch {
    return undefined
  }
}

const current = signal<RunningTimer | undefined>(
  typeof localStorage === 'undefined' ? undefined : readStored(),
)

/** Stored in this browser, so that it survives a reload and every tab shows it. */
export const runningTimer: ReadonlySignal<RunningTimer | undefined> = current

/** Follows the timer of other tabs. */
if (typeof addEventListener === 'function')
  addEventListener('storage', (event) => {
    if (event.key === storageKey || event.key === null) current.value = readStored()
  })

export function startTimer(assignment: Omit<RunningTimer, 'since'>): void {
  store({ ...assignment, since: new Date().toISOString() })
}

export const stopTimer = (): void => store(undefined)

function store(next: RunningTimer | undefined): void {
  if (next === undefined) localStorage.removeItem(storageKey)
  else localStorage.setItem(storageKey, JSON.stringify(next))
  current.value = next
}

export const elapsedSeconds = ({ since }: RunningTimer, now = Date.now()): number =>
  Math.max(0, Math.floor((now - Date.parse(since)) / 1000))

/** Rounds to hundredths of an hour, which are 36 seconds; the least recorded time is one hundredth. */
export const toRecordedHours = (seconds: number): number => Math.max(1, Math.round(seconds / 36)) / 100
