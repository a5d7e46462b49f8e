import { rowsMax } from '../../api/load-all.ts'
import { useLoaded } from '../../data/use-loaded.ts'
import type { ScreenProps } from '../../router/router.ts'
import { useServices } from '../../services/services.ts'
import { t } from '../../texts/text.ts'
import { addDays, daysInWeek, formatDay, mondayOf, parseWeek, today } from '../../time/days.ts'
import { formatHours, formatNumber, formatPlanned } from '../../time/hours.ts'
import { Icon } from '../../ui/icon.tsx'
import { EmptyState, LoadProblem } from '../../ui/notes.tsx'
import { Page, ProjectCrumbs } from '../../ui/page.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { PartsChart } from './parts-chart.tsx'
import { type HoursRow, loadReport, pagesMax, type Report } from './report.ts'
import { ReportTabs } from './sums-screen.tsx'
import { WeeksChart } from './weeks-chart.tsx'

/** The number of weeks that fit on the screen. */
const weeksShown = 12
/** The number of weeks before the current one, because most of the default period is in the past. */
const weeksBefore = 8
/** The number of weeks in a step back or forward. */
const weeksStep = 4

/** Shows the planned and recorded hours of one project, or of all of the user's projects. */
export function ReportsScreen({ parameters: { projectId } }: ScreenProps) {
  const { api, router } = useServices()
  const thisMonday = mondayOf(today())
  const defaultFrom = addDays(thisMonday, -weeksBefore * daysInWeek)
  const requestedFrom = router.address.value.searchParams.get('from')
  const from = requestedFrom === null ? defaultFrom : parseWeek(requestedFrom)
  const mondays = Array.from({ length: weeksShown }, (_, index) => addDays(from, index * daysInWeek))
  const { value, isStale, problem, reload } = useLoaded(
    `${projectId} ${from}`,
    ['appointment', 'assignment'],
    (signal) => loadReport(api, mondays, projectId, signal),
  )
  const goTo = (monday: string) => {
    const path = router.address.peek().pathname
    router.go(monday === defaultFrom ? path : `${path}?from=${monday}`)
  }
  return (
    <Page
      title={projectId === undefined ? t('Reports') : t('Hours')}
      {...(projectId !== undefined && { parentLink: <ProjectCrumbs projectId={projectId} /> })}
      actions={
        <nav class="week-steps" aria-label={t('Period')}>
          <button
            type="button"
            class="button icon-only"
            aria-label={t('{count} weeks earlier', { count: weeksStep })}
            onClick={() => goTo(addDays(from, -weeksStep * daysInWeek))}
          >
            <Icon name="left" />
          </button>
          <span class="week-range" role="status">
            {formatDay(from)} – {formatDay(addDays(from, weeksShown * daysInWeek - 1))}
          </span>
          <button
            type="button"
            class="button icon-only"
            aria-label={t('{count} weeks later', { count: weeksStep })}
            onClick={() => goTo(addDays(from, weeksStep * daysInWeek))}
          >
            <Icon name="right" />
          </button>
        </nav>
      }
    >
      {projectId === undefined && <ReportTabs />}
      {problem && <LoadProblem problem={problem} onRetry={reload} />}
      {value === undefined && !problem && <Skeleton as="boxes" blocks={2} rows={1} cells="area" />}
      {value && (
        <div class={isStale ? 'reports stale' : 'reports'}>
          <Charts report={value} currentMonday={thisMonday} isOfProject={projectId !== undefined} />
        </div>
      )}
    </Page>
  )
}

interface ChartsProps {
  readonly report: Report
  readonly currentMonday: string
  readonly isOfProject: boolean
}

function Charts({ report: { weeks, parts, isCut }, currentMonday, isOfProject }: ChartsProps) {
  if (parts.length === 0)
    return (
      <EmptyState title={t('No hours in these weeks')}>
        <p>{t('Plan assignments on a board and record time in your week; the sums appear here.')}</p>
      </EmptyState>
    )
  return (
    <>
      <dl class="figures">
        <div>
          <dt>{t('Recorded')}</dt>
          <dd>{formatHours(sumOf(weeks, 'recorded'))}</dd>
        </div>
        <div>
          <dt>{t('Planned')}</dt>
          <dd>{formatPlanned(sumOf(weeks, 'planned'))}</dd>
        </div>
      </dl>
      {isCut && (
        <p class="form-note">
          {t('These weeks have more than {count} assignments or entries, and only that many are counted.', {
            count: formatNumber(pagesMax * rowsMax),
          })}
        </p>
      )}
      <WeeksChart weeks={weeks} currentMonday={currentMonday} />
      <PartsChart
        title={isOfProject ? t('Hours per assignment') : t('Hours per project')}
        rowHeading={isOfProject ? t('Assignment') : t('Project')}
        parts={parts}
        hrefOf={({ id }) =>
          isOfProject
            ? `${location.pathname.replace(/report$/, '')}assignments/${id}`
            : `/projects/${id}/report`
        }
      />
      <p class="quiet-text">
        {t('Planned hours are spread evenly over the working days of their assignment.')}
      </p>
    </>
  )
}

const sumOf = (rows: readonly HoursRow[], key: 'planned' | 'recorded'): number =>
  Math.round(rows.reduce((sum, row) => sum + row[key], 0) * 100) / 100
