import { useState } from 'preact/hooks'
import { useLoaded } from '../../data/use-loaded.ts'
import { useServices } from '../../services/services.ts'
import { isolated, t } from '../../texts/text.ts'
import { showAge } from '../../time/days.ts'
import { Icon } from '../../ui/icon.tsx'
import { EmptyState, LoadProblem } from '../../ui/notes.tsx'
import { Page } from '../../ui/page.tsx'
import { ProjectMark } from '../../ui/project-mark.tsx'
import { SearchField } from '../../ui/search-field.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { useRemoval } from '../../ui/use-removal.ts'
import { ImpedimentDialog } from './impediment-dialog.tsx'
import { type ImpedimentRow, loadImpediments } from './load-impediments.ts'

/** As they stand in the address. */
interface Filters {
  readonly search: string
  readonly projectId: string
  readonly isEverybody: boolean
}

/** What stands in the way of one's assignments, or of everybody's in one's projects. */
export function ImpedimentsScreen() {
  const { api, people, router, session } = useServices()
  const person = session.person.value
  const query = router.address.value.searchParams
  const filters = {
    search: query.get('search') ?? '',
    projectId: query.get('projectId') ?? '',
    isEverybody: query.get('whose') === 'all',
  }
  const [front, setFront] = useState<{ readonly row: ImpedimentRow | undefined }>()
  const { value, problem, reload } = useLoaded(
    person?.id ?? '',
    ['assignmentImpediment', 'impediment'],
    async (signal) => {
      const found = await loadImpediments(api, person?.id ?? '', signal)
      await people.known(found.rows.map(({ assignment }) => assignment.userId))
      return found
    },
  )
  const shown = value?.rows.filter((row) => fits(row, filters)) ?? []
  return (
    <Page
      title={t('Impediments')}
      actions={
        <button type="button" class="button primary" onClick={() => setFront({ row: undefined })}>
          <Icon name="plus" />
          <span>{t('New impediment')}</span>
        </button>
      }
    >
      <ImpedimentFilters filters={filters} projects={value?.projects ?? []} />
      {problem && <LoadProblem problem={problem} onRetry={reload} />}
      {value === undefined && !problem && <Skeleton as="rows" rows={4} cells="icon lines icon button" />}
      {value !== undefined && shown.length === 0 && (
        <Nothing filters={filters} hasAny={value.rows.length > 0} />
      )}
      <ul class="rows">
        {shown.map((row) => (
          <ImpedimentLine key={row.link.id} row={row} onChange={() => setFront({ row })} />
        ))}
      </ul>
      {value?.isCut && (
        <p class="quiet-text">
          {t('Only the newest {count} impediments are looked at.', { count: value.rows.length })}
        </p>
      )}
      {person?.isAdministrator && value && (
        <p class="quiet-text">
          <a href="/administration/impediments">{t('Kinds of impediments')}</a>
        </p>
      )}
      {front && <ImpedimentDialog row={front.row} onClose={() => setFront(undefined)} />}
    </Page>
  )
}

function fits({ link, kind, assignment, project, isMine }: ImpedimentRow, filters: Filters): boolean {
  const text = [kind, link.description, assignment.name, project.name].join(' ').toLowerCase()
  return (
    (filters.isEverybody || isMine) &&
    (filters.projectId === '' || project.id === filters.projectId) &&
    text.includes(filters.search.toLowerCase())
  )
}

interface ImpedimentFiltersProps {
  readonly filters: Filters
  readonly projects: readonly { readonly id: string; readonly name: string }[]
}

function ImpedimentFilters({ filters, projects }: ImpedimentFiltersProps) {
  const { router } = useServices()
  return (
    <div class="filters">
      <SearchField
        label={t('Search impediments')}
        value={filters.search}
        onChange={(search) => router.setQuery({ search })}
      />
      <select
        class="input filter-person"
        aria-label={t('Project')}
        value={filters.projectId}
        onChange={(event) => router.setQuery({ projectId: event.currentTarget.value })}
      >
        <option value="">{t('All projects')}</option>
        {projects.map(({ id, name }) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
      </select>
      <label class="filter-day">
        <input
          type="checkbox"
          checked={filters.isEverybody}
          onChange={(event) => router.setQuery({ whose: event.currentTarget.checked ? 'all' : '' })}
        />
        {t('Everybody’s assignments')}
      </label>
    </div>
  )
}

const Nothing = ({ filters, hasAny }: { readonly filters: Filters; readonly hasAny: boolean }) => {
  const isFiltered = filters.search !== '' || filters.projectId !== ''
  return (
    <EmptyState title={isFiltered ? t('No impediment fits') : t('Nothing is in the way')}>
      <p>
        {isFiltered && t('Try fewer letters, or another project.')}
        {!isFiltered && hasAny && t('Your own assignments are free to go on. Others have impediments.')}
        {!isFiltered && !hasAny && t('When something keeps an assignment from going on, note it here.')}
      </p>
    </EmptyState>
  )
}

function ImpedimentLine({ row, onChange }: { readonly row: ImpedimentRow; onChange(): void }) {
  const { people } = useServices()
  const remove = useRemoval()
  const { link, kind, assignment, project } = row
  const name = `${isolated(kind)} (${isolated(assignment.name)})`
  return (
    <li class="row impediment-row">
      <span class="blocked">
        <Icon name="warning" />
      </span>
      <span class="row-text">
        <bdi>{kind}</bdi>
        {link.description && (
          <span class="line" dir="auto">
            {link.description}
          </span>
        )}
        <span class="quiet-text line">
          <a href={`/projects/${project.id}/assignments/${assignment.id}`} dir="auto">
            {assignment.name}
          </a>{' '}
          · <ProjectMark id={project.id} /> <bdi>{project.name}</bdi> ·{' '}
          <bdi>{people.nameOf(assignment.userId)}</bdi> ·{' '}
          {t('Blocked {age}', { age: showAge(link.createdAt) })}
        </span>
      </span>
      <span class="row-buttons">
        <button
          type="button"
          class="button quiet icon-only"
          aria-label={t('Change {name}', { name })}
          onClick={onChange}
        >
          <Icon name="edit" />
        </button>
        <button
          type="button"
          class="button"
          aria-label={t('Resolve {name}', { name })}
          onClick={() => void remove('assignmentImpediment', link.id, kind, '{name} is resolved.')}
        >
          <Icon name="check" />
          <span>{t('Resolve')}</span>
        </button>
      </span>
    </li>
  )
}
