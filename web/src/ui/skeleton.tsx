import { useEffect, useState } from 'preact/hooks'
import { t } from '../texts/text.ts'

export interface SkeletonProps {
  /** Rows, columns of cards, cells of a table, fields with labels, or boxes side by side. */
  readonly as: 'rows' | 'columns' | 'grid' | 'fields' | 'boxes'
  /** The number of blocks with a title. */
  readonly blocks?: number
  readonly rows: number
  /** The parts of a row, as classes: `face`, `icon`, `text`, `lines`, `button`, `field`, `day`, `area`. */
  readonly cells?: string
}

/** The elements of the whole and of a block, where a screen has styles for them already. */
const places: Readonly<Record<SkeletonProps['as'], readonly [whole: string, block: string]>> = {
  rows: ['', 'group'],
  columns: ['board', 'column'],
  grid: ['', ''],
  fields: ['', ''],
  boxes: ['sections', ''],
}

/** Grey shapes in place of loading content; they appear only when it takes a while. */
export function Skeleton({ as, blocks = 0, rows, cells = 'text' }: SkeletonProps) {
  const isAnnounced = useAnnouncedOnce()
  const [whole, block] = places[as]
  return (
    <div class={`skeleton skeleton-${as} ${whole}`}>
      <p class="visually-hidden" role="status">
        {isAnnounced && t('Loading')}
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

/** Skeletons that are shown without a gap count as one loading: that of a screen, then those of its parts. */
const run = { count: 0, isAnnounced: false, endedAt: Number.NEGATIVE_INFINITY }
const breakMilliseconds = 1000
/** The delay of the shapes. */
const patienceMilliseconds = 250

/** True for the one skeleton that announces the loading. */
function useAnnouncedOnce(): boolean {
  const [isAnnounced, setSaid] = useState(false)
  useEffect(() => {
    if (run.count === 0 && performance.now() - run.endedAt > breakMilliseconds) run.isAnnounced = false
    run.count += 1
    const timer = setTimeout(() => {
      setSaid(!run.isAnnounced)
      run.isAnnounced = true
    }, patienceMilliseconds)
    return () => {
      clearTimeout(timer)
      run.count -= 1
      run.endedAt = performance.now()
    }
  }, [])
  return isAnnounced
}
