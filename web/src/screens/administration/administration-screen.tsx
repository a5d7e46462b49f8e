import { useState } from 'preact/hooks'
import { type AccountOverview, createIdentityAdministration } from '../../api/identity.ts'
import { sentenceOf } from '../../api/problems.ts'
import { colorChoices } from '../../assignment/labels.tsx'
import { useListing } from '../../data/use-listing.ts'
import { useLoaded } from '../../data/use-loaded.ts'
import { ChoiceField, NameField, TextAreaField, TextField } from '../../forms/fields.tsx'
import { Form } from '../../forms/form.tsx'
import { type FormState, useForm } from '../../forms/use-form.ts'
import type { ScreenProps } from '../../router/router.ts'
import { useServices } from '../../services/services.ts'
import { t } from '../../texts/text.ts'
import { formatTimestamp } from '../../time/format-timestamp.ts'
import { PersonAvatar } from '../../ui/avatar.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Icon, IconButton } from '../../ui/icon.tsx'
import { NewPasswordField } from '../../ui/new-password-field.tsx'
import { EmptyState, LoadProblem } from '../../ui/notes.tsx'
import { AdministratorsOnly, Page, type Tab, Tabs, useNewByAddress } from '../../ui/page.tsx'
import { SearchField } from '../../ui/search-field.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { useRemoval } from '../../ui/use-removal.ts'
import {
  bodyOf,
  type Catalog,
  type CatalogField,
  type CatalogRow,
  type CatalogValues,
  catalogs,
  valuesOf,
} from './catalogs.ts'
import { SignInPolicyPage } from './sign-in-policy-page.tsx'
import { UserAccessDialog } from './user-access-dialog.tsx'

/** Only this many rows are loaded; users search for others. */
const rowsMax = 100

/** Manages users, and the catalogs that all users choose from. For administrators. */
export function AdministrationScreen({ parameters: { catalog: path } }: ScreenProps) {
  const { configuration, session } = useServices()
  const catalog = catalogs.find((one) => one.path === path) ?? catalogs[0]
  if (!session.person.value?.isAdministrator || catalog === undefined)
    return <AdministratorsOnly title={t('Administration')} />
  if (path === policyPath && configuration.extensions)
    return <SignInPolicyPage tabs={tabsOf(undefined, true)} />
  return <CatalogPage key={catalog.path} catalog={catalog} />
}

const policyPath = 'sign-in'

/** Returns the tabs of the catalogs, of the apps, and of the sign-in policy, which is current if no catalog is. */
const tabsOf = (current: Catalog | undefined, extensions: boolean): readonly Tab[] => [
  ...catalogs.map((one) => ({
    label: t(one.label),
    href: `/administration/${one.path}`,
    isCurrent: one === current,
  })),
  ...(extensions
    ? [
        { label: t('Apps'), href: '/clients', isCurrent: false },
        {
          label: t('Sign-in'),
          href: `/administration/${policyPath}`,
          isCurrent: current === undefined,
        },
      ]
    : []),
]

