import { useState } from 'preact/hooks'
import { TrackerError } from '#tracker-client'
import type { RecordOf } from '../../api/api.ts'
import { withFieldLabel } from '../../api/problems.ts'
import { organizationQuery, useListing } from '../../data/use-listing.ts'
import { NameField, reject, TextField } from '../../forms/fields.tsx'
import { Form, useForm } from '../../forms/form.tsx'
import { useRemoval, useServices } from '../../services/services.ts'
import { t, tn } from '../../texts/text.ts'
import { formatDay } from '../../time/days.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { newOrganizationId, OrganizationField } from '../../ui/form-fields.tsx'
import { Icon } from '../../ui/icon.tsx'
import { MembersDialog } from '../../ui/lazy.tsx'
import { HoursMark, hueOf } from '../../ui/marks.tsx'
import { Menu } from '../../ui/menu.tsx'
import { Page, ProjectMark, SearchField, useOpenNewFromUrl } from '../../ui/page.tsx'
import { EmptyState, LoadProblem, Skeleton } from '../../ui/page-states.tsx'
import { Faces } from '../../ui/people.tsx'
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
          <span class="project-hours" data-color="blue">
            {facts.work && <Hours {...facts.work} />}
          </span>
        </>
      )}
      <span class="project-progress" data-color={project.color ?? hueOf(project.id)}>
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
      {t('{done} of {total} done', { done: total - open, total })}
      <ShareBar share={1 - open / total} />
    </>
  )

/** Shows the planned and recorded hours, with a bar if some are recorded. Hours over the plan are amber in it. */
const Hours = ({ plannedHours, recordedHours }: Work) => (
  <>
    <HoursMark planned={plannedHours} recorded={recordedHours} />
    {plannedHours > 0 && recordedHours > 0 && (
      <ShareBar
        share={Math.min(plannedHours, recordedHours) / Math.max(plannedHours, recordedHours)}
        isOver={recordedHours > plannedHours}
      />
    )}
  </>
)

interface ShareBarProps {
  readonly share: number
  readonly isOver?: boolean
}

const ShareBar = ({ share, isOver = false }: ShareBarProps) => (
  <svg
    class={`share-bar ${isOver ? 'over' : ''}`}
    viewBox="0 0 100 4"
    preserveAspectRatio="none"
    aria-hidden="true"
  >
    <rect class="mark-rest" width="100" height="4" />
    <rect class="mark-disc" width={100 * share} height="4" />
  </svg>
)

/** Creates a project, and its organization if it is new. */
function NewProjectDialog({ onClose }: { onClose(): void }) {
  const { api, router } = useServices()
  const form = useForm({
    draft: 'new-project',
    initial: { name: '', organizationId: '', organizationName: '' },
    async submit({ name, organizationId, organizationName }) {
      const id =
        organizationId === newOrganizationId ? await createOrganization(organizationName) : organizationId
      const project = await api.create('project', { name, organizationId: id })
      router.go(`/projects/${project.id}`)
    },
  })
  /**
   * Creates the organization and selects it, so that a retry after an error in the project does not create it
   * again.
   */
  const createOrganization = async (name: string) => {
    const { id } = await api.create('organization', { name }).catch((error) => {
      const messages = error instanceof TrackerError ? error.errors.name : undefined
      if (messages === undefined) throw error
      const label = t('Name of the new organization')
      return reject({ organizationName: messages.map((message) => withFieldLabel(label, 'name', message)) })
    })
    form.set('organizationId', id)
    return id
  }
  return (
    <Dialog title={t('New project')} onClose={onClose}>
      <Form form={form} submitLabel={t('Create project')} onCancel={onClose} onDone={onClose}>
        <NameField form={form} />
        <OrganizationField form={form} required onNew={(name) => form.set('organizationName', name)} />
        {form.values.value.organizationId === newOrganizationId && (
          <TextField form={form} name="organizationName" label={t('Name of the new organization')} required />
        )}
      </Form>
    </Dialog>
  )
}
