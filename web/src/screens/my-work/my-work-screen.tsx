import type { RecordOf } from '../../api/api.ts'
import { useLoaded } from '../../data/use-loaded.ts'
import { useServices } from '../../services/services.ts'
import { type Text, t } from '../../texts/text.ts'
import { EmptyState, LoadProblem } from '../../ui/notes.tsx'
import { Page } from '../../ui/page.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { type Group, groups, loadMyWork, type MyWork } from './load-my-work.ts'
import { WorkRow } from './work-row.tsx'

const titles: Readonly<Record<Group, Text>> = {
  blocked: 'Blocked',
  overdue: 'Overdue',
  today: 'Due today',
  week: 'Due this week',
  next: 'Due next week',
  later: 'Due later',
}

/** What one has to do, over all projects. */
export function MyWorkScreen() {
  const { api, session } = useServices()
  const id = session.person.value?.id ?? ''
  const { value, problem, reload } = useLoaded(
    `my work ${id}`,
    ['assignment', 'userAssignment', 'assignmentImpediment'],
    (signal) => loadMyWork(api, id, signal),
  )
  return (
    <Page title={t('My work')}>
      {problem && <LoadProblem problem={problem} onRetry={reload} />}
      {value === undefined && !problem && (
        <Skeleton as="rows" blocks={2} rows={4} cells="lines field icon icon" />
      )}
      {value?.groups.size === 0 && (
        <EmptyState title={t('Nothing waits for you')}>
          <p>{t('What is yours and due soon stands here. Find more to do in a project.')}</p>
          <a class="button" href="/projects">
            {t('Go to the projects')}
          </a>
        </EmptyState>
      )}
      {value &&
        groups.map((group) => (
          <WorkGroup key={group} title={t(titles[group])} rows={value.groups.get(group) ?? []} work={value} />
        ))}
      {value?.isCut && <p class="quiet-text">{t('Only the first 100 of each stage are shown.')}</p>}
    </Page>
  )
}

interface WorkGroupProps {
  readonly title: string
  readonly rows: readonly RecordOf<'assignment'>[]
  readonly work: MyWork
}

function WorkGroup({ title, rows, work }: WorkGroupProps) {
  if (rows.length === 0) return null
  return (
    <section class="group" aria-label={title}>
      <header class="group-header">
        <h2>{title}</h2>
        <span class="quiet-text">{rows.length}</span>
      </header>
      <ul class="rows">
        {rows.map((row) => (
          <WorkRow key={row.id} assignment={row} work={work} />
        ))}
      </ul>
    </section>
  )
}
