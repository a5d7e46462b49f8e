import type { Api, Page, QueryOf, RecordOf, ResourceName } from './api.ts'
import { type Connection, openLive } from './live.ts'
import { rowsMax } from './load-all.ts'

export interface ChangeListener<Row> {
  /** Receives the rows that were changed last, and the number of all rows. */
  onRows(rows: readonly Row[], totalCount: number): void
  onConnection(connection: Connection): void
  onProblem(problem: Error): unknown
}

interface Changing {
  readonly id: string
  readonly updatedAt: string | null
}

/** A page of the list, sorted by the last change, newest first; rows that were never changed come first. */
interface Window {
  readonly pageNumber: number
  readonly pageSize: number
}

/**
 * Follows a list of any length with one connection. A live listing only reports its own page, so it follows the page on which the
 * rows that were changed last begin: every change shows there, or in the number of all rows.
 */
export function followChanges<Name extends ResourceName>(
  api: Api,
  name: Name,
  query: QueryOf<Name>,
  listener: ChangeListener<RecordOf<Name>>,
): () => void {
  let isDone = false
  let close: () => void = () => undefined
  const sorted = { ...query, sortColumn: 'updatedAt', sortOrder: 'DESC' } as const
  const open = (window: Window) => {
    close = openLive(api.connect(name, { ...sorted, ...window }), {
      onConnection: listener.onConnection,
      onProblem: listener.onProblem,
      onValue(page) {
        const next = windowAfter(page)
        listener.onRows(page.data, page.totalCount)
        if (next === 'elsewhere') void begin()
        else if (next !== undefined) reopen(next)
      },
    })
  }
  const reopen = (window: Window) => {
    close()
    if (!isDone) open(window)
  }
  const begin = async () => {
    close()
    const isUnchanged = async (position: number) => {
      const { data } = await api.list(name, { ...sorted, pageSize: 1, pageNumber: position + 1 })
      return (data[0] as Changing | undefined)?.updatedAt === null
    }
    try {
      const { totalCount } = await api.list(name, { ...sorted, pageSize: 1 })
      reopen(totalCount <= rowsMax ? wholeList : windowAround(await findFirst(totalCount, isUnchanged)))
    } catch {
      // The live listing shows the error, and retries by itself.
      reopen(wholeList)
    }
  }
  open(wholeList)
  return () => {
    isDone = true
    close()
  }
}

const wholeList: Window = { pageNumber: 1, pageSize: rowsMax }

/** A boundary near the edge of its page would soon be on another one. */
const edge = 0.15
const sizes = [rowsMax, 90, 80, 70, 60]

/** The page that contains this position, away from its edges. */
export function windowAround(position: number): Window {
  const isInside = (size: number) => {
    const place = (position % size) / size
    return place >= 2 * edge && place <= 1 - 2 * edge
  }
  const pageSize = position < rowsMax * (1 - edge) ? rowsMax : (sizes.find(isInside) ?? rowsMax)
  return { pageNumber: Math.floor(position / pageSize) + 1, pageSize }
}

/**
 * Returns another page if the boundary has reached the edge of this one; `elsewhere` if the boundary is not
 * on this page.
 */
export function windowAfter(page: Page<Changing>): Window | 'elsewhere' | undefined {
  const { data, pageNumber, pageSize, totalCount } = page
  if (totalCount <= rowsMax) return pageNumber === 1 && pageSize === rowsMax ? undefined : wholeList
  const first = data.findIndex(({ updatedAt }) => updatedAt !== null)
  // Rows that were never changed reach the end of the list: the next change will show here.
  const isOpenEnd = first === -1 && data.length < pageSize
  if (isOpenEnd) return undefined
  if (first === -1 || (first === 0 && pageNumber > 1)) return 'elsewhere'
  const next = windowAround((pageNumber - 1) * pageSize + first)
  const isSame = next.pageNumber === pageNumber && next.pageSize === pageSize
  return isSame || !isNearEdge(first, page) ? undefined : next
}

const isNearEdge = (place: number, { pageNumber, pageSize }: Window): boolean =>
  place > pageSize * (1 - edge) || (pageNumber > 1 && place < pageSize * edge)

/** Finds the first position for which the condition is false, where it is true for all before. */
async function findFirst(count: number, holds: (position: number) => Promise<boolean>): Promise<number> {
  let [low, high] = [0, count]
  while (low < high) {
    const middle = Math.floor((low + high) / 2)
    if (await holds(middle)) low = middle + 1
    else high = middle
  }
  return low
}
