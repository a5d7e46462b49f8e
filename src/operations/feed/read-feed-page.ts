import type { Caller } from '../../model/caller.ts'
import { type ShownChange, showChange } from '../show-change.ts'
import type { Tracker } from '../tracker.ts'
import { writePosition } from './position.ts'
import { newestPosition, readFeed } from './read-feed.ts'
import type { FeedRequest } from './read-feed-query.ts'

export interface ShownFeedPage {
  readonly data: readonly ShownChange[]
  /** Where the next page begins. */
  readonly cursor: string
  /** Whether it is worth asking again at once. */
  readonly hasMore: boolean
}

/** A page of the feed, as every host answers it. */
export async function readFeedPage(
  { database: { lists } }: Pick<Tracker, 'database'>,
  caller: Caller,
  { after, filter, pageSize }: FeedRequest,
): Promise<ShownFeedPage> {
  const position = after === 'now' ? await newestPosition(lists, caller) : after
  const page = await readFeed({ caller, filter, position, pageSize }, lists)
  return {
    data: page.changes.map(({ change }) => showChange(change, caller)),
    cursor: writePosition(page.position),
    hasMore: !page.isCurrent,
  }
}
