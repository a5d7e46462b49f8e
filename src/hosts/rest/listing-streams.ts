import { isDue, type LiveStream } from './live-stream.ts'

/** The streams of one listing, and which of them lack the newest snapshot: a tick costs nothing for those that have it. */
export interface ListingStreams {
  readonly all: ReadonlySet<LiveStream>
  join(stream: LiveStream): void
  leave(stream: LiveStream): void
  /** A newer snapshot exists: from now on every stream lacks it. */
  fallBehind(): void
  /** Offers the newest to the streams that lack it. */
  offer(now: number): void
  attend(now: number): void
  /** Whether any stream may be sent its next event now. */
  isAnyDue(now: number): boolean
  close(reason: string): void
}

/** In one turn of the loop: three milliseconds, in which nobody else is answered. */
const sentAtOnceMax = 200

export function createListingStreams(newest: () => Buffer): ListingStreams {
  const all = new Set<LiveStream>()
  const behind = new Set<LiveStream>()
  let isGoingOn = false
  const goOn = () => {
    isGoingOn = false
    offer(Date.now())
  }
  const offer = (now: number) => {
    // Asked twenty times a second of every listing: even an iterator over nothing would be most of what they cost at rest.
    if (behind.size === 0 || isGoingOn) return
    let sent = 0
    for (const stream of behind) {
      stream.offer(newest(), now)
      if (!stream.has(newest())) continue
      behind.delete(stream)
      sent += 1
      if (sent < sentAtOnceMax) continue
      isGoingOn = true
      setImmediate(goOn)
      return
    }
  }
  return {
    all,
    join(stream) {
      all.add(stream)
      behind.add(stream)
      offer(Date.now())
    },
    leave(stream) {
      all.delete(stream)
      behind.delete(stream)
    },
    fallBehind() {
      for (const stream of all) behind.add(stream)
    },
    offer,
    attend(now) {
      for (const stream of all) stream.attend(now)
    },
    isAnyDue(now) {
      for (const stream of all) if (isDue(stream, now)) return true
      return false
    },
    close(reason) {
      for (const stream of all) stream.close(reason)
    },
  }
}
