import { useEffect, useState } from 'preact/hooks'
import { resourcePaths, type Tracker } from '#tracker-client'
import { type Api, pluralOf, type RecordOf, type ResourceName } from '../../api/api.ts'
import { type ById, loadByIds, rowsMax } from '../../api/load-all.ts'
import { sentenceOf } from '../../api/problems.ts'
import { assignmentKey } from '../../data/assignments.ts'
import { useLoaded } from '../../data/use-loaded.ts'
import type { ScreenProps } from '../../router/router.ts'
import { useServices } from '../../services/services.ts'
import { capitalize, nounOf } from '../../texts/declared-names.ts'
import { inOneLine, type MessageKey, t } from '../../texts/text.ts'
import { dayOfTimestamp, formatDay, formatDayHeading, formatTime } from '../../time/days.ts'
import { formatHours } from '../../time/hours.ts'
import { Page, ProjectMark, SearchField } from '../../ui/page.tsx'
import { EmptyState, LoadProblem, Skeleton } from '../../ui/page-states.tsx'

/** Lists removed records by day. Each can be restored. */
export function RemovedScreen({ parameters: { kindSegment } }: ScreenProps) {
  const { configuration, router, session } = useServices()
  const search = router.address.value.searchParams.get('search') ?? ''
  const isAdministrator = session.person.value?.isAdministrator ?? false
  const kinds = removedKinds.filter(({ administratorsOnly }) => isAdministrator || !administratorsOnly)
  const selectedKind = kinds.find((kind) => pathOf(kind) === `/removed/${kindSegment}`)
  if (!configuration.extensions) return <SwitchedOff />
  return (
    <Page title={t('Removed items')}>
      <search class="filters" aria-label={t('Filters')}>
        <SearchField
          label={t('Search removed items')}
          value={search}
          onChange={(text) => router.setQuery({ search: text })}
        />
        <select
          class="input filter-person"
          aria-label={t('Type of item')}
          value={selectedKind ? pathOf(selectedKind) : '/removed'}
          onChange={(event) => router.go(event.currentTarget.value + router.address.peek().search)}
        >
          <option value="/removed">{t('Everything')}</option>
          {kinds.map((kind) => (
            <option key={kind.resource} value={pathOf(kind)}>
              {labelOf(kind)}
            </option>
          ))}
        </select>
      </search>
      <RemovedList key={kindSegment} kinds={selectedKind ? [selectedKind] : kinds} search={search} />
    </Page>
  )
}

const SwitchedOff = () => (
  <Page title={t('Removed items')}>
    <EmptyState icon="trash" title={t('Lists of removed items are switched off')}>
      <p>{t('What you removed last can still be restored with Undo.')}</p>
    </EmptyState>
  </Page>
)

interface RemovedListProps {
  readonly kinds: readonly RemovedKind[]
  readonly search: string
}

const noRows: readonly RemovedRow[] = []

/** Identifies a removal, not a record, because another user may restore a record and remove it again. */
const removalKeyOf = ({ id, deletedAt }: RemovedRow): string => `${id} ${deletedAt}`

