import { createKeptSnapshots } from '../../live/kept-snapshots.ts'
import type { StreamLimits } from '../../live/stream-limits.ts'
import { unauthenticated } from '../../model/problem.ts'
import type { Tracker } from '../../operations/tracker.ts'
import { type Repetition, repeat } from '../../schedule/repeat.ts'
import { watchChanges } from '../../store/change-watch.ts'
import { inTurn } from './in-turn.ts'
import { createListing, type Listing, type View } from './listing.ts'
import { type LiveRequest, openLiveStream } from './live-stream.ts'
import { createSharedListings, type SharedListings } from './shared-listings.ts'
import { wakeTouched } from './wake-touched.ts'

export interface LiveListings {
  /** Takes the connection over. Every refusal comes before the stream starts. */
  open(view: View, request: LiveRequest): Promise<undefined>
  /** Ends every stream, because the host stops. */
  sendAway(): void
  /** How far behind the change log it may be. */
  secondsBehind(): number
}

/** How exactly the second between two events is kept. */
const tickMilliseconds = 50
/** How often each stream is checked for its end and its heartbeat. */
const attendMilliseconds = 1000

export function createLiveListings(
  tracker: Tracker,
  streamLimits: StreamLimits,
  onFailure: (error: unknown) => void,
): LiveListings {
  const kept = createKeptSnapshots(tracker.budgets)
  const shared = createSharedListings((view) => createListing(tracker, view, kept.keeperOf(), onFailure))
  const ticker = createTicker(shared, onFailure)
  const wake = inTurn(async (changes) => {
    await wakeTouched(tracker.database, [...shared.all()], changes)
    ticker.tick()
  }, onFailure)
  const watch = watchChanges({ database: tracker.database, onFailure, onChanges: wake })

  /** From here on the listing follows changes, and is kept until its last reader leaves. */
  function enter(view: View) {
    streamLimits.take(view.caller.id)
    const { listing, leave } = shared.use(view)
    ticker.start()
    return {
      listing,
      leave() {
        leave()
        streamLimits.giveBack(view.caller.id)
        if (shared.isEmpty) stop()
      },
    }
  }

  function stop() {
    watch.stop()
    ticker.stop()
  }

  async function open(given: View, request: LiveRequest) {
    const isResumable = request.request.routeOptions.url?.startsWith('/ext/') ?? false
    const view = isResumable ? { ...given, isResumable, key: `resumable ${given.key}` } : given
    const { listing, leave } = enter(view)
    const keeper = kept.keeperOf(view.caller.id)
    try {
      // Before the first statement, so that no change falls between it and the watching.
      await watch.start()
      await listing.takeSnapshot()
      // Waiting for the snapshot may have outlasted the token.
      if (!(await request.session.recheck())) throw unauthenticated()
      const refusal = keeper.keep([listing.newest()])
      if (refusal) throw refusal
    } catch (error) {
      leave()
      throw error
    }
    const onClose = () => {
      listing.streams.leave(stream)
      leave()
    }
    const onReady = () => stream.offer(listing.newest(), Date.now())
    const stream = openLiveStream(request, { keeper, idOf: listing.idOf, onReady, onClose })
    listing.streams.join(stream)
    return undefined
  }

  return { open, sendAway: () => sendAllAway(shared.all()), secondsBehind: watch.secondsBehind }
}

/** The timers of all listings and streams, which have none of their own. */
function createTicker(listings: SharedListings, onFailure: (error: unknown) => void) {
  let repetitions: readonly Repetition[] = []
  const tick = () => {
    const now = Date.now()
    for (const listing of listings.all()) listing.tick(now)
  }
  const attend = () => {
    const now = Date.now()
    for (const { streams } of listings.all()) streams.attend(now)
  }
  return {
    tick,
    start() {
      if (repetitions.length > 0) return
      repetitions = [
        repeat({ everyMilliseconds: tickMilliseconds, onFailure }, tick),
        repeat({ everyMilliseconds: attendMilliseconds, onFailure }, attend),
      ]
    },
    stop() {
      for (const repetition of repetitions) void repetition.stop()
      repetitions = []
    },
  }
}

function sendAllAway(listings: Iterable<Listing>) {
  for (const { streams } of listings) for (const stream of streams.all) stream.sendAway()
}
