import type { ComponentChildren } from 'preact'
import { rowsMax } from '../../api/load-all.ts'
import { doneStagesOf } from '../../assignment/assignment-values.ts'
import { useLoaded } from '../../data/use-loaded.ts'
import { assignmentPath, projectPath, type ScreenProps } from '../../router/router.ts'
import { useServices } from '../../services/services.ts'
import { t } from '../../texts/text.ts'
import { addDays, daysInWeek, formatDay, mondayOf, parseWeek, today } from '../../time/days.ts'
import { formatNumber } from '../../time/hours.ts'
import { Icon } from '../../ui/icon.tsx'
import { ProjectMark } from '../../ui/page.tsx'
import { EmptyState, LoadProblem, Skeleton } from '../../ui/page-states.tsx'
import { PersonAvatar } from '../../ui/people.tsx'
import { ProjectSubPage } from '../../ui/project-sub-page.tsx'
import { HoursSection } from './hours-table.tsx'
import { addHours, loadReport, pagesMax, type Report } from './report.ts'
import { ReportTabs } from './sums-screen.tsx'
import { WeeksChart } from './weeks-chart.tsx'

/** The number of weeks that fit on the screen. */
const weeksShown = 12
/** The weeks of the default period that are before the current one. */
const weeksBefore = 8
/** The number of weeks in a step back or forward. */
const weeksStep = 4

/** Shows the planned and recorded hours of one project, or of all of the user's projects. */
export function ReportsScreen({ parameters: { projectId } }: ScreenProps) {
  const services = useServices()
  const { router } = services
  const thisMonday = mondayOf(today())
  const defaultFrom = addDays(thisMonday, -weeksBefore * daysInWeek)
  const requestedFrom = router.address.value.searchParams.get('from')
  const from = requestedFrom === null ? defaultFrom : parseWeek(requestedFrom)
  const mondays = Array.from({ length: weeksShown }, (_, index) => addDays(from, index * daysInWeek))
  const { value, isStale, problem, reload } = useLoaded(
    `${projectId} ${from}`,
    ['appointment', 'assignment'],
    (signal) => loadReport(services, mondays, projectId, doneStagesOf, signal),
  )
  const period = `${formatDay(from)} – ${formatDay(addDays(from, weeksShown * daysInWeek - 1))}`
  const goTo = (monday: string) => {
    const path = router.address.peek().pathname
    router.go(monday === defaultFrom ? path : `${path}?from=${monday}`)
  }
  return (
    <ProjectSubPage
      projectId={projectId}
      path="report"
      title={projectId === undefined ? t('Reports') : t('Hours')}
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
            {period}
          </span>
          <button
            type="button"
            class="button icon-only"
            aria-label={t('{count} weeks later', { count: weeksStep })}
            onClick={() => goTo(addDays(from, weeksStep * daysInWeek))}
          >
            <Icon name="right" />
          </button>
          <button
            type="button"
            class="button"
            aria-disabled={from === defaultFrom}
            onClick={() => goTo(defaultFrom)}
          >
            {t('This week')}
          </button>
        </nav>
      }
    >
      {projectId === undefined && <ReportTabs />}
      {problem && <LoadProblem problem={problem} onRetry={reload} />}
      {value === undefined && !problem && <Skeleton as="boxes" blocks={3} rows={1} cells="area" />}
      {value && (
        <div class={isStale ? 'reports stale' : 'reports'}>
          <Charts report={value} currentMonday={thisMonday} projectId={projectId} />
        </div>
      )}
    </ProjectSubPage>
  )
}

interface ChartsProps {
  readonly report: Report
  readonly currentMonday: string
  readonly projectId: string | undefined
}

function Charts({ report, currentMonday, projectId }: ChartsProps) {
  const { weeks, parts, people, isCut } = report
  if (parts.length === 0) return <NoHours projectId={projectId} />
  return (
    <>
      {isCut && (
        <p class="form-note">
          {t('These weeks have more than {count} assignments or entries, and only that many are counted.', {
            count: formatNumber(pagesMax * rowsMax),
          })}
        </p>
      )}
      <WeeksChart weeks={weeks} currentMonday={currentMonday} total={addHours(parts)} />
      {projectId === undefined ? (
        <HoursSection
          title={t('Hours per project')}
          rowHeading={t('Project')}
          rows={parts}
          nameOf={({ id, name, color }) => (
            <RowName
              name={name}
              href={`/projects/${id}/report`}
              mark={<ProjectMark project={{ id, color }} />}
            />
          )}
        />
      ) : (
        <HoursSection
          title={t('Hours per assignment')}
          rowHeading={t('Assignment')}
          rows={parts}
          nameOf={({ id, name }) => <RowName name={name} href={assignmentPath(projectId, id)} />}
        />
      )}
      <HoursSection
        title={t('Hours per person')}
        rowHeading={t('Person')}
        rows={people}
        nameOf={({ id, name }) => <RowName name={name} mark={<PersonAvatar id={id} isDecorative />} />}
      />
    </>
  )
}

interface RowNameProps {
  readonly name: string
  readonly href?: string
  readonly mark?: ComponentChildren
}

const RowName = ({ name, href, mark }: RowNameProps) => (
  <span class="hours-name">
    {mark}
    {href === undefined ? (
      <span dir="auto">{name}</span>
    ) : (
      <a href={href} dir="auto">
        {name}
      </a>
    )}
  </span>
)

const NoHours = ({ projectId }: Pick<ChartsProps, 'projectId'>) => (
  <EmptyState icon="chart" title={t('No hours in these weeks')}>
    <p>{t('Plan assignments on a board and record hours in your week; the sums appear here.')}</p>
    <span class="empty-actions">
      <a class="button primary" href="/week">
        {t('Record hours')}
      </a>
      <a class="button" href={projectId === undefined ? '/projects' : projectPath(projectId)}>
        {projectId === undefined ? t('Go to the projects') : t('Go to the project')}
      </a>
    </span>
  </EmptyState>
)