function RemovedList({ kinds, search }: RemovedListProps) {
  const { api } = useServices()
  const [pages, setPages] = useState(1)
  const resources = kinds.map(({ resource }) => resource)
  const { value, problem, reload } = useLoaded(`${resources} ${search} ${pages}`, resources, (signal) =>
    loadRemoved(api, resources, { search, pages, signal }),
  )
  const removers = useRemovers(value?.rows ?? noRows)
  const { problems, restore } = useRestore()
  if (value === undefined)
    return problem ? (
      <LoadProblem problem={problem} onRetry={reload} />
    ) : (
      <Skeleton as="rows" blocks={2} rows={3} cells="lines button" />
    )
  const days = Map.groupBy(value.rows, ({ deletedAt }) =>
    dayOfTimestamp(deletedAt ?? new Date().toISOString()),
  )
  return (
    <>
      {value.rows.length === 0 && <NoRemovedRecords search={search} />}
      {[...days].map(([day, rows]) => (
        <section key={day} class="change-day" aria-labelledby={`removed-${day}`}>
          <h2 id={`removed-${day}`}>{formatDayHeading(day)}</h2>
          <ul class="rows">
            {rows.map((row) => (
              <RemovedLine
                key={row.id}
                row={row}
                kindNoun={kinds.length > 1 ? nounOf(row.resource) : undefined}
                relatedNames={value.names}
                removerId={removers.get(removalKeyOf(row))}
                problem={problems.get(removalKeyOf(row))}
                onRestore={restore}
              />
            ))}
          </ul>
        </section>
      ))}
      {value.hasMore && (
        <button type="button" class="button" onClick={() => setPages(pages + 1)}>
          {t('Show older')}
        </button>
      )}
    </>
  )
}

const NoRemovedRecords = ({ search }: { readonly search: string }) => (
  <EmptyState
    icon="trash"
    title={search === '' ? t('No removed items') : t('No removed items match “{text}”', { text: search })}
  >
    <p>{t('Removed items are listed here, and can be restored.')}</p>
  </EmptyState>
)

function useRestore() {
  const { api, toasts } = useServices()
  const [problems, setProblems] = useState<ReadonlyMap<string, string>>(new Map())
  const restore = (row: RemovedRow, title: string) => {
    api.restore(row.resource, [row.id]).then(
      () => toasts.show({ kind: 'done', text: t('{name} was restored.', { name: title }) }),
      (error) => setProblems((all) => new Map(all).set(removalKeyOf(row), sentenceOf(error))),
    )
  }
  return { problems, restore }
}

interface RemovedLineProps {
  readonly row: RemovedRow
  /** The noun of the kind. It is shown if several kinds are listed. */
  readonly kindNoun: string | undefined
  readonly relatedNames: RelatedNames
  readonly removerId: string | undefined
  readonly problem: string | undefined
  onRestore(row: RemovedRow, title: string): void
}

/** Shows a removed record, who removed it and when, and a button to restore it. */
function RemovedLine({ row, kindNoun, relatedNames, removerId, problem, onRestore }: RemovedLineProps) {
  const { people } = useServices()
  const { name, assignment, project } = namesOf(row, people.nameOf, relatedNames)
  const title = inOneLine(name, assignment, project)
  const shownName = name || assignment || project
  const foundProject = relatedNames.project.get(row.projectId ?? '')
  const key = assignmentKey(foundProject?.key, row)
  const time = row.deletedAt === null ? '' : formatTime(row.deletedAt)
  const removedText =
    removerId === undefined
      ? t('Removed at {time}', { time })
      : t('Removed by {name}, {time}', { name: people.nameOf(removerId), time })
  const details = [row.login ?? row.description, removedText]
  if (shownName !== assignment) details.unshift(assignment)
  return (
    <li class="row">
      <span class="row-text">
        {kindNoun && <span class="chip removed-kind">{kindNoun}</span>}{' '}
        {key && <span class="quiet-text">{key}</span>} <bdi class="row-name">{shownName}</bdi>
        <span class="quiet-text line">
          {foundProject && <ProjectMark project={foundProject} />}{' '}
          {inOneLine(shownName !== project && project, ...details)}
        </span>
        {problem && (
          <span class="field-errors line" role="alert">
            {problem}
          </span>
        )}
      </span>
      <button
        type="button"
        class="button"
        aria-label={t('Restore {name}', { name: title })}
        onClick={() => onRestore(row, title)}
      >
        {t('Restore')}
      </button>
    </li>
  )
}

/** Finding the user who removed a row takes one request, so this is done only for the newest rows. */
const removersMax = 40
/** More lookups would leave too few connections for the list itself. */
const parallelLookupsMax = 2

