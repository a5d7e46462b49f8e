import { budgetLimits } from '../config/budgets.ts'

export interface RateLimits {
  /** Requests per address and window; 0 turns the limiter off. */
  readonly permitLimit: number
  /** Requests per address that may wait for the next window. */
  readonly queueLimit: number
  readonly windowMilliseconds?: number
  readonly trackedAddressesMax?: number
  readonly clock?: LimiterClock
}

export interface RateLimiter {
  /** If the result is `waiting`, `admit` is called once later; otherwise never. */
  acquire(address: string, admit: () => void): Admission
  /** Admits every waiting request, because a closing host still answers the requests it has accepted. */
  close(): void
}

export type Admission =
  | { readonly kind: 'admitted' }
  | { readonly kind: 'waiting'; readonly cancel: () => void }
  | { readonly kind: 'refused'; readonly retryAfterSeconds: number }

export interface LimiterClock {
  now(): number
  /** Schedules a call, and returns a function that cancels it. */
  after(milliseconds: number, run: () => void): () => void
}

/** A fixed window per address that opens with its first request, and a first-come queue for the next one. */
export function createRateLimiter(limits: RateLimits): RateLimiter {
  if (limits.permitLimit === 0) return { acquire: () => admitted, close: () => undefined }
  return new FixedWindowLimiter(limits)
}

const admitted: Admission = { kind: 'admitted' }
const windowMilliseconds = 60_000
// The share that is dropped when full, so that a flood of new addresses does not cause a drop for each of
// them.
const purgedShare = 1 / 16
// Windows that end this close together are renewed by one timer.
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
  readonly #limits: Required<RateLimits>
  /** Ordered by the end of the windows, because a renewed window moves to the back. */
  readonly #windows = new Map<string, AddressWindow>()
  #cancelSweep: (() => void) | undefined
  #isClosed = false

  constructor(limits: RateLimits) {
    this.#limits = {
      windowMilliseconds: windowMilliseconds,
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
      return { kind: 'refused', retryAfterSeconds: Math.max(1, Math.ceil((window.endsAt - now) / 1000)) }
    }
    window.waiting.push(admit)
    return { kind: 'waiting', cancel: () => removeFrom(window.waiting, admit) }
  }

  close(): void {
    this.#isClosed = true
    this.#cancelSweep?.()
    this.#forget(this.#windows.size)
  }

  #currentWindow(address: string, now: number): AddressWindow {
    const known = this.#windows.get(address)
    if (known !== undefined && known.endsAt > now) return known
    if (known !== undefined) this.#turnEnded(now)
    const turned = this.#windows.get(address)
    if (turned !== undefined) return turned
    const { trackedAddressesMax, windowMilliseconds } = this.#limits
    if (this.#windows.size >= trackedAddressesMax) this.#forget(Math.ceil(trackedAddressesMax * purgedShare))
    const opened = { endsAt: now + windowMilliseconds, admitted: 0, waiting: [] }
    this.#windows.set(address, opened)
    this.#cancelSweep ??= this.#scheduleSweep(windowMilliseconds)
    return opened
  }

  #turnEnded(now: number): void {
    for (const [address, window] of this.#windows) {
      if (window.endsAt > now) return
      this.#windows.delete(address)
      if (window.waiting.length > 0) this.#reopen(address, window, now)
    }
  }

  #reopen(address: string, window: AddressWindow, now: number): void {
    window.endsAt = now + this.#limits.windowMilliseconds
    this.#windows.set(address, window)
    const turn = window.waiting.splice(0, this.#limits.permitLimit)
    window.admitted = turn.length
    for (const admit of turn) admit()
  }

  #scheduleSweep(milliseconds: number): () => void {
    return this.#limits.clock.after(Math.max(milliseconds, sweepIntervalMinMilliseconds), () => {
      this.#turnEnded(this.#limits.clock.now())
      const [next] = this.#windows.values()
      this.#cancelSweep = next && this.#scheduleSweep(next.endsAt - this.#limits.clock.now())
    })
  }

  /**
   * Drops the oldest: with so many addresses at once this limiter cannot help, and rejecting new ones would hit ordinary clients.
   */
  #forget(count: number): void {
    let left = count
    for (const [address, window] of this.#windows) {
      if (left === 0) return
      left -= 1
      this.#windows.delete(address)
      for (const admit of window.waiting.splice(0)) admit()
    }
  }
}

function removeFrom<T>(list: T[], item: T): void {
  const index = list.indexOf(item)
  if (index !== -1) list.splice(index, 1)
}
