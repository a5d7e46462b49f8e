import type { ComponentType } from 'preact'
import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import type { Connection } from '../../api/live.ts'
import { AssignmentPanel } from '../../assignment/assignment-panel.tsx'
import { doneStagesOf } from '../../assignment/assignment-values.ts'
import { NewAssignmentDialog } from '../../assignment/lazy-new-assignment.ts'
import type { NewAssignmentDialogProps } from '../../assignment/new-assignment.tsx'
import { isPanelFull, queryWithoutPanel } from '../../assignment/panel-frame.tsx'
import { useProjectStages } from '../../data/project-stages.ts'
import { useListing } from '../../data/use-listing.ts'
import { useProjectChanges } from '../../data/use-project-changes.ts'
import { projectPath, type ScreenProps } from '../../router/router.ts'
import { useServices } from '../../services/services.ts'
import { type MessageKey, t } from '../../texts/text.ts'
import { Icon, type IconName } from '../../ui/icon.tsx'
import { MembersDialog } from '../../ui/lazy-dialog.tsx'
import { Menu } from '../../ui/menu.tsx'
import { ConnectionStatus, EmptyState, LoadProblem } from '../../ui/notes.tsx'
import { Page, ProjectMark, type ProjectMarkProps, useOpenNewFromUrl } from '../../ui/page.tsx'
import { useMedia } from '../../ui/use-media.ts'
import { BoardView, type BoardViewProps } from './board-view.tsx'
import { noFilters, parseFilters, resolveViewer } from './filters.ts'
import { ProjectFilters, useChosenOrder } from './project-filters.tsx'
import { ViewMenu, ViewTabs } from './saved-views.tsx'
import { useCardFocus } from './use-card-focus.ts'
import { type SavedViews, useSavedViews } from './use-saved-views.ts'
import { viewParameter } from './view-address.ts'
import type { ProjectViewProps, ViewName } from './view-props.ts'
import { ViewSkeleton } from './view-skeleton.tsx'

