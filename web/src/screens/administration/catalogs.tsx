import type { ComponentChildren } from 'preact'
import { useServices } from '../../services/services.ts'
import { type MessageKey, t } from '../../texts/text.ts'
import { useCopy } from '../../ui/copy.tsx'
import { Icon } from '../../ui/icon.tsx'
import { Page } from '../../ui/page.tsx'
import { EmptyState } from '../../ui/page-states.tsx'
import { Tabs } from '../../ui/view-controls.tsx'

/** A list that administrators maintain for all users. */
export interface Catalog {
  readonly resource: 'user' | 'organization' | 'workflow' | 'assignmentType' | 'impediment'
  /** The last segment of `/administration/{path}`. */
  readonly path: string
  readonly label: MessageKey
  readonly searchLabel: MessageKey
  readonly newLabel: MessageKey
  readonly emptyText: MessageKey
  readonly noMatchText: MessageKey
  readonly about: MessageKey
  readonly sortColumn: 'name' | 'order'
  /** True if rows have an `order`, which buttons change. */
  readonly isOrdered?: true
  readonly fields: readonly CatalogField[]
}

export interface CatalogField {
  readonly name: 'login' | 'password' | 'description' | 'color'
  readonly label: MessageKey
  readonly hint?: MessageKey
  readonly required: boolean
  readonly isExtension?: true
}

export const catalogs: readonly Catalog[] = [
  {
    resource: 'user',
    path: 'users',
    label: 'Users',
    searchLabel: 'Search users',
    newLabel: 'New user',
    emptyText: 'No users yet',
    noMatchText: 'No users match “{text}”',
    about: 'Everyone who can sign in. Invite people from the members of a project.',
    sortColumn: 'name',
    fields: [
      {
        name: 'login',
        label: 'Login',
        required: true,
        hint: 'Usually an email address.',
      },
      { name: 'password', label: 'Password', required: true },
    ],
  },
  {
    resource: 'organization',
    path: 'organizations',
    label: 'Organizations',
    searchLabel: 'Search organizations',
    newLabel: 'New organization',
    emptyText: 'No organizations yet',
    noMatchText: 'No organizations match “{text}”',
    about: 'Every project belongs to one.',
    sortColumn: 'name',
    fields: [{ name: 'description', label: 'Description', required: false }],
  },
  {
    resource: 'workflow',
    path: 'workflows',
    label: 'Stages',
    searchLabel: 'Search stages',
    newLabel: 'New stage',
    emptyText: 'No stages yet',
    noMatchText: 'No stages match “{text}”',
    about: 'The columns of every board, from left to right. A new stage is added at the end.',
    sortColumn: 'order',
    isOrdered: true,
    fields: [
      {
        name: 'color',
        label: 'Color',
        required: false,
        isExtension: true,
        hint: 'For projects that choose no other color.',
      },
    ],
  },
  {
    resource: 'assignmentType',
    path: 'types',
    label: 'Assignment types',
    searchLabel: 'Search assignment types',
    newLabel: 'New assignment type',
    emptyText: 'No assignment types yet',
    noMatchText: 'No assignment types match “{text}”',
    about: 'The kinds of work.',
    sortColumn: 'name',
    fields: [],
  },
  {
    resource: 'impediment',
    path: 'impediments',
    label: 'Impediment types',
    searchLabel: 'Search impediment types',
    newLabel: 'New impediment type',
    emptyText: 'No impediment types yet',
    noMatchText: 'No impediment types match “{text}”',
    about: 'Reasons why an assignment can be blocked.',
    sortColumn: 'name',
    fields: [],
  },
]

/** A row of any catalog, with the properties that the screens need. */
export interface CatalogRow {
  readonly id: string
  readonly name: string
  readonly login?: string
  readonly description?: string | null
  readonly order?: number
  readonly color?: string | null
}

export type CatalogValues = Readonly<Record<string, string>> & { readonly name: string }

export const valuesOf = ({ fields, isOrdered }: Catalog, row: CatalogRow | undefined): CatalogValues => ({
  name: row?.name ?? '',
  ...(isOrdered && row && { order: String(row.order) }),
  ...Object.fromEntries(fields.map(({ name }) => [name, name === 'password' ? '' : (row?.[name] ?? '')])),
})

/**
 * Returns the request body. An unchanged login is left out, and so is the empty password of an existing user,
 * whose password stays the same.
 */
export function bodyOf(values: CatalogValues, row: CatalogRow | undefined): Record<string, unknown> {
  const { login, password, order, description, color, ...otherValues } = values
  return {
    ...otherValues,
    ...(row && { id: row.id }),
    ...(login !== undefined && login !== row?.login && { login }),
    ...(password !== undefined && (password !== '' || !row) && { password }),
    ...(description !== undefined && { description: description.trim() || null }),
    ...(color !== undefined && { color: color || null }),
    ...(order !== undefined && { order: Number(order) }),
  }
}

export const policyPath = '/administration/sign-in'
export const clientsPath = '/clients'
export const webhooksPath = '/webhooks'

/** Returns the catalogs, the apps, the webhooks and the sign-in policy. */
export const administrationPages = (extensions: boolean) => [
  ...catalogs.map(({ label, path }) => ({ label: t(label), href: `/administration/${path}` })),
  ...(extensions
    ? [
        { label: t('Apps'), href: clientsPath },
        { label: t('Webhooks'), href: webhooksPath },
        { label: t('Sign-in'), href: policyPath },
      ]
    : []),
]

interface TabSectionProps {
  readonly label: string
  readonly about: string
  readonly children: ComponentChildren
}

/** The content of a page below the tabs. The selected tab shows the same name, so the heading is hidden. */
export const TabSection = ({ label, about, children }: TabSectionProps) => (
  <section class="group" aria-labelledby="tab-title">
    <h2 id="tab-title" class="visually-hidden">
      {label}
    </h2>
    <p class="quiet-text">{about}</p>
    {children}
  </section>
)

/** A name that operators paste into a file, such as that of an environment variable. A click copies it. */
export function CopiedName({ name }: { readonly name: string }) {
  const copy = useCopy()
  const label = t('Copy {key}', { key: name })
  return (
    <button
      type="button"
      class="setting-name"
      aria-label={label}
      title={label}
      onClick={() => copy(name, t('{key} was copied.', { key: name }))}
    >
      <code>{name}</code>
      <Icon name="copy" />
    </button>
  )
}

/** Links to the pages of the administration. `current` is the path of the page. */
export function AdministrationTabs({ current }: { readonly current: string }) {
  const pages = administrationPages(useServices().configuration.extensions)
  return (
    <Tabs
      label={t('Administration')}
      tabs={pages.map((page) => ({ ...page, isCurrent: page.href === current }))}
    />
  )
}

/** The page that other users see instead of a screen for administrators. */
export const AdministratorsOnly = ({ title }: { readonly title: string }) => (
  <Page title={title}>
    <EmptyState icon="shield" title={t('Administrators only')}>
      <p>{t('Ask an administrator for what you need.')}</p>
    </EmptyState>
  </Page>
)
