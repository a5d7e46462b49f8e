import { sentenceOf } from '../../api/api-problem.ts'
import type { HoursReport } from '../../api/types.ts'
import { useLive } from '../../data/use-live.ts'
import { useLoaded } from '../../data/use-loaded.ts'
import { useServices } from '../../services/services.ts'
import { t } from '../../texts/text.ts'
import { dateOf, formatOf } from '../../time/days.ts'
import { showHours } from '../../time/hours.ts'
import { ConnectionMark } from '../../ui/connection-mark.tsx'
import { Icon } from '../../ui/icon.tsx'
import { EmptyState, LoadProblem } from '../../ui/notes.tsx'
import { Page } from '../../ui/page.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { wordsOfHours } from './column-heads.ts'
import { downloadCsv } from './download-csv.ts'
import { readPeriod } from './periods.ts'
import { ReportTabs } from './report-tabs.tsx'
import {
  isGroupedBy,
  pathOfHours,
  pathOfWhole,
  readWanted,
  type SumRow,
  sumRowsOf,
  type Wanted,
  type Whole,
} from './sums.ts'
import { SumsFilters } from './sums-filters.tsx'
import { SumsTable } from './sums-table.tsx'
import { tableForPeople } from './table-for-people.ts'

/** Hours recorded in a period, told apart as one likes, beside what was planned. The address says all that was chosen. */
export function SumsScreen() {
  const { router, send, toasts } = useServices()
  const query = router.address.value.searchParams
  const period = readPeriod(query)
  const wanted = readWanted(query, period)
  const path = pathOfHours(wanted)
  const hours = useLive<HoursReport['result']>(path)
  const whole = useWhole(wanted, hours.value)
  const shown = formatOf('long').formatRange(dateOf(period.from), dateOf(period.to))
  const download = () =>
    downloadCsv(send, {
      path,
      fileName: `${t('Hours')} ${period.from} ${period.to}.csv`,
      written: (table) => tableForPeople(table, wordsOfHours()),
    }).catch((error) => toasts.show({ kind: 'problem', text: sentenceOf(error) }))
  const report = hours.value && isGroupedBy(wanted, hours.value.groups) ? hours.value : undefined
  const plan = whole.value && isGroupedBy({ by: wanted.by }, whole.value.hours) ? whole.value : undefined
  // Drawn together, so that the plan does not push the hours aside.
  const isComplete = report && (plan || wanted.second !== undefined || whole.problem)
  const rows = sumRowsOf(wanted, report?.groups ?? [], plan, query.get('all') === 'yes')
  return (
    <Page
      title={t('Reports')}
      actions={
        <>
          <ConnectionMark connection={hours.connection} />
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
      <SumsFilters wanted={wanted} preset={period.preset} />
      <p class="period-shown">{shown}</p>
      {(hours.problem ?? whole.problem) && (
        <LoadProblem problem={(hours.problem ?? whole.problem) as Error} onRetry={hours.reload} />
      )}
      {!isComplete && !hours.problem && <Skeleton as="grid" rows={9} cells="text cell cell cell" />}
      {isComplete && <Sums rows={rows} wanted={wanted} report={report} isStale={hours.isStale} />}
    </Page>
  )
}

/** Read again with every change of the hours. */
function useWhole(wanted: Wanted, hours: HoursReport['result'] | undefined) {
  const { send } = useServices()
  const read = async (report: 'hours' | 'assignments', signal: AbortSignal) =>
    (await (await send({ path: pathOfWhole(report, wanted), signal })).json()).result.groups
  const key = `${pathOfWhole('hours', wanted)} ${JSON.stringify(hours?.total)}`
  return useLoaded(key, ['assignment'], async (signal): Promise<Whole | undefined> => {
    if (wanted.second !== undefined) return undefined
    const [recorded, planned] = await Promise.all([read('hours', signal), read('assignments', signal)])
    return { hours: recorded, assignments: planned }
  })
}

interface SumsProps {
  readonly rows: readonly SumRow[]
  readonly wanted: Wanted
  readonly report: HoursReport['result']
  readonly isStale: boolean
}

function Sums({ rows, wanted, report, isStale }: SumsProps) {
  if (rows.length === 0)
    return (
      <EmptyState title={t('No hours in this period')}>
        <p>{t('Choose another period or fewer filters, or record hours in your week.')}</p>
      </EmptyState>
    )
  return (
    <div class={isStale ? 'reports stale' : 'reports'}>
      <dl class="figures">
        <div>
          <dt>{t('Recorded in this period')}</dt>
          <dd>{showHours(report.total.hours)}</dd>
        </div>
        <div>
          <dt>{t('Entries')}</dt>
          <dd>{report.total.appointments}</dd>
        </div>
      </dl>
      <SumsTable rows={rows} wanted={wanted} total={report.total} />
      {report.totalGroups > report.groups.length && (
        <p class="form-note">
          {t('There are more lines than are shown. Choose a shorter period or a filter.')}
        </p>
      )}
    </div>
  )
}
