import type { ComponentType } from 'preact'
import type { Text } from '../../texts/text.ts'
import type { IconName } from '../../ui/icon.tsx'
import type { ProjectViewProps, ViewName } from './view-names.ts'

export interface ProjectView {
  readonly name: ViewName
  readonly label: Text
  readonly icon: IconName
  /** The script of the board is there already. */
  readonly load?: () => Promise<ComponentType<ProjectViewProps>>
}

export const projectViews: readonly ProjectView[] = [
  { name: 'board', label: 'Board', icon: 'columns' },
  {
    name: 'list',
    label: 'List',
    icon: 'list',
    load: async () => (await import('./list/list-view.tsx')).ListView,
  },
  {
    name: 'calendar',
    label: 'Calendar',
    icon: 'calendar',
    load: async () => (await import('./calendar/calendar-view.tsx')).CalendarView,
  },
  {
    name: 'timeline',
    label: 'Timeline',
    icon: 'timeline',
    load: async () => (await import('./timeline/timeline-view.tsx')).TimelineView,
  },
]

export const parseView = (query: URLSearchParams): ProjectView =>
  projectViews.find(({ name }) => name === query.get('view')) ?? (projectViews[0] as ProjectView)
