import { useState } from 'preact/hooks'
import type { Api, RecordOf } from '../../api/api.ts'
import { loadAll, loadByIds, rowsMax } from '../../api/load-all.ts'
import { sentenceOf } from '../../api/problems.ts'
import { findAssignments } from '../../assignment/assignment-values.ts'
import { assignmentKey, responsibleOf } from '../../data/assignments.ts'
import { useLoaded } from '../../data/use-loaded.ts'
import { Field } from '../../forms/field.tsx'
import { SelectField, TextAreaField } from '../../forms/fields.tsx'
import { Form, useForm } from '../../forms/form.tsx'
import { assignmentPath } from '../../router/router.ts'
import { useRemoval, useServices } from '../../services/services.ts'
import { capitalize } from '../../texts/declared-names.ts'
import { isolate, t, tn } from '../../texts/text.ts'
import { dayOfTimestamp, daysBetween, formatAge, formatDaysAgo, today } from '../../time/days.ts'
import { Combobox } from '../../ui/combobox.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Icon } from '../../ui/icon.tsx'
import { Menu } from '../../ui/menu.tsx'
import { Page, ProjectMark, SearchField } from '../../ui/page.tsx'
import { EmptyState, LoadProblem, Skeleton } from '../../ui/page-states.tsx'
import { PersonAvatar } from '../../ui/people.tsx'
import { Ago } from '../../ui/relative-time.tsx'
import { ChoiceButtons } from '../../ui/view-controls.tsx'
import { useMedia } from '../../ui/viewport.ts'

interface Filters {
  readonly search: string
  readonly projectId: string
  readonly includesEveryone: boolean
  readonly areResolved: boolean
  readonly areNewestFirst: boolean
}

function parseFilters(query: URLSearchParams): Filters {
  const areResolved = query.get('view') === 'resolved'
  return {
    search: query.get('search') ?? '',
    projectId: query.get('projectId') ?? '',
    includesEveryone: query.get('whose') === 'all',
    areResolved,
    areNewestFirst: (query.get('order') ?? (areResolved ? 'newest' : 'oldest')) === 'newest',
  }
}

/** Rows are loaded in the order that is usual for their tab. */
const isReversed = ({ areNewestFirst, areResolved }: Filters): boolean => areNewestFirst !== areResolved

/** Lists the impediments of the user's own assignments, or of all assignments in the user's projects. */
export function ImpedimentsScreen() {
  const { api, people, router, session } = useServices()
  const person = session.person.value
  const filters = parseFilters(router.address.value.searchParams)
  const [dialog, setDialog] = useState<{ readonly row: ImpedimentRow | undefined }>()
  const { value, problem, reload } = useLoaded(
    `${person?.id}${filters.areResolved ? ' resolved' : ''}`,
    ['assignmentImpediment', 'impediment'],
    async (signal) => {
      const impediments = await loadImpediments(api, person?.id ?? '', filters.areResolved, signal)
      await people.waitForNames(impediments.rows.map(({ assignment }) => assignment.userId))
      return impediments
    },
    { cacheName: 'impediments' },
  )
  const visibleRows = value?.rows.filter((row) => matches(row, filters)) ?? []
  return (
    <Page
      title={t('Impediments')}
      actions={
        <>
          {person?.isAdministrator && <TypesMenu />}
          <button type="button" class="button primary brief" onClick={() => setDialog({ row: undefined })}>
            <Icon name="plus" />
            <span>{t('New impediment')}</span>
          </button>
        </>
      }
    >
      <ImpedimentFilters
        filters={filters}
        projects={value?.projects ?? []}
        count={value && visibleRows.length}
      />
      {problem && <LoadProblem problem={problem} onRetry={reload} />}
      {value === undefined && !problem && <Skeleton as="rows" rows={4} cells="icon lines icon button" />}
      {value !== undefined && visibleRows.length === 0 && (
        <NoImpediments filters={filters} hasAny={value.rows.length > 0} />
      )}
      {visibleRows.length > 0 && (
        <ImpedimentList rows={visibleRows} filters={filters} onEdit={(row) => setDialog({ row })} />
      )}
      {value?.isCut && (
        <p class="quiet-text">
          {t('Only the newest {count} impediments are considered.', { count: value.rows.length })}
        </p>
      )}
      {dialog && (
        <ImpedimentDialog row={dialog.row} kinds={value?.kinds ?? []} onClose={() => setDialog(undefined)} />
      )}
    </Page>
  )
}

