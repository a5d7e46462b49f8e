import { useState } from 'preact/hooks'
import type { ResourceName } from '../../api/api.ts'
import { type AccountOverview, createIdentityAdministration } from '../../api/identity.ts'
import { useLoaded } from '../../data/use-loaded.ts'
import { useRemoval, useServices } from '../../services/services.ts'
import { locale, type MessageKey, t, tn } from '../../texts/text.ts'
import { formatAgo } from '../../time/days.ts'
import { Icon } from '../../ui/icon.tsx'
import { Menu } from '../../ui/menu.tsx'
import { EmptyState, Skeleton } from '../../ui/page-states.tsx'
import { PersonAvatar } from '../../ui/people.tsx'
import { Ago } from '../../ui/relative-time.tsx'
import { ChoiceButtons } from '../../ui/view-controls.tsx'
import { narrow, useMedia } from '../../ui/viewport.ts'
import type { Catalog, CatalogRow } from './catalogs.tsx'
import { UserAccessDialog } from './user-access-dialog.tsx'

/** Accounts are not reloaded after writes of resources, because they belong to the identity host. */
const noResources: readonly ResourceName[] = []

/**
 * Loads the roles, second factors and last sign-ins of the users from the identity provider, and nothing for other
 * catalogs.
 */
export function useAccounts({ resource }: Catalog, rows: readonly CatalogRow[]) {
  const { configuration, session } = useServices()
  const ids = resource === 'user' ? rows.map(({ id }) => id) : []
  const isNeeded = ids.length > 0 && configuration.extensions
  const { value, problem, reload } = useLoaded(`accounts ${[...ids].sort().join()}`, noResources, async () =>
    isNeeded ? createIdentityAdministration(configuration, session).listAccounts(ids) : undefined,
  )
  const byUser = new Map(value?.map((account) => [account.userId, account]))
  return { byUser, isLoading: isNeeded && value === undefined && problem === undefined, reload }
}

export const UsersSkeleton = () => <Skeleton as="rows" rows={8} cells="face lines cell cell icon" />

interface UsersProps {
  readonly rows: readonly CatalogRow[]
  readonly accounts: ReturnType<typeof useAccounts>
  onChange(row: CatalogRow): void
}

/** Shows the table of users as soon as their accounts are loaded, and the dialog for the access of a user. */
export function Users({ rows, accounts, onChange }: UsersProps) {
  const [accessUser, setAccessUser] = useState<CatalogRow>()
  if (accounts.isLoading) return <UsersSkeleton />
  return (
    <>
      <UsersTable rows={rows} accounts={accounts.byUser} onChange={onChange} onAccess={setAccessUser} />
      {accessUser && (
        <UserAccessDialog
          row={accessUser}
          onChanged={accounts.reload}
          onClose={() => setAccessUser(undefined)}
        />
      )}
    </>
  )
}

interface UsersTableProps {
  readonly rows: readonly CatalogRow[]
  /** The accounts by user id. Empty without the extensions. */
  readonly accounts: ReadonlyMap<string, AccountOverview>
  onChange(row: CatalogRow): void
  /** Opens the dialog for the access of a user. */
  onAccess(row: CatalogRow): void
}

type Kind = 'all' | 'administrators' | 'withoutFactor' | 'neverSignedIn' | 'deactivated'

const kinds: Readonly<Record<Kind, { readonly label: MessageKey; has(account: AccountOverview): boolean }>> =
  {
    all: { label: 'All', has: () => true },
    administrators: { label: 'Administrators', has: ({ isAdministrator }) => isAdministrator },
    withoutFactor: { label: 'Without second factor', has: ({ hasFactor }) => !hasFactor },
    neverSignedIn: { label: 'Never signed in', has: ({ lastSignInAt }) => lastSignInAt === null },
    deactivated: { label: 'Deactivated', has: ({ isDeactivated }) => isDeactivated },
  }
const kindNames = Object.keys(kinds) as Kind[]

function useKind(): Kind {
  const { router } = useServices()
  const requested = router.address.value.searchParams.get('kind')
  return kindNames.find((name) => name === requested) ?? 'all'
}

const isOfKind = (kind: Kind, account: AccountOverview | undefined): boolean =>
  account === undefined ? kind === 'all' : kinds[kind].has(account)

interface UserFilterProps {
  /** The number of users that match the search. */
  readonly count: number
  /** False if there are more users than the page has loaded, so that kinds cannot be counted. */
  readonly isComplete: boolean
  /** The accounts by user id. Empty until they are loaded. */
  readonly accounts: ReadonlyMap<string, AccountOverview>
}

