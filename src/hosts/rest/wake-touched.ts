import { changedRowsSince, unknownRows } from '../../live/changed-rows.ts'
import { isTouched } from '../../live/concern.ts'
import { membersOf } from '../../live/members.ts'
import type { Snapshot } from '../../store/change-log.ts'
import type { Database } from '../../store/database.ts'
import type { Listing } from './listing.ts'

type Reads = Pick<Database, 'query' | 'liveLists'>

/** Has the listings read again that the changes can affect. Which rows changed is read only where that may exclude a listing. */
export async function wakeTouched(
  database: Reads,
  listings: readonly Listing[],
  { resources, since }: { readonly resources: ReadonlySet<string>; readonly since: Snapshot },
): Promise<void> {
  const concerned = listings.filter(({ view }) => view.resources.some((name) => resources.has(name)))
  if (concerned.length === 0) return
  const isAsked = concerned.some(({ view }) => view.concern)
  const read = isAsked ? inTime(changedRowsSince(database.liveLists, since, resources)) : undefined
  const changes = (await read) ?? unknownRows(resources)
  const ofMembers = new Map<Listing, ReadonlySet<unknown>>()
  for (const listing of concerned) {
    const verdict = isTouched(listing.view, changes)
    if (verdict === 'yes') listing.noteChange()
    else if (verdict !== 'no') ofMembers.set(listing, verdict)
  }
  if (ofMembers.size > 0) await wakeMembers(database, ofMembers)
}

/** A listing is sent once a second at most, so there is this much time to find out whether it has to be. */
const answerMilliseconds = 1000

/** Undefined where the store does not answer in time: then every listing is read again. */
async function inTime<Answer>(answer: Promise<Answer>): Promise<Answer | undefined> {
  const { promise, resolve } = Promise.withResolvers<undefined>()
  const timer = setTimeout(resolve, answerMilliseconds, undefined)
  try {
    return await Promise.race([answer.catch(() => undefined), promise])
  } finally {
    clearTimeout(timer)
  }
}

/** Members are read afterwards. Those who join or leave in between are woken by that change itself. */
async function wakeMembers(
  { liveLists }: Reads,
  listings: ReadonlyMap<Listing, ReadonlySet<unknown>>,
): Promise<void> {
  const projects = new Set([...listings.values()].flatMap((among) => [...among]))
  const isMember = await inTime(membersOf(liveLists, [...projects]))
  for (const [listing, among] of listings)
    if (!isMember || isMember(listing.view.concern?.member ?? '', among)) listing.noteChange()
}
