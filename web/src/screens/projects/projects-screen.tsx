import { useState } from 'preact/hooks'
import type { RecordOf } from '../../api/api.ts'
import { organizationQuery, useListing } from '../../data/use-listing.ts'
import { useRemoval, useServices } from '../../services/services.ts'
import { t, tn } from '../../texts/text.ts'
import { formatDay } from '../../time/days.ts'
import { Icon } from '../../ui/icon.tsx'
import { MembersDialog } from '../../ui/lazy.tsx'
import { HoursMark, ShareBar } from '../../ui/marks.tsx'
import { Menu } from '../../ui/menu.tsx'
import { Page, ProjectMark, SearchField, useOpenNewFromUrl } from '../../ui/page.tsx'
import { EmptyState, LoadProblem, Skeleton } from '../../ui/page-states.tsx'
import { Faces } from '../../ui/people.tsx'
import { NewProjectDialog } from './new-project-dialog.tsx'
import { type ProjectFacts, useProjectFacts } from './project-facts.ts'

type Project = RecordOf<'project'>

/** The dialog in front of the list. */
type OpenDialog = { readonly kind: 'new' } | { readonly kind: 'members'; readonly project: Project }

/** Only this many rows are loaded. Users search for others. */
const rowsMax = 100

/** Lists the user's projects by organization. */
export function ProjectsScreen() {
  const { router } = useServices()
  const search = router.address.value.searchParams.get('search') ?? ''
  const [dialog, setDialog] = useState<OpenDialog>()
  const projects = useListing('project', { search, sortColumn: 'name', pageSize: rowsMax }, { live: true })
  const memberships = useListing('userProject', { sortColumn: 'projectId', pageSize: rowsMax })
  useOpenNewFromUrl(() => setDialog({ kind: 'new' }))
  const close = () => setDialog(undefined)
  const showsArchived = router.address.value.searchParams.get('archived') === 'show'
  const archivedCount = projects.rows.filter(({ isArchived }) => isArchived).length
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
          <button type="button" class="button primary" onClick={() => setDialog({ kind: 'new' })}>
            <Icon name="plus" />
            <span>{t('New project')}</span>
          </button>
        </>
      }
    >
      {projects.problem && <LoadProblem problem={projects.problem} onRetry={projects.reload} />}
      {projects.isLoading && <Skeleton as="rows" blocks={2} rows={3} cells="lines cell face face icon" />}
      {!projects.isLoading && projects.rows.length === 0 && !projects.problem && (
        <NoProjects search={search} />
      )}
      <ProjectGroups
        projects={showsArchived || search !== '' ? projects.rows : projects.rows.filter(isInUse)}
        // If there are too many memberships to load, none are shown, because an incomplete list of members
        // would look complete.
        memberships={memberships.totalCount > rowsMax ? [] : memberships.rows}
        onOpenDialog={setDialog}
      />
      {archivedCount > 0 && search === '' && (
        <label class="filter-day">
          <input
            type="checkbox"
            checked={showsArchived}
            onChange={({ currentTarget }) =>
              router.setQuery({ archived: currentTarget.checked ? 'show' : '' })
            }
          />
          {tn(archivedCount, 'Show 1 archived project', 'Show {count} archived projects')}
        </label>
      )}
      {projects.totalCount > rowsMax && (
        <p class="quiet-text">
          {t('The first {count} of {total} projects. Search to find the others.', {
            count: rowsMax,
            total: projects.totalCount,
          })}
        </p>
      )}
      {dialog?.kind === 'new' && <NewProjectDialog onClose={close} />}
      {dialog?.kind === 'members' && <MembersDialog project={dialog.project} onClose={close} />}
    </Page>
  )
}

const isInUse = ({ isArchived }: Project): boolean => !isArchived

const NoProjects = ({ search }: { readonly search: string }) =>
  search === '' ? (
    <EmptyState icon="folder" title={t('No projects yet')}>
      <p>{t('Create the first one, or ask a member of a project to add you to it.')}</p>
    </EmptyState>
  ) : (
    <EmptyState icon="folder" title={t('No project is called “{text}”', { text: search })}>
      <p>{t('Try fewer letters, or clear the search.')}</p>
    </EmptyState>
  )

interface ProjectGroupsProps {
  readonly projects: readonly Project[]
  readonly memberships: readonly RecordOf<'userProject'>[]
  onOpenDialog(dialog: OpenDialog): void
}