/**
 * Filters users by kind, and shows how many there are of each. Shows only how many match the search if kinds
 * cannot be counted. Kinds require the extensions.
 */
export function UserFilter({ count, isComplete, accounts }: UserFilterProps) {
  const { configuration } = useServices()
  const kind = useKind()
  const hasCounts = configuration.extensions && isComplete
  const countOf = (name: Kind) =>
    accounts.size === 0
      ? undefined
      : [...accounts.values()].filter((account) => isOfKind(name, account)).length
  return (
    <>
      {!hasCounts && (
        <span class="quiet-text catalog-count">
          {kind === 'all' && count > 0 && tn(count, '1 user', '{count} users')}
        </span>
      )}
      {configuration.extensions && <KindFilter kind={kind} countOf={hasCounts ? countOf : undefined} />}
    </>
  )
}

interface KindFilterProps {
  readonly kind: Kind
  readonly countOf: ((name: Kind) => number | undefined) | undefined
}

/** A select on phones, because the buttons would need twice the width of a phone. */
function KindFilter({ kind, countOf }: KindFilterProps) {
  const { router } = useServices()
  const isPhone = useMedia(narrow)
  const choose = (name: Kind) => router.setQuery({ kind: name === 'all' ? '' : name })
  const labelOf = (name: Kind) => t(kinds[name].label)
  if (!isPhone)
    return (
      <ChoiceButtons
        label={t('Filter')}
        names={kindNames}
        current={kind}
        labelOf={labelOf}
        countOf={countOf}
        onChoose={choose}
      />
    )
  return (
    <select
      class="input"
      aria-label={t('Filter')}
      value={kind}
      onChange={({ currentTarget }) => choose(currentTarget.value as Kind)}
    >
      {kindNames.map((name) => (
        <option key={name} value={name}>
          {countOf?.(name) === undefined ? labelOf(name) : `${labelOf(name)} (${countOf(name)})`}
        </option>
      ))}
    </select>
  )
}

type SortColumn = 'name' | 'lastSignInAt'

/** Shows the users of the chosen kind with their roles, last sign-ins and second factors. */
function UsersTable({ rows, accounts, ...actions }: UsersTableProps) {
  const kind = useKind()
  const [sortColumn, setSortColumn] = useState<SortColumn>('name')
  const hasAccounts = accounts.size > 0
  // The State column is shown only if an account is deactivated.
  const hasDeactivated = [...accounts.values()].some(({ isDeactivated }) => isDeactivated)
  const shown = sortRows(
    // Without the extensions there are no accounts to filter by.
    rows.filter(({ id }) => !hasAccounts || isOfKind(kind, accounts.get(id))),
    accounts,
    sortColumn,
  )
  const directions = { name: 'ascending', lastSignInAt: 'descending' } as const
  const head = (column: SortColumn, label: string) => (
    <th scope="col" aria-sort={sortColumn === column ? directions[column] : undefined}>
      <button type="button" class="sort-button" onClick={() => setSortColumn(column)}>
        {label}
        {sortColumn === column && <Icon name={column === 'name' ? 'up' : 'down'} />}
      </button>
    </th>
  )
  return (
    <>
      {shown.length === 0 && (
        <EmptyState icon="people" title={t('No users match')}>
          <p>{t('Choose another filter, or clear the search.')}</p>
        </EmptyState>
      )}
      {shown.length > 0 && (
        <div class="table-frame">
          <table class={`users-table ${hasDeactivated ? 'with-states' : ''}`}>
            <thead>
              <tr>
                {head('name', t('Name'))}
                {hasAccounts && (
                  <>
                    <th scope="col">{t('Role')}</th>
                    {head('lastSignInAt', t('Last sign-in'))}
                    <th scope="col">{t('Second factor')}</th>
                    {hasDeactivated && <th scope="col">{t('State')}</th>}
                  </>
                )}
                <th scope="col">
                  <span class="visually-hidden">{t('Actions')}</span>
                </th>
              </tr>
            </thead>
            <tbody>
              {shown.map((row) => (
                <UserRow
                  key={row.id}
                  row={row}
                  account={accounts.get(row.id)}
                  hasDeactivated={hasDeactivated}
                  {...actions}
                />
              ))}
            </tbody>
          </table>
        </div>
      )}
    </>
  )
}

