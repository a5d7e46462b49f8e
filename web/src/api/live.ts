import { type ConnectionOptions, TrackerError } from '#tracker-client'
import type { Api, Connect, Page, QueryOf, RecordOf, ResourceName } from './api.ts'
import { rowsMax } from './load-all.ts'

export type Connection = 'connecting' | 'live' | 'reconnecting' | 'offline' | 'closed'

interface LiveListener<Value> {
  onValue(value: Value): void
  onConnection(connection: Connection): void
  /** Called when the listing was rejected permanently and is not retried. */
  onProblem(problem: Error): unknown
}

/**
 * Follows an answer until the returned function is called. It reconnects after an outage, an expired
 * token, or sleep of the device. A hidden page releases its connection, because a browser has only six per
 * host for all its tabs.
 */
export function openLive<Value>(connect: Connect<Value>, listener: LiveListener<Value>): () => void {
  const closed = new AbortController()
  void keepOpen(connect, listener, closed.signal)
  return () => closed.abort()
}

async function keepOpen<Value>(
  connect: Connect<Value>,
  listener: LiveListener<Value>,
  closed: AbortSignal,
): Promise<void> {
  let lastEventId = ''
  let failures = 0
  const show = (id: string, value: Value) => {
    lastEventId = id
    failures = 0
    listener.onConnection('live')
    listener.onValue(value)
  }
  // The server does not resend an answer that has not changed since the last connection.
  const onOpen = () => {
    if (lastEventId !== '') listener.onConnection('live')
  }
  listener.onConnection('connecting')
  while (!closed.aborted) {
    await untilVisible(closed)
    const outcome = await withLiveSlot<unknown>((hasSlot) =>
      hasSlot ? follow(connect, { lastEventId, onOpen }, closed, show) : poll(connect, closed, show),
    ).catch((error: unknown) => error)
    if (closed.aborted) return
    if (outcome === polled) {
      // Going offline ends the wait, so that the next attempt reports it.
      await untilEvent(window, 'offline', closed, pollMilliseconds)
      continue
    }
    // A final error is not retried. If the session has ended, the user signs in again.
    if (outcome instanceof TrackerError && outcome.isFinal) {
      listener.onConnection('closed')
      listener.onProblem(outcome)
      return
    }
    if (document.hidden) continue
    listener.onConnection(navigator.onLine ? 'reconnecting' : 'offline')
    await waitForRetry(failures, closed)
    failures += 1
  }
}

/** A page hidden for a shorter time keeps its connection. */
const hiddenMilliseconds = 15_000
const backoffMilliseconds = [250, 1000, 2000, 5000, 10_000, 20_000]

/** The interval at which a listing without a slot is read. */
const pollMilliseconds = 3000
/** The outcome of a successful poll. It is no reason to reconnect. */
const polled = Symbol('polled')

type Show<Value> = (id: string, value: Value) => void

/** Reads the current answer without keeping the connection. */
async function poll<Value>(
  connect: Connect<Value>,
  closed: AbortSignal,
  show: Show<Value>,
): Promise<typeof polled | undefined> {
  const firstValue = new AbortController()
  let isReceived = false
  const showFirst = (id: string, value: Value) => {
    isReceived = true
    show(id, value)
    firstValue.abort()
  }
  // The id of the last event is left out, because with it nothing would arrive until the next change.
  await follow(connect, {}, AbortSignal.any([closed, firstValue.signal]), showFirst).catch(
    (error: unknown) => {
      if (!isReceived) throw error
    },
  )
  return isReceived ? polled : undefined
}

/** Holds one connection as long as the page is visible and the device is online. */
async function follow<Value>(
  connect: Connect<Value>,
  options: Pick<ConnectionOptions, 'lastEventId' | 'onOpen'>,
  closed: AbortSignal,
  show: Show<Value>,
): Promise<void> {
  if (closed.aborted) return
  const controller = new AbortController()
  const abort = () => controller.abort()
  const hiddenTimer = createTimer(abort, hiddenMilliseconds)
  const onVisibility = () => (document.hidden ? hiddenTimer.start() : hiddenTimer.stop())
  document.addEventListener('visibilitychange', onVisibility)
  addEventListener('offline', abort)
  closed.addEventListener('abort', abort)
  try {
    for await (const { id, answer } of connect({ ...options, signal: controller.signal })) show(id, answer)
  } finally {
    hiddenTimer.stop()
    document.removeEventListener('visibilitychange', onVisibility)
    removeEventListener('offline', abort)
    closed.removeEventListener('abort', abort)
  }
}

function createTimer(run: () => void, milliseconds: number) {
  let timer: ReturnType<typeof setTimeout> | undefined
  const stop = () => clearTimeout(timer)
  const start = () => {
    stop()
    timer = setTimeout(run, milliseconds)
  }
  return { start, stop }
}

function untilVisible(closed: AbortSignal): Promise<void> | undefined {
  return document.hidden ? untilEvent(document, 'visibilitychange', closed) : undefined
}

/** Waits before the next retry; ends early when the device is online again. */
async function waitForRetry(failures: number, closed: AbortSignal): Promise<void> {
  const backoff = backoffMilliseconds[Math.min(failures, backoffMilliseconds.length - 1)] ?? 0
  // Randomized, so that not all clients reconnect to a restarted server at the same time.
  const milliseconds = backoff * (0.75 + Math.random() / 2)
  await untilEvent(window, 'online', closed, navigator.onLine ? milliseconds : undefined)
}