function CatalogPage({ catalog }: { readonly catalog: Catalog }) {
  const { configuration, router } = useServices()
  const { resource, label, about, sortColumn } = catalog
  const search = router.address.value.searchParams.get('search') ?? ''
  const listing = useListing(resource, { search, sortColumn, pageSize: rowsMax })
  const rows: readonly CatalogRow[] = listing.rows
  const [dialog, setDialog] = useState<{ readonly row: CatalogRow | undefined }>()
  useNewByAddress(() => setDialog({ row: undefined }))
  const [accessUser, setAccessUser] = useState<CatalogRow>()
  const moveStage = useMoveStage(rows)
  const accounts = useAccounts(resource === 'user' ? rows.map(({ id }) => id) : [])
  // The rows wait for the accounts, so that they do not grow afterwards.
  const isLoading = listing.isLoading || accounts.isLoading
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
          <button type="button" class="button primary" onClick={() => setDialog({ row: undefined })}>
            <Icon name="plus" />
            <span>{t(catalog.newLabel)}</span>
          </button>
        </>
      }
    >
      <Tabs label={t('Administration')} tabs={tabsOf(catalog, configuration.extensions)} />
      <section class="group" aria-labelledby="catalog-title">
        <header class="group-header">
          <h2 id="catalog-title">{t(label)}</h2>
          <p class="quiet-text">{t(about)}</p>
        </header>
        {listing.problem && <LoadProblem problem={listing.problem} onRetry={listing.reload} />}
        {isLoading && <Skeleton as="rows" rows={8} cells="lines icon icon icon" />}
        {!listing.isLoading && !listing.problem && rows.length === 0 && (
          <NoRows search={search} catalog={catalog} />
        )}
        <ul class="rows">
          {(isLoading ? [] : rows).map((row, index) => (
            <CatalogLine
              key={row.id}
              catalog={catalog}
              row={row}
              account={accounts.byUser.get(row.id)}
              onChange={() => setDialog({ row })}
              onAccess={() => setAccessUser(row)}
              onMove={isOrdered ? (steps) => void moveStage(index, index + steps) : undefined}
              isFirst={index === 0}
              isLast={index === rows.length - 1}
            />
          ))}
        </ul>
        {listing.totalCount > rowsMax && (
          <p class="quiet-text">
            {t('The first {count} of {total}. Search to find the others.', {
              count: rowsMax,
              total: listing.totalCount,
            })}
          </p>
        )}
      </section>
      {accessUser && (
        <UserAccessDialog
          row={accessUser}
          onChanged={accounts.reload}
          onClose={() => setAccessUser(undefined)}
        />
      )}
      {dialog && (
        <CatalogDialog
          catalog={catalog}
          row={dialog.row}
          nextOrder={(rows.at(-1)?.order ?? -1) + 1}
          onClose={() => setDialog(undefined)}
        />
      )}
    </Page>
  )
}

const NoRows = ({ search, catalog }: { readonly search: string; readonly catalog: Catalog }) => (
  <EmptyState title={search === '' ? t(catalog.emptyText) : t(catalog.noMatchText, { text: search })}>
    <p>{search === '' ? t('Create the first one.') : t('Try fewer letters, or clear the search.')}</p>
  </EmptyState>
)

/** Moves a stage, and renumbers the stages whose position changes. */
function useMoveStage(rows: readonly CatalogRow[]) {
  const { api, toasts } = useServices()
  return async (from: number, to: number): Promise<void> => {
    const next = [...rows]
    next.splice(to, 0, ...next.splice(from, 1))
    const updates = next.flatMap(({ id, name, order }, index) =>
      order === index ? [] : [{ id, name, order: index }],
    )
    try {
      for (const body of updates) await api.update('workflow', body)
    } catch (error) {
      toasts.show({ kind: 'problem', text: sentenceOf(error) })
    }
  }
}

export interface CatalogLineProps {
  readonly catalog: Catalog
  readonly row: CatalogRow
  /** Undefined for other rows, and until it is loaded. */
  readonly account: AccountOverview | undefined
  readonly isFirst: boolean
  readonly isLast: boolean
  onChange(): void
  /** Opens the dialog for the access of a user. */
  onAccess(): void
  /** Undefined unless the catalog is ordered. */
  readonly onMove: ((steps: number) => void) | undefined
}

function CatalogLine({
  catalog: { resource },
  row,
  account,
  isFirst,
  isLast,
  onChange,
  onAccess,
  onMove,
}: CatalogLineProps) {
  const { session } = useServices()
  const remove = useRemoval()
  const isSelf = row.id === session.person.value?.id
  return (
    <li class="row">
      {resource === 'user' && <PersonAvatar id={row.id} isDecorative />}
      <span class="row-text">
        <bdi>{row.name}</bdi>
        {isSelf && <span class="quiet-text"> {t('(you)')}</span>}
        <span class="quiet-text line" dir="auto">
          {row.login ?? row.description}
        </span>
        {account && <AccountLine {...account} />}
      </span>
      <span class="row-buttons">
        {onMove && (
          <>
            <IconButton
              icon="up"
              label={t('Move {name} up', { name: row.name })}
              isDisabled={isFirst}
              run={() => onMove(-1)}
            />
            <IconButton
              icon="down"
              label={t('Move {name} down', { name: row.name })}
              isDisabled={isLast}
              run={() => onMove(1)}
            />
          </>
        )}
        {resource === 'user' && (
          <IconButton icon="gear" label={t('Access of {name}', { name: row.name })} run={onAccess} />
        )}
        <IconButton icon="edit" label={t('Change {name}', { name: row.name })} run={onChange} />
        <IconButton
          icon="trash"
          label={t('Remove {name}', { name: row.name })}
          // Administrators who remove their own account would be locked out at once.
          isDisabled={isSelf}
          run={() => void remove(resource, row.id, row.name)}
        />
      </span>
    </li>
  )
}

