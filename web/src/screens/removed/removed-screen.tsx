import { useEffect, useState } from 'preact/hooks'
import type { Tracker } from '#tracker-client'
import { sentenceOf } from '../../api/problems.ts'
import { useLoaded } from '../../data/use-loaded.ts'
import type { ScreenProps } from '../../router/router.ts'
import { useServices } from '../../services/services.ts'
import { nounOf } from '../../texts/declared-names.ts'
import { inOneLine, t } from '../../texts/text.ts'
import { dayOfTimestamp, formatLongDay } from '../../time/days.ts'
import { formatTimestamp } from '../../time/kept-format.ts'
import { EmptyState, LoadProblem } from '../../ui/notes.tsx'
import { Page } from '../../ui/page.tsx'
import { SearchField } from '../../ui/search-field.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import {
  loadRemoved,
  pathOf,
  type RemovedKind,
  type RemovedRow,
  removedKinds,
  titleOf,
} from './removed-rows.ts'

/** Removed records that can be restored, day by day. */
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
    <EmptyState title={t('Lists of removed records are switched off')}>
      <p>{t('The record that you removed last can still be restored with Undo.')}</p>
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
  const days = Map.groupBy(value.rows, ({ deletedAt }) =>
    dayOfTimestamp(deletedAt ?? new Date().toISOString()),
  )
  return (
    <>
      {value.rows.length === 0 && <Nothing search={search} />}
      {[...days].map(([day, rows]) => (
        <section key={day} class="group" aria-label={formatLongDay(day)}>
          <header class="group-header">
            <h2>{formatLongDay(day)}</h2>
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
    title={search === '' ? t('No removed records') : t('No removed records match “{text}”', { text: search })}
  >
    <p>{t('Removed records are listed here, and can be restored.')}</p>
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

export interface RemovedLineProps {
  readonly row: RemovedRow
  /** The kind, where rows of several kinds are listed. */
  readonly kind: string | undefined
  readonly names: Parameters<typeof titleOf>[2]
  readonly removerId: string | undefined
  readonly problem: string | undefined
  onRestore(row: RemovedRow, title: string): void
}

/** The record, its remover, the time, and a button to restore it. */
function RemovedLine({ row, kind, names, removerId, problem, onRestore }: RemovedLineProps) {
  const { people } = useServices()
  const title = titleOf(row, people.nameOf, names)
  const more = row.login ?? row.description
  const timestamp = row.deletedAt === null ? '' : formatTimestamp(row.deletedAt)
  const removed =
    removerId === undefined
      ? t('Removed {moment}', { moment: timestamp })
      : t('Removed by {name}, {moment}', { name: people.nameOf(removerId), moment: timestamp })
  return (
    <li class="row">
      <span class="row-text">
        {kind && <span class="chip removed-kind">{kind}</span>} <span>{title}</span>
        <span class="quiet-text line">{inOneLine(more, removed)}</span>
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

/** Each takes a request of its own, so only the newest are asked for. */
const rowsAsked = 40
/** Limited to two at a time: the list itself needs connections. */
const parallelMax = 2

/** Maps each row to its remover, read from the history step by step. */
function useRemovers(rows: readonly RemovedRow[]): ReadonlyMap<string, string> {
  const { tracker } = useServices()
  const [removers, setRemovers] = useState<ReadonlyMap<string, string>>(new Map())
  useEffect(() => {
    const left = new AbortController()
    const waiting = rows.slice(0, rowsAsked).filter(({ id }) => !removers.has(id))
    const work = async () => {
      for (let row = waiting.shift(); row !== undefined && !left.signal.aborted; row = waiting.shift()) {
        const [id, callerId] = [row.id, await findRemover(tracker, row, left.signal)]
        if (callerId) setRemovers((all) => new Map(all).set(id, callerId))
      }
    }
    for (let line = 0; line < parallelMax; line += 1) void work()
    return () => left.abort()
  }, [tracker, rows])
  return removers
}

/** Undefined where the user may not read the history, or its newest entry is not the removal. */
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
