import { budgetLimits } from '../config/budgets.ts'
import type { SharedLimiter } from '../model/worker-peers.ts'

export interface RateLimits {
  /** Requests per address and window. 0 turns the limiter off. */
  readonly permitLimit: number
  /** Requests per address that may wait for the next window. */
  readonly queueLimit: number
  readonly windowMilliseconds?: number
  readonly trackedAddressesMax?: number
  readonly clock?: LimiterClock
  /** Counts the requests of all processes, if several serve the host. */
  readonly shared?: SharedLimiter | undefined
}

export interface RateLimiter {
  /**
   * If the result is `waiting`, `admit` is called later. If `shared` counts the requests, `reject` may be
   * called instead.
   */
  acquire(address: string, admit: () => void, reject?: (retryAfterSeconds: number) => void): Admission
  /** Admits every waiting request, because a closing host still answers the requests it has accepted. */
  close(): void
}

export type Admission =
  | { readonly kind: 'admitted' }
  | { readonly kind: 'waiting'; readonly cancel: () => void }
  | { readonly kind: 'rejected'; readonly retryAfterSeconds: number }

export interface LimiterClock {
  now(): number
  /** Schedules a call, and returns a function that cancels it. */
  after(milliseconds: number, run: () => void): () => void
}

/**
 * Counts the requests of each address in fixed windows. A window begins with the first request of its
 * address. Requests beyond the limit wait in order of arrival for the next window.
 */
export function createRateLimiter(limits: RateLimits): RateLimiter {
  if (limits.permitLimit === 0) return { acquire: () => admitted, close: () => undefined }
  if (limits.shared) return countTogether(limits.shared)
  return new FixedWindowLimiter(limits)
}

function countTogether(shared: SharedLimiter): RateLimiter {
  const waiting = new Set<() => void>()
  let isClosed = false
  return {
    acquire(address, admit, reject) {
      if (isClosed) return admitted
      const cancel = shared.acquire(address, (retryAfterSeconds) => {
        waiting.delete(admitNow)
        if (retryAfterSeconds === undefined) admit()
        else reject?.(retryAfterSeconds)
      })
      const admitNow = () => {
        cancel()
        admit()
      }
      waiting.add(admitNow)
      return {
        kind: 'waiting',
        cancel() {
          waiting.delete(admitNow)
          cancel()
        },
      }
    },
    close() {
      isClosed = true
      for (const admitNow of waiting) admitNow()
      waiting.clear()
    },
  }
}

const admitted: Admission = { kind: 'admitted' }
const windowMilliseconds = 60_000
// When the limiter is full, this fraction of the addresses is dropped at once, so that not every new address
// of a flood has to drop an old one.
const droppedFraction = 1 / 16
// One timer ends all windows that expire within this time.
const sweepIntervalMinMilliseconds = 20

const systemClock: LimiterClock = {
  now: () => performance.now(),
  after(milliseconds, run) {
    const timer = setTimeout(run, milliseconds).unref()
    return () => clearTimeout(timer)
  },
}

interface AddressWindow {
  endsAt: number
  admitted: number
  readonly waiting: (() => void)[]
}

class FixedWindowLimiter implements RateLimiter {
  readonly #limits: Required<Omit<RateLimits, 'shared'>>
  /** Ordered by the end of the windows, because a renewed window moves to the back. */
  readonly #windows = new Map<string, AddressWindow>()
  #cancelSweep: (() => void) | undefined
  #isClosed = false

  constructor(limits: RateLimits) {
    this.#limits = {
      windowMilliseconds,
      trackedAddressesMax: budgetLimits.limiterAddresses.max,
      clock: systemClock,
      ...limits,
    }
  }

  acquire(address: string, admit: () => void): Admission {
    if (this.#isClosed) return admitted
    const { permitLimit, queueLimit, clock } = this.#limits
    const now = clock.now()
    const window = this.#currentWindow(address, now)
    if (window.admitted < permitLimit) {
      window.admitted += 1
      return admitted
    }
    if (window.waiting.length >= queueLimit) {
      return { kind: 'rejected', retryAfterSeconds: Math.max(1, Math.ceil((window.endsAt - now) / 1000)) }
    }
    window.waiting.push(admit)
    return { kind: 'waiting', cancel: () => removeFrom(window.waiting, admit) }
  }

  close(): void {
    this.#isClosed = true
    this.#cancelSweep?.()
    this.#dropOldest(this.#windows.size)
  }

  #currentWindow(address: string, now: number): AddressWindow {
    const current = this.#windows.get(address)
    if (current !== undefined && current.endsAt > now) return current
    if (current !== undefined) this.#endWindows(now)
    const restarted = this.#windows.get(address)
    if (restarted !== undefined) return restarted
    const { trackedAddressesMax, windowMilliseconds } = this.#limits
    if (this.#windows.size >= trackedAddressesMax)
      this.#dropOldest(Math.ceil(trackedAddressesMax * droppedFraction))
    const opened = { endsAt: now + windowMilliseconds, admitted: 0, waiting: [] }
    this.#windows.set(address, opened)
    this.#cancelSweep ??= this.#scheduleSweep(windowMilliseconds)
    return opened
  }

  /** Removes all windows that have ended, and begins new windows for addresses with waiting requests. */
  #endWindows(now: number): void {
    for (const [address, window] of this.#windows) {
      if (window.endsAt > now) return
      this.#windows.delete(address)
      if (window.waiting.length > 0) this.#reopen(address, window, now)
    }
  }

  #reopen(address: string, window: AddressWindow, now: number): void {
    window.endsAt = now + this.#limits.windowMilliseconds
    this.#windows.set(address, window)
    const admittedNow = window.waiting.splice(0, this.#limits.permitLimit)
    window.admitted = admittedNow.length
    for (const admit of admittedNow) admit()
  }

  #scheduleSweep(milliseconds: number): () => void {
    return this.#limits.clock.after(Math.max(milliseconds, sweepIntervalMinMilliseconds), () => {
      this.#endWindows(this.#limits.clock.now())
      const [next] = this.#windows.values()
      this.#cancelSweep = next && this.#scheduleSweep(next.endsAt - this.#limits.clock.now())
    })
  }

  /**
   * Drops the oldest windows and admits their requests. With so many addresses, rejecting new addresses would
   * affect ordinary clients.
   */
  #dropOldest(count: number): void {
    let remaining = count
    for (const [address, window] of this.#windows) {
      if (remaining === 0) return
      remaining -= 1
      this.#windows.delete(address)
      for (const admit of window.waiting.splice(0)) admit()
    }
  }
}

function removeFrom<T>(list: T[], item: T): void {
  const index = list.indexOf(item)
  if (index !== -1) list.splice(index, 1)
}
