import type { Authenticated } from '../authentication/authenticate.ts'
import { Problem, unauthenticated } from '../model/problem.ts'
import { type Position, writePosition } from '../operations/feed/position.ts'
import type { FeedPage } from '../operations/feed/read-feed.ts'
import { type ShownChange, showChange } from '../operations/show-change.ts'
import type { Keeper } from './kept-snapshots.ts'
import { createSessionCheck } from './session-check.ts'

/** How a host writes the feed, and sends it to one reader. */
export interface FeedWire {
  /** One change as it is sent; `cursor` is where a reader who has it goes on. */
  eventOf(change: ShownChange, cursor: string): Buffer
  open(listeners: OutletListeners): FeedOutlet
}

export interface OutletListeners {
  /** The reader caught up after a `send` was turned down. */
  readonly onReady: () => void
  /** Exactly once, however it ended. */
  readonly onClose: () => void
}

export interface FeedOutlet {
  /** False: the reader has not taken enough yet, and this one is not kept; `onReady` follows. */
  send(event: Buffer): boolean
  /** A heartbeat. `isNews`: the reader does not have this cursor yet, because no change since the last one was for this reader. */
  beat(cursor: string, isNews: boolean): void
  close(refusal?: Problem): void
  /** Sends the reader to another host, because this one stops. */
  sendAway(): void
}

export interface FeedStream {
  /** Something was committed. */
  wake(): void
  attend(now: number): void
  /** Sends the reader to another host, because this one stops. */
  sendAway(): void
}

interface Feeding {
  readonly first: FeedPage
  readonly keeper: Keeper
  read(position: Position): Promise<FeedPage>
  readonly onFailure: (error: unknown) => void
  readonly onClose: () => void
}

/** Short enough for proxies that close a silent connection after half a minute. */
const heartbeatMilliseconds = 15_000

/** One page after another, as fast as the client reads; what it has not read is never more than a page. */
export function openFeedStream(
  session: Authenticated,
  wire: FeedWire,
  { first, keeper, read, onFailure, onClose }: Feeding,
): FeedStream {
  const pending = createPending(first, { session, wire, keeper })
  let isClosed = false
  let isWanted = false
  let isPumping = false
  const outlet = wire.open({
    onReady: () => void pump(),
    onClose() {
      isClosed = true
      check.stop()
      keeper.keep([])
      onClose()
    },
  })
  const check = createSessionCheck(session, () => outlet.close(unauthenticated()))

  async function readOn() {
    // Otherwise the next second asks again.
    isWanted = !(await check.run())
    if (isWanted) return false
    const page = await read(pending.page.position)
    // A client that has left meanwhile must hold nothing any more.
    const refusal = isClosed ? undefined : pending.replaceBy(page)
    if (refusal) outlet.close(refusal)
    return !refusal
  }

  const mayReadOn = () => !isClosed && pending.sendTo(outlet) && (isWanted || !pending.page.isCurrent)

  const fail = (error: unknown) =>
    error instanceof Problem && error.kind === 'gone' ? outlet.close(error) : onFailure(error)

  async function pump() {
    if (isPumping) return
    isPumping = true
    try {
      while (mayReadOn()) if (!(await readOn())) break
    } catch (error) {
      // The position stays where it was; the next second tries again.
      isWanted = true
      fail(error)
    } finally {
      isPumping = false
    }
  }

  const wake = () => {
    isWanted = true
    return void pump()
  }
  wake()
  return {
    wake,
    attend(now) {
      if (check.isDue(now)) void check.run()
      if (isWanted) void pump()
      pending.beatOn(outlet, now)
    },
    sendAway: () => outlet.sendAway(),
  }
}

interface Reader {
  readonly session: Authenticated
  readonly wire: FeedWire
  readonly keeper: Keeper
}

/** The newest page, and its events that the client has not read yet. */
function createPending(first: FeedPage, { session: { caller }, wire, keeper }: Reader) {
  const eventsOf = ({ changes }: FeedPage): readonly Buffer[] =>
    changes.map(({ change, position }) => wire.eventOf(showChange(change, caller), writePosition(position)))
  let page = first
  let unsent = eventsOf(first)
  let heardAt = 0
  let told = ''
  const refusal = keeper.keep(unsent)
  if (refusal) throw refusal
  return {
    get page() {
      return page
    },
    /** Returns the reason when there is no room. */
    replaceBy(newer: FeedPage): Problem | undefined {
      page = newer
      unsent = eventsOf(newer)
      return keeper.keep(unsent)
    },
    /** False when the client has to read first. */
    sendTo(outlet: FeedOutlet): boolean {
      const refused = unsent.findIndex((event) => !outlet.send(event))
      const sent = refused === -1 ? unsent.length : refused
      if (sent > 0) heardAt = Date.now()
      if (sent > 0 && refused === -1) told = writePosition(page.position)
      unsent = unsent.slice(sent)
      if (unsent.length === 0) keeper.keep([])
      return unsent.length === 0
    },
    beatOn(outlet: FeedOutlet, now: number) {
      if (now - heardAt < heartbeatMilliseconds || unsent.length > 0) return
      heardAt = now
      const position = writePosition(page.position)
      outlet.beat(position, position !== told)
      told = position
    },
  }
}