/** Links to the impediment types. Only administrators need them, and rarely. */
function TypesMenu() {
  const { router } = useServices()
  const items = [{ label: t('Impediment types'), run: () => router.go('/administration/impediments') }]
  return (
    <Menu label={t('More actions')} items={items}>
      <Icon name="more" />
    </Menu>
  )
}

function matches({ link, kind, assignment, project, isMine }: ImpedimentRow, filters: Filters): boolean {
  const text = [kind, link.description, assignment.name, project.name].join(' ').toLowerCase()
  return (
    (filters.includesEveryone || isMine) &&
    (filters.projectId === '' || project.id === filters.projectId) &&
    text.includes(filters.search.toLowerCase())
  )
}

interface ImpedimentFiltersProps {
  readonly filters: Filters
  readonly projects: readonly { readonly id: string; readonly name: string }[]
  /** The number of rows that pass the filters. */
  readonly count: number | undefined
}

/** Resolved impediments are removed records, so listing them requires the extensions. */
function ImpedimentFilters({ filters, projects, count = 0 }: ImpedimentFiltersProps) {
  const { configuration, router } = useServices()
  return (
    <div class="filters impediment-filters">
      {configuration.extensions && (
        <ChoiceButtons
          label={t('View')}
          names={['', 'resolved']}
          current={filters.areResolved ? 'resolved' : ''}
          labelOf={(name) => (name === '' ? t('Unresolved') : t('Resolved'))}
          onChoose={(view) => router.setQuery({ view, order: '' })}
        />
      )}
      <ChoiceButtons
        label={t('Whose assignments')}
        names={['', 'all']}
        current={filters.includesEveryone ? 'all' : ''}
        labelOf={(name) => (name === '' ? t('Mine') : t('Everyone’s'))}
        onChoose={(whose) => router.setQuery({ whose })}
      />
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
      {count > 0 && (
        <span class="quiet-text filter-end">{tn(count, '1 impediment', '{count} impediments')}</span>
      )}
    </div>
  )
}

const NoImpediments = ({ filters, hasAny }: { readonly filters: Filters; readonly hasAny: boolean }) => {
  const { router } = useServices()
  const isFiltered = filters.search !== '' || filters.projectId !== ''
  return (
    <EmptyState icon="warning" title={isFiltered ? t('No impediments match') : t('No impediments')}>
      <p>
        {isFiltered && t('Try fewer letters, or another project.')}
        {!isFiltered && hasAny && t('There are impediments on assignments of other people.')}
        {!isFiltered &&
          !hasAny &&
          (filters.areResolved
            ? t('What was resolved is listed here.')
            : t('When something blocks an assignment, record it here.'))}
      </p>
      {!isFiltered && hasAny && (
        <button type="button" class="button" onClick={() => router.setQuery({ whose: 'all' })}>
          {t('Show everyone’s')}
        </button>
      )}
    </EmptyState>
  )
}

interface ImpedimentListProps {
  readonly rows: readonly ImpedimentRow[]
  readonly filters: Filters
  onEdit(row: ImpedimentRow): void
}

const ImpedimentList = ({ rows, filters, onEdit }: ImpedimentListProps) => (
  <div class="rows impediments">
    <ListHead filters={filters} />
    <ul>
      {(isReversed(filters) ? rows.toReversed() : rows).map((row) => (
        <ImpedimentLine key={row.link.id} row={row} onEdit={() => onEdit(row)} />
      ))}
    </ul>
  </div>
)

/** Names the columns. The last heading sorts the rows, and its arrow and title say how. */
function ListHead({ filters }: Pick<ImpedimentListProps, 'filters'>) {
  const { router } = useServices()
  const { areNewestFirst, areResolved } = filters
  const other = areNewestFirst ? 'oldest' : 'newest'
  return (
    <div class="impediments-head">
      <span>{t('Impediment')}</span>
      <span class="impediment-project">{t('Project')}</span>
      <button
        type="button"
        class="sort-button impediment-age"
        title={areNewestFirst ? t('Newest first') : t('Oldest first')}
        onClick={() => router.setQuery({ order: isReversed(filters) ? '' : other })}
      >
        {areResolved ? t('Resolved') : t('Blocked since')}
        <Icon name={areNewestFirst ? 'up' : 'down'} />
      </button>
    </div>
  )
}

interface ImpedimentLineProps {
  readonly row: ImpedimentRow
  onEdit(): void
}