/** Loads the roles, second factors and last sign-ins of the listed users, which the identity provider knows. */
function useAccounts(ids: readonly string[]) {
  const { configuration, session } = useServices()
  const isWanted = ids.length > 0 && configuration.extensions
  const { value, problem, reload } = useLoaded(`accounts ${[...ids].sort().join()}`, [], async () =>
    isWanted ? createIdentityAdministration(configuration, session).listAccounts(ids) : undefined,
  )
  const byUser = new Map(value?.map((account) => [account.userId, account]))
  return { byUser, isLoading: isWanted && value === undefined && problem === undefined, reload }
}

const AccountLine = (account: AccountOverview) => (
  <span class="account-line">
    {account.isAdministrator && (
      <span class="chip" title={account.hasRole ? undefined : t('Through the server settings')}>
        {t('Administrator')}
      </span>
    )}
    {account.isDeactivated && <span class="chip danger">{t('Deactivated')}</span>}
    {account.hasFactor && <span class="chip">{t('Second factor')}</span>}
    {account.mustHaveFactor && !account.hasFactor && (
      <span class="chip warning">{t('Second factor missing')}</span>
    )}
    <span class="quiet-text">
      {account.lastSignInAt === null
        ? t('Has never signed in')
        : t('Last sign-in {time}', { time: formatTimestamp(account.lastSignInAt) })}
    </span>
  </span>
)

export interface CatalogDialogProps {
  readonly catalog: Catalog
  /** Undefined for a new entry. */
  readonly row: CatalogRow | undefined
  /** The position of a new stage. */
  readonly nextOrder: number
  onClose(): void
}

function CatalogDialog({ catalog, row, nextOrder, onClose }: CatalogDialogProps) {
  const { api, configuration, session, toasts } = useServices()
  const { resource, fields } = catalog
  const shownFields = fields.filter(({ isExtension }) => configuration.extensions || !isExtension)
  const hasPassword = fields.some(({ name }) => name === 'password')
  const form = useForm<CatalogValues>({
    // A password must not be stored as a draft.
    ...(!hasPassword && { draft: `${resource}-${row?.id ?? 'new'}` }),
    initial: valuesOf(catalog, row, nextOrder),
    async submit(values) {
      const body = bodyOf(values, row) as never
      if (row === undefined) await api.create(resource, body)
      else await api.update(resource, body)
      toasts.show({
        kind: 'done',
        text: row
          ? t('{name} was saved.', { name: values.name ?? '' })
          : t('{name} was created.', { name: values.name ?? '' }),
      })
    },
  })
  const isSelf = row !== undefined && row.id === session.person.value?.id
  return (
    <Dialog title={row ? t('Change {name}', { name: row.name }) : t(catalog.newLabel)} onClose={onClose}>
      <Form form={form} submitLabel={row ? t('Save') : t('Create')} onCancel={onClose} onDone={onClose}>
        <NameField form={form} />
        {shownFields.map((field) => (
          <CatalogFieldInput key={field.name} form={form} field={field} isNew={row === undefined} />
        ))}
        {row && hasPassword && (
          <p class="form-note">
            {isSelf
              ? t('A new login or password ends all your sessions, including this one.')
              : t('A new login or password ends all sessions of {name}.', { name: row.name })}
          </p>
        )}
      </Form>
    </Dialog>
  )
}

interface CatalogFieldInputProps {
  readonly form: FormState<CatalogValues>
  readonly field: CatalogField
  readonly isNew: boolean
}

function CatalogFieldInput({ form, field, isNew }: CatalogFieldInputProps) {
  const { name, label, required, hint } = field
  const fieldProps = { form, name, label: t(label), required, ...(hint && { hint: t(hint) }) }
  if (name === 'description') return <TextAreaField {...fieldProps} />
  if (name === 'color') return <ChoiceField {...fieldProps} choices={colorChoices} />
  if (name === 'login') return <TextField {...fieldProps} />
  if (isNew) return <NewPasswordField {...fieldProps} />
  return (
    <NewPasswordField
      {...fieldProps}
      required={false}
      label={t('New password')}
      hint={t('Leave it empty to keep it.')}
    />
  )
}
