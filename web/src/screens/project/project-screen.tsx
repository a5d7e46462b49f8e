import type { ComponentChildren, ComponentType } from 'preact'
import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import type { ResourceName } from '../../api/api.ts'
import type { Connection } from '../../api/live.ts'
import { isOutage } from '../../api/problems.ts'
import { AssignmentPanel } from '../../assignment/assignment-panel.tsx'
import { doneStagesOf } from '../../assignment/assignment-values.ts'
import { NewAssignmentDialog } from '../../assignment/lazy-new-assignment.ts'
import type { NewAssignmentDialogProps } from '../../assignment/new-assignment.tsx'
import { isPanelFull, queryWithoutPanel } from '../../assignment/panel-frame.tsx'
import { useProjectStages } from '../../data/project-stages.ts'
import { useListing } from '../../data/use-listing.ts'
import { panelResources, useProjectChanges } from '../../data/use-project-changes.ts'
import { projectPath, type ScreenProps } from '../../router/router.ts'
import { useServices } from '../../services/services.ts'
import { t } from '../../texts/text.ts'
import { MembersDialog } from '../../ui/lazy.tsx'
import { Page, useRootClass } from '../../ui/page.tsx'
import { EmptyState, LoadProblem } from '../../ui/page-states.tsx'
import { lastQueries, ProjectHeader, type ViewName, ViewSwitch } from '../../ui/project-page.tsx'
import { useMedia } from '../../ui/viewport.ts'
import { BoardView, type BoardViewProps } from './board-view.tsx'
import { noFilters, parseFilters, resolveViewer, viewParameter } from './filters.ts'
import { narrowBar, ProjectFilters, useChosenOrder } from './project-filters.tsx'
import { type ProjectViewProps, ViewSkeleton } from './project-view.tsx'
import { type SavedViews, useSavedViews, ViewMenu, ViewTabs } from './saved-views.tsx'
import { shownList } from './shown-list.ts'
import { useCardFocus } from './use-card-focus.ts'

/** Shows the assignments of a project in a view, and an open assignment next to them. */
export const ProjectScreen = ({ parameters: { projectId = '', assignmentId } }: ScreenProps) =>
  isUuid(projectId) ? <Project projectId={projectId} assignmentId={assignmentId} /> : <UnknownProject />

/** The resources whose lists on a project page follow the changes of other users. */
const followedResources: readonly ResourceName[] = ['assignment', 'projectView', ...panelResources]

interface ProjectProps {
  readonly projectId: string
  readonly assignmentId: string | undefined
}

function Project({ projectId, assignmentId }: ProjectProps) {
  const { configuration, router, session } = useServices()
  const address = router.address.value
  const project = useListing('project', { ids: projectId })
  const { stages, doneStageIds, ...stagesState } = useStages(projectId)
  const [connection, setConnection] = useState<Connection>('connecting')
  const [revealedId, setRevealedId] = useState<string>()
  const isNarrow = useMedia('(max-width: 900px)')
  useFocusAfterClosing(assignmentId)
  useProjectChanges(projectId, followedResources)
  const name = project.rows[0]?.name
  const view = parseView(address.searchParams)
  const scope = { projectId, projectKey: project.rows[0]?.key, stages, doneStageIds }
  const { dialog, openDialog } = useProjectDialog(scope, name ?? '', setRevealedId)
  const viewProps = {
    scope,
    filters: resolveViewer(parseFilters(address.searchParams, configuration), session.person.value?.id),
    openId: assignmentId,
    query: queryWithoutPanel(address),
    onConnection: setConnection,
    isNameLoading: project.isLoading,
    areStagesLoading: stagesState.isLoading,
    problem: stagesState.problem ?? project.problem,
    revealedId,
    onReveal: setRevealedId,
  }
  useEffect(() => {
    lastQueries.set(projectId, viewProps.query)
  }, [projectId, viewProps.query])
  const replacement = replacementOf(project, assignmentId !== undefined)
  // Without a network, the panel shows what is known of its assignment, whether or not the project was opened.
  const hasPanel = assignmentId !== undefined && (!replacement || project.problem !== undefined)
  useRootClass('has-project', !replacement)
  usePanelClass(hasPanel, address)
  return (
    <div class={`project ${hasPanel ? 'with-panel' : ''}`}>
      <div class={replacement ? '' : 'project-page'} inert={hasPanel && (isNarrow || isPanelFull(address))}>
        {replacement ?? (
          <div class="page" key={projectId}>
            <ProjectHeader
              projectId={projectId}
              project={project.rows[0]}
              isLoading={project.isLoading}
              connection={connection}
              addressEnd={view.name === 'board' ? '' : `?view=${view.name}`}
              onNew={() => openDialog('new')}
            />
            <Content {...viewProps} view={view} onMembers={() => openDialog('members')} />
          </div>
        )}
      </div>
      {hasPanel && (
        <AssignmentPanel
          key={assignmentId}
          id={assignmentId}
          projectId={projectId}
          stages={stages}
          projectName={name ?? ''}
          projectKey={project.rows[0]?.key}
          onClose={() => router.close(projectPath(projectId, queryWithoutPanel(router.address.peek())))}
        />
      )}
      {dialog}
    </div>
  )
}

