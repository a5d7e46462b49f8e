import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import { limits } from '#tracker-client'
import type { Api, RecordOf } from '../../api/api.ts'
import { sentenceOf } from '../../api/problems.ts'
import { useAllRows } from '../../data/use-listing.ts'
import { projectPath } from '../../router/router.ts'
import { useRemoval, useServices } from '../../services/services.ts'
import { inOneLine, t } from '../../texts/text.ts'
import { Icon } from '../../ui/icon.tsx'
import { lazyDialog } from '../../ui/lazy.tsx'
import { Menu, type MenuItem } from '../../ui/menu.tsx'
import { type Filters, filterTextOf, isWorthSaving, queryOfView, viewParameter } from './filters.ts'

/** A view of the user, or one that a member shares with the project. */
type SavedView = (
  | { readonly resource: 'savedView'; readonly row: RecordOf<'savedView'> }
  | { readonly resource: 'projectView'; readonly row: RecordOf<'projectView'> }
) & {
  /** The query of the stored address. Its path is always the path of the project. */
  readonly query: string
  /** True if the user has created the view and may change it. */
  readonly isOwn: boolean
}

export type SavedViews = ReturnType<typeof useSavedViews>

/** Returns the saved views of a project. Shared views come first. Without the extensions, there are none. */
export function useSavedViews(projectId: string) {
  const { configuration, router, session } = useServices()
  const userId = session.person.value?.id
  const isAvailable = configuration.extensions && userId !== undefined
  const shared = useAllRows('projectView', isAvailable ? { projectId, sortColumn: 'name' } : undefined)
  const personal = useAllRows('savedView', isAvailable ? { userId, sortColumn: 'name' } : undefined)
  const views = useMemo((): readonly SavedView[] => {
    const all = [
      ...shared.rows.map((row) => ({ resource: 'projectView', row }) as const),
      ...personal.rows.map((row) => ({ resource: 'savedView', row }) as const),
    ]
    return all.flatMap((view) => {
      const query = queryOfAddress(view.row.address, projectId)
      return query === undefined ? [] : [{ ...view, query, isOwn: view.row.userId === userId }]
    })
  }, [shared.rows, personal.rows, projectId, userId])
  const { searchParams } = router.address.value
  const query = queryOfView(searchParams)
  const current =
    views.find(({ row }) => row.id === searchParams.get(viewParameter)) ??
    views.find((view) => view.query === query)
  return {
    isAvailable,
    views,
    current,
    /** The query of the address, without the parameters that views do not store. */
    query,
    isChanged: current !== undefined && current.query !== query,
  }
}

/** Returns undefined if the address leads elsewhere. Other API clients may save other addresses, or none. */
function queryOfAddress(address: string | null, projectId: string): string | undefined {
  const [path, query] = (address ?? '').split('?', 2)
  return path === projectPath(projectId) ? queryOfView(new URLSearchParams(query)) : undefined
}

/** Omits the filter if it is too long. The address contains the filter as well. */
function contentOf(projectId: string, query: string, filters: Filters): ViewContent {
  const filter = filterTextOf(filters, projectId)
  return { address: projectPath(projectId, query), filter: filter.length <= limits.filter ? filter : null }
}

/** Sends the required fields and the change. Other fields stay as they are, also if someone has changed them. */
function writeView(api: Api, view: SavedView, change: ViewChange): Promise<unknown> {
  const { id, name, list, userId } = view.row
  const body = { id, name, list, userId, ...change }
  return view.resource === 'savedView'
    ? api.update('savedView', body)
    : api.update('projectView', { ...body, projectId: view.row.projectId })
}

/** The stored state of the list that a view shows. */
interface ViewContent {
  readonly address: string
  readonly filter: string | null
}

type ViewChange = Partial<Pick<RecordOf<'savedView'>, 'name' | 'address' | 'filter'>>

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

/** Shows the saved views as tabs, and a button that saves what is shown as a view. The menu has both, too. */
export function ViewTabs(props: SavedViewsProps) {
  const { projectId, savedViews } = props
  const { actions, dialog } = useViewActions(props)
  const currentTab = useRef<HTMLAnchorElement>(null)
  const currentId = savedViews.current?.row.id
  useEffect(() => currentTab.current?.scrollIntoView({ block: 'nearest', inline: 'nearest' }), [currentId])
  const mainAction = actions.find(({ isMain }) => isMain)
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
      {dialog}
    </div>
  )
}

interface ViewMenuProps extends SavedViewsProps {
  /** True where there is no room for tabs, so that the button names the current view. */
  readonly hasName: boolean
}

/** Offers the saved views and the actions on them as a menu. */
export function ViewMenu({ hasName, ...props }: ViewMenuProps) {
  const { projectId, savedViews } = props
  const shown = hasName ? savedViews.current : undefined
  const { router } = useServices()
  const { actions, dialog } = useViewActions(props)
  const items = savedViews.views.map((view) => ({
    label: inOneLine(view.row.name, view.resource === 'projectView' && t('shared')),
    isCurrent: view === savedViews.current,
    run: () => router.go(addressOf(projectId, view)),
  }))
  return (
    <>
      <Menu
        label={t('Saved views')}
        items={[...items, ...actions]}
        class={`button quiet ${shown ? 'view-menu' : 'icon-only'}`}
      >
        <Icon name="bookmark" />
        {shown && <span dir="auto">{shown.row.name}</span>}
        {shown && savedViews.isChanged && <span class="view-changed" />}
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
  const renamed = editedView === 'new' ? undefined : editedView
  const rename = async (name: string) => {
    if (renamed) await writeView(api, renamed, { name })
  }
  const dialog = editedView && (
    <ViewDialog
      projectId={projectId}
      view={renamed}
      content={contentOf(projectId, query, filters)}
      onRename={rename}
      onClose={() => setEditedView(undefined)}
    />
  )
  return { actions, dialog }
}
