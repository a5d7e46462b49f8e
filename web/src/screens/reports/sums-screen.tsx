import type { HoursReport } from '#tracker-client'
import type { RecordOf } from '../../api/api.ts'
import { type ById, loadByIds } from '../../api/load-all.ts'
import { sentenceOf } from '../../api/problems.ts'
import { guessDoneStages, stagesQuery } from '../../data/project-stages.ts'
import { useLive, useLoaded } from '../../data/use-loaded.ts'
import { saveFile } from '../../services/files.ts'
import { useServices } from '../../services/services.ts'
import { t } from '../../texts/text.ts'
import { dateFormat, dateOf } from '../../time/days.ts'
import { formatHours } from '../../time/hours.ts'
import { Icon } from '../../ui/icon.tsx'
import { Page, ProjectMark, type ProjectMarkProps } from '../../ui/page.tsx'
import { ConnectionStatus, EmptyState, LoadProblem, Skeleton } from '../../ui/page-states.tsx'
import { PersonAvatar } from '../../ui/people.tsx'
import { Tabs } from '../../ui/view-controls.tsx'
import { formatOrDash, HoursTrack, PlanCells, PlanHeadings, SortMark, Swatch } from './hours-table.tsx'
import { addHours } from './report.ts'
import {
  type AllTime,
  balancesOf,
  groupings,
  hoursCsvFormat,
  isGroupedBy,
  localizeCsv,
  parsePeriod,
  parseSumsQuery,
  queryOfAllTime,
  queryOfHours,
  type SumRow,
  type SumsQuery,
  sumRowsOf,
} from './sums.ts'
import { SumsFilters } from './sums-filters.tsx'
import { Figure } from './weeks-chart.tsx'

/** Shows the hours of a period by project, person, organization or type. The query is in the URL. */
export function SumsScreen() {
  const { router, toasts, tracker } = useServices()
  const query = router.address.value.searchParams
  const period = parsePeriod(query)
  const sumsQuery = parseSumsQuery(query, period)
  const request = { query: queryOfHours(sumsQuery) }
  const hours = useLive(JSON.stringify(request), (options) =>
    tracker.connect('GET /ext/reports/hours', request, options),
  )
  const allTime = useAllTime(sumsQuery, hours.value?.result)
  const periodText = dateFormat('long').formatRange(dateOf(period.from), dateOf(period.to))
  const download = () =>
    tracker.call('GET /ext/reports/hours', request, { headers: { accept: 'text/csv' } }).then(
      (table) =>
        saveFile(
          `${t('Hours')} ${period.from} ${period.to}.csv`,
          new Blob([localizeCsv(String(table), hoursCsvFormat())], { type: 'text/csv' }),
        ),
      (error) => toasts.show({ kind: 'problem', text: sentenceOf(error) }),
    )
  const retry = () => {
    hours.reload()
    allTime.reload()
  }
  const latest = hours.value?.result
  const report = latest && isGroupedBy(sumsQuery, latest.groups) ? latest : undefined
  const plan =
    allTime.value && isGroupedBy({ by: sumsQuery.by }, allTime.value.hours) ? allTime.value : undefined
  // Hours and plan are shown together, because a plan that is loaded later would move the hours.
  const isComplete = report && (plan || sumsQuery.thenBy !== undefined || allTime.problem)
  const rows = sumRowsOf(sumsQuery, report?.groups ?? [], plan, query.get('all') === 'yes')
  return (
    <Page
      title={t('Reports')}
      actions={
        <>
          <ConnectionStatus connection={hours.connection} />
          <button type="button" class="button" onClick={() => void download()}>
            <Icon name="download" />
            <span>{t('CSV')}</span>
          </button>
          <button type="button" class="button" onClick={() => print()}>
            <Icon name="print" />
            <span>{t('Print')}</span>
          </button>
        </>
      }
    >
      <ReportTabs />
      <SumsFilters sumsQuery={sumsQuery} preset={period.preset} periodText={periodText} />
      {(hours.problem ?? allTime.problem) && (
        <LoadProblem problem={(hours.problem ?? allTime.problem) as Error} onRetry={retry} />
      )}
      {!isComplete && !hours.problem && <Skeleton as="grid" rows={9} cells="text cell cell cell" />}
      {isComplete && <Sums rows={rows} sumsQuery={sumsQuery} report={report} isStale={hours.isStale} />}
    </Page>
  )
}

