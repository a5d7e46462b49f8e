import type { ComponentChildren } from 'preact'
import { useListing } from '../data/use-listing.ts'
import { projectPath } from '../router/router.ts'
import { t } from '../texts/text.ts'
import { Icon } from './icon.tsx'
import { Page, usePageTitle } from './page.tsx'
import { lastQueries, ProjectHeader, projectPages, ViewSwitch } from './project-page.tsx'

interface SubPageProps {
  readonly projectId: string
  /** The last part of the address. */
  readonly path: string
  readonly title: string
  /** Actions next to the title. */
  readonly actions?: ComponentChildren
  readonly children: ComponentChildren
}

interface ProjectSubPageProps extends Omit<SubPageProps, 'projectId'> {
  /** Undefined if the page is about all projects. */
  readonly projectId: string | undefined
}

/** The layout of a page of a project that is not a view, below the header and the views of the project. */
export const ProjectSubPage = ({ projectId, ...props }: ProjectSubPageProps) =>
  projectId === undefined ? <Page {...props} /> : <SubPage {...props} projectId={projectId} />

function SubPage({ projectId, path, title, actions, children }: SubPageProps) {
  const { rows, isLoading } = useListing('project', { ids: projectId })
  const [project] = rows
  const heading = usePageTitle(project ? `${title} · ${project.name}` : title, projectId)
  // Pages of the settings have no link of their own in the header, so their title is shown below the views.
  const isLinked = projectPages.some((page) => page.path === path)
  const lastView = new URL(projectPath(projectId, lastQueries.get(projectId) ?? ''), location.origin)
  return (
    <div class={`sub-page ${actions ? 'with-tools' : ''}`}>
      <ProjectHeader
        projectId={projectId}
        project={project}
        isLoading={isLoading}
        current={isLinked ? path : 'settings'}
      />
      <div class="page">
        <div class="sub-bar">
          <ViewSwitch address={lastView} />
          {isLinked && (
            <h1 ref={heading} tabIndex={-1} class="linked-title">
              {title}
            </h1>
          )}
          {actions}
        </div>
        {!isLinked && (
          <div class="sub-title">
            <a class="back-link" href={projectPath(projectId, '/settings')}>
              <Icon name="left" />
              {t('Settings')}
            </a>
            <h1 ref={heading} tabIndex={-1}>
              {title}
            </h1>
          </div>
        )}
        {children}
      </div>
    </div>
  )
}
