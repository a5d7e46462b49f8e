import type { ViewName } from '../../ui/project-page.tsx'
import { Skeleton, type SkeletonProps } from '../../ui/skeleton.tsx'
import { useMedia } from '../../ui/use-media.ts'

const shapes: Readonly<Record<ViewName | 'agenda', SkeletonProps>> = {
  board: { as: 'columns', blocks: 4, rows: 5, cells: 'lines face' },
  list: { as: 'grid', rows: 16, cells: 'check key text icon stage priority labels type person end hours' },
  calendar: { as: 'grid', rows: 5, cells: 'day day day day day day day' },
  timeline: { as: 'grid', rows: 7, cells: 'text day day day day' },
  agenda: { as: 'rows', blocks: 3, rows: 2, cells: 'lines face' },
}

/** Outlines a view while it is loading. */
export function ViewSkeleton({ view }: { readonly view: ViewName }) {
  // The calendar is an agenda up to this width.
  const isNarrow = useMedia('(max-width: 760px)')
  return <Skeleton {...shapes[view === 'calendar' && isNarrow ? 'agenda' : view]} />
}