/** Finds the user who removed each row, one request per row. */
function useRemovers(rows: readonly RemovedRow[]): ReadonlyMap<string, string> {
  const { tracker } = useServices()
  const [removers, setRemovers] = useState<ReadonlyMap<string, string>>(new Map())
  useEffect(() => {
    const controller = new AbortController()
    const queue = rows.slice(0, removersMax).filter((row) => !removers.has(removalKeyOf(row)))
    const findNext = async () => {
      for (let row = queue.shift(); row !== undefined && !controller.signal.aborted; row = queue.shift()) {
        const removal = removalKeyOf(row)
        const callerId = await findRemover(tracker, row, controller.signal)
        if (callerId) setRemovers((all) => new Map(all).set(removal, callerId))
      }
    }
    for (let worker = 0; worker < parallelLookupsMax; worker += 1) void findNext()
    return () => controller.abort()
  }, [tracker, rows])
  return removers
}

/**
 * Returns the id of the user who removed a record, or undefined if the history cannot be read, or if its newest
 * entry is not the removal.
 */
async function findRemover(
  tracker: Tracker,
  { id, resource }: RemovedRow,
  signal: AbortSignal,
): Promise<string | undefined> {
  try {
    const query = { resource, id, pageSize: 1 }
    const [newest] = (await tracker.call('GET /ext/history', { query }, { signal })).result.data
    return newest?.action === 'remove' ? (newest.callerId ?? undefined) : undefined
  } catch {
    return undefined
  }
}

/** A removed record of any kind, with the properties that this screen shows. */
interface RemovedRow {
  readonly id: string
  readonly resource: ResourceName
  readonly deletedAt: string | null
  readonly name?: string
  readonly text?: string
  readonly login?: string
  readonly description?: string | null
  readonly keepDate?: string
  readonly amountHours?: number
  readonly userId?: string
  readonly projectId?: string
  readonly number?: number
  readonly assignmentId?: string
  readonly impedimentId?: string
}

interface RemovedRows {
  readonly rows: readonly RemovedRow[]
  readonly hasMore: boolean
  readonly names: RelatedNames
}

/** Related records, except removed ones. */
interface RelatedNames
  extends Readonly<Record<'assignment' | 'impediment', ById<{ readonly name: string }>>> {
  readonly project: ById<RecordOf<'project'>>
}

interface RemovedQuery {
  readonly search: string
  readonly pages: number
  readonly signal: AbortSignal
}

/** Browsers have six connections to a host, and other lists need some of them. */
const parallelListsMax = 3

/** Loads the latest removals of these resources. */
async function loadRemoved(
  api: Api,
  resources: readonly ResourceName[],
  query: RemovedQuery,
): Promise<RemovedRows> {
  const queue = [...resources]
  const loaded: Awaited<ReturnType<typeof loadKind>>[] = []
  const loadNext = async () => {
    for (let next = queue.shift(); next !== undefined; next = queue.shift())
      loaded.push(await loadKind(api, next, query))
  }
  await Promise.all(Array.from({ length: parallelListsMax }, loadNext))
  // If a kind has further pages, they may have newer rows than loaded rows of other kinds. Rows that are
  // older than its last loaded row are not shown yet.
  const cutoffs = loaded.flatMap(({ rows, hasMore }) => (hasMore ? [rows.at(-1)?.deletedAt ?? ''] : []))
  const cutoff = cutoffs.toSorted().at(-1) ?? ''
  const rows = loaded
    .flatMap((kind) => kind.rows)
    .filter(({ deletedAt }) => (deletedAt ?? '') >= cutoff)
    .sort((a, b) => (b.deletedAt ?? '').localeCompare(a.deletedAt ?? ''))
  const idsOf = (key: 'projectId' | 'assignmentId' | 'impedimentId') => rows.flatMap((row) => row[key] ?? [])
  const [project, assignment, impediment] = await Promise.all([
    loadByIds(api, 'project', idsOf('projectId'), query.signal),
    loadByIds(api, 'assignment', idsOf('assignmentId'), query.signal),
    loadByIds(api, 'impediment', idsOf('impedimentId'), query.signal),
  ])
  return { rows, hasMore: cutoffs.length > 0, names: { project, assignment, impediment } }
}