function ProjectGroups({ projects, memberships, onOpenDialog }: ProjectGroupsProps) {
  const organizations = useListing('organization', organizationQuery(projects))
  const members = Map.groupBy(memberships, ({ projectId }) => projectId)
  const factsOf = useProjectFacts()
  const groups = organizations.rows.filter(({ id }) =>
    projects.some((project) => project.organizationId === id),
  )
  return (
    <>
      {groups.map((organization, index) => (
        <section key={organization.id} class="group" aria-labelledby={`organization-${organization.id}`}>
          <header class="group-header">
            <h2 id={`organization-${organization.id}`} dir="auto">
              {organization.name}
            </h2>
            {organization.description && <p class="quiet-text">{organization.description}</p>}
            {index === 0 && <Captions />}
          </header>
          <ul class="rows">
            {projects
              .filter(({ organizationId }) => organizationId === organization.id)
              .map((project) => (
                <ProjectRow
                  key={project.id}
                  project={project}
                  facts={factsOf?.(project.id)}
                  memberIds={(members.get(project.id) ?? []).map(({ userId }) => userId)}
                  onMembers={() => onOpenDialog({ kind: 'members', project })}
                />
              ))}
          </ul>
        </section>
      ))}
    </>
  )
}

/** Names the columns once, above the first list. The texts of a row say the same to assistive technology. */
function Captions() {
  const { extensions } = useServices().configuration
  return (
    <div class="project-captions" aria-hidden="true">
      <span>{t('Progress')}</span>
      <span>{extensions && t('Hours')}</span>
      <span>{t('Members')}</span>
    </div>
  )
}

interface ProjectRowProps {
  readonly project: Project
  /** Undefined until they are loaded. */
  readonly facts: ProjectFacts | undefined
  readonly memberIds: readonly string[]
  onMembers(): void
}

function ProjectRow({ project, facts = {}, memberIds, onMembers }: ProjectRowProps) {
  const { configuration, router } = useServices()
  const remove = useRemoval()
  return (
    <li class="row whole-row project-row">
      <ProjectMark project={project} />
      <span class="project-title">
        <a class="row-link" dir="auto" href={`/projects/${project.id}`}>
          {project.name}
        </a>
        {project.key && <span class="project-key">{project.key}</span>}
        {project.isArchived && <span class="chip">{t('Archived')}</span>}
      </span>
      {configuration.extensions && (
        <>
          <span class="project-attention">{facts.attention && <Attention {...facts.attention} />}</span>
          <span class="project-hours">
            {facts.work && (
              <HoursMark planned={facts.work.plannedHours} recorded={facts.work.recordedHours} />
            )}
          </span>
        </>
      )}
      <span class="project-progress" data-color="green">
        {facts.work && <Progress {...facts.work} />}
      </span>
      {/* A person may have two memberships. */}
      <Faces ids={[...new Set(memberIds)]} />
      <Menu
        label={t('Actions for {name}', { name: project.name })}
        items={[
          { label: t('Members…'), run: onMembers },
          { label: t('Settings…'), run: () => router.go(`/projects/${project.id}/settings`) },
          { label: t('Remove'), kind: 'danger', run: () => void remove('project', project.id, project.name) },
        ]}
      >
        <Icon name="more" />
      </Menu>
    </li>
  )
}

/** Shows what is overdue or blocked, and the next day on which an assignment ends. */
const Attention = ({ overdue, blocked, nextEnd }: NonNullable<ProjectFacts['attention']>) => (
  <>
    {overdue > 0 && (
      <span class="late">
        <Icon name="clock" /> {t('{count} overdue', { count: overdue })}
      </span>
    )}
    {blocked > 0 && (
      <span class="blocked">
        <Icon name="warning" /> {tn(blocked, '1 blocked', '{count} blocked')}
      </span>
    )}
    {nextEnd && <span>{t('Next end {day}', { day: formatDay(nextEnd) })}</span>}
    {overdue + blocked === 0 && !nextEnd && <span>{t('No dates')}</span>}
  </>
)

type Work = NonNullable<ProjectFacts['work']>

/** Shows how many assignments are done, as a text with a bar below it. */
const Progress = ({ open, total }: Work) =>
  total === 0 ? (
    t('No assignments')
  ) : (
    <>
      <span class="project-done">{t('{done} of {total} done', { done: total - open, total })}</span>
      <span class="project-share" aria-hidden="true">
        {total - open}/{total}
      </span>
      <ShareBar share={1 - open / total} />
    </>
  )