function ImpedimentLine({ row, onEdit }: ImpedimentLineProps) {
  const { link, kind, assignment, project } = row
  const isResolved = link.deletedAt !== null
  // In a narrow window, the age is below the project, or far from its heading.
  const isApart = useMedia('(max-width: 900px)')
  return (
    <li class="row impediment-row">
      <span class="row-text">
        <span class="impediment-head">
          <a class="impediment-name" href={assignmentPath(project.id, assignment.id)} dir="auto">
            {assignment.name}
          </a>
          <span class="quiet-text">{assignmentKey(project.key, assignment)}</span>
        </span>
        <span class="line impediment-reason">
          <span class="note-chip" data-color={isResolved ? 'gray' : 'red'}>
            <bdi>{kind}</bdi>
          </span>
          {link.description && (
            <span class="quiet-text" dir="auto">
              {link.description}
            </span>
          )}
        </span>
      </span>
      <span class="quiet-text impediment-project">
        <ProjectMark project={project} />
        <span dir="auto">{project.name}</span>
      </span>
      {link.deletedAt === null ? (
        <span class="quiet-text impediment-age" data-color={ageColorOf(link.createdAt)}>
          {isApart
            ? t('Blocked {age}', { age: formatAge(link.createdAt) })
            : capitalize(formatDaysAgo(link.createdAt))}
        </span>
      ) : (
        <Ago timestamp={link.deletedAt} class="quiet-text impediment-age" />
      )}
      <PersonAvatar id={responsibleOf(assignment)} />
      <span class="row-buttons">
        {isResolved ? <ReopenButton row={row} /> : <OpenButtons row={row} onEdit={onEdit} />}
      </span>
    </li>
  )
}

/** From these numbers of days on, the age of an impediment is amber, and then red. */
const longDays = 2
const tooLongDays = 5

function ageColorOf(timestamp: string): 'amber' | 'red' | undefined {
  const days = daysBetween(dayOfTimestamp(timestamp), today())
  if (days >= tooLongDays) return 'red'
  return days >= longDays ? 'amber' : undefined
}

const nameOfRow = ({ kind, assignment }: ImpedimentRow): string =>
  `${isolate(kind)} (${isolate(assignment.name)})`

function OpenButtons({ row, onEdit }: ImpedimentLineProps) {
  const remove = useRemoval()
  const { link, kind } = row
  const name = nameOfRow(row)
  return (
    <>
      <button
        type="button"
        class="button quiet icon-only"
        aria-label={t('Edit {name}', { name })}
        onClick={onEdit}
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
    </>
  )
}

function ReopenButton({ row }: Pick<ImpedimentLineProps, 'row'>) {
  const { api, toasts } = useServices()
  const ids = [row.link.id]
  const reopen = () => api.restore('assignmentImpediment', ids)
  const run = () =>
    reopen().then(
      () =>
        toasts.show({
          kind: 'done',
          text: t('{name} is no longer resolved.', { name: row.kind }),
          undo: () => api.remove('assignmentImpediment', ids),
          redo: reopen,
        }),
      (error) => toasts.show({ kind: 'problem', text: sentenceOf(error) }),
    )
  return (
    <button
      type="button"
      class="button"
      aria-label={t('Reopen {name}', { name: nameOfRow(row) })}
      onClick={() => void run()}
    >
      {t('Reopen')}
    </button>
  )
}

interface ImpedimentDialogProps {
  /** Undefined for a new impediment. */
  readonly row: ImpedimentRow | undefined
  readonly kinds: readonly Named[]
  onClose(): void
}

