import { useState } from 'preact/hooks'
import type { Change } from '#tracker-client'
import type { ResourceName } from '../../api/api.ts'
import { LinkChip, linkedRecordOf } from '../../assignment/change-chips.tsx'
import {
  ChangeLine,
  ChangeRow,
  describeGroup,
  type ListContext,
  useChangeContext,
} from '../../assignment/change-list.tsx'
import { runSentenceOf } from '../../assignment/change-texts.ts'
import {
  type ChangeGroup,
  type ChangeRun,
  groupChanges,
  joinRuns,
  kindOf,
} from '../../assignment/group-changes.ts'
import { useHistory } from '../../assignment/use-history.ts'
import type { ScreenProps } from '../../router/router.ts'
import { useServices } from '../../services/services.ts'
import { type MessageKey, t, tx } from '../../texts/text.ts'
import { dayOfTimestamp, formatDayHeading } from '../../time/days.ts'
import { formatHours, sumHours } from '../../time/hours.ts'
import { EmptyState, LoadProblem, Skeleton } from '../../ui/page-states.tsx'
import { ProjectSubPage } from '../../ui/project-sub-page.tsx'
import { ChoiceButtons } from '../../ui/view-controls.tsx'

type Kind = 'all' | 'assignments' | 'hours' | 'members'

/** The choices of the filter, and the resources whose changes they show. */
const kinds: Readonly<Record<Kind, { readonly label: MessageKey; readonly resource?: ResourceName }>> = {
  all: { label: 'All' },
  assignments: { label: 'Assignments', resource: 'assignment' },
  hours: { label: 'Hours', resource: 'appointment' },
  members: { label: 'Members', resource: 'userProject' },
}
const kindNames = Object.keys(kinds) as Kind[]

/** Lists all changes in a project, the newest first. */
export function ActivityScreen({ parameters: { projectId = '' } }: ScreenProps) {
  const { router } = useServices()
  const requested = router.address.value.searchParams.get('show')
  const kind = kindNames.find((name) => name === requested) ?? 'all'
  const { resource } = kinds[kind]
  const { changes, hasOlder, problem, reload, loadOlder } = useHistory({ projectId, resource, pageSize: 50 })
  return (
    <ProjectSubPage
      projectId={projectId}
      path="activity"
      title={t('Activity')}
      actions={
        <ChoiceButtons
          label={t('Filter')}
          names={kindNames}
          current={kind}
          labelOf={(name) => t(kinds[name].label)}
          onChoose={(name) => router.setQuery({ show: name === 'all' ? '' : name })}
        />
      }
    >
      {problem && <LoadProblem problem={problem} onRetry={reload} />}
      {changes === undefined && !problem && <Skeleton as="rows" rows={8} cells="face lines" />}
      {changes?.length === 0 && (
        <EmptyState icon="pulse" title={t('Nothing has happened yet')}>
          <p>{t('All changes in this project are listed here.')}</p>
        </EmptyState>
      )}
      <ChangeDays changes={changes ?? []} />
      {hasOlder && (
        <button type="button" class="button quiet show-older" onClick={() => void loadOlder()}>
          {t('Show older')}
        </button>
      )}
    </ProjectSubPage>
  )
}

/** Lists changes by day: who changed which record and when, with the values before and after. */
const ChangeDays = ({ changes }: { readonly changes: readonly Change[] }) =>
  changes.length === 0 ? null : <NamedChanges changes={changes} />

function NamedChanges({ changes }: { readonly changes: readonly Change[] }) {
  const context = useChangeContext(changes)
  // Waits for the names, because they change the height of lines, and everything below would move.
  if (context === undefined) return <Skeleton as="rows" rows={6} cells="face lines" />
  const groups = groupChanges(changes).filter((group) => describeGroup(group, context) !== undefined)
  const days = Map.groupBy(groups, ([newest]) => dayOfTimestamp(newest.at))
  return [...days].map(([day, groupsOfDay]) => (
    <section key={day} class="change-day" aria-labelledby={`changes-${day}`}>
      <h2 id={`changes-${day}`}>{formatDayHeading(day)}</h2>
      <ol class="rows">
        <Runs groups={groupsOfDay} context={context} />
      </ol>
    </section>
  ))
}

interface RunsProps {
  readonly groups: readonly ChangeGroup[]
  readonly context: ListContext
}

/**
 * Shows the same change of several records in one line. Of consecutive lines of one user, only the first has
 * the name.
 */
function Runs({ groups, context }: RunsProps) {
  /** Contains all groups of an opened run, so that it stays open when other groups join it. */
  const [openGroups, setOpenGroups] = useState<readonly string[]>([])
  const runs = joinRuns(groups, (kind) => runSentenceOf(kind) !== undefined)
  return runs.map((run, index) => {
    const [newest] = run
    const lineProps = { context, above: runs[index - 1]?.[0][0] }
    if (run.length === 1) return <ChangeRow key={newest[0].id} group={newest} showsTime {...lineProps} />
    const ids = run.map(([change]) => change.id)
    const isOpen = ids.some((id) => openGroups.includes(id))
    return (
      <Run
        key={newest[0].id}
        run={run}
        {...lineProps}
        isOpen={isOpen}
        onToggle={() =>
          setOpenGroups(isOpen ? openGroups.filter((id) => !ids.includes(id)) : [...openGroups, ...ids])
        }
      />
    )
  })
}

interface RunProps {
  readonly run: ChangeRun
  readonly context: ListContext
  readonly above: Change | undefined
  readonly isOpen: boolean
  onToggle(): void
}

function Run({ run, context, above, isOpen, onToggle }: RunProps) {
  const [[newest]] = run
  const sentence = runSentenceOf(kindOf(run[0]))
  const amounts = run.flat().map(({ after }) => ({ amountHours: Number(after?.amountHours ?? 0) }))
  return (
    <>
      <ChangeLine group={run[0]} showsTime above={above}>
        {sentence && tx(sentence, { count: run.length, hours: <b>{formatHours(sumHours(amounts))}</b> })}{' '}
        <span class="change-chips">
          <LinkedChips changes={run.flat()} context={context} />
        </span>{' '}
        <button type="button" class="link-button change-more" aria-expanded={isOpen} onClick={onToggle}>
          {isOpen ? t('Show less') : t('Show {count} changes', { count: run.length })}
        </button>
      </ChangeLine>
      {isOpen &&
        run.map((group, index) => (
          <ChangeRow
            key={group[0].id}
            group={group}
            context={context}
            showsTime
            above={run[index - 1]?.[0] ?? newest}
          />
        ))}
    </>
  )
}

interface LinkedChipsProps {
  readonly changes: readonly Change[]
  readonly context: ListContext
}

/** Shows the added labels or people without repetition, if nothing else has changed. */
function LinkedChips({ changes, context }: LinkedChipsProps) {
  const added = new Map(
    changes.map((change) => {
      const linked = linkedRecordOf(change, change.after ?? {})
      return [linked?.id, { change, linked }]
    }),
  )
  if (added.has(undefined)) return null
  return [...added.values()].map(
    ({ change, linked }) =>
      linked && (
        <LinkChip key={linked.id} change={change} linked={linked} showsKind={false} names={context} />
      ),
  )
}
