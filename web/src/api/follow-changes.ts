import type { Api, Page, QueryOf, RecordOf, ResourceName } from './api.ts'
import { type Connection, openLive } from './live.ts'
import { rowsMax } from './load-all.ts'

interface ChangeListener<Row> {
  /**
   * Receives the rows of the followed page, including every row that has just changed, and the number of all
   * rows of the list.
   */
  onRows(rows: readonly Row[], totalCount: number): void
  onConnection(connection: Connection): void
  onProblem(problem: Error): unknown
}

interface ChangeableRow {
  readonly id: string
  readonly updatedAt: string | null
}

/** The page of the list that is followed. */
export interface PageWindow {
  readonly pageNumber: number
  readonly pageSize: number
}

/**
 * Follows a list of any length over one connection, although a live listing reports only its own page. The
 * list is sorted by `updatedAt`, descending: rows that were never changed come first, and then changed ones,
 * newest first. The boundary is the position of the newest change. A row that changes moves to the boundary,
 * so the page around it shows every change; the total count shows rows that were created or removed.
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
    } catch (error) {
      if (!isStopped) listener.onProblem(error as Error)
    }
  }
  open(wholeList)
  return () => {
    isStopped = true
    close()
  }
}

const wholeList: PageWindow = { pageNumber: 1, pageSize: rowsMax }

/** A boundary within this fraction of a page from either end would soon move to another page. */
const edgeFraction = 0.15
/** Every position is near the middle of a page of at least one of these sizes. */
const pageSizes = Array.from({ length: rowsMax / 2 }, (_, index) => rowsMax - index)

/**
 * Returns the page in which this position is nearest to the middle, or the first page if that contains it.
 */
export function windowAround(position: number): PageWindow {
  if (position < rowsMax * (1 - edgeFraction)) return wholeList
  const distanceFromMiddle = (size: number) => Math.abs((position % size) / size - 0.5)
  const pageSize = pageSizes.reduce((best, size) =>
    distanceFromMiddle(size) < distanceFromMiddle(best) ? size : best,
  )
  return { pageNumber: Math.floor(position / pageSize) + 1, pageSize }
}

/**
 * Returns the page to follow next if the boundary has reached the edge of this one; undefined to stay on it;
 * `elsewhere` if the boundary is not on this page and has to be searched.
 */
export function windowAfter(page: Page<ChangeableRow>): PageWindow | 'elsewhere' | undefined {
  const { data, pageNumber, pageSize, totalCount } = page
  if (totalCount <= rowsMax) return pageNumber === 1 && pageSize === rowsMax ? undefined : wholeList
  const first = data.findIndex(({ updatedAt }) => updatedAt !== null)
  // Rows that were never changed reach the end of the list: the next change will show here.
  const isOpenEnd = first === -1 && data.length > 0 && data.length < pageSize
  if (isOpenEnd) return undefined
  if (first === -1 || (first === 0 && pageNumber > 1)) return 'elsewhere'
  return isNearEdge(first, page) ? windowAround((pageNumber - 1) * pageSize + first) : undefined
}

const isNearEdge = (offset: number, { pageNumber, pageSize }: PageWindow): boolean =>
  offset > pageSize * (1 - edgeFraction) || (pageNumber > 1 && offset < pageSize * edgeFraction)

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