/** Messages are next to an open panel, unless it takes the whole page. */
function usePanelClass(hasPanel: boolean, address: URL): void {
  useRootClass('has-panel', hasPanel && !isPanelFull(address))
}

function useProjectDialog(
  scope: NewAssignmentDialogProps['scope'],
  projectName: string,
  onReveal: (assignmentId: string) => void,
) {
  const [kind, setKind] = useState<'new' | 'members'>()
  const close = () => setKind(undefined)
  const dialog =
    kind === 'new' ? (
      <NewAssignmentDialog scope={scope} onClose={close} onCreated={({ id }) => onReveal(id)} />
    ) : kind === 'members' ? (
      <MembersDialog project={{ id: scope.projectId, name: projectName }} onClose={close} />
    ) : null
  return { dialog, openDialog: setKind }
}

/** Returns the stages, and the ids of done stages in a set that stays the same until its members change. */
function useStages(projectId: string) {
  const loaded = useProjectStages(projectId)
  const doneStageIds = doneStagesOf(projectId, loaded.stages)
  return { ...loaded, doneStageIds: useMemo(() => doneStageIds, [[...doneStageIds].join(' ')]) }
}

interface ContentProps extends BoardViewProps {
  readonly view: ProjectView
  onMembers(): void
}

/**
 * Shows the bar and the view. The view begins to load at once. Both are skeletons until the name of the
 * project is known, because a long name would move them.
 */
function Content({ view, onMembers, ...viewProps }: ContentProps) {
  const savedViews = useSavedViews(viewProps.scope.projectId)
  useChosenOrder(viewProps.scope.projectId)
  return (
    <>
      {viewProps.isNameLoading ? (
        <div class="skeleton-bar" aria-hidden="true" />
      ) : (
        <ProjectBar
          scope={viewProps.scope}
          view={view}
          openId={viewProps.openId}
          savedViews={savedViews}
          onMembers={onMembers}
        />
      )}
      {view.name === 'board' ? <BoardView {...viewProps} /> : <LazyView {...viewProps} view={view} />}
    </>
  )
}

type LoadResult =
  | { readonly view: ProjectView; readonly Component: ComponentType<ProjectViewProps> }
  | { readonly view: ProjectView; readonly problem: Error }

/** Renders a view whose script is loaded when it is first used. */
function LazyView({ view, ...props }: ProjectViewProps & { readonly view: ProjectView }) {
  const [result, setResult] = useState<LoadResult>()
  useEffect(() => {
    let isCurrent = true
    view.load?.().then(
      (Component) => isCurrent && setResult({ view, Component }),
      (problem: Error) => isCurrent && setResult({ view, problem }),
    )
    return () => {
      isCurrent = false
    }
  }, [view])
  if (result?.view !== view)
    // When the name is loaded, the key makes a new element: a long name may change the layout, and an element
    // that moves would count as a layout shift.
    return <ViewSkeleton key={String(props.isNameLoading)} view={view.name} />
  if ('problem' in result) return <LoadProblem problem={result.problem} onRetry={() => location.reload()} />
  return <result.Component {...props} />
}

