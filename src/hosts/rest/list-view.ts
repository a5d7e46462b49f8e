import { changesThatMatter, viewOf } from '../../access/visible-rows.ts'
import { concernOf } from '../../live/concern.ts'
import type { Caller } from '../../model/caller.ts'
import { list } from '../../operations/list.ts'
import type { ListQuery } from '../../operations/read-list-query.ts'
import type { Tracker } from '../../operations/tracker.ts'
import type { Listed } from '../../resources/define-resource.ts'
import type { View } from './listing.ts'
import { showPage } from './show-page.ts'

/** A page of a list. Callers who see the same rows share a listing of the same query. */
export const listView = (tracker: Tracker, listed: Listed, caller: Caller, query: ListQuery): View => ({
  key: JSON.stringify(['list', listed.name, viewOf(listed, caller), query]),
  caller,
  resources: changesThatMatter(listed, caller, query.state),
  concern: concernOf(
    listed,
    caller,
    {
      ...Object.fromEntries(Object.entries(query.relations).map(([name, id]) => [name, [id]])),
      ...(query.ids && { id: query.ids }),
    },
    { ofRemoved: query.state === 'removed' },
  ),
  read: async (reads) => showPage(await list(tracker, listed, caller, query, reads)),
})
