import type { ComponentChildren } from 'preact'
import { useListing } from '../data/use-listing.ts'
import { projectPath } from '../router/router.ts'
import { useServices } from '../services/services.ts'
import { type MessageKey, t } from '../texts/text.ts'
import { Page, usePageTitle } from './page.tsx'
import { lastQueries, ProjectHeader, projectPages, ViewSwitch } from './project-page.tsx'
import { IndexLinks } from './settings-page.tsx'

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
        {isLinked ? (
          children
        ) : (
          <IntegrationFrame path={projectPath(projectId, '/settings')}>
            <h1 ref={heading} tabIndex={-1}>
              {title}
            </h1>
            {children}
          </IntegrationFrame>
        )}
      </div>
    </div>
  )
}

const settingsParts: readonly {
  readonly id: string
  readonly label: MessageKey
  readonly isExtension?: true
}[] = [
  { id: 'general', label: 'General' },
  { id: 'stages', label: 'Stages' },
  { id: 'members', label: 'Members' },
  { id: 'integrations', label: 'Integrations', isExtension: true },
  { id: 'end', label: 'Archive or remove' },
]

/** Returns the parts of the settings of a project, with their labels. */
export function useSettingsParts() {
  const { extensions } = useServices().configuration
  return settingsParts
    .filter(({ isExtension }) => extensions || !isExtension)
    .map(({ id, label }) => ({ id, label: t(label) }))
}

interface IntegrationFrameProps {
  /** The page of the settings. */
  readonly path: string
  readonly children: ComponentChildren
}

/** The pages to which the integrations in the settings lead keep the index of the settings. */
const IntegrationFrame = ({ path, children }: IntegrationFrameProps) => (
  <div class="with-index">
    <IndexLinks label={t('Settings')} parts={useSettingsParts()} path={path} current="integrations" />
    <div class="index-parts">{children}</div>
  </div>
)
