import { useEffect, useRef, useState } from 'preact/hooks'
import { sentenceOf } from '../../api/problems.ts'
import { projectPath } from '../../router/router.ts'
import { useRemoval, useServices } from '../../services/services.ts'
import { inOneLine, t } from '../../texts/text.ts'
import { Icon } from '../../ui/icon.tsx'
import { lazyDialog } from '../../ui/lazy.tsx'
import { Menu, type MenuItem } from '../../ui/menu.tsx'
import { type Filters, isWorthSaving, viewParameter } from './filters.ts'
import { contentOf, type SavedView, type SavedViews, writeView } from './use-saved-views.ts'

function addressOf(projectId: string, { row, query }: SavedView): string {
  const parameters = new URLSearchParams(query)
  parameters.set(viewParameter, row.id)
  return projectPath(projectId, `?${parameters}`)
}

interface SavedViewsProps {
  readonly projectId: string
  readonly filters: Filters
  readonly savedViews: SavedViews
}

/** Shows the saved views as tabs, and the actions on the current view. */
export function ViewTabs(props: SavedViewsProps) {
  const { projectId, savedViews } = props
  const { actions, dialog } = useViewActions(props)
  const currentTab = useRef<HTMLAnchorElement>(null)
  const currentId = savedViews.current?.row.id
  useEffect(() => currentTab.current?.scrollIntoView({ block: 'nearest', inline: 'nearest' }), [currentId])
  const mainAction = actions.find(({ isMain }) => isMain)
  const otherActions = actions.filter((action) => action !== mainAction)
  return (
    <div class="saved-views">
      {savedViews.views.length > 0 && (
        <nav class="view-tabs" aria-label={t('Saved views')}>
          {savedViews.views.map((view) => (
            <a
              key={view.row.id}
              ref={view === savedViews.current ? currentTab : null}
              href={addressOf(projectId, view)}
              title={view.resource === 'projectView' ? t('Shared with the project') : t('Only for me')}
              aria-current={view === savedViews.current ? 'page' : undefined}
            >
              {view.resource === 'projectView' && <Icon name="people" />}
              <span dir="auto">{view.row.name}</span>
              {view === savedViews.current && savedViews.isChanged && (
                <span class="view-changed" role="img" aria-label={t('not as saved')} />
              )}
            </a>
          ))}
        </nav>
      )}
      {mainAction && (
        <button type="button" class="button quiet" data-tool="save-view" onClick={mainAction.run}>
          {mainAction.label}
        </button>
      )}
      {savedViews.current?.isOwn && (
        <Menu label={t('Change the view')} items={otherActions}>
          <Icon name="more" />
        </Menu>
      )}
      {dialog}
    </div>
  )
}

/** Shows the saved views and the actions as a menu, for phones. */
export function ViewMenu(props: SavedViewsProps) {
  const { projectId, savedViews } = props
  const { router } = useServices()
  const { actions, dialog } = useViewActions(props)
  const items = savedViews.views.map((view) => ({
    label: inOneLine(view.row.name, view.resource === 'projectView' && t('shared')),
    isCurrent: view === savedViews.current,
    run: () => router.go(addressOf(projectId, view)),
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
  /** True for a button next to the tabs, false for an item of the menu. */
  readonly isMain?: boolean
}

/**
 * Returns the actions: saving the state of the page as a view, and changing the current view if the user has
 * created it.
 */
function useViewActions({ projectId, filters, savedViews }: SavedViewsProps) {
  const { api, router, toasts } = useServices()
  const [editedView, setEditedView] = useState<SavedView | 'new'>()
  const remove = useRemoval()
  const { current, query, isChanged } = savedViews
  const isOwn = current?.isOwn === true
  const update = (view: SavedView) =>
    writeView(api, view, contentOf(projectId, query, filters)).catch((error) =>
      toasts.show({ kind: 'problem', text: sentenceOf(error) }),
    )
  const canUpdate = isOwn && isChanged
  const actions: readonly ViewAction[] = [
    ...(canUpdate ? [{ label: t('Update view'), isMain: true, run: () => void update(current) }] : []),
    ...(current === undefined || isChanged
      ? [
          {
            label: t('Save view'),
            isMain: !canUpdate && isWorthSaving(query),
            run: () => setEditedView('new'),
          },
        ]
      : []),
    ...(isOwn
      ? [
          { label: t('Rename view'), run: () => setEditedView(current) },
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
  const dialog = editedView && (
    <ViewDialog
      projectId={projectId}
      view={editedView === 'new' ? undefined : editedView}
      content={contentOf(projectId, query, filters)}
      onClose={() => setEditedView(undefined)}
    />
  )
  return { actions, dialog }
}
