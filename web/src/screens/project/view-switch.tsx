import { t } from '../../texts/text.ts'
import { Icon } from '../../ui/icon.tsx'
import { type ProjectView, projectViews } from './views.ts'

export interface ViewSwitchProps {
  readonly current: ProjectView
  readonly address: URL
}

/** Links to the other ways of looking at the same assignments; filters and an open assignment stay. */
export const ViewSwitch = ({ current, address }: ViewSwitchProps) => (
  <nav class="view-switch" aria-label={t('View')}>
    {projectViews.map((view) => (
      <a key={view.name} href={hrefOf(view, address)} aria-current={view === current ? 'page' : undefined}>
        <Icon name={view.icon} />
        <span>{t(view.label)}</span>
      </a>
    ))}
  </nav>
)

function hrefOf({ name }: ProjectView, { pathname, searchParams }: URL): string {
  const query = new URLSearchParams(searchParams)
  if (name === 'board') query.delete('view')
  else query.set('view', name)
  return query.size === 0 ? pathname : `${pathname}?${query}`
}