interface ProjectBarProps extends Pick<ContentProps, 'scope' | 'view' | 'openId' | 'onMembers'> {
  readonly savedViews: SavedViews
}

/** Lets the user choose the view and the filters, and save them. */
function ProjectBar({ scope, view, openId, savedViews, onMembers }: ProjectBarProps) {
  const { configuration, router } = useServices()
  const address = router.address.value
  // Unlike the filters of the views, these keep `me` as in the URL, so that a saved view suits every user.
  const filters = parseFilters(address.searchParams, configuration)
  const isNarrow = useMedia(narrowBar)
  const savedViewProps = { projectId: scope.projectId, filters, savedViews }
  const hasChips = Object.entries(filters).some(([name, value]) => name !== 'search' && value !== '')
  return (
    <div class={`project-bar ${hasChips || savedViews.current ? 'crowded' : ''}`}>
      <ViewSwitch current={view.name} address={address} />
      {savedViews.isAvailable && !isNarrow && <ViewTabs {...savedViewProps} />}
      <ListCount />
      <ProjectFilters
        scope={scope}
        filters={filters}
        onMembers={onMembers}
        hasDays={view.name === 'board' || view.name === 'list'}
        hasOrder={view.name === 'board'}
        hasColumns={view.name === 'list'}
        isBesidePanel={openId !== undefined}
        onChange={(next) => router.setQuery({ ...next })}
        onClear={() => router.setQuery({ ...noFilters, [viewParameter]: '' })}
      >
        {savedViews.isAvailable && <ViewMenu {...savedViewProps} hasName={isNarrow} />}
      </ProjectFilters>
    </div>
  )
}

/** Shows the count and the hours of the list. Style sheets hide it where there is no room. */
const ListCount = () =>
  shownList.value && <span class="quiet-text shown-count">{shownList.value.countText}</span>

/** Returns false for a malformed id, which the API would reject. */
const isUuid = (id: string): boolean => /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i.test(id)

const UnknownProject = () => (
  <Page title={t('Project not found')}>
    <EmptyState icon="folder" title={t('There is no such project, or you are not a member of it')}>
      <a href="/projects">{t('Go to the projects')}</a>
    </EmptyState>
  </Page>
)

/** Returns what is shown instead of a project that is unknown, or not available without a network. */
function replacementOf(
  { rows, isLoading, problem, reload }: ReturnType<typeof useListing<'project'>>,
  isBehindPanel: boolean,
) {
  if (isLoading || rows.length > 0) return undefined
  if (!problem) return <UnknownProject />
  return isOutage(problem) ? (
    <UnseenProject>{!isBehindPanel && <LoadProblem problem={problem} onRetry={reload} />}</UnseenProject>
  ) : undefined
}

/** An open panel says itself that the server cannot be reached. */
function UnseenProject({ children }: { readonly children: ComponentChildren }) {
  const { shownFrom } = useServices().lastSeen
  // The bar would say that the page shows older data.
  useEffect(() => {
    shownFrom.value = undefined
  }, [shownFrom.value])
  return <Page title={t('Offline')}>{children}</Page>
}

/** Returns the focus to the card whose panel was closed. */
function useFocusAfterClosing(assignmentId: string | undefined): void {
  const lastId = useRef(assignmentId)
  const keepFocusOn = useCardFocus()
  useEffect(() => {
    if (assignmentId === undefined && lastId.current !== undefined) keepFocusOn(lastId.current)
    lastId.current = assignmentId
  }, [assignmentId])
}

interface ProjectView {
  readonly name: ViewName
  /** Missing for the board, whose script is always loaded. */
  readonly load?: () => Promise<ComponentType<ProjectViewProps>>
}

const views: readonly ProjectView[] = [
  { name: 'board' },
  { name: 'list', load: async () => (await import('./list/list-view.tsx')).ListView },
  { name: 'calendar', load: async () => (await import('./calendar/calendar-view.tsx')).CalendarView },
  { name: 'timeline', load: async () => (await import('./timeline/timeline-view.tsx')).TimelineView },
]

const parseView = (query: URLSearchParams): ProjectView =>
  views.find(({ name }) => name === query.get('view')) ?? (views[0] as ProjectView)
