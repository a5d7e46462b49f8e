import type { Tracker } from '#tracker-client'
import { rowsMax } from '../../api/load-all.ts'
import type { Source } from './items.ts'

/** Returns the keys in a table, such as MBA-12, that assignments of the project have. */
export async function findExistingKeys(
  tracker: Pick<Tracker, 'call'>,
  { id, key }: { readonly id: string; readonly key?: string },
  source: Source,
): Promise<readonly string[]> {
  const numbers = key === undefined ? [] : numbersIn(source, key)
  const found: string[] = []
  for (let from = 0; from < numbers.length; from += rowsMax) {
    const filter = `projectId eq '${id}' and number in (${numbers.slice(from, from + rowsMax).join(', ')})`
    const query = { filter, fields: 'number', pageSize: rowsMax }
    const { result } = await tracker.call('GET /ext/query/assignments', { query })
    found.push(...result.data.map(({ number }) => `${key}-${number}`))
  }
  return found
}

/** The user may map any column to the keys, so all cells are searched. */
function numbersIn(source: Source, key: string): readonly string[] {
  const cells = source.kind === 'table' ? source.rows.flatMap((row) => row.cells) : []
  const pattern = new RegExp(`^${key}-([1-9]\\d{0,8})$`, 'i')
  return [...new Set(cells.flatMap((cell) => pattern.exec(cell.trim())?.[1] ?? []))]
}
