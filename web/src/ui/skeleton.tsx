import { useEffect, useState } from 'preact/hooks'
import { t } from '../texts/text.ts'

export interface SkeletonProps {
  /** Rows below each other, columns of cards, cells of a table, fields with labels, or boxes beside each other. */
  readonly as: 'rows' | 'columns' | 'grid' | 'fields' | 'boxes'
  /** How many of them have a title of their own. */
  readonly blocks?: number
  readonly rows: number
  /** What stands in a row, as classes: `face`, `icon`, `text`, `lines`, `button`, `field`, `day`, `area`. */
  readonly cells?: string
}

/** What holds the blocks, and what a block is, where a screen has styles for that already. */
const places: Readonly<Record<SkeletonProps['as'], readonly [whole: string, block: string]>> = {
  rows: ['', 'group'],
  columns: ['board', 'column'],
  grid: ['', ''],
  fields: ['', ''],
  boxes: ['sections', ''],
}

/** Grey shapes where what is loading will stand; they appear only when that takes a while. */
export function Skeleton({ as, blocks = 0, rows, cells = 'text' }: SkeletonProps) {
  const isSaid = useSaidOnce()
  const [whole, block] = places[as]
  return (
    <div class={`skeleton skeleton-${as} ${whole}`}>
      <p class="visually-hidden" role="status">
        {isSaid && t('Loading')}
      </p>
      {times(Math.max(1, blocks)).map((index) => (
        <div key={index} class={`skeleton-block ${block}`} aria-hidden="true">
          {blocks > 0 && <i class="shape shape-title" />}
          <div class="skeleton-list">
            {times(rows).map((row) => (
              <div key={row} class="skeleton-row">
                {cells.split(' ').map((cell, place) => (
                  <i key={place} class={`shape shape-${cell}`} />
                ))}
              </div>
            ))}
          </div>
        </div>
      ))}
    </div>
  )
}

const times = (count: number): readonly number[] => Array.from({ length: count }, (_, index) => index)

/** As long as shapes stand somewhere without a break, their loading is one: a screen’s, then those of its parts. */
const run = { standing: 0, isSaid: false, endedAt: Number.NEGATIVE_INFINITY }
const breakMilliseconds = 1000
/** As late as the shapes appear. */
const patienceMilliseconds = 250

/** True for the one that says it, for all that load at the same time. */
function useSaidOnce(): boolean {
  const [isSaid, setSaid] = useState(false)
  useEffect(() => {
    if (run.standing === 0 && performance.now() - run.endedAt > breakMilliseconds) run.isSaid = false
    run.standing += 1
    const timer = setTimeout(() => {
      setSaid(!run.isSaid)
      run.isSaid = true
    }, patienceMilliseconds)
    return () => {
      clearTimeout(timer)
      run.standing -= 1
      run.endedAt = performance.now()
    }
  }, [])
  return isSaid
}
