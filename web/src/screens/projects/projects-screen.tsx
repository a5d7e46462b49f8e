import { useState } from 'preact/hooks'
import type { RecordOf } from '../../api/api.ts'
import { useListing } from '../../data/use-listing.ts'
import { useRemoval, useServices } from '../../services/services.ts'
import { t, tn } from '../../texts/text.ts'
import { formatDay, today } from '../../time/days.ts'
import { formatHours } from '../../time/hours.ts'
import { organizationQuery } from '../../ui/form-fields.tsx'
import { Icon } from '../../ui/icon.tsx'
import { MembersDialog } from '../../ui/lazy.tsx'
import { HoursBar, HoursMark } from '../../ui/marks.tsx'
import { Menu } from '../../ui/menu.tsx'
import { Page, SearchField } from '../../ui/page.tsx'
import { EmptyState, LoadProblem, Skeleton } from '../../ui/page-states.tsx'
import { Faces } from '../../ui/people.tsx'
import { ProjectLetter } from '../../ui/project-switcher.tsx'
import { useOpenNewFromUrl } from '../../ui/view-controls.tsx'
import { NewProjectDialog } from './new-project-dialog.tsx'
import { type ProjectFacts, projectStates, stateOf, useProjectFacts } from './project-facts.ts'

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
      {projects.isLoading && <Skeleton as="rows" rows={6} cells="lines cell face face icon" />}
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
  if (groups.length === 0) return null
  return (
    <div class="rows">
      <Captions />
      {groups.map((organization) => (
        <section
          key={organization.id}
          class="project-group"
          aria-labelledby={`organization-${organization.id}`}
        >
          <header class="project-organization">
            <h2 id={`organization-${organization.id}`} dir="auto">
              {organization.name}
            </h2>
            {organization.description && <p class="quiet-text">{organization.description}</p>}
          </header>
          <ul>
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
    </div>
  )
}

/** Names the columns. The texts of a row say the same to assistive technology. */
function Captions() {
  const { extensions } = useServices().configuration
  return (
    <div class="project-captions" aria-hidden="true">
      <span class="project-title">{t('Project')}</span>
      <span class="project-state">{extensions && t('State')}</span>
      <span class="project-progress">{extensions && t('Progress')}</span>
      <span class="project-hours">{extensions && t('Hours')}</span>
      <span class="project-end">{extensions && t('End')}</span>
      <span class="faces">{t('Members')}</span>
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
      <ProjectLetter project={project} />
      <span class="project-title">
        <a class="row-link" dir="auto" href={`/projects/${project.id}`} title={project.name}>
          {project.name}
        </a>
        {project.key && <span class="project-key">{project.key}</span>}
        {project.isArchived && <span class="chip">{t('Archived')}</span>}
      </span>
      {configuration.extensions && <Facts {...facts} />}
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

/** Shows the facts in columns, except what needs attention, which has a line of its own. */
function Facts(facts: ProjectFacts) {
  const { work, attention } = facts
  const state = stateOf(facts)
  return (
    <>
      <span class="project-state">{state && <State {...projectStates[state]} />}</span>
      <span class="project-attention">{attention && <Attention {...attention} work={work} />}</span>
      <span class="project-progress" data-color="green">
        {work && work.total > 0 && <Progress {...work} />}
      </span>
      <span class="project-hours">
        {work && (
          <HoursMark planned={work.plannedHours} recorded={work.recordedHours} over={work.overHours} />
        )}
      </span>
      <span class="project-end">{attention?.lastEnd && <End day={attention.lastEnd} />}</span>
    </>
  )
}

const State = ({ color, label, meaning }: (typeof projectStates)[keyof typeof projectStates]) => (
  <span data-color={color} title={t(meaning)}>
    <span class="label-dot" />
    {t(label)}
  </span>
)

/** The last day of a project. */
const End = ({ day }: { readonly day: string }) => (
  <>
    <span class="visually-hidden">{t('Ends {day}', { day: formatDay(day) })}</span>
    <span aria-hidden="true" class={day < today() ? 'late' : ''}>
      {formatDay(day)}
    </span>
  </>
)

type Work = NonNullable<ProjectFacts['work']>
type AttentionProps = NonNullable<ProjectFacts['attention']> & { readonly work: Work | undefined }

/** Shows what is overdue, blocked or over the plan, and the next day on which an assignment ends, or what is missing. */
const Attention = ({ overdue, blocked, nextEnd, lastEnd, isUndated, work }: AttentionProps) => (
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
    {work && work.overHours > 0 && (
      <span class="over-plan">{t('{hours} over', { hours: formatHours(work.overHours) })}</span>
    )}
    {nextEnd && (
      <span class={nextEnd === lastEnd ? 'is-last' : ''}>
        {t('Next end {day}', { day: formatDay(nextEnd) })}
      </span>
    )}
    {isUndated && blocked === 0 && work && work.open > 0 && <span>{t('No dates')}</span>}
    {work?.total === 0 && <span>{t('No assignments')}</span>}
  </>
)

/** Shows how many assignments are done, as a text with a bar below it. */
const Progress = ({ open, total }: Work) => (
  <>
    <span>{t('{done} of {total} done', { done: total - open, total })}</span>
    <HoursBar planned={total} recorded={total - open} />
  </>
)
