import { useEffect, useRef, useState } from 'preact/hooks'
import { sentenceOf } from '../../api/problems.ts'
import { projectPath } from '../../router/router.ts'
import { useServices } from '../../services/services.ts'
import { inOneLine, t } from '../../texts/text.ts'
import { Icon } from '../../ui/icon.tsx'
import { lazyDialog } from '../../ui/lazy-dialog.tsx'
import { Menu, type MenuItem } from '../../ui/menu.tsx'
import { useRemoval } from '../../ui/use-removal.ts'
import type { Filters } from './filters.ts'
import { contentOf, type SavedView, type SavedViews, writeView } from './use-saved-views.ts'
import { isWorthSaving, viewParameter } from './view-address.ts'

function hrefOf(projectId: string, { row, query }: SavedView): string {
  const parameters = new URLSearchParams(query)
  parameters.set(viewParameter, row.id)
  return projectPath(projectId, `?${parameters}`)
}

export interface SavedViewsProps {
  readonly projectId: string
  readonly filters: Filters
  readonly saved: SavedViews
}

/** The saved views as tabs, and what can be done with the open one. */
export function ViewTabs(props: SavedViewsProps) {
  const { projectId, saved } = props
  const { actions, dialog } = useViewActions(props)
  const currentTab = useRef<HTMLAnchorElement>(null)
  const currentId = saved.current?.row.id
  useEffect(() => currentTab.current?.scrollIntoView({ block: 'nearest', inline: 'nearest' }), [currentId])
  const main = actions.find(({ isMain }) => isMain)
  const others = actions.filter((action) => action !== main)
  return (
    <div class="saved-views">
      {saved.views.length > 0 && (
        <nav class="view-tabs" aria-label={t('Saved views')}>
          {saved.views.map((view) => (
            <a
              key={view.row.id}
              ref={view === saved.current ? currentTab : null}
              href={hrefOf(projectId, view)}
              title={view.resource === 'projectView' ? t('Shared with the project') : t('Only for me')}
              aria-current={view === saved.current ? 'page' : undefined}
            >
              {view.resource === 'projectView' && <Icon name="people" />}
              <span dir="auto">{view.row.name}</span>
              {view === saved.current && saved.isChanged && (
                <span class="view-changed" role="img" aria-label={t('not as saved')} />
              )}
            </a>
          ))}
        </nav>
      )}
      {main && (
        <button type="button" class="button quiet" data-tool="save-view" onClick={main.run}>
          {main.label}
        </button>
      )}
      {saved.current?.isOwn && (
        <Menu label={t('Change the view')} items={others}>
          <Icon name="more" />
        </Menu>
      )}
      {dialog}
    </div>
  )
}

/** The same as a menu, for phones. */
export function ViewMenu(props: SavedViewsProps) {
  const { projectId, saved } = props
  const { router } = useServices()
  const { actions, dialog } = useViewActions(props)
  const items = saved.views.map((view) => ({
    label: inOneLine(view.row.name, view.resource === 'projectView' && t('shared')),
    isCurrent: view === saved.current,
    run: () => router.go(hrefOf(projectId, view)),
  }))
  return (
    <>
      <Menu label={t('Saved views')} items={[...items, ...actions]}>
        <Icon name="bookmark" />
      </Menu>
      {dialog}
    </>
  )
}

const ViewDialog = lazyDialog(async () => (await import('./view-dialog.tsx')).ViewDialog)

interface ViewAction extends MenuItem {
  /** Whether it has a button of its own. */
  readonly isMain?: boolean
}

/** What the user can do: save what is shown, and change the open view if it is their own. */
function useViewActions({ projectId, filters, saved }: SavedViewsProps) {
  const { api, router, toasts } = useServices()
  const [edited, setEdited] = useState<SavedView | 'new'>()
  const remove = useRemoval()
  const { current, query, isChanged } = saved
  const isOwn = current?.isOwn === true
  const update = (view: SavedView) =>
    writeView(api, view, contentOf(projectId, query, filters)).catch((error) =>
      toasts.show({ kind: 'problem', text: sentenceOf(error) }),
    )
  const canUpdate = isOwn && isChanged
  const actions: readonly ViewAction[] = [
    ...(canUpdate ? [{ label: t('Update view'), isMain: true, run: () => void update(current) }] : []),
    ...(current === undefined || isChanged
      ? [{ label: t('Save view'), isMain: !canUpdate && isWorthSaving(query), run: () => setEdited('new') }]
      : []),
    ...(isOwn
      ? [
          { label: t('Rename view'), run: () => setEdited(current) },
          {
            label: t('Remove view'),
            kind: 'danger' as const,
            run: () =>
              void remove(current.resource, current.row.id, current.row.name, undefined, () =>
                router.setQuery({ [viewParameter]: '' }),
              ),
          },
        ]
      : []),
  ]
  const dialog = edited && (
    <ViewDialog
      projectId={projectId}
      view={edited === 'new' ? undefined : edited}
      content={contentOf(projectId, query, filters)}
      onClose={() => setEdited(undefined)}
    />
  )
  return { actions, dialog }
}
