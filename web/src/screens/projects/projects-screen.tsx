import { useState } from 'preact/hooks'
import type { RecordOf } from '../../api/api.ts'
import { useListing } from '../../data/use-listing.ts'
import { useServices } from '../../services/services.ts'
import { t } from '../../texts/text.ts'
import { Icon } from '../../ui/icon.tsx'
import { MembersDialog } from '../../ui/members-dialog.tsx'
import { EmptyState, LoadProblem } from '../../ui/notes.tsx'
import { Page } from '../../ui/page.tsx'
import { SearchField } from '../../ui/search-field.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { NewProjectDialog } from './new-project-dialog.tsx'
import { ProjectRow } from './project-row.tsx'
import { RenameProjectDialog } from './rename-project-dialog.tsx'

type Project = RecordOf<'project'>

/** What stands in front of the list. */
type Front = { readonly kind: 'new' } | { readonly kind: 'rename' | 'members'; readonly project: Project }

/** More rows than this are found by searching. */
const shownMax = 100

/** The projects one may see, by organization. */
export function ProjectsScreen() {
  const { router } = useServices()
  const search = router.address.value.searchParams.get('search') ?? ''
  const [front, setFront] = useState<Front>()
  const projects = useListing('project', { search, sortColumn: 'name', pageSize: shownMax }, { live: true })
  const memberships = useListing('userProject', { sortColumn: 'projectId', pageSize: shownMax })
  const close = () => setFront(undefined)
  return (
    <Page
      title={t('Projects')}
      actions={
        <>
          <SearchField
            label={t('Search projects')}
            value={search}
            onChange={(text) => router.setQuery({ search: text })}
          />
          <button type="button" class="button primary" onClick={() => setFront({ kind: 'new' })}>
            <Icon name="plus" />
            <span>{t('New project')}</span>
          </button>
        </>
      }
    >
      {projects.problem && <LoadProblem problem={projects.problem} onRetry={projects.reload} />}
      {projects.isLoading && <Skeleton as="rows" blocks={2} rows={3} cells="text face face icon" />}
      {!projects.isLoading && projects.rows.length === 0 && !projects.problem && (
        <NoProjects search={search} />
      )}
      <ProjectGroups
        projects={projects.rows}
        // With too many memberships to load them all, no member is shown: some would look like all.
        memberships={memberships.totalCount > shownMax ? [] : memberships.rows}
        onFront={setFront}
      />
      {projects.totalCount > shownMax && (
        <p class="quiet-text">
          {t('The first {count} of {total} projects. Search to find the others.', {
            count: shownMax,
            total: projects.totalCount,
          })}
        </p>
      )}
      {front?.kind === 'new' && <NewProjectDialog onClose={close} />}
      {front?.kind === 'rename' && <RenameProjectDialog project={front.project} onClose={close} />}
      {front?.kind === 'members' && <MembersDialog project={front.project} onClose={close} />}
    </Page>
  )
}

const NoProjects = ({ search }: { readonly search: string }) =>
  search === '' ? (
    <EmptyState title={t('No projects yet')}>
      <p>{t('Create the first one, or ask a member of a project to add you to it.')}</p>
    </EmptyState>
  ) : (
    <EmptyState title={t('No project is called “{text}”', { text: search })}>
      <p>{t('Try fewer letters, or clear the search.')}</p>
    </EmptyState>
  )

interface ProjectGroupsProps {
  readonly projects: readonly Project[]
  readonly memberships: readonly RecordOf<'userProject'>[]
  onFront(front: Front): void
}

function ProjectGroups({ projects, memberships, onFront }: ProjectGroupsProps) {
  const ids = [...new Set(projects.map(({ organizationId }) => organizationId))].slice(0, shownMax)
  const organizations = useListing(
    'organization',
    ids.length === 0 ? undefined : { ids: ids.sort().join(','), sortColumn: 'name', pageSize: shownMax },
  )
  const members = Map.groupBy(memberships, ({ projectId }) => projectId)
  const groups = organizations.rows.filter(({ id }) => ids.includes(id))
  return (
    <>
      {groups.map((organization) => (
        <section key={organization.id} class="group" aria-labelledby={`organization-${organization.id}`}>
          <header class="group-header">
            <h2 id={`organization-${organization.id}`} dir="auto">
              {organization.name}
            </h2>
            {organization.description && <p class="quiet-text">{organization.description}</p>}
          </header>
          <ul class="rows">
            {projects
              .filter(({ organizationId }) => organizationId === organization.id)
              .map((project) => (
                <ProjectRow
                  key={project.id}
                  project={project}
                  memberIds={(members.get(project.id) ?? []).map(({ userId }) => userId)}
                  onRename={() => onFront({ kind: 'rename', project })}
                  onMembers={() => onFront({ kind: 'members', project })}
                />
              ))}
          </ul>
        </section>
      ))}
    </>
  )
}
