import { useEffect, useRef, useState } from 'preact/hooks'
import type { Connection } from '../../api/live.ts'
import { AssignmentPanel } from '../../assignment/assignment-panel.tsx'
import { doneStageOf } from '../../assignment/assignment-values.ts'
import { NewAssignmentDialog } from '../../assignment/new-assignment.tsx'
import { useListing } from '../../data/use-listing.ts'
import { projectPath, type ScreenProps } from '../../router/router.ts'
import { useServices } from '../../services/services.ts'
import { t } from '../../texts/text.ts'
import { Icon } from '../../ui/icon.tsx'
import { MembersDialog } from '../../ui/members-dialog.tsx'
import { ConnectionMark, EmptyState } from '../../ui/notes.tsx'
import { Page, ProjectMark } from '../../ui/page.tsx'
import { useMedia } from '../../ui/place.ts'
import { BoardView, type BoardViewProps, LaterView } from './board-view.tsx'
import { parseFilters } from './filters.ts'
import { ProjectFilters } from './project-filters.tsx'
import { useCardFocus } from './use-card-focus.ts'
import { ViewSkeleton } from './view-skeleton.tsx'
import { type ProjectView, parseView, projectViews } from './views.ts'

/** A project's assignments in one of its views; an open assignment is shown next to them. */
export function ProjectScreen({ parameters: { projectId = '', assignmentId } }: ScreenProps) {
  const { router } = useServices()
  const address = router.address.value
  const project = useListing('project', { ids: projectId })
  const stages = useListing('workflow', { sortColumn: 'order', pageSize: 100 })
  const [isNewOpen, setNewOpen] = useState(false)
  const [connection, setConnection] = useState<Connection>('connecting')
  const [revealed, setRevealed] = useState<string>()
  const isNarrow = useMedia('(max-width: 900px)')
  useFocusAfterClosing(assignmentId)
  const name = project.rows[0]?.name
  const view = parseView(address.searchParams)
  const shown = {
    scope: { projectId, stages: stages.rows, doneId: doneStageOf(projectId, stages.rows) },
    filters: parseFilters(address.searchParams),
    openId: assignmentId,
    query: address.search,
    onConnection: setConnection,
    isNameLoading: project.isLoading,
    areStagesLoading: stages.isLoading,
    problem: stages.problem ?? project.problem,
    revealed,
    onReveal: setRevealed,
  }
  if (!project.isLoading && !project.problem && name === undefined) return <UnknownProject />
  return (
    <div class={`project ${assignmentId ? 'with-panel' : ''}`}>
      <div class="project-page" inert={isNarrow && assignmentId !== undefined}>
        <Page
          // The heading takes the focus when another project is opened.
          key={projectId}
          title={name ?? t('Project')}
          mark={<ProjectMark id={projectId} />}
          above={<a href="/projects">{t('Projects')}</a>}
          actions={
            !project.isLoading && (
              <ProjectActions projectId={projectId} connection={connection} onNew={() => setNewOpen(true)} />
            )
          }
        >
          <Content {...shown} name={name ?? ''} view={view} />
        </Page>
      </div>
      {assignmentId !== undefined && (
        <AssignmentPanel
          key={assignmentId}
          id={assignmentId}
          projectId={projectId}
          stages={stages.rows}
          projectName={name ?? ''}
          onClose={() => router.go(projectPath(projectId, router.address.peek().search))}
        />
      )}
      {isNewOpen && (
        <NewAssignmentDialog
          scope={shown.scope}
          onClose={() => setNewOpen(false)}
          onMade={({ id }) => setRevealed(id)}
        />
      )}
    </div>
  )
}

interface ContentProps extends BoardViewProps {
  readonly name: string
  readonly view: ProjectView
}

/**
 * Rendered once the name is known, because its number of lines changes the layout; the data is requested
 * earlier.
 */
function Content({ name, view, ...shown }: ContentProps) {
  const { isNameLoading } = shown
  useEffect(() => {
    // A failure shows when the view is drawn.
    view.load?.().catch(() => undefined)
  }, [view])
  const isBoard = view.name === 'board'
  return (
    <>
      {isNameLoading ? (
        <div class="skeleton-bar" aria-hidden="true" />
      ) : (
        <ProjectBar projectId={shown.scope.projectId} name={name} view={view} />
      )}
      {isBoard && <BoardView {...shown} />}
      {!isBoard && isNameLoading && <ViewSkeleton view={view.name} />}
      {!isBoard && !isNameLoading && <LaterView {...shown} view={view} />}
    </>
  )
}

interface ProjectBarProps {
  readonly projectId: string
  readonly name: string
  readonly view: ProjectView
}

/** Chooses the view and the filters of the assignments. */
function ProjectBar({ projectId, name, view }: ProjectBarProps) {
  const { router } = useServices()
  const [isChangingMembers, setChangingMembers] = useState(false)
  const address = router.address.value
  return (
    <div class="project-bar">
      <ViewSwitch current={view} address={address} />
      <ProjectFilters
        projectId={projectId}
        hasDays={view.name === 'board' || view.name === 'list'}
        filters={parseFilters(address.searchParams)}
        onMembers={() => setChangingMembers(true)}
        onChange={(next) => router.setQuery({ ...next })}
      />
      {isChangingMembers && (
        <MembersDialog project={{ id: projectId, name }} onClose={() => setChangingMembers(false)} />
      )}
    </div>
  )
}

const UnknownProject = () => (
  <Page title={t('Project not found')}>
    <EmptyState title={t('There is no such project, or you are not a member of it')}>
      <a href="/projects">{t('Go to the projects')}</a>
    </EmptyState>
  </Page>
)

/** Returns the focus to the card whose panel was closed. */
function useFocusAfterClosing(assignmentId: string | undefined): void {
  const last = useRef(assignmentId)
  const keepFocusOn = useCardFocus()
  useEffect(() => {
    if (assignmentId === undefined && last.current !== undefined) keepFocusOn(last.current)
    last.current = assignmentId
  }, [assignmentId])
}

export interface ProjectActionsProps {
  readonly projectId: string
  readonly connection: Connection
  onNew(): void
}

const ProjectActions = ({ projectId, connection, onNew }: ProjectActionsProps) => (
  <>
    <ConnectionMark connection={connection} />
    <a class="button page-action" href={`/projects/${projectId}/activity`}>
      <Icon name="clock" />
      <span class="page-action-name">{t('Activity')}</span>
    </a>
    <a class="button page-action" href={`/projects/${projectId}/report`}>
      <Icon name="chart" />
      <span class="page-action-name">{t('Hours')}</span>
    </a>
    <button type="button" class="button primary" onClick={onNew} aria-keyshortcuts="C">
      <Icon name="plus" />
      <span>{t('New assignment')}</span>
    </button>
  </>
)

export interface ViewSwitchProps {
  readonly current: ProjectView
  readonly address: URL
}

/** Links to the other views of the same assignments; filters and an open assignment are kept. */
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