function ImpedimentDialog({ row, kinds, onClose }: ImpedimentDialogProps) {
  const { api, toasts } = useServices()
  const form = useForm({
    draft: `impediment-of-${row?.link.id ?? 'any'}`,
    initial: {
      assignmentId: row?.assignment.id ?? '',
      // The name is stored with the id, so that a restored draft can show the chosen assignment.
      assignmentName: row?.assignment.name ?? '',
      impedimentId: row?.link.impedimentId ?? '',
      description: row?.link.description ?? '',
    },
    async submit({ assignmentId, impedimentId, description }) {
      const body = { assignmentId, impedimentId, description: description.trim() || null }
      if (row === undefined) {
        const { id } = await api.create('assignmentImpediment', body)
        toasts.show({
          kind: 'done',
          text: t('The impediment was added.'),
          undo: () => api.remove('assignmentImpediment', [id]),
          redo: () => api.restore('assignmentImpediment', [id]),
        })
        return
      }
      const { link } = row
      const after = { id: link.id, ...body }
      await api.update('assignmentImpediment', after)
      const before = {
        id: link.id,
        assignmentId: link.assignmentId,
        impedimentId: link.impedimentId,
        description: link.description,
      }
      toasts.show({
        kind: 'done',
        text: t('The impediment was saved.'),
        undo: () => api.update('assignmentImpediment', before),
        redo: () => api.update('assignmentImpediment', after),
      })
    },
  })
  return (
    <Dialog title={row ? t('Edit the impediment') : t('New impediment')} onClose={onClose}>
      <Form form={form} submitLabel={row ? t('Save') : t('Add')} onCancel={onClose} onDone={onClose}>
        <Field form={form} name="assignmentId" label={t('Assignment')} required autofocus>
          {({ id, ...attributes }) => (
            <Combobox
              id={id}
              label={t('Assignment')}
              attributes={attributes}
              placeholder={t('Name of the assignment')}
              valueText={form.values.value.assignmentName}
              find={(text, signal) => findAssignments(api, text, signal)}
              onChoose={(option) => {
                form.set('assignmentId', option.id)
                form.set('assignmentName', option.name)
              }}
            />
          )}
        </Field>
        <SelectField form={form} name="impedimentId" label={t('Impediment')} required choices={kinds} />
        <TextAreaField form={form} name="description" label={t('Note')} />
      </Form>
    </Dialog>
  )
}

type Named = { readonly id: string; readonly name: string }

interface ImpedimentRow {
  readonly link: RecordOf<'assignmentImpediment'>
  readonly kind: string
  readonly assignment: RecordOf<'assignment'>
  readonly project: RecordOf<'project'>
  /** True if the user is responsible for the assignment or works on it. */
  readonly isMine: boolean
}

interface Impediments {
  /** Unresolved impediments, the oldest first, or resolved ones, the most recently resolved first. */
  readonly rows: readonly ImpedimentRow[]
  readonly projects: readonly Named[]
  /** The types of impediments, sorted by name. */
  readonly kinds: readonly Named[]
  readonly isCut: boolean
}

/** At most 1,000 unresolved impediments are loaded. The screen says if it does not show all of a list. */
const pagesMax = 10

async function loadLinks(api: Api, areResolved: boolean, signal: AbortSignal) {
  if (areResolved) {
    // A resolved impediment is a removed record. Only the newest page is shown.
    const page = await api.removed('assignmentImpediment', { pageSize: rowsMax }, signal)
    return { rows: page.data, isCut: page.totalPages > 1 }
  }
  const newestFirst = { sortColumn: 'createdAt', sortOrder: 'DESC' } as const
  const { rows, isCut } = await loadAll(api, 'assignmentImpediment', newestFirst, { pagesMax, signal })
  return { rows: rows.toReversed(), isCut }
}

async function loadImpediments(
  api: Api,
  userId: string,
  areResolved: boolean,
  signal: AbortSignal,
): Promise<Impediments> {
  const options = { pagesMax, signal }
  const [links, kinds, participations] = await Promise.all([
    loadLinks(api, areResolved, signal),
    loadAll(api, 'impediment', { sortColumn: 'name' }, options),
    loadAll(api, 'userAssignment', { userId }, options),
  ])
  const assignmentIds = links.rows.map(({ assignmentId }) => assignmentId)
  const assignments = await loadByIds(api, 'assignment', assignmentIds, signal)
  const projectIds = [...assignments.values()].map(({ projectId }) => projectId)
  const projects = await loadByIds(api, 'project', projectIds, signal)
  const rows = links.rows.flatMap((link) => {
    const assignment = assignments.get(link.assignmentId)
    const project = projects.get(assignment?.projectId ?? '')
    if (assignment === undefined || project === undefined) return []
    const kind = kinds.rows.find(({ id }) => id === link.impedimentId)?.name ?? t('Impediment')
    const isMine =
      responsibleOf(assignment) === userId ||
      participations.rows.some(({ assignmentId }) => assignmentId === assignment.id)
    return [{ link, kind, assignment, project, isMine }]
  })
  return {
    rows,
    projects: [...projects.values()].sort((a, b) => a.name.localeCompare(b.name)),
    kinds: kinds.rows,
    isCut: links.isCut,
  }
}
