import { busy } from '../../model/problem.ts'
import type { Tracker } from '../../operations/tracker.ts'
import { watchChanges } from '../../store/change-watch.ts'
import { createListing, type Listing, listingKey, type View } from './listing.ts'
import { type LiveRequest, openLiveStream } from './live-stream.ts'

export interface LiveListings {
  /** Takes the connection over; what is refused is refused before the stream starts. */
  open(view: View, request: LiveRequest): Promise<undefined>
  close(): void
}

const busySeconds = 30
/** How exactly the second between two events is kept. */
const tickMilliseconds = 50

export function createLiveListings(tracker: Tracker, onFailure: (error: unknown) => void): LiveListings {
  const listings = new Map<string, Used>()
  const open = tracker.budgets.budget('liveListings')
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
    if (!open.take(1, listings)) throw busy(busySeconds)
    const key = listingKey(view)
    const used = listings.get(key) ?? { listing: createListing(tracker, view, onFailure), users: 0 }
    listings.set(key, used)
    used.users += 1
    ticker ??= setInterval(tick, tickMilliseconds)
    return { listing: used.listing, leave: () => leave(key, used) }
  }

  function leave(key: string, used: Used) {
    open.giveBack(1, listings)
    used.users -= 1
    if (used.users === 0) listings.delete(key)
    if (open.used(listings) > 0) return
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
