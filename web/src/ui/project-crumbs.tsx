import { useListing } from '../data/use-listing.ts'
import { projectPath } from '../router/addresses.ts'
import { t } from '../texts/text.ts'
import { ProjectMark } from './project-mark.tsx'

/** The way from all projects to this one, for what stands below it. */
export function ProjectCrumbs({ projectId }: { readonly projectId: string }) {
  const project = useListing('project', { ids: projectId })
  return (
    <>
      <a href="/projects">{t('Projects')}</a> <span aria-hidden="true">/</span> <ProjectMark id={projectId} />{' '}
      <a href={projectPath(projectId)} dir="auto">
        {project.rows[0]?.name ?? t('Project')}
      </a>
    </>
  )
}