async function loadKind(api: Api, resource: ResourceName, { search, pages, signal }: RemovedQuery) {
  const rows: RemovedRow[] = []
  let totalCount = 0
  for (let pageNumber = 1; pageNumber <= pages; pageNumber += 1) {
    const page = await api.removed(resource, { search, pageSize: rowsMax, pageNumber }, signal)
    rows.push(...page.data.map((row): RemovedRow => ({ ...row, resource })))
    totalCount = page.totalCount
    if (page.totalPages <= pageNumber) break
  }
  return { rows, hasMore: rows.length < totalCount }
}

/** Returns the name of the record, or the names of related records. A link between two of these has no name. */
function namesOf(row: RemovedRow, nameOfPerson: (id: string) => string, names: RelatedNames) {
  const assignment = nameIn(names.assignment, row.assignmentId, t('a removed assignment'))
  const project = nameIn(names.project, row.projectId, t('a removed project'))
  const impediment = nameIn(names.impediment, row.impedimentId, t('A removed impediment type'))
  const time =
    row.keepDate &&
    t('{hours} on {day}', { hours: formatHours(row.amountHours ?? 0), day: formatDay(row.keepDate) })
  const person = row.name === undefined && row.userId && nameOfPerson(row.userId)
  const name = inOneLine(row.name, row.text && firstLine(row.text), time, impediment, person)
  return { name, assignment, project }
}

/** The beginning of a comment is enough to recognize it. */
const firstLine = (text: string): string => {
  const [line = ''] = text.split('\n')
  return line.length > 80 ? `${line.slice(0, 79)}…` : line
}

const nameIn = (
  names: RelatedNames[keyof RelatedNames],
  id: string | undefined,
  fallback: string,
): string | undefined => (id === undefined ? undefined : (names.get(id)?.name ?? fallback))

interface RemovedKind {
  readonly resource: ResourceName
  /** The label, if the plural of its noun is not clear. */
  readonly label?: MessageKey
  /** True if only administrators may restore it. */
  readonly administratorsOnly?: boolean
}

/** The most common kinds. A resource that is not listed here comes after them. */
const commonKinds: readonly RemovedKind[] = [
  { resource: 'project' },
  { resource: 'assignment' },
  { resource: 'appointment', label: 'Hours' },
  { resource: 'comment' },
  { resource: 'attachment' },
  { resource: 'savedView', label: 'Views' },
  { resource: 'projectView', label: 'Shared views' },
  { resource: 'label' },
  { resource: 'assignmentLabel', label: 'Labels of assignments' },
  { resource: 'assignmentDependency', label: 'Dependencies' },
  { resource: 'assignmentImpediment', label: 'Impediments' },
  { resource: 'userProject', label: 'Memberships' },
  { resource: 'projectStage', label: 'Stages of projects' },
  { resource: 'userAssignment', label: 'Participants' },
  { resource: 'organization', administratorsOnly: true },
  { resource: 'user', administratorsOnly: true },
  { resource: 'workflow', label: 'Stages', administratorsOnly: true },
  { resource: 'assignmentType', label: 'Types', administratorsOnly: true },
  { resource: 'impediment', label: 'Impediment types', administratorsOnly: true },
]

const otherKinds = Object.values(resourcePaths)
  .map(({ name }): RemovedKind => ({ resource: name }))
  .filter(({ resource }) => commonKinds.every((kind) => kind.resource !== resource))
const removedKinds: readonly RemovedKind[] = [...commonKinds, ...otherKinds]

const labelOf = ({ resource, label }: RemovedKind): string =>
  label === undefined ? capitalize(nounOf(pluralOf(resource))) : t(label)

const pathOf = ({ resource }: RemovedKind): string => `/removed/${pluralOf(resource)}`