/** Sorts by name or by last sign-in. The latest sign-in is first, and users who never signed in are last. */
function sortRows(
  rows: readonly CatalogRow[],
  accounts: UsersTableProps['accounts'],
  column: SortColumn,
): readonly CatalogRow[] {
  const signInOf = ({ id }: CatalogRow) => accounts.get(id)?.lastSignInAt ?? ''
  return rows.toSorted((a, b) =>
    column === 'name'
      ? a.name.localeCompare(b.name, locale())
      : signInOf(b).localeCompare(signInOf(a)) || a.name.localeCompare(b.name, locale()),
  )
}

interface UserRowProps extends Pick<UsersTableProps, 'onChange' | 'onAccess'> {
  readonly row: CatalogRow
  readonly account: AccountOverview | undefined
  readonly hasDeactivated: boolean
}

function UserRow({ row, account, hasDeactivated, onChange, onAccess }: UserRowProps) {
  const { session } = useServices()
  const remove = useRemoval()
  const isSelf = row.id === session.person.value?.id
  return (
    <tr class={account?.isDeactivated ? 'inactive' : ''}>
      <th scope="row">
        <span class="user-name">
          <PersonAvatar id={row.id} isDecorative />
          <span>
            <bdi>{row.name}</bdi>
            {isSelf && <span class="quiet-text"> {t('(you)')}</span>}
            <span class="quiet-text line" dir="auto">
              {row.login}
            </span>
          </span>
        </span>
      </th>
      {account && <AccountCells account={account} hasDeactivated={hasDeactivated} />}
      <td class="user-menu">
        <Menu
          label={t('Actions for {name}', { name: row.name })}
          items={[
            { label: t('Role and sign-in…'), run: () => onAccess(row) },
            { label: t('Name and login…'), run: () => onChange(row) },
            // Administrators who remove their own account would be locked out at once.
            ...(isSelf
              ? []
              : [
                  {
                    label: t('Remove'),
                    kind: 'danger' as const,
                    run: () => void remove('user', row.id, row.name),
                  },
                ]),
          ]}
        >
          <Icon name="more" />
        </Menu>
      </td>
    </tr>
  )
}

/** Shows a usual value quietly, so that others stand out. */
const Usual = ({ text }: { readonly text: string }) => <span class="quiet-text">{text}</span>

interface AccountCellsProps {
  readonly account: AccountOverview
  readonly hasDeactivated: boolean
}

/** The cells of an account. Where there is no room for a table, one cell has all facts in a line. */
function AccountCells({ account, hasDeactivated }: AccountCellsProps) {
  const { isAdministrator, hasRole, lastSignInAt } = account
  if (useMedia(narrow))
    return (
      <td class="user-facts">
        {factsOf(account).join(' · ')} ·{' '}
        <span class={isAtRisk(account) ? 'at-risk' : ''}>{factorOf(account)}</span>
      </td>
    )
  return (
    <>
      <td class="user-role">
        {isAdministrator ? (
          <span class="chip" title={hasRole ? undefined : t('Through the server settings')}>
            {t('Administrator')}
          </span>
        ) : (
          <Usual text={t('User')} />
        )}
      </td>
      <td>{lastSignInAt === null ? <Usual text={t('Never')} /> : <Ago timestamp={lastSignInAt} />}</td>
      <FactorCell {...account} />
      {hasDeactivated && <StateCell {...account} />}
    </>
  )
}

const factsOf = ({ isAdministrator, lastSignInAt, isDeactivated }: AccountOverview) => [
  ...(isDeactivated ? [t('Deactivated')] : []),
  isAdministrator ? t('Administrator') : t('User'),
  lastSignInAt === null ? t('never signed in') : t('signed in {time}', { time: formatAgo(lastSignInAt) }),
]

function factorOf({ hasFactor, mustHaveFactor }: AccountOverview): string {
  if (hasFactor) return t('second factor')
  return mustHaveFactor ? t('second factor missing') : t('no second factor')
}

/** Returns whether only a password protects an account that needs more, or that may change everything. */
const isAtRisk = ({ hasFactor, mustHaveFactor, isAdministrator }: AccountOverview): boolean =>
  !hasFactor && (mustHaveFactor || isAdministrator)

function FactorCell(account: AccountOverview) {
  const missing = account.mustHaveFactor ? t('Missing') : t('None')
  return (
    <td>
      {account.hasFactor && (
        <span class="user-factor">
          <Icon name="check" /> {t('Enabled')}
        </span>
      )}
      {!account.hasFactor &&
        (isAtRisk(account) ? <span class="chip warning">{missing}</span> : <Usual text={missing} />)}
    </td>
  )
}

const StateCell = ({ isDeactivated }: AccountOverview) => (
  <td>
    {isDeactivated ? <span class="user-deactivated">{t('Deactivated')}</span> : <Usual text={t('Active')} />}
  </td>
)
