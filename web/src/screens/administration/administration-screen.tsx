import { useState } from 'preact/hooks'
import { sentenceOf } from '../../api/api-problem.ts'
import { useListing } from '../../data/use-listing.ts'
import type { ScreenProps } from '../../router/screen-props.ts'
import { useServices } from '../../services/services.ts'
import { t } from '../../texts/text.ts'
import { Icon } from '../../ui/icon.tsx'
import { EmptyState, LoadProblem } from '../../ui/notes.tsx'
import { Page } from '../../ui/page.tsx'
import { SearchField } from '../../ui/search-field.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { type Tab, Tabs } from '../../ui/tabs.tsx'
import { CatalogDialog } from './catalog-dialog.tsx'
import { CatalogLine } from './catalog-line.tsx'
import { type Catalog, type CatalogRow, catalogs } from './catalogs.ts'
import { UserAccessDialog } from './user-access-dialog.tsx'

/** More rows than this are found by searching. */
const shownMax = 100

/** Users and the catalogs that everybody chooses from; for administrators. */
export function AdministrationScreen({ parameters: { catalog: path } }: ScreenProps) {
  const { session } = useServices()
  const catalog = catalogs.find((one) => one.path === path) ?? catalogs[0]
  if (!session.person.value?.isAdministrator || catalog === undefined) return <NotAllowed />
  return <CatalogPage key={catalog.path} catalog={catalog} />
}

const NotAllowed = () => (
  <Page title={t('Administration')}>
    <EmptyState title={t('This is for administrators')}>
      <p>{t('Ask one of them for what you need.')}</p>
    </EmptyState>
  </Page>
)

/** The catalogs, and the apps beside them. */
const tabsOf = (current: Catalog, extensions: boolean): readonly Tab[] => [
  ...catalogs.map((one) => ({
    label: t(one.label),
    href: `/administration/${one.path}`,
    isCurrent: one === current,
  })),
  ...(extensions ? [{ label: t('Apps'), href: '/clients', isCurrent: false }] : []),
]

function CatalogPage({ catalog }: { readonly catalog: Catalog }) {
  const { configuration, router } = useServices()
  const { resource, label, about, sortColumn } = catalog
  const search = router.address.value.searchParams.get('search') ?? ''
  const listing = useListing(resource, { search, sortColumn, pageSize: shownMax })
  const rows: readonly CatalogRow[] = listing.rows
  const [front, setFront] = useState<{ readonly row: CatalogRow | undefined }>()
  const [person, setPerson] = useState<CatalogRow>()
  const move = useOrder(rows)
  const isOrdered = sortColumn === 'order' && search === ''
  return (
    <Page
      title={t('Administration')}
      actions={
        <>
          <SearchField
            label={t(catalog.searchLabel)}
            value={search}
            onChange={(text) => router.setQuery({ search: text })}
          />
          <button type="button" class="button primary" onClick={() => setFront({ row: undefined })}>
            <Icon name="plus" />
            <span>{t(catalog.newLabel)}</span>
          </button>
        </>
      }
    >
      <Tabs label={t('What to administer')} tabs={tabsOf(catalog, configuration.extensions)} />
      <section class="group" aria-labelledby="catalog-title">
        <header class="group-header">
          <h2 id="catalog-title">{t(label)}</h2>
          <p class="quiet-text">{t(about)}</p>
        </header>
        {listing.problem && <LoadProblem problem={listing.problem} onRetry={listing.reload} />}
        {listing.isLoading && <Skeleton as="rows" rows={8} cells="lines icon icon icon" />}
        {!listing.isLoading && !listing.problem && rows.length === 0 && (
          <Nothing search={search} catalog={catalog} />
        )}
        <ul class="rows">
          {rows.map((row, index) => (
            <CatalogLine
              key={row.id}
              catalog={catalog}
              row={row}
              onChange={() => setFront({ row })}
              onAccess={() => setPerson(row)}
              onMove={isOrdered ? (steps) => void move(index, index + steps) : undefined}
              isFirst={index === 0}
              isLast={index === rows.length - 1}
            />
          ))}
        </ul>
        {listing.totalCount > shownMax && (
          <p class="quiet-text">
            {t('The first {count} of {total}. Search to find the others.', {
              count: shownMax,
              total: listing.totalCount,
            })}
          </p>
        )}
      </section>
      {person && <UserAccessDialog row={person} onClose={() => setPerson(undefined)} />}
      {front && (
        <CatalogDialog
          catalog={catalog}
          row={front.row}
          nextOrder={(rows.at(-1)?.order ?? -1) + 1}
          onClose={() => setFront(undefined)}
        />
      )}
    </Page>
  )
}

const Nothing = ({ search, catalog }: { readonly search: string; readonly catalog: Catalog }) => (
  <EmptyState title={search === '' ? t(catalog.noneYet) : t(catalog.noneFits, { text: search })}>
    <p>{search === '' ? t('Create the first one.') : t('Try fewer letters, or clear the search.')}</p>
  </EmptyState>
)

/** Moves a stage, and numbers all stages anew where two would have the same number. */
function useOrder(rows: readonly CatalogRow[]) {
  const { api, toasts } = useServices()
  return async (from: number, to: number): Promise<void> => {
    const next = [...rows]
    next.splice(to, 0, ...next.splice(from, 1))
    const moved = next.flatMap(({ id, name, order }, index) =>
      order === index ? [] : [{ id, name, order: index }],
    )
    try {
      for (const body of moved) await api.update('workflow', body)
    } catch (error) {
      toasts.show({ kind: 'problem', text: sentenceOf(error) })
    }
  }
}