/** Shows the assignments of a project in one of its views, and an open assignment next to them. */
export const ProjectScreen = ({ parameters: { projectId = '', assignmentId } }: ScreenProps) =>
  isUuid(projectId) ? <Project projectId={projectId} assignmentId={assignmentId} /> : <UnknownProject />

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
  useProjectChanges(projectId)
  const name = project.rows[0]?.name
  const view = parseView(address.searchParams)
  const scope = { projectId, projectKey: project.rows[0]?.key, stages, doneStageIds }
  const { dialog, openDialog } = useProjectDialog(scope, name ?? '', setRevealedId)
  useOpenNewFromUrl(() => openDialog('new'))
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
  if (!project.isLoading && !project.problem && name === undefined) return <UnknownProject />
  return (
    <div class={`project ${assignmentId ? 'with-panel' : ''}`}>
      <div class="project-page" inert={assignmentId !== undefined && (isNarrow || isPanelFull(address))}>
        <Page
          // The heading takes the focus when another project is opened.
          key={projectId}
          title={name ?? t('Project')}
          isTitleLoading={project.isLoading}
          mark={markOf(projectId, project.rows[0])}
          parentLink={<a href="/projects">{t('Projects')}</a>}
          actions={
            !project.isLoading && (
              <ProjectActions
                projectId={projectId}
                connection={connection}
                onNew={() => openDialog('new')}
                onMembers={() => openDialog('members')}
              />
            )
          }
        >
          <Content {...viewProps} view={view} onMembers={() => openDialog('members')} />
        </Page>
      </div>
      {assignmentId !== undefined && (
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

const markOf = (id: string, project: ProjectMarkProps['project'] | undefined) => (
  <ProjectMark project={project ?? { id }} />
)

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

/** Returns the stages, and the ids of those that count as done, in the same set until its members change. */
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
 * Shows the bar and the view, which begins to load at once. Both are skeletons until the project's name is
 * known, because a long name would move them.
 */
function Content({ view, onMembers, ...viewProps }: ContentProps) {
  const savedViews = useSavedViews(viewProps.scope.projectId)
  useChosenOrder(viewProps.scope.projectId)
  return (
    <>
      {viewProps.isNameLoading ? (
        <div class="skeleton-bar" aria-hidden="true" />
      ) : (
        <ProjectBar scope={viewProps.scope} view={view} savedViews={savedViews} onMembers={onMembers} />
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
    // The skeleton is mounted again when the name is loaded, because its length may change the layout.
    return <ViewSkeleton key={String(props.isNameLoading)} view={view.name} />
  if ('problem' in result) return <LoadProblem problem={result.problem} onRetry={() => location.reload()} />
  return <result.Component {...props} />
}

interface ProjectBarProps extends Pick<ContentProps, 'scope' | 'view' | 'onMembers'> {
  readonly savedViews: SavedViews
}

/** Lets the user choose the view and the filters, and save them. */
function ProjectBar({ scope, view, savedViews, onMembers }: ProjectBarProps) {
  const { configuration, router } = useServices()
  const address = router.address.value
  // Unlike those of the views, these filters keep `me` as in the URL, so that a saved view suits every user.
  const filters = parseFilters(address.searchParams, configuration)
  const isPhone = useMedia('(max-width: 640px)')
  const savedViewProps = { projectId: scope.projectId, filters, savedViews }
  return (
    <div class="project-bar">
      <ViewSwitch current={view} address={address} />
      {savedViews.isAvailable && !isPhone && <ViewTabs {...savedViewProps} />}
      <ProjectFilters
        scope={scope}
        filters={filters}
        onMembers={onMembers}
        hasDays={view.name === 'board' || view.name === 'list'}
        hasOrder={view.name === 'board'}
        onChange={(next) => router.setQuery({ ...next })}
        onClear={() => router.setQuery({ ...noFilters, [viewParameter]: '' })}
      >
        {savedViews.isAvailable && isPhone && <ViewMenu {...savedViewProps} />}
      </ProjectFilters>
    </div>
  )
}

/** Returns false for a truncated or mistyped id, which the API would reject. */
const isUuid = (id: string): boolean => /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i.test(id)

const UnknownProject = () => (
  <Page title={t('Project not found')}>
    <EmptyState icon="folder" title={t('There is no such project, or you are not a member of it')}>
      <a href="/projects">{t('Go to the projects')}</a>
    </EmptyState>
  </Page>
)

/** Returns the focus to the card whose panel was closed. */
function useFocusAfterClosing(assignmentId: string | undefined): void {
  const lastId = useRef(assignmentId)
  const keepFocusOn = useCardFocus()
  useEffect(() => {
    if (assignmentId === undefined && lastId.current !== undefined) keepFocusOn(lastId.current)
    lastId.current = assignmentId
  }, [assignmentId])
}

/** The pages of the project other than this one. */
const otherPages = [
  { path: 'activity', icon: 'clock', label: 'Activity', isExtension: true },
  { path: 'report', icon: 'chart', label: 'Hours', isExtension: false },
  { path: 'settings', icon: 'gear', label: 'Settings', isExtension: false },
] as const

interface ProjectActionsProps {
  readonly projectId: string
  readonly connection: Connection
  onNew(): void
  onMembers(): void
}

/**
 * Links to the other pages, and creates assignments. On phones, a menu replaces the links. It also opens the
 * members, for whom the bar has no room there.
 */
function ProjectActions({ projectId, connection, onNew, onMembers }: ProjectActionsProps) {
  const { configuration, router } = useServices()
  const isPhone = useMedia('(max-width: 640px)')
  const shown = otherPages.filter(({ isExtension }) => configuration.extensions || !isExtension)
  const pages = shown.map((page) => ({ ...page, href: `/projects/${projectId}/${page.path}` }))
  return (
    <>
      <ConnectionStatus connection={connection} />
      {isPhone ? (
        <Menu
          label={t('More pages of the project')}
          items={[
            ...pages.map(({ label, href }) => ({ label: t(label), run: () => router.go(href) })),
            { label: t('Members…'), run: onMembers },
          ]}
        >
          <Icon name="more" />
        </Menu>
      ) : (
        pages.map(({ icon, label, href }) => (
          <a key={href} class="button quiet page-action" href={href} title={t(label)}>
            <Icon name={icon} />
            <span class="page-action-name">{t(label)}</span>
          </a>
        ))
      )}
      <button type="button" class="button primary" onClick={onNew} aria-keyshortcuts="N">
        <Icon name="plus" />
        <span>{t('New assignment')}</span>
      </button>
    </>
  )
}

interface ViewSwitchProps {
  readonly current: ProjectView
  readonly address: URL
}

/** Links to all views of the project. The links keep the filters and an open assignment. */
const ViewSwitch = ({ current, address }: ViewSwitchProps) => (
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

interface ProjectView {
  readonly name: ViewName
  readonly label: MessageKey
  readonly icon: IconName
  /** Missing for the board, whose script is always loaded. */
  readonly load?: () => Promise<ComponentType<ProjectViewProps>>
}

const projectViews: readonly ProjectView[] = [
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

const parseView = (query: URLSearchParams): ProjectView =>
  projectViews.find(({ name }) => name === query.get('view')) ?? (projectViews[0] as ProjectView)
