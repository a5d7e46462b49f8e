import { labelOf } from '../../model/field.ts'
import { isMissing } from '../../model/field-kinds.ts'
import { collectViolations, type Violations } from '../../model/violations.ts'
import { resourceNames } from '../../resources/all.ts'
import { pageSizeMax } from '../limits.ts'
import { readNames, readNumber, readUuid } from '../query-values.ts'
import { rejectFilters } from '../read-list-query.ts'
import { type Position, readPosition } from './position.ts'
import type { FeedFilter } from './read-feed.ts'

export const feedActions = ['create', 'update', 'remove', 'restore'] as const

export interface FeedRequest {
  readonly filter: FeedFilter
  /** Nothing is the beginning, `now` what comes from now on. */
  readonly after: Position | 'now' | undefined
  readonly pageSize: number
}

/** `lastEventId` is what a stream that was cut off sends instead of `after`. */
export function readFeedQuery(query: Readonly<Record<string, unknown>>, lastEventId?: unknown): FeedRequest {
  const violations = collectViolations()
  for (const [key, value] of Object.entries(query))
    if (Array.isArray(value)) violations.add(key, `${labelOf(key)} must be given once.`)
  const given = (key: string) => (isMissing(query[key]) || Array.isArray(query[key]) ? undefined : query[key])
  // An empty filter is rejected as in every list: the client would get the changes of everything.
  const filterIn = (key: string) => (Array.isArray(query[key]) ? undefined : (query[key] ?? undefined))
  rejectFilters('Changes', ['projectId'], filterIn, violations)
  const read = {
    filter: {
      resources: readNames('resource', filterIn('resource'), resourceNames, violations),
      actions: readNames('action', filterIn('action'), feedActions, violations),
      projectId: readUuid('projectId', filterIn('projectId'), violations),
    },
    after: readAfter(isMissing(lastEventId) ? given('after') : lastEventId, violations),
    pageSize: readNumber('pageSize', given('pageSize'), pageSizeMax, violations) ?? pageSizeMax,
  }
  violations.refuseIfAny()
  return read
}

function readAfter(input: unknown, violations: Violations): FeedRequest['after'] {
  if (input === undefined || input === 'now') return input
  // The id of a snapshot of a live listing is a position with what the snapshot said behind it.
  const position = typeof input === 'string' ? readPosition(input.split('~')[0] ?? '') : undefined
  if (position === undefined) violations.add('after', 'After must be now, or a cursor that the feed gave.')
  return position
}
