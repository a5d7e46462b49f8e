import { useState } from 'preact/hooks'
import { sentenceOf } from '../../api/api-problem.ts'
import { useLoaded } from '../../data/use-loaded.ts'
import type { ScreenProps } from '../../router/screen-props.ts'
import { useServices } from '../../services/services.ts'
import { EmptyState, LoadProblem, Skeleton } from '../../ui/notes.tsx'
import { Page } from '../../ui/page.tsx'
import { SearchField } from '../../ui/search-field.tsx'
import { Tabs } from '../../ui/tabs.tsx'
import { pathOf, type RemovedKind, removedKinds } from './removed-kinds.ts'
import { loadRemoved, type RemovedRow, titleOf } from './removed-rows.ts'

/** What was removed and can come back. */
export function RemovedScreen({ parameters: { list } }: ScreenProps) {
  const { configuration, router, session } = useServices()
  const search = router.address.value.searchParams.get('search') ?? ''
  const isAdministrator = session.person.value?.isAdministrator ?? false
  const kinds = removedKinds.filter(({ administratorsOnly }) => isAdministrator || !administratorsOnly)
  const kind = kinds.find((one) => pathOf(one) === `/removed/${list}`) ?? kinds[0]
  if (!configuration.extensions || kind === undefined) return <SwitchedOff />
  return (
    <Page
      title="Removed records"
      actions={
        <SearchField
          label="Search removed records"
          value={search}
          onChange={(text) => router.setQuery({ search: text })}
        />
      }
    >
      <Tabs
        label="Kind of record"
        tabs={kinds.map((one) => ({ label: one.label, href: pathOf(one), isCurrent: one === kind }))}
      />
      <RemovedList key={kind.resource} kind={kind} search={search} />
    </Page>
  )
}

const SwitchedOff = () => (
  <Page title="Removed records">
    <EmptyState title="Lists of removed records are switched off here">
      <p>What you have just removed can still be taken back with Undo.</p>
    </EmptyState>
  </Page>
)

function RemovedList({
  kind: { resource, label },
  search,
}: {
  readonly kind: RemovedKind
  readonly search: string
}) {
  const { api } = useServices()
  const [pages, setPages] = useState(1)
  const { value, problem, reload } = useLoaded(`${resource} ${search} ${pages}`, [resource], (signal) =>
    loadRemoved(api, resource, { search, pages, signal }),
  )
  const { problems, restore } = useRestore(resource)
  if (value === undefined)
    return problem ? <LoadProblem problem={problem} onRetry={reload} /> : <Skeleton rows={4} />
  const left = value.totalCount - value.rows.length
  return (
    <>
      {value.rows.length === 0 && (
        <EmptyState title={search === '' ? 'Nothing here was removed' : `Nothing removed fits “${search}”`}>
          <p>What you remove is listed here, and can be restored.</p>
        </EmptyState>
      )}
      <ul class="rows" aria-label={`Removed: ${label}`}>
        {value.rows.map((row) => (
          <RemovedLine
            key={row.id}
            row={row}
            names={value.names}
            problem={problems.get(row.id)}
            onRestore={restore}
          />
        ))}
      </ul>
      {left > 0 && (
        <button type="button" class="button" onClick={() => setPages(pages + 1)}>
          Show more ({left} left)
        </button>
      )}
    </>
  )
}

interface RemovedLineProps {
  readonly row: RemovedRow
  readonly names: Parameters<typeof titleOf>[2]
  readonly problem: string | undefined
  onRestore(row: RemovedRow, title: string): void
}

const moment = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'short' })

function RemovedLine({ row, names, problem, onRestore }: RemovedLineProps) {
  const { people } = useServices()
  const title = titleOf(row, people.nameOf, names)
  const more = [
    row.login ?? row.description,
    row.deletedAt && `Removed ${moment.format(new Date(row.deletedAt))}`,
  ]
  return (
    <li class="row">
      <span class="row-text">
        {title}
        <span class="quiet-text line">{more.filter(Boolean).join(' · ')}</span>
        {problem && (
          <span class="field-errors line" role="alert">
            {problem}
          </span>
        )}
      </span>
      <button
        type="button"
        class="button"
        aria-label={`Restore ${title}`}
        onClick={() => onRestore(row, title)}
      >
        Restore
      </button>
    </li>
  )
}

function useRestore(resource: RemovedKind['resource']) {
  const { api, toasts } = useServices()
  const [problems, setProblems] = useState<ReadonlyMap<string, string>>(new Map())
  const restore = ({ id }: RemovedRow, title: string) => {
    api.restore(resource, [id]).then(
      () => toasts.show({ kind: 'done', text: `${title} was restored.` }),
      (error) => setProblems((all) => new Map(all).set(id, sentenceOf(error))),
    )
  }
  return { problems, restore }
}