/** Loads the sums without a period. They are reloaded when the hours change. */
function useAllTime(sumsQuery: SumsQuery, hours: HoursReport['result'] | undefined) {
  const { api, tracker } = useServices()
  const query = queryOfAllTime(sumsQuery)
  const key = JSON.stringify([query, hours?.total])
  return useLoaded(key, ['assignment'], async (signal): Promise<AllTime | undefined> => {
    if (sumsQuery.thenBy !== undefined) return undefined
    const { groupBy, userId, ...filters } = query
    const [recorded, planned, recordedParts, plannedParts, stages] = await Promise.all([
      tracker.call('GET /ext/reports/hours', { query }, { signal }),
      tracker.call('GET /ext/reports/assignments', { query }, { signal }),
      // Hours of others use up the plan of a person, too.
      tracker.call('GET /ext/reports/hours', { query: { ...filters, groupBy: 'assignment' } }, { signal }),
      tracker.call(
        'GET /ext/reports/assignments',
        { query: { ...query, groupBy: `${groupBy},workflow,assignment` } },
        { signal },
      ),
      api.list('workflow', stagesQuery, signal),
    ])
    const isCut = [recordedParts, plannedParts].some(
      ({ result }) => result.totalGroups > result.groups.length,
    )
    const doneStageIds = new Set(guessDoneStages(stages.data).map(({ id }) => id))
    return {
      hours: recorded.result.groups,
      assignments: planned.result.groups,
      balances: isCut
        ? undefined
        : balancesOf(sumsQuery.by, plannedParts.result.groups, recordedParts.result.groups, doneStageIds),
    }
  })
}

interface SumsProps {
  readonly rows: readonly SumRow[]
  readonly sumsQuery: SumsQuery
  readonly report: HoursReport['result']
  readonly isStale: boolean
}

function Sums({ rows, sumsQuery, report, isStale }: SumsProps) {
  if (rows.length === 0)
    return (
      <EmptyState icon="chart" title={t('No hours in this period')}>
        <p>{t('Choose another period or fewer filters, or record hours in your week.')}</p>
        <a class="button" href="/week">
          {t('Record hours')}
        </a>
      </EmptyState>
    )
  return (
    <div class={isStale ? 'reports stale' : 'reports'}>
      <dl class="figures">
        <Figure label={t('Recorded in this period')}>{formatHours(report.total.hours)}</Figure>
        <Figure label={t('Entries')}>{report.total.appointments}</Figure>
      </dl>
      <SumsTable rows={rows} sumsQuery={sumsQuery} total={report.total} />
      {report.totalGroups > report.groups.length && (
        <p class="form-note">{t('Not all rows are shown. Choose a shorter period or a filter.')}</p>
      )}
    </div>
  )
}

interface SumsTableProps {
  readonly rows: readonly SumRow[]
  readonly sumsQuery: SumsQuery
  readonly total: { readonly hours: number; readonly appointments: number }
}

