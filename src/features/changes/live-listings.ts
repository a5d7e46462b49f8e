import { type Snapshot, watchChanges } from '../../db/change-log.ts'
import type { Database } from '../../db/database.ts'
import { unauthenticated } from '../../model/problem.ts'
import { type RepeatedWork, repeat } from '../../model/repeat.ts'
import type { Context } from '../../records/context.ts'
import { createListing, type Listing, type ListingView } from './listing.ts'
import { changedRowsSince, mayAffect, membersOf, unknownRows } from './listing-scope.ts'
import { type LiveRequest, openLiveStream } from './live-stream.ts'
import { createSnapshotMemory, type StreamLimits } from './streams.ts'

export interface LiveListings {
  /** Takes over the connection. Every error comes before the stream starts. */
  open(view: ListingView, request: LiveRequest): Promise<undefined>
  /** Ends every stream, because the host stops. */
  closeForShutdown(): void
  /** The seconds since the change log was last read successfully, or 0 while nothing is open. */
  secondsBehind(): number
}

/** Events of a stream are at least a second apart. They may be sent this much later. */
const tickMilliseconds = 50
/** The interval at which each stream is checked for its end and for heartbeats. */
const maintenanceMilliseconds = 1000

export function createLiveListings(
  context: Context,
  streamLimits: StreamLimits,
  onFailure: (error: unknown) => void,
): LiveListings {
  const memory = createSnapshotMemory(context.budgets)
  const shared = createSharedListings((view) =>
    createListing(context, view, memory.reservationFor(), onFailure),
  )
  const ticker = createTicker(shared, onFailure)
  const wake = mergeWhileRunning(async (changes) => {
    await wakeAffected(context.database, [...shared.all()], changes)
    ticker.tick()
  }, onFailure)
  const watch = watchChanges({ database: context.database, onFailure, onChanges: wake })

  /** Acquires the listing for a stream. The listing follows changes until its last stream leaves. */
  function enter(view: ListingView) {
    streamLimits.take(view.caller.id)
    const { listing, leave } = shared.acquire(view)
    ticker.start()
    return {
      listing,
      leave() {
        leave()
        streamLimits.release(view.caller.id)
        if (shared.isEmpty) stop()
      },
    }
  }

  function stop() {
    watch.stop()
    ticker.stop()
  }

  async function open(requested: ListingView, request: LiveRequest) {
    const isResumable = request.request.routeOptions.url?.startsWith('/ext/') ?? false
    const view = isResumable ? { ...requested, isResumable, key: `resumable ${requested.key}` } : requested
    const { listing, leave } = enter(view)
    const reservation = memory.reservationFor(view.caller.id)
    try {
      // Watching starts before the first statement, so that no change between the two is missed.
      await watch.start()
      await listing.takeSnapshot()
      // The token may have expired while the snapshot was awaited.
      if (!(await request.session.recheck())) throw unauthenticated()
      const problem = reservation.reserve([listing.newest()])
      if (problem) throw problem
    } catch (error) {
      leave()
      throw error
    }
    const onClose = () => {
      listing.streams.leave(stream)
      leave()
    }
    const onReady = () => stream.offer(listing.newest(), Date.now())
    const stream = openLiveStream(request, {
      reservation,
      idOf: listing.idOf,
      onReady,
      onClose,
      onFailure,
    })
    listing.streams.join(stream)
    return undefined
  }

  return {
    open,
    closeForShutdown: () => closeAllForShutdown(shared.all()),
    secondsBehind: watch.secondsBehind,
  }
}

/** The timer of all listings and streams. */
function createTicker(listings: SharedListings, onFailure: (error: unknown) => void) {
  let repetitions: readonly RepeatedWork[] = []
  const tick = () => {
    const now = Date.now()
    for (const listing of listings.all()) listing.tick(now)
  }
  const maintain = () => {
    const now = Date.now()
    for (const { streams } of listings.all()) streams.maintain(now)
  }
  return {
    tick,
    start() {
      if (repetitions.length > 0) return
      repetitions = [
        repeat({ everyMilliseconds: tickMilliseconds, onFailure }, tick),
        repeat({ everyMilliseconds: maintenanceMilliseconds, onFailure }, maintain),
      ]
    },
    stop() {
      for (const repetition of repetitions) void repetition.stop()
      repetitions = []
    },
  }
}