/** Resolves at the event, when the listing is closed, or after the time, whichever comes first. */
function untilEvent(
  target: EventTarget,
  name: string,
  closed: AbortSignal,
  milliseconds?: number,
): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const cleanup = new AbortController()
  target.addEventListener(name, () => resolve(), { signal: cleanup.signal })
  closed.addEventListener('abort', () => resolve(), { signal: cleanup.signal })
  const timer = milliseconds === undefined ? undefined : setTimeout(resolve, milliseconds)
  return promise.finally(() => {
    cleanup.abort()
    clearTimeout(timer)
  })
}

/**
 * A browser has six connections per host for all its windows. Four may be live. The others remain for reads
 * and writes.
 */
const slots = ['tracker.live.1', 'tracker.live.2', 'tracker.live.3', 'tracker.live.4']

/**
 * Calls `run` and holds a slot until `run` has ended. If all slots are taken, `run` is called without one.
 */
async function withLiveSlot<Value>(run: (hasSlot: boolean) => Promise<Value>): Promise<Value> {
  for (const slot of slots) {
    const result = await navigator.locks.request(slot, { ifAvailable: true }, async (lock) =>
      lock === null ? undefined : { value: await run(true) },
    )
    if (result !== undefined) return result.value
  }
  return run(false)
}

interface ChangeListener<Row> {
  /**
   * Receives the rows of the followed page, including every row that has just changed, and the number of all
   * rows of the list.
   */
  onRows(rows: readonly Row[], totalCount: number): void
  onConnection(connection: Connection): void
  onProblem(problem: Error): unknown
}

interface ChangeableRow {
  readonly id: string
  readonly updatedAt: string | null
}

/** The page of the list that is followed. */
export interface PageWindow {
  readonly pageNumber: number
  readonly pageSize: number
}

/**
 * Follows a list of any length over one connection, although a live listing reports only its own page. The
 * list is sorted by `updatedAt`, descending: first rows that were never changed, then changed rows, the
 * newest first. A row that changes moves to the boundary between both, so the page around the boundary shows
 * every change. The total count shows rows that were created or removed.
 */
export function followChanges<Name extends ResourceName>(
  api: Api,
  name: Name,
  query: QueryOf<Name>,
  listener: ChangeListener<RecordOf<Name>>,
): () => void {
  let isStopped = false
  let close: () => void = () => undefined
  const sorted = { ...query, sortColumn: 'updatedAt', sortOrder: 'DESC' } as const
  const open = (window: PageWindow) => {
    close = openLive(api.connect(name, { ...sorted, ...window }), {
      onConnection: listener.onConnection,
      onProblem: listener.onProblem,
      onValue(page) {
        const next = windowAfter(page)
        listener.onRows(page.data, page.totalCount)
        if (next === 'elsewhere') void findWindow()
        else if (next !== undefined) reopen(next)
      },
    })
  }
  const reopen = (window: PageWindow) => {
    close()
    if (!isStopped) open(window)
  }
  const findWindow = async () => {
    close()
    const isUnchanged = async (position: number) => {
      const { data } = await api.list(name, { ...sorted, pageSize: 1, pageNumber: position + 1 })
      return (data[0] as ChangeableRow | undefined)?.updatedAt === null
    }
    try {
      const { totalCount } = await api.list(name, { ...sorted, pageSize: 1 })
      reopen(totalCount <= rowsMax ? wholeList : windowAround(await findFirst(totalCount, isUnchanged)))
    } catch (error) {
      if (!isStopped) listener.onProblem(error as Error)
    }
  }
  open(wholeList)
  return () => {
    isStopped = true
    close()
  }
}

const wholeList: PageWindow = { pageNumber: 1, pageSize: rowsMax }

/** A boundary within this fraction of a page from either end would soon move to another page. */
const edgeFraction = 0.15
/** Every position is near the middle of a page with one of these sizes. */
const pageSizes = Array.from({ length: rowsMax / 2 }, (_, index) => rowsMax - index)

/**
 * Returns the page in which this position is nearest to the middle, or the first page if that contains it.
 */
export function windowAround(position: number): PageWindow {
  if (position < rowsMax * (1 - edgeFraction)) return wholeList
  const distanceFromMiddle = (size: number) => Math.abs((position % size) / size - 0.5)
  const pageSize = pageSizes.reduce((best, size) =>
    distanceFromMiddle(size) < distanceFromMiddle(best) ? size : best,
  )
  return { pageNumber: Math.floor(position / pageSize) + 1, pageSize }
}

/**
 * Returns the page to follow next if the boundary has reached the edge of this page, or undefined to stay.
 * Returns `elsewhere` if the boundary is not on this page.
 */
export function windowAfter(page: Page<ChangeableRow>): PageWindow | 'elsewhere' | undefined {
  const { data, pageNumber, pageSize, totalCount } = page
  if (totalCount <= rowsMax) return pageNumber === 1 && pageSize === rowsMax ? undefined : wholeList
  const first = data.findIndex(({ updatedAt }) => updatedAt !== null)
  // If rows that were never changed reach the end of the list, the next change appears here.
  const isOpenEnd = first === -1 && data.length > 0 && data.length < pageSize
  if (isOpenEnd) return undefined
  if (first === -1 || (first === 0 && pageNumber > 1)) return 'elsewhere'
  return isNearEdge(first, page) ? windowAround((pageNumber - 1) * pageSize + first) : undefined
}

const isNearEdge = (offset: number, { pageNumber, pageSize }: PageWindow): boolean =>
  offset > pageSize * (1 - edgeFraction) || (pageNumber > 1 && offset < pageSize * edgeFraction)

/** Finds the first position that `isBefore` rejects, by binary search. */
async function findFirst(count: number, isBefore: (position: number) => Promise<boolean>): Promise<number> {
  let low = 0
  let high = count
  while (low < high) {
    const middle = Math.floor((low + high) / 2)
    if (await isBefore(middle)) low = middle + 1
    else high = middle
  }
  return low
}
