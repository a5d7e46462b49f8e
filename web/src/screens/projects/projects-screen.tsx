import { useState } from 'preact/hooks'
import { TrackerError } from '#tracker-client'
import type { RecordOf } from '../../api/api.ts'
import { catalogQuery, useListing } from '../../data/use-listing.ts'
import { NameField, SelectField } from '../../forms/fields.tsx'
import { Form } from '../../forms/form.tsx'
import { useForm } from '../../forms/use-form.ts'
import { useServices } from '../../services/services.ts'
import { t } from '../../texts/text.ts'
import { PersonAvatar } from '../../ui/avatar.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Icon } from '../../ui/icon.tsx'
import { MembersDialog } from '../../ui/members-dialog.tsx'
import { Menu } from '../../ui/menu.tsx'
import { EmptyState, LoadProblem } from '../../ui/notes.tsx'
import { Page, ProjectMark } from '../../ui/page.tsx'
import { SearchField } from '../../ui/search-field.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { useRemoval } from '../../ui/use-removal.ts'

type Project = RecordOf<'project'>

/** The dialog in front of the list. */
type Front = { readonly kind: 'new' } | { readonly kind: 'rename' | 'members'; readonly project: Project }

/** More rows than this are found by searching. */
const listedMax = 100

/** The user's projects, by organization. */
export function ProjectsScreen() {
  const { router } = useServices()
  const search = router.address.value.searchParams.get('search') ?? ''
  const [front, setFront] = useState<Front>()
  const projects = useListing('project', { search, sortColumn: 'name', pageSize: listedMax }, { live: true })
  const memberships = useListing('userProject', { sortColumn: 'projectId', pageSize: listedMax })
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
        // No members are shown when there are too many to load: a part of them would look complete.
        memberships={memberships.totalCount > listedMax ? [] : memberships.rows}
        onFront={setFront}
      />
      {projects.totalCount > listedMax && (
        <p class="quiet-text">
          {t('The first {count} of {total} projects. Search to find the others.', {
            count: listedMax,
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
  const ids = [...new Set(projects.map(({ organizationId }) => organizationId))].slice(0, listedMax)
  const organizations = useListing(
    'organization',
    ids.length === 0 ? undefined : { ids: ids.sort().join(','), sortColumn: 'name', pageSize: listedMax },
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

function NewProjectDialog({ onClose }: { onClose(): void }) {
  const { api, router, session } = useServices()
  const organizations = useListing('organization', catalogQuery)
  const form = useForm({
    draft: 'new-project',
    initial: { name: '', organizationId: '' },
    async submit(values) {
      const project = await api.create('project', values)
      router.go(`/projects/${project.id}`)
    },
  })
  const hasNone = !organizations.isLoading && organizations.rows.length === 0
  return (
    <Dialog title={t('New project')} onClose={onClose}>
      {hasNone && (
        <p class="form-note">
          {t('A project belongs to an organization, and there is none yet.')}{' '}
          {session.person.value?.isAdministrator
            ? t('Create one first.')
            : t('Ask an administrator to create one.')}
        </p>
      )}
      <Form form={form} submitLabel={t('Create project')} onCancel={onClose} onDone={onClose}>
        <NameField form={form} />
        <SelectField
          form={form}
          name="organizationId"
          label={t('Organization')}
          hint={
            session.person.value?.isAdministrator
              ? t('New organizations are created under Admin, Organizations.')
              : t('Administrators create new organizations.')
          }
          required
          choices={organizations.rows}
        />
      </Form>
    </Dialog>
  )
}

export interface ProjectRowProps {
  readonly project: RecordOf<'project'>
  readonly memberIds: readonly string[]
  onRename(): void
  onMembers(): void
}

/** Further members are shown as a number. */
const facesMax = 5

function ProjectRow({ project, memberIds, onRename, onMembers }: ProjectRowProps) {
  const remove = useRemoval()
  // A person may have two memberships.
  const members = [...new Set(memberIds)]
  const faces = members.slice(0, facesMax)
  return (
    <li class="row project-row">
      <ProjectMark id={project.id} />
      <a class="row-link" dir="auto" href={`/projects/${project.id}`}>
        {project.name}
      </a>
      <span class="faces">
        {faces.map((id) => (
          <PersonAvatar key={id} id={id} />
        ))}
        {members.length > facesMax && <span class="quiet-text">+{members.length - facesMax}</span>}
      </span>
      <Menu
        label={t('Actions for {name}', { name: project.name })}
        items={[
          { label: t('Members…'), run: onMembers },
          { label: t('Rename…'), run: onRename },
          { label: t('Remove'), kind: 'danger', run: () => void remove('project', project.id, project.name) },
        ]}
      >
        <Icon name="more" />
      </Menu>
    </li>
  )
}

/** The timestamp that the API compares: of the last change, or of the creation. */
const versionOf = ({ updatedAt, createdAt }: Project): string => updatedAt ?? createdAt

/** Changes a project based on its state when the dialog opened; a change made meanwhile is shown, not overwritten. */
function RenameProjectDialog({ project, onClose }: { readonly project: Project; onClose(): void }) {
  const { api, toasts } = useServices()
  const [base] = useState(project)
  const [theirs, setTheirs] = useState<Project>()
  const organizations = useListing('organization', catalogQuery)
  const form = useForm({
    draft: `project-${project.id}`,
    initial: { name: project.name, organizationId: project.organizationId },
    async submit(values) {
      try {
        await api.update('project', { id: project.id, ...values, expectedVersion: versionOf(theirs ?? base) })
        toasts.show({ kind: 'done', text: t('{name} was saved.', { name: values.name }) })
      } catch (error) {
        if (!(error instanceof TrackerError && error.status === 409)) throw error
        const now = await api.get('project', project.id)
        if (versionOf(now) === versionOf(theirs ?? base)) throw error
        setTheirs(now)
        throw new TrackerError(409, t('Someone else has changed this project in the meantime.'))
      }
    },
  })
  const keepTheirs = () => {
    form.discard()
    onClose()
  }
  return (
    <Dialog title={t('Rename project')} onClose={onClose}>
      {theirs && <Conflict theirs={theirs} mine={form.values.value.name} onKeepTheirs={keepTheirs} />}
      <Form
        form={form}
        submitLabel={theirs ? t('Save mine anyway') : t('Save')}
        onCancel={onClose}
        onDone={onClose}
      >
        <NameField form={form} />
        <SelectField
          form={form}
          name="organizationId"
          label={t('Organization')}
          required
          choices={organizations.rows}
        />
      </Form>
    </Dialog>
  )
}

interface ConflictProps {
  readonly theirs: Project
  readonly mine: string
  onKeepTheirs(): void
}

const Conflict = ({ theirs, mine, onKeepTheirs }: ConflictProps) => (
  <div class="conflict">
    <dl class="facts">
      <dt>{t('Theirs')}</dt>
      <dd dir="auto">{theirs.name}</dd>
      <dt>{t('Yours')}</dt>
      <dd dir="auto">{mine}</dd>
    </dl>
    <button type="button" class="button" onClick={onKeepTheirs}>
      {t('Keep theirs')}
    </button>
  </div>
)