/** Shows the sums and, for a single grouping, the remaining estimates. */
function SumsTable({ rows, sumsQuery, total }: SumsTableProps) {
  const { by, thenBy } = sumsQuery
  const projects = useProjects(by === 'project' ? rows.map(({ id }) => id) : [])
  const hasPlan = thenBy === undefined && rows.some(({ planned }) => planned !== undefined)
  const barOf = (row: SumRow) =>
    hasPlan
      ? { ...row, recorded: row.recorded ?? 0, planned: row.planned ?? 0 }
      : { recorded: row.hours, planned: 0, over: 0 }
  const max = Math.max(...rows.map(barOf).flatMap(({ planned, recorded }) => [planned, recorded]))
  const all = addHours(rows)
  const labelOf = (name: string | undefined) => {
    const label = groupings.find((grouping) => grouping.name === name)?.label
    return label && t(label)
  }
  return (
    <section
      class="sums-scroll"
      aria-label={t('Sums')}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
      tabIndex={0}
    >
      <table class="hours-table hours-bars sums">
        <caption class="visually-hidden">{t('Hours recorded, and planned where there is a plan')}</caption>
        <thead>
          <tr>
            <th scope="col">{labelOf(by)}</th>
            {thenBy && (
              <th scope="col" class="sums-second">
                {labelOf(thenBy)}
              </th>
            )}
            <td class="hours-track" />
            <th scope="col" aria-sort={thenBy ? undefined : 'descending'}>
              {!hasPlan && <Swatch of="recorded" />} {t('In this period')}
              {!thenBy && <SortMark />}
            </th>
            <th scope="col" class="minor">
              {t('Entries')}
            </th>
            {hasPlan && (
              <>
                <th scope="col" class="minor">
                  <Swatch of="recorded" /> {t('Recorded in total')}
                </th>
                <PlanHeadings />
              </>
            )}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={`${row.id} ${row.thenByName}`}>
              <th scope="row">
                <GroupName by={by} row={row} project={projects?.get(row.id)} />
              </th>
              {thenBy && <td class="sums-second">{row.thenByName ?? t('not visible to you')}</td>}
              <td class="hours-track">
                <HoursTrack {...barOf(row)} max={max} />
              </td>
              <td>{formatOrDash(row.hours)}</td>
              <td class="minor">{row.entries}</td>
              {hasPlan && <AllTimeCells {...row} />}
            </tr>
          ))}
        </tbody>
        <tfoot>
          <tr>
            <th scope="row">{t('Total')}</th>
            {thenBy && <td class="sums-second" />}
            <td class="hours-track" />
            <td>{formatOrDash(total.hours)}</td>
            <td class="minor">{total.appointments}</td>
            {hasPlan && <AllTimeCells {...all} />}
          </tr>
        </tfoot>
      </table>
    </section>
  )
}

/** Loads the projects, for the colors of their marks. */
function useProjects(ids: readonly string[]): ById<RecordOf<'project'>> | undefined {
  const { api } = useServices()
  const load = (signal: AbortSignal) => loadByIds(api, 'project', ids, signal)
  return useLoaded(ids.toSorted().join(), ['project'], load).value
}

interface GroupNameProps {
  readonly by: SumsQuery['by']
  readonly row: SumRow
  readonly project: ProjectMarkProps['project'] | undefined
}

const GroupName = ({ by, row: { id, name }, project = { id } }: GroupNameProps) => (
  <span class="sums-name">
    {by === 'person' && <PersonAvatar id={id} isDecorative />}
    {by === 'project' && <ProjectMark project={project} />}
    {by === 'project' && name !== null ? (
      <a href={`/projects/${id}/report`} dir="auto">
        {name}
      </a>
    ) : (
      <span dir="auto">{name ?? t('not visible to you')}</span>
    )}
  </span>
)

const AllTimeCells = ({
  recorded = 0,
  planned = 0,
  ...balance
}: Pick<SumRow, 'recorded' | 'planned' | 'left' | 'over'>) => (
  <>
    <td class="minor">{formatOrDash(recorded)}</td>
    <PlanCells planned={planned} {...balance} />
  </>
)

/** Shows the tabs of both reports. Without the extensions, there is only one report. */
export function ReportTabs() {
  const { configuration, router } = useServices()
  const path = router.address.value.pathname
  if (!configuration.extensions) return null
  const tabs = [
    { label: t('Week by week'), href: '/reports', isCurrent: path === '/reports' },
    { label: t('By person, project or type'), href: '/reports/sums', isCurrent: path === '/reports/sums' },
  ]
  return <Tabs label={t('Report type')} tabs={tabs} />
}
