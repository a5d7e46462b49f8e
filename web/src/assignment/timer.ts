import { type ReadonlySignal, signal } from '@preact/signals'

/** Time that is running on an assignment. */
export interface Running {
  readonly assignmentId: string
  readonly projectId: string
  readonly name: string
  readonly userId: string
  /** A timestamp. */
  readonly since: string
}

const key = 'tracker.timer'

function read(): Running | undefined {
  try {
    const kept = JSON.parse(localStorage.getItem(key) ?? 'null')
    return typeof kept?.since === 'string' && !Number.isNaN(Date.parse(kept.since)) ? kept : undefined
  } catch {
    return undefined
  }
}

const running = signal<Running | undefined>(typeof localStorage === 'undefined' ? undefined : read())

/** Stored in this browser, so that it survives a reload and every tab shows it. */
export const runningTimer: ReadonlySignal<Running | undefined> = running

/** Another tab has started or stopped it. */
if (typeof addEventListener === 'function')
  addEventListener('storage', (event) => {
    if (event.key === key || event.key === null) running.value = read()
  })

export function startTimer(assignment: Omit<Running, 'since'>): void {
  keep({ ...assignment, since: new Date().toISOString() })
}

export const stopTimer = (): void => keep(undefined)

function keep(next: Running | undefined): void {
  if (next === undefined) localStorage.removeItem(key)
  else localStorage.setItem(key, JSON.stringify(next))
  running.value = next
}

export const secondsOf = ({ since }: Running, now = Date.now()): number =>
  Math.max(0, Math.floor((now - Date.parse(since)) / 1000))

/** Hours are stored to the hundredth, which is 36 seconds, and are at least one. */
export const hoursOf = (seconds: number): number => Math.max(1, Math.round(seconds / 36)) / 100
