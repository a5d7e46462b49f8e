import { useState } from 'preact/hooks'
import { sentenceOf } from '../../api/api-problem.ts'
import { useLoaded } from '../../data/use-loaded.ts'
import type { ScreenProps } from '../../router/screen-props.ts'
import { useServices } from '../../services/services.ts'
import { nounOf } from '../../texts/declared-names.ts'
import { t } from '../../texts/text.ts'
import { dayOfMoment, showLongDay } from '../../time/days.ts'
import { EmptyState, LoadProblem } from '../../ui/notes.tsx'
import { Page } from '../../ui/page.tsx'
import { SearchField } from '../../ui/search-field.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { pathOf, type RemovedKind, removedKinds } from './removed-kinds.ts'
import { RemovedLine } from './removed-line.tsx'
import { loadRemoved, type RemovedRow } from './removed-rows.ts'
import { useRemovers } from './use-removers.ts'

/** What was removed and can come back, day by day. */
export function RemovedScreen({ parameters: { list } }: ScreenProps) {
  const { configuration, router, session } = useServices()
  const search = router.address.value.searchParams.get('search') ?? ''
  const isAdministrator = session.person.value?.isAdministrator ?? false
  const kinds = removedKinds.filter(({ administratorsOnly }) => isAdministrator || !administratorsOnly)
  const chosen = kinds.filter((one) => pathOf(one) === `/removed/${list}`)
  if (!configuration.extensions) return <SwitchedOff />
  return (
    <Page title={t('Removed records')}>
      <search class="filters" aria-label={t('Filters')}>
        <SearchField
          label={t('Search removed records')}
          value={search}
          onChange={(text) => router.setQuery({ search: text })}
        />
        <select
          class="input filter-person"
          aria-label={t('Kind of record')}
          value={chosen[0] ? pathOf(chosen[0]) : '/removed'}
          onChange={(event) => router.go(event.currentTarget.value + router.address.peek().search)}
        >
          <option value="/removed">{t('Everything')}</option>
          {kinds.map((kind) => (
            <option key={kind.resource} value={pathOf(kind)}>
              {t(kind.label)}
            </option>
          ))}
        </select>
      </search>
      <RemovedList key={list} kinds={chosen.length > 0 ? chosen : kinds} search={search} />
    </Page>
  )
}

const SwitchedOff = () => (
  <Page title={t('Removed records')}>
    <EmptyState title={t('Lists of removed records are switched off here')}>
      <p>{t('What you have just removed can still be taken back with Undo.')}</p>
    </EmptyState>
  </Page>
)

interface RemovedListProps {
  readonly kinds: readonly RemovedKind[]
  readonly search: string
}

const none: readonly RemovedRow[] = []

function RemovedList({ kinds, search }: RemovedListProps) {
  const { api } = useServices()
  const [pages, setPages] = useState(1)
  const resources = kinds.map(({ resource }) => resource)
  const { value, problem, reload } = useLoaded(`${resources} ${search} ${pages}`, resources, (signal) =>
    loadRemoved(api, resources, { search, pages, signal }),
  )
  const removers = useRemovers(value?.rows ?? none)
  const { problems, restore } = useRestore()
  if (value === undefined)
    return problem ? (
      <LoadProblem problem={problem} onRetry={reload} />
    ) : (
      <Skeleton as="rows" blocks={2} rows={3} cells="lines button" />
    )
  const days = Map.groupBy(value.rows, ({ deletedAt }) => dayOfMoment(deletedAt ?? new Date().toISOString()))
  return (
    <>
      {value.rows.length === 0 && <Nothing search={search} />}
      {[...days].map(([day, rows]) => (
        <section key={day} class="group" aria-label={showLongDay(day)}>
          <header class="group-header">
            <h2>{showLongDay(day)}</h2>
          </header>
          <ul class="rows">
            {rows.map((row) => (
              <RemovedLine
                key={row.id}
                row={row}
                kind={kinds.length > 1 ? nounOf(row.resource) : undefined}
                names={value.names}
                removerId={removers.get(row.id)}
                problem={problems.get(row.id)}
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

const Nothing = ({ search }: { readonly search: string }) => (
  <EmptyState
    title={
      search === '' ? t('Nothing here was removed') : t('Nothing removed fits “{text}”', { text: search })
    }
  >
    <p>{t('What you remove is listed here, and can be restored.')}</p>
  </EmptyState>
)

function useRestore() {
  const { api, toasts } = useServices()
  const [problems, setProblems] = useState<ReadonlyMap<string, string>>(new Map())
  const restore = ({ id, resource }: RemovedRow, title: string) => {
    api.restore(resource, [id]).then(
      () => toasts.show({ kind: 'done', text: t('{name} was restored.', { name: title }) }),
      (error) => setProblems((all) => new Map(all).set(id, sentenceOf(error))),
    )
  }
  return { problems, restore }
}
