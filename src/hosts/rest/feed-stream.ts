import { type EventStream, formatEvent, openEventStream } from '../../http/event-stream.ts'
import type { Caller } from '../../model/caller.ts'
import { Problem } from '../../model/problem.ts'
import { type Position, writePosition } from '../../operations/feed/position.ts'
import type { FeedPage } from '../../operations/feed/read-feed.ts'
import { showChange } from '../../operations/show-change.ts'
import type { Keeper } from './kept-snapshots.ts'
import { createSessionCheck, type LiveRequest } from './live-stream.ts'

export interface FeedStream {
  /** Something was committed. */
  wake(): void
  attend(now: number): void
  close(): void
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
  { session, reply }: LiveRequest,
  { first, keeper, read, onFailure, onClose }: Feeding,
): FeedStream {
  const pending = createPending(first, session.caller, keeper)
  let isClosed = false
  let isWanted = false
  let isPumping = false
  const events = openEventStream(reply, {
    onReady: () => void pump(),
    onClose() {
      isClosed = true
      keeper.keep([])
      onClose()
    },
  })
  const check = createSessionCheck(session, events.close)

  async function readOn() {
    // Otherwise the next second asks again.
    isWanted = !(await check.run())
    if (isWanted) return false
    const page = await read(pending.page.position)
    // A client that has left meanwhile must hold nothing any more.
    const refusal = isClosed ? undefined : pending.replaceBy(page)
    if (refusal) events.close(refusal.message)
    return !refusal
  }

  const mayReadOn = () => !isClosed && pending.sendTo(events) && (isWanted || !pending.page.isCurrent)

  function fail(error: unknown) {
    // The position stays where it was; the next second tries again.
    isWanted = true
    if (error instanceof Problem && error.kind === 'gone') events.close(error.message)
    else onFailure(error)
  }

  async function pump() {
    if (isPumping) return
    isPumping = true
    try {
      while (mayReadOn()) if (!(await readOn())) break
    } catch (error) {
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
      if (now >= session.expiresAt) return events.close()
      if (check.isDue(now)) void check.run()
      if (isWanted) void pump()
      pending.beatOn(events, now)
    },
    close: events.close,
  }
}

/** The newest page, and its events that the client has not read yet. */
function createPending(first: FeedPage, reader: Caller, keeper: Keeper) {
  let page = first
  let unsent = eventsOf(first, reader)
  let heardAt = Date.now()
  let told = ''
  const refusal = keeper.keep(unsent)
  if (refusal) throw refusal
  return {
    get page() {
      return page
    },
    /** The answer is why not. */
    replaceBy(newer: FeedPage): Problem | undefined {
      page = newer
      unsent = eventsOf(newer, reader)
      return keeper.keep(unsent)
    },
    /** False when the client has to read first. */
    sendTo(events: EventStream): boolean {
      const refused = unsent.findIndex((event) => !events.send(event))
      const sent = refused === -1 ? unsent.length : refused
      if (sent > 0) heardAt = Date.now()
      if (sent > 0 && refused === -1) told = writePosition(page.position)
      unsent = unsent.slice(sent)
      if (unsent.length === 0) keeper.keep([])
      return unsent.length === 0
    },
    /**
     * An id without data is no event, but a client that comes back begins there: what was not for it is not looked at again.
     */
    beatOn(events: EventStream, now: number) {
      if (now - heardAt < heartbeatMilliseconds || unsent.length > 0) return
      heardAt = now
      const position = writePosition(page.position)
      if (position === told) return events.comment('still here')
      told = position
      events.send(Buffer.from(`id: ${position}\n\n`))
    },
  }
}

const eventsOf = ({ changes }: FeedPage, reader: Caller): readonly Buffer[] =>
  changes.map(({ change, position }) =>
    formatEvent({
      event: 'change',
      data: JSON.stringify(showChange(change, reader)),
      id: writePosition(position),
    }),
  )
