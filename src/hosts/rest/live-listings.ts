import type { Tracker } from '../../operations/tracker.ts'
import { watchChanges } from '../../store/change-watch.ts'
import { createListing, type Listing, listingKey, type View } from './listing.ts'
import { createLivePlaces } from './live-places.ts'
import { type LiveRequest, openLiveStream } from './live-stream.ts'

export interface LiveListings {
  /** Takes the connection over; what is refused is refused before the stream starts. */
  open(view: View, request: LiveRequest): Promise<undefined>
  close(): void
}

/** How exactly the second between two events is kept. */
const tickMilliseconds = 50

export function createLiveListings(tracker: Tracker, onFailure: (error: unknown) => void): LiveListings {
  const listings = new Map<string, Used>()
  const places = createLivePlaces(tracker.budgets)
  let ticker: NodeJS.Timeout | undefined

  const tick = () => {
    for (const { listing } of listings.values()) listing.tick(Date.now())
  }
  const onChanges = (resources: ReadonlySet<string>) => {
    for (const { listing } of listings.values()) listing.noteChanges(resources)
    tick()
  }
  const watch = watchChanges({ database: tracker.database, onFailure, onChanges })

  /** From here on the listing is told of changes, and kept until its last user leaves. */
  function enter(view: View) {
    places.take(view.caller.id)
    const key = listingKey(view)
    const used = listings.get(key) ?? { listing: createListing(tracker, view, onFailure), users: 0 }
    listings.set(key, used)
    used.users += 1
    ticker ??= setInterval(tick, tickMilliseconds)
    return { listing: used.listing, leave: () => leave(view, used) }
  }

  function leave(view: View, used: Used) {
    places.giveBack(view.caller.id)
    used.users -= 1
    if (used.users === 0) listings.delete(listingKey(view))
    if (!places.areAllFree) return
    watch.stop()
    clearInterval(ticker)
    ticker = undefined
  }

  return {
    async open(view, request) {
      const { listing, leave } = enter(view)
      try {
        // Before the first statement, so that no change falls between it and the watching.
        await watch.start()
        await listing.takeSnapshot()
      } catch (error) {
        leave()
        throw error
      }
      const stream = openLiveStream(request, {
        onReady: tick,
        onClose: () => {
          listing.streams.delete(stream)
          leave()
        },
      })
      listing.streams.add(stream)
      stream.offer(listing.newest(), Date.now())
      return undefined
    },
    close: () => closeAll(listings),
  }
}

function closeAll(listings: ReadonlyMap<string, Used>) {
  for (const { listing } of listings.values()) for (const stream of listing.streams) stream.close()
}

interface Used {
  readonly listing: Listing
  /** Its streams, and the requests that are about to become one. */
  users: number
}
