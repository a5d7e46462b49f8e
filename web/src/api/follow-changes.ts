import type { Api, Page, QueryOf, RecordOf, ResourceName } from './api.ts'
import { type Connection, openLive } from './live.ts'
import { rowsMax } from './load-all.ts'

export interface ChangeListener<Row> {
  /** Receives the rows that were changed last, and the number of all rows. */
  onRows(rows: readonly Row[], totalCount: number): void
  onConnection(connection: Connection): void
  onProblem(problem: Error): unknown
}

interface ChangeableRow {
  readonly id: string
  readonly updatedAt: string | null
}

/** The page of the list that is followed. */
interface PageWindow {
  readonly pageNumber: number
  readonly pageSize: number
}

/**
 * Follows a list of any length over one connection, although a live listing reports only its own page. The
 * list is sorted by the last change, so rows that were never changed come first, and then changed ones,
 * newest first. Each changed row moves to this boundary: the page that contains it shows every change, and
 * the total count shows rows that were created or removed.
 */
export function followChanges<Name extends ResourceName>(
  api: Api,
  name: Name,
  query: QueryOf<Name>,
  listener: ChangeListener<RecordOf<Name>>,
): () => void {
  let isStopped = false
  let close: () => void = () => undefined
  const sorted = { ...query, sortColumn: 'updatedAt', sortOrder: 'DESC' } as const
  const open = (window: PageWindow) => {
    close = openLive(api.connect(name, { ...sorted, ...window }), {
      onConnection: listener.onConnection,
      onProblem: listener.onProblem,
      onValue(page) {
        const next = windowAfter(page)
        listener.onRows(page.data, page.totalCount)
        if (next === 'elsewhere') void findWindow()
        else if (next !== undefined) reopen(next)
      },
    })
  }
  const reopen = (window: PageWindow) => {
    close()
    if (!isStopped) open(window)
  }
  const findWindow = async () => {
    close()
    const isUnchanged = async (position: number) => {
      const { data } = await api.list(name, { ...sorted, pageSize: 1, pageNumber: position + 1 })
      return (data[0] as ChangeableRow | undefined)?.updatedAt === null
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
    isStopped = true
    close()
  }
}

const wholeList: PageWindow = { pageNumber: 1, pageSize: rowsMax }

/** The part of a page that counts as its edge. From there, the boundary would soon move to another page. */
const edgeShare = 0.15
/** Sizes to choose from, because a boundary at the edge of a page is usually inside a page of another size. */
const pageSizes = [rowsMax, 90, 80, 70, 60]

/** Returns the page that contains this position, away from its edges. */
function windowAround(position: number): PageWindow {
  const isInside = (size: number) => {
    const offset = (position % size) / size
    return offset >= 2 * edgeShare && offset <= 1 - 2 * edgeShare
  }
  const pageSize = position < rowsMax * (1 - edgeShare) ? rowsMax : (pageSizes.find(isInside) ?? rowsMax)
  return { pageNumber: Math.floor(position / pageSize) + 1, pageSize }
}

/**
 * Returns the page to follow next if the boundary has reached the edge of this one; undefined to stay on it;
 * `elsewhere` if the boundary is not on this page and has to be searched.
 */
function windowAfter(page: Page<ChangeableRow>): PageWindow | 'elsewhere' | undefined {
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

const isNearEdge = (offset: number, { pageNumber, pageSize }: PageWindow): boolean =>
  offset > pageSize * (1 - edgeShare) || (pageNumber > 1 && offset < pageSize * edgeShare)

/** Finds the first position that `isBefore` rejects, by binary search. */
async function findFirst(count: number, isBefore: (position: number) => Promise<boolean>): Promise<number> {
  let low = 0
  let high = count
  while (low < high) {
    const middle = Math.floor((low + high) / 2)
    if (await isBefore(middle)) low = middle + 1
    else high = middle
  }
  return low
}
