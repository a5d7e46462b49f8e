import { listedRows } from '../../access/listed-rows.ts'
import { changesThatMatter } from '../../access/visible-rows.ts'
import type { Caller } from '../../model/caller.ts'
import { uuid } from '../../model/field-kinds.ts'
import { invalid } from '../../model/problem.ts'
import type { Listed } from '../../resources/define-resource.ts'
import { projectView } from '../../resources/project-view.ts'
import { savedView } from '../../resources/saved-view.ts'
import { tableOf } from '../../store/columns.ts'
import { join, sql } from '../../store/sql.ts'
import type { Tracker } from '../tracker.ts'

type Keys = Readonly<Record<string, unknown>>

interface ViewRow {
  readonly list: string
  readonly filter: string | null
  readonly sort: string | null
  readonly fields: string | null
  readonly expand: string | null
}

const views = [savedView, projectView]

/** The keys of a query, together with those of the view that it names. A key of the request replaces that of the view. */
export async function withView(
  { database }: Tracker,
  listed: Listed,
  caller: Caller,
  given: Keys,
): Promise<{ readonly keys: Keys; readonly viewResources: readonly string[] }> {
  const { view, ...own } = given
  if (view === undefined) return { keys: given, viewResources: [] }
  const id = readId(view)
  const kinds = views.map(
    (kind) => sql`select list, filter, sort, fields, expand from ${tableOf(kind)} as row
      where row.id = ${id} and ${listedRows(kind, caller, 'active')}`,
  )
  const [found] = await database.query<ViewRow>(join(kinds, ' union all '))
  if (!found) throw invalid({ view: ['View is none that you may see.'] })
  const { list, ...kept } = found
  if (list !== listed.plural) throw invalid({ view: [`View is one of ${list}, not of ${listed.plural}.`] })
  const viewed = Object.entries(kept).filter(([, value]) => value !== null)
  return {
    keys: { ...Object.fromEntries(viewed), ...own },
    viewResources: views.flatMap((kind) => changesThatMatter(kind, caller)),
  }
}

function readId(input: unknown): string {
  if (Array.isArray(input)) throw invalid({ view: ['View must be given once.'] })
  const reading = uuid.read(typeof input === 'string' ? input.trim() : input, 'View')
  if ('problems' in reading) throw invalid({ view: reading.problems })
  return reading.value
}