function closeAllForShutdown(listings: Iterable<Listing>) {
  for (const { streams } of listings) for (const stream of streams.all) stream.closeForShutdown()
}

/** One listing for all callers who see the same rows of the same query. */
interface SharedListings {
  all(): Iterable<Listing>
  readonly isEmpty: boolean
  /** Creates the listing for its first user. It is closed after its last user leaves. */
  acquire(view: ListingView): { readonly listing: Listing; leave(): void }
}

function createSharedListings(create: (view: ListingView) => Listing): SharedListings {
  const listings = new Map<string, Listing>()
  /** Counts the streams, and the requests that are about to open one. */
  const users = new Map<Listing, number>()
  return {
    all: () => listings.values(),
    get isEmpty() {
      return listings.size === 0
    },
    acquire(view) {
      const { key } = view
      const listing = listings.get(key) ?? create(view)
      listings.set(key, listing)
      users.set(listing, (users.get(listing) ?? 0) + 1)
      return {
        listing,
        leave() {
          const remaining = (users.get(listing) ?? 0) - 1
          users.set(listing, remaining)
          if (remaining > 0) return
          users.delete(listing)
          listings.delete(key)
          listing.close()
        },
      }
    },
  }
}

interface PendingChanges {
  readonly resources: ReadonlySet<string>
  readonly since: Snapshot
}

/**
 * Never runs `work` concurrently. Changes that arrive during a run are merged into one next run, with the
 * earliest of their snapshots.
 */
function mergeWhileRunning(
  work: (changes: PendingChanges) => Promise<void>,
  onFailure: (error: unknown) => void,
): (resources: ReadonlySet<string>, since: Snapshot) => void {
  let pending: PendingChanges | undefined
  let isWorking = false
  async function run() {
    isWorking = true
    while (pending) {
      const next = pending
      pending = undefined
      await work(next).catch(onFailure)
    }
    isWorking = false
  }
  return (resources, since) => {
    pending = pending
      ? { resources: new Set([...pending.resources, ...resources]), since: pending.since }
      : { resources, since }
    if (!isWorking) void run()
  }
}

type Reads = Pick<Database, 'query' | 'liveListReads'>

/**
 * Marks the listings that the change can affect, so that they are read again. The changed rows are read only
 * if they may exclude a listing.
 */
async function wakeAffected(
  database: Reads,
  listings: readonly Listing[],
  { resources, since }: PendingChanges,
): Promise<void> {
  const affected = listings.filter(({ view }) => view.resources.some((name) => resources.has(name)))
  if (affected.length === 0) return
  const needsRows = affected.some(({ view }) => view.scope)
  const found = needsRows
    ? await resultInTime(changedRowsSince(database.liveListReads, since, resources))
    : undefined
  const changes = found ?? unknownRows(resources)
  const dependingOnMembers = new Map<Listing, ReadonlySet<unknown>>()
  for (const listing of affected) {
    const verdict = mayAffect(listing.view, changes)
    if (verdict === 'yes') listing.recordChange()
    else if (verdict !== 'no') dependingOnMembers.set(listing, verdict)
  }
  if (dependingOnMembers.size > 0) await wakeListingsOfMembers(database, dependingOnMembers)
}

/** A listing is sent at most once a second, so the check may take this long. */
const checkMilliseconds = 1000

/** Returns undefined if the query fails or takes too long. Then every listing counts as affected. */
async function resultInTime<Result>(result: Promise<Result>): Promise<Result | undefined> {
  const { promise, resolve } = Promise.withResolvers<undefined>()
  const timer = setTimeout(resolve, checkMilliseconds, undefined)
  try {
    return await Promise.race([result.catch(() => undefined), promise])
  } finally {
    clearTimeout(timer)
  }
}

/**
 * Members are read after the changes. If an account joins or leaves in between, the change of its membership
 * refreshes its listings.
 */
async function wakeListingsOfMembers(
  { liveListReads }: Reads,
  listings: ReadonlyMap<Listing, ReadonlySet<unknown>>,
): Promise<void> {
  const projects = new Set([...listings.values()].flatMap((projectIds) => [...projectIds]))
  const isMember = await resultInTime(membersOf(liveListReads, [...projects]))
  for (const [listing, projectIds] of listings)
    if (!isMember || isMember(listing.view.scope?.member ?? '', projectIds)) listing.recordChange()
}
